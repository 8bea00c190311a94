/*
 * What a gh that failed means (github-tool §0.3, failure mapping). Pure. All texts are redacted.
 */
#pragma once

#include "github/gh.h"

/* "gh <args joined with spaces>", redacted. Caller frees. */
char *gh_error_command(const GhSpec *spec);

/* E3: no repository was named, and the working directory is none of one. Returns false. */
bool gh_error_no_repository(GError **error);

/* Sets *error for a non-zero exit and returns false. `is_json`: details of the API's answer are
 * appended. */
bool gh_error_set(const GhSpec *spec, const GhResult *result, bool is_json, GError **error);
