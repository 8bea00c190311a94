/*
 * The rows of all languages, in three tables. Each ends with a row without a name.
 */
#pragma once

#include "lang/lexer_state.h"

// strings of one line with backslash escapes, as StringMark
#define DOUBLE                                                                                     \
    {                                                                                              \
        "\"", "\"", '\\'                                                                           \
    }
#define SINGLE                                                                                     \
    {                                                                                              \
        "'", "'", '\\'                                                                             \
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
