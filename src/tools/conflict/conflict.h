/*
 * Conflict markers that git left in a file, as blocks with a number (agent-tools §3.1.8): what read
 * shows below the text, conflict://N, and write to conflict://N.
 *
 * A block gets its number when it is shown, and keeps it in the conversation. Thread safe.
 */
#pragma once

#include "base/fd.h"
#include "base/limits.h"
#include "tool/tool.h"

/* Pure: the blocks of a text. */
typedef struct ConflictBlock {                    // lines are 1-based
    int64_t start, base, middle, end;             // of the markers; base 0: none
    char *ours_label, *base_label, *theirs_label; // NULL: none
} ConflictBlock;

/* Complete blocks, one behind the other; of ConflictBlock. Caller frees. */
GPtrArray *conflict_blocks(char **lines);

/* Adds the blocks of `path` that lie in the lines `first` to `last` that were shown. */
bool conflict_show_footer(ToolCall *call, const char *path, int64_t first, int64_t last,
                          ToolResult *result, GError **error);
/* read PATH:conflicts */
bool conflict_show_list(ToolCall *call, const char *path, ToolResult *result, GError **error);

bool conflict_is_url(const char *text);
bool conflict_show_url(ToolCall *call, const char *url, ToolResult *result, GError **error);
/* Adds the files that conflict_write_url() would write. */
void conflict_judge_url(ToolCall *call, const char *url, Judgement *judgement);
bool conflict_write_url(ToolCall *call, const char *url, const char *content, ToolResult *result,
                        GError **error);
