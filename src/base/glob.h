/*
 * Path globs (agent-tools §3.6): `*` (not over /), `**`, `?`, `[a-z]`, `[!a]`, `{a,b}` nested, `\`
 * escapes. Case-sensitive. Pure.
 */
#pragma once

#include "base/error.h"

/* USAGE when the glob cannot be understood. The regex matches a whole path. */
bool glob_compile(const char *glob, GRegex **ret_regex, GError **error);

bool glob_has_magic(const char *text); // * ? [ {

/* `src/x/ *.c` → directory `src/x`, glob `*.c`; a glob in the first segment matches at any depth
   (directory ".", glob "**" and it). The root directory is "//". Callers free. */
void glob_split(const char *entry, char **ret_base, char **ret_glob);
