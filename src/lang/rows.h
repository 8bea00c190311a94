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

extern const Language language_rows_c[];
extern const Language language_rows_script[];
extern const Language language_rows_other[];

/* SQL as MySQL has it, and MATLAB in .m files: told by the text. */
extern const Language language_row_mysql;
extern const Language language_row_matlab;
