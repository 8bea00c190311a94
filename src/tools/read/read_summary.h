/*
 * The structural summary of a source file for read: its lines without the bodies of its functions
 * (agent-tools §3.1.4). Private to that tool. Blocks; thread safe.
 */
#pragma once

#include "tool/tool.h"
#include "tools/file/read_cache.h"

#include <stdint.h>

typedef struct ReadSummary {
    int fd;             // of the file; borrowed, read from its start
    const char *path;   // says the language
    uint64_t size;      // in bytes
    ReadSnapshot *seen; // gets the lines that are shown, and they have anchors; NULL: for no one
} ReadSummary;

/* False: there is nothing to leave out, or no one to say so. Then nothing was added, and `fd`
   is at its start. */
bool read_summary_show(ToolCall *call, const ReadSummary *file, ToolResult *result);
