/*
 * Where the comments of a text are in lines and columns, and what sort they are. Pure.
 */
#pragma once

#include "agenttools/comments/comment_lexer.h"

/* Fills line, end_line, column, kind, is_trailing and is_directive of comments in order of place.
 */
void comment_locate(GArray *comments, const char *text);
