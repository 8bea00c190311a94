/*
 * The name that a model gives a session: one short request beside the conversation, which neither
 * waits for it nor hears of its failure.
 *
 * Belongs to the thread of the conversation's owner. The worker's last act is to post the
 * function that was given; from session_title_join() on there is a text, or none.
 */
#pragma once

#include "agent/event_hub.h"
#include "agent/summary.h"

typedef struct SessionTitle SessionTitle;

/* `context` is copied, what it points to is borrowed; its budget pays. `messages` are those of the
   conversation, and `ended` is posted to its hub. NULL: no one has asked for anything yet, or no
   thread can be made. */
SessionTitle *session_title_start(const SummaryContext *context, const json_t *messages,
                                  EventHub *hub, LoopFunc ended, void *owner, Cancel *scope);
/* Stops it first when it runs. NULL is allowed. */
void session_title_free(SessionTitle *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SessionTitle, session_title_free)

void session_title_join(SessionTitle *self);
bool session_title_has_ended(const SessionTitle *self);   // it was joined
const char *session_title_text(const SessionTitle *self); // NULL: there is none
