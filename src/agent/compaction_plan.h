/*
 * Where a compaction cuts a conversation, and when one is due (agent-core §3.8). Pure.
 */
#pragma once

#include "model/model.h"
#include "tool/settings.h"

typedef struct CompactionPlan {
    json_t *history;          // messages to be summarised
    json_t *turn_prefix;      // those of the turn that is cut in two; empty: none is
    char *first_kept_id;      // entry that the kept part begins with
    char *previous_summary;   // of what is no longer in the conversation; NULL: none
    json_t *previous_details; // its file lists; NULL: none
} CompactionPlan;
void compaction_plan_clear(CompactionPlan *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CompactionPlan, compaction_plan_clear)

/* `path` holds the entries (json_t *) from the root, or from where the context begins, to the leaf;
   about `keep_tokens` of the newest messages stay. USAGE: Already compacted; Nothing to compact
   (session too small). */
bool compaction_plan(const GPtrArray *path, int64_t keep_tokens, CompactionPlan *ret_plan,
                     GError **error);

/* Tokens of the conversation above which it is compacted. */
int64_t compaction_threshold(const Settings *settings, const Model *model);
/* Tokens of recent messages that stay. `measured` is what the messages took as the server counted
   them, `estimated` what we think they take. */
int64_t compaction_keep_tokens(const Settings *settings, const Model *model, int64_t measured,
                               int64_t estimated);
