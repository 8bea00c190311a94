/*
 * The summary of a branch that a conversation leaves (agent-core §4.6, navigateTree).
 */
#pragma once

#include "agent/summary.h"

/* *ret_fields: {"summary","details"} of a branch_summary entry; NULL when the entries (json_t *)
   hold no messages. Blocks; CANCELLED, or the model's problem. */
bool branch_summary(const SummaryContext *context, const GPtrArray *entries,
                    const char *instructions, Cancel *cancel, json_t **ret_fields, GError **error);
