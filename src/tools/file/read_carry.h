/*
 * What a model knows of a text behind an edit of its own (read_cache.h). Pure; bounded like the
 * line diff that it is made of. Private to read_cache.c.
 */
#pragma once

#include "tools/file/read_cache.h"

/* For each of `lines` (of TextLine) whether it counts as shown: 1 or 0. They were put in by the
   model, are within `context` lines of what it changed, or were shown as a line of `before` (NULL:
   all is the model's). `known` may be NULL. Caller frees. */
guint8 *read_carry(const ReadSnapshot *known, const char *before, const GArray *lines,
                   size_t context);
