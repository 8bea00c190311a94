/*
 * Small string helpers that GLib does not have. Pure; thread safe. Returned `char *` belong to the
 * caller.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* The first `max_bytes` at most, never splitting a UTF-8 character. */
char *str_truncate(const char *text, size_t max_bytes);

/* The whole string is an optional '-' and decimal digits that fit. */
bool str_parse_int(const char *text, int64_t *ret_value);
/* `1 y yes true on` / `0 n no false off`, any case. */
bool str_parse_bool(const char *text, bool *ret_value);

/* Reads no more of `text` than it has to: that of newer GLibs reads it to its end. */
static inline bool str_has_prefix(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

bool str_is_empty(const char *text);                                // NULL or ""
bool str_equal_nocase(const char *a, const char *b);                // ASCII; NULL equals only NULL
bool str_contains_nocase(const char *haystack, const char *needle); // ASCII

/* 51200 → "50.0KB" (agent-tools §1.4). */
char *str_format_bytes(uint64_t bytes);

size_t str_count_lines(const char *text, size_t size); // newlines + 1; agent-tools §2.3

/* For sorting: strcmp() of two texts, each given by a pointer to it. */
int str_compare(const void *a, const void *b);

/* The nearest candidate by edit distance (at most a third of the longer name away), or NULL. */
const char *str_nearest(const char *name, const char *const *candidates);
/* ` (did you mean "x"?)` with the nearest candidate, to be put behind a message; "" without one.
   Caller frees. */
char *str_did_you_mean(const char *name, const char *const *candidates);
/* Over Unicode characters: insertions, deletions, replacements, swaps of neighbours. */
size_t str_edit_distance(const char *a, const char *b);

/* `fooBar` ↔ `foo-bar`, for flags. */
char *str_to_kebab(const char *camel);

/* Quoted for a POSIX shell when it needs it. */
char *str_shell_quote(const char *text);
