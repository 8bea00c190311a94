/*
 * A call of edit in the modes patch and apply_patch: what its entries do to files, and what is said
 * of it (agent-tools §3.3.9, §3.3.11). One thread at a time.
 */
#pragma once

#include "tool/tool.h"
#include "tools/edit/patch_envelope.h"

/* For the judge: says what `entries` do, and keeps them for the run; takes ownership. */
void patch_call_judge(ToolCall *call, GPtrArray *entries, Judgement *judgement);

/* All entries belong together: none is made when one fails. With `has_files` only those of one file
   do, or of files that a move connects; with edit.atomic again all of them. */
bool patch_call_run(ToolCall *call, bool has_files, ToolResult *result, GError **error);
