/*
 * Lines that are the same but for white space, quotes, dashes and Unicode forms (agent-tools
 * §3.3.8). Letters, their case, digits, operators and missing lines are never bridged. Pure; thread
 * safe; linear in time.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

typedef struct AlikeLine {
    const char *start; // in the text
    size_t size;
    char *plain;   // what counts of it
    size_t length; // of plain, in characters
    unsigned hash; // of plain
} AlikeLine;

/* The lines of `text`, of AlikeLine, borrowing from it. Caller unrefs. */
GArray *alike_split(const char *text);

/* Those of what an edit looks for: a final newline belongs to the last line, it begins none. */
GArray *alike_split_wanted(const char *wanted);

/* Nothing is searched for a blank text, and in one over 16 MiB. */
bool alike_is_searchable(const char *content, const char *wanted);

bool alike_is_same(const AlikeLine *a, const AlikeLine *b);

typedef struct AlikePlace {
    size_t start, size; // bytes of the content
    size_t line;        // where it begins, from 0
} AlikePlace;

/* Every run of lines of `content` that is alike the lines of `old_text`, from the top, overlapping
   ones included; none where alike_is_searchable() says no. Caller unrefs. */
GArray *alike_find(const char *content, const char *old_text);
