/*
 * The rows of all languages, in three tables. Each ends with a row without a name.
 */
#pragma once

#include "lang/lexer_state.h"

// marks of strings, of comments to the line's end, and of others
#define STRING(open, close, ...)                                                                   \
    {                                                                                              \
        open, close, __VA_ARGS__                                                                   \
    }
#define QUOTED(quote, ...) STRING(quote, quote, __VA_ARGS__)
#define DOUBLE             QUOTED("\"", '\\') // of one line, with backslash escapes
#define SINGLE             QUOTED("'", '\\')
/* A list of strings, the longest opener first. */
#define STRINGS(name, ...) static const StringMark name[] = { __VA_ARGS__, { 0 } }
#define LINE(text, flags)                                                                          \
    {                                                                                              \
        text, flags, NULL                                                                          \
    }
#define BLOCK(open, close, flags)                                                                  \
    {                                                                                              \
        open, close, flags                                                                         \
    }

/* A row: its name, files and interpreters (NULL: none), and what else it says. */
#define LANGUAGE(name_, files_, interpreters_, ...)                                                \
    {                                                                                              \
        .name = name_, .files = files_, .interpreters = interpreters_, __VA_ARGS__                 \
    }

extern const Language language_rows_c[];
extern const Language language_rows_script[];
extern const Language language_rows_other[];

/* SQL as MySQL has it, and MATLAB in .m files: told by the text. */
extern const Language language_row_mysql;
extern const Language language_row_matlab;
