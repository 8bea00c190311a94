/*
 * File names in a diff as git writes them: bare, or quoted like a C string. Pure. Strings belong to
 * the caller and are valid UTF-8.
 */
#pragma once

/* "\"a b\\303\\251\"" as text; what is not quoted stays as it is. */
char *diff_name_unquote(const char *text);
/* The name behind `--- ` or `+++ `, into *name unless it is /dev/null; `prefix` is "a/" or "b/". */
void diff_name_of_side(const char *text, const char *prefix, char **name);
/* Both names behind `diff --git `; NULL for what cannot be told apart. */
void diff_names_of_header(const char *text, char **ret_old, char **ret_new);
/* `prefix` and name, quoted when it must be. */
char *diff_name_quote(const char *prefix, const char *name);
