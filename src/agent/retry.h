/*
 * Whether a failed request is made again, and after which wait (agent-core §3.7).
 */
#pragma once

#include "agent/conversation.h"
#include "agent/run_controls.h"
#include "tool/settings.h"

typedef struct Retry { // of one conversation
    Conversation *conversation;
    const Settings *settings;
    RunControls *controls;
    int attempt; // 0: none under way
} Retry;

typedef enum {
    RETRY_NO,        // not an error of that kind, or tried often enough
    RETRY_NOW,       // the wait is over and the failed answer forgotten
    RETRY_CANCELLED, // during the wait
} RetryDecision;

/* The longest delay of a server that is waited for. */
int64_t retry_max_wait_ms(const Settings *settings);
/* How long a server may send nothing of an answer; -1: as long as it likes. */
int64_t retry_max_silence_ms(const Settings *settings);
/* The last answer's error is one of those that pass, and there is an attempt left. */
bool retry_may_attempt(const Retry *self);
/* After a run that ended in an error. `has_other_way`: there is nothing to wait for. */
RetryDecision retry_wait(Retry *self, bool has_other_way, Cancel *cancel);
/* An answer came: ends the attempt that is under way, if one is. */
void retry_succeeded(Retry *self);
/* The last run was not retried: the same. */
void retry_gave_up(Retry *self, const char *final_error);
