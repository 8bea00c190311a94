/*
 * A call of edit in the modes patch and apply_patch: what its entries do to files, and what is said
 * of it (agent-tools §3.3.9, §3.3.11). One thread at a time.
 */
#pragma once

#include "tool/tool.h"
#include "tools/edit/patch_envelope.h"

/* Every file of `entries`, for the judge. */
void patch_call_judge(Judgement *judgement, const GPtrArray *entries);

/* All entries belong together: none is made when one fails. */
bool patch_call_run_one(ToolCall *call, const GPtrArray *entries, ToolResult *result,
                        GError **error);

/* Entries of one file, or of files that a move connects, belong together; with edit.atomic all of
   them do. */
bool patch_call_run_many(ToolCall *call, const GPtrArray *entries, ToolResult *result,
                         GError **error);
