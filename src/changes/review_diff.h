/*
 * What a review looks at: changed files as GitHub lists them, [{filename, patch?}], from git's diff
 * or from a pull request, and their text with line numbers. Pure.
 */
#pragma once

#include "base/json.h"

/* `diff` as git prints it with the prefixes a/ and b/. New reference. */
json_t *review_files_of_git(const char *diff);
/* Every line that the new file has with its number there. Caller frees. */
char *review_text(const json_t *files);
