/*
 * What the wrappers make of gh's JSON before a model sees it (gh-policy §12.1, §12.5). Pure.
 */
#pragma once

#include "base/json.h"

/* Cuts every string under a key `body` that is longer than 2 KB; `keeps_top`: not that of the top
   object. NULL when nothing was cut or the text is no JSON: it is passed on byte for byte. Caller
   frees. */
char *gh_body_cut(const char *text, bool keeps_top);

/* One JSON text, or several after one another, as `gh api --paginate` prints them, as an array of
   them. NULL: it is none, or was cut. New reference. */
json_t *gh_body_values(const char *text);

/* The answer of `pr view --json statusCheckRollup` as `pr checks --json` of gh 2.50 would give it,
   with the wanted fields ("name,state"). NULL: not such an answer. Caller frees. */
char *gh_body_checks(const char *text, const char *fields);

/* The entries of `files`; 0 when there are none. */
size_t gh_body_file_count(const char *text);

/* `url` of an object; NULL: none. Caller frees. */
char *gh_body_url(const char *text);
