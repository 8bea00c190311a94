/*
 * Compacting a conversation: what is old becomes a summary, an entry of the session says where the
 * kept part begins (agent-core §3.8). Blocks the calling worker.
 */
#pragma once

#include "agent/conversation.h"
#include "agent/summary.h"

/* Is there anything that could go? */
bool compaction_has_work(const Conversation *conversation, const Settings *settings,
                         const Model *model);

/* `instructions` (may be NULL) say what the summary is to look at. *ret_result: {"summary",
   "shortSummary","firstKeptEntryId","tokensBefore","details"}, new reference. On failure nothing
   has changed. USAGE: Already compacted; Nothing to compact (session too small). CANCELLED: as the
   person wished; otherwise what the models said. */
bool compaction_run(Conversation *conversation, const SummaryContext *context,
                    const char *instructions, Cancel *cancel, json_t **ret_result, GError **error);
