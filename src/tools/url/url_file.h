/*
 * Files below the root folder of a URL scheme. Private to the schemes of this room; thread safe.
 */
#pragma once

#include "tool/internal_url.h"

/* The file `relative` below `root`; it need not exist, nor need the root. USAGE "<scheme>:// URL
   escapes <what>" when a symbolic link on the way leads out of the root, or nowhere. */
bool url_file_below(const char *scheme, const char *what, const char *root, const char *relative,
                    char **ret_path, GError **error);

/* The files below `dir`, at most LIMIT_URL_LIST_FILES, by path; links are left out. Of char *. */
GPtrArray *url_file_list(const char *dir);

/* The names of what is directly in `dir` and ends in `suffix`, without that, sorted. Of char *. */
GPtrArray *url_file_names(const char *dir, const char *suffix);
/* "a, b"; "none". Caller frees. */
char *url_file_join(const GPtrArray *names);

/* "<n> files available:\n\n- [a](scheme://a)\n…", or "(empty)". `names` of const char *. */
void url_file_append_list(GString *out, const char *scheme, const GPtrArray *names);
