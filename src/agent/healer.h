/*
 * A conversation that a server refuses as invalid is sent again in another form, at once: first
 * without what the error points to, or with user and assistant by turns where it wants that, then
 * as plain text (safety §8.2). The session keeps what it has; what is sent changes for as long as
 * the conversation is open.
 */
#pragma once

#include "agent/conversation.h"
#include "model/repair_strong.h"

typedef struct Healer { // of one conversation
    Conversation *conversation;
    int tries;             // for this prompt, since the messages were last loaded
    json_t *original;      // the messages before the first of them; NULL: there was none
    StrongRepair how;      // the newest try
    char *problem;         // that it is to cure, until there is an answer; NULL: there is none
    char *up_to;           // the last entry that it is about
    unsigned loads;        // of the conversation, which `tries` and `original` are about
    const Model *by_turns; // it is tried with roles by turns; NULL: none is. Borrowed from the
                           // registry
} Healer;

/* After an error of the model that was asked. True: the failed answer is forgotten, the
   conversation has another form, and it is worth asking again. False after tries that did not help:
   it has its own again. */
bool healer_try(Healer *self, const Model *asked);
/* An answer came: the form that led to it is remembered. */
void healer_succeeded(Healer *self);
/* A person's prompt comes, or the conversation ends: a form that no answer followed is given up. */
void healer_begin(Healer *self);
