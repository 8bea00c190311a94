/*
 * A diff as a model gets it: known secrets masked, and the long ones of its files cut so that each
 * keeps its beginning. Pure.
 */
#pragma once

#include <stddef.h>

/* `diff` is git's, of any number of files; about `max_bytes` come out. Caller frees. */
char *diff_digest(const char *diff, size_t max_bytes);
