/*
 * Where the comments of a text are in lines and columns, and what sort they are. Pure.
 */
#pragma once

#include "lang/lexer.h"

/* Fills line, end_line, column, kind, is_trailing and is_directive of comments in order of place.
 */
void comments_locate(GArray *comments, const char *text);
