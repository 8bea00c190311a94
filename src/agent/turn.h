/*
 * One request to the model and its answer.
 */
#pragma once

#include "agent/conversation.h"
#include "agent/stream_rules.h"
#include "base/http.h"
#include "tool/settings.h"

typedef struct TurnRequest { // all borrowed
    TurnSetup *setup;
    const char *const *system_blocks; // NULL-terminated; may be NULL
    const char *api_key;              // NULL: keyless
    const char *key_source;           // where it comes from
    const char *forced_tool;          // that is offered, and is to be called; NULL: none
    const Settings *settings;
    HttpClient *http;
    StreamRules *rules; // NULL: none
    Cancel *cancel;     // may be NULL
} TurnRequest;

typedef struct TurnAnswer {
    json_t *message; // finished and added to the conversation
    json_t *calls;   // its toolCall blocks
    bool is_failed;  // stopReason error or aborted
    bool is_stopped; // failed because a rule has stopped it
} TurnAnswer;

void turn_answer_clear(TurnAnswer *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(TurnAnswer, turn_answer_clear)

/* Blocks until the answer is there, tells its events and adds it. */
void turn_request(const TurnRequest *request, Conversation *conversation, TurnAnswer *ret_answer);

/* An assistant message without content that says the run was aborted. New reference. */
json_t *turn_aborted_message(const Model *model);
