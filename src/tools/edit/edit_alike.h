/*
 * Lines that are the same but for white space, quotes, dashes and Unicode forms (agent-tools
 * §3.3.8). Letters, their case, digits, operators and missing lines are never bridged. Pure; thread
 * safe; linear in time.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

// what an error says of it
#define EDIT_ALIKE_RULE                                                                            \
    "Letters, digits and operators must be right; only white space, quotes, dashes and Unicode "   \
    "forms may differ."

typedef struct AlikeLine {
    const char *start; // in the text
    size_t size;
    char *plain;   // what counts of it
    size_t length; // of plain, in characters
    unsigned hash; // of plain
} AlikeLine;

/* The lines of `text`, of AlikeLine, borrowing from it. Caller unrefs. */
GArray *alike_split(const char *text);

bool alike_is_same(const AlikeLine *a, const AlikeLine *b);

typedef struct AlikePlace {
    size_t start, size; // bytes of the content
    size_t line;        // where it begins, from 0
} AlikePlace;

/* Every run of lines of `content` that is alike the lines of `old_text`, from the top, overlapping
   ones included. Nothing for a blank old_text, and in files over 16 MiB. Caller unrefs. */
GArray *alike_find(const char *content, const char *old_text);
