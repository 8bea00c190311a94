/*
 * Showing lines of a text, and of a directory, for read (agent-tools §3.1.3, §3.1.5). Private to
 * that tool.
 */
#pragma once

#include "tool/tool.h"
#include "tools/file/line_stream.h"
#include "tools/file/read_cache.h"
#include "tools/read/read_select.h"

typedef struct ReadText {
    LineStream *lines;  // nothing taken yet
    uint64_t size;      // of the whole, in bytes
    const char *entity; // "file"; "resource" for an artifact
    const ReadSelect *select;
    bool has_numbers;   // readLineNumbers
    ReadSnapshot *seen; // gets the lines that are shown, and they have anchors; NULL: for no one
    int64_t default_limit;
    int64_t *ret_first, *ret_last; // of the lines that were shown; NULL: no one asks
} ReadText;

/* Adds the text block, and the truncation for the notice. */
bool read_text_show(const ReadText *text, ToolResult *result, GError **error);

/* The tree of a directory, two levels deep. */
bool read_directory_show(const char *path, const ReadSelect *select, int64_t now_ms,
                         ToolResult *result, GError **error);
