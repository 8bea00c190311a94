/*
 * One message or tool call as rows, whole (agent-core §7.7): what the transcript gives to the
 * terminal and what the viewer shows. Pure.
 */
#pragma once

#include "base/json.h"
#include "tui/text/row.h"

typedef struct BlockSpec {
    const Theme *theme; // borrowed; may be NULL
    int width, tab_width;
    bool has_links;
    PictureSpec pictures;
    bool is_expanded; // all of a tool's output, not 3 lines (commands: the last 20, diffs 40)
    bool shows_thinking;
    const char *cwd; // may be NULL
} BlockSpec;

/* A message of agent-core §2.1 but `toolResult`, which belongs to block_tool_rows(); calls in an
   assistant message are left out. */
void block_message_rows(const json_t *message, const BlockSpec *spec, GPtrArray *out);
/* `result` is {content, details?}; NULL: there is none. */
void block_tool_rows(const char *tool, const json_t *arguments, const json_t *result, bool is_error,
                     gint64 duration_ms, const BlockSpec *spec, GPtrArray *out);
