/*
 * When a conversation is compacted, and what is told of it (agent-core §3.8): over its threshold
 * before a prompt, between turns and after a run, after an overflow, when no one uses it for a
 * while (as the settings want), when a person asks. Over the threshold and after an overflow a
 * model with more room comes first, where one is named (fallback.h).
 *
 * Belongs to the prompting thread, as the conversation does.
 */
#pragma once

#include "agent/conversation.h"
#include "agent/fallback.h"
#include "agent/summary.h"
#include "tool/hook.h"

#include <stdatomic.h>

typedef struct Compactor { // of one conversation; pointers borrowed
    Conversation *conversation;
    SetupSlot *setup;
    Fallback *fallback;
    const SummaryMeans *means;
    const Settings *settings;
    const HookList *hooks;
    const atomic_bool *is_disabled; // by a command, whatever the settings say; may be NULL
    int overflows;                  // that were recovered from since the last prompt
    bool has_left_out;              // for them
    const char *summary;            // the same: what came of one; NULL: none was tried
} Compactor;

/* A person's prompt comes. */
void compactor_begin(Compactor *self);

typedef enum {
    COMPACTED_NOT, // not due, or it failed: that was told
    COMPACTED,
    COMPACTION_SPARED,  // a model with more room goes on
    COMPACTION_STOPPED, // by `cancel`
} CompactorOutcome;

/* It is over its threshold, and the settings want a new session then (handoff.h). */
bool compactor_hands_off(const Compactor *self);
/* It is so full that it is to be compacted while no one uses it. */
bool compactor_is_due_when_idle(const Compactor *self);
/* Does that. */
CompactorOutcome compactor_compact_idle(Compactor *self, Cancel *cancel);
/* Makes room when the conversation is over its threshold; one answer never causes it twice. */
CompactorOutcome compactor_check(Compactor *self, Cancel *cancel);
/* After an error of the model that was asked. True: it was an overflow, the failed answer is
   forgotten, and it is worth going on: what is old has given way, or was summarised. */
bool compactor_recover(Compactor *self, const Model *asked, Cancel *cancel);
/* After an overflow that was not recovered from: the person is told what was tried, and what they
   can do. */
void compactor_explain(const Compactor *self, const Model *asked);
/* As a person asks for. *ret_result as in compaction.h; USAGE, CANCELLED: Compaction cancelled. */
bool compactor_compact(Compactor *self, const char *instructions, Cancel *cancel,
                       json_t **ret_result, GError **error);
