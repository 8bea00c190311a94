/*
 * The rows of all languages, in three tables. Each ends with a row without a name.
 */
#pragma once

#include "agenttools/comments/comment_lexer_private.h"

// strings of one line with backslash escapes, as StringMark
#define DOUBLE                                                                                     \
    {                                                                                              \
        "\"", "\"", '\\'                                                                           \
    }
#define SINGLE                                                                                     \
    {                                                                                              \
        "'", "'", '\\'                                                                             \
    }

extern const CommentLanguage comment_rows_c[];
extern const CommentLanguage comment_rows_script[];
extern const CommentLanguage comment_rows_other[];

/* SQL as MySQL has it, and MATLAB in .m files: told by the text. */
extern const CommentLanguage comment_row_mysql;
extern const CommentLanguage comment_row_matlab;
