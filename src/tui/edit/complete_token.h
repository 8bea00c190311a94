/*
 * What comes before the cursor that can be completed, and how a name is written in its place: with
 * quotes around blanks. Pure.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

typedef enum {
    TOKEN_KIND_NONE,
    TOKEN_KIND_COMMAND, // "/mod" at the very start
    TOKEN_KIND_OPTION,  // "in" of "/session in": `command` is the first word
    TOKEN_KIND_ACTION,  // "#und" at the very start
    TOKEN_KIND_FILE,    // "@src" at the start of a word: any file of the project
    TOKEN_KIND_PATH,    // "src/ma", "~/x", "@../y": what is in that directory
} TokenKind;

typedef struct CompleteToken {
    TokenKind kind;
    size_t start;  // in the text; it ends at the cursor
    char *query;   // without sign and quote
    char *command; // of an option
    bool has_at;   // the "@" stays
} CompleteToken;

/* `is_forced`: a path, whatever stands there. */
void complete_token_find(const char *text, size_t cursor, bool is_forced, CompleteToken *ret_token);
void complete_token_clear(CompleteToken *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CompleteToken, complete_token_clear)
bool complete_token_equal(const CompleteToken *a, const CompleteToken *b);

/* What takes the token's place. A directory, which ends with "/", leaves its quote open, so that
   one can go on into it. Caller frees. */
char *complete_token_write(const CompleteToken *self, const char *name);
