/*
 * Bodies of functions in a source text: the lines that a summary of it can do without (agent-tools
 * §3.1.4). Pure; thread safe.
 *
 * Where they begin and end is taken from a list of tags and from how the lines are indented.
 * Whatever does not look like a body from both sides is none, so that a wrong list hides nothing
 * else.
 */
#pragma once

#include "tools/file/text_lines.h"

/* What stands around a body. */
typedef enum {
    SOURCE_BRACES, // { and }
    SOURCE_SCRIPT, // the same, where tags name objects and classes, too, which are none
    SOURCE_INDENT, // a colon, and lines that stand further right
    SOURCE_END,    // a line "end"
} SourceForm;

typedef struct SourceTag {
    size_t line; // of the name; 1-based
    size_t end;  // the last line; 0: not known
} SourceTag;

typedef struct SourceBody { // 1-based, inclusive; without the lines with the braces
    size_t first, last;
} SourceBody;

/* Of SourceBody: those of `lines` (of TextLine) with `min_lines` or more, in order, none within
   another. `tags` (of SourceTag) may hold anything, in any order; it gets sorted. Caller unrefs. */
GArray *source_bodies_find(const GArray *lines, GArray *tags, SourceForm form, size_t min_lines);
