/*
 * Which version a gh is. `gh --version` takes as long as a short call of gh, so its answer is kept
 * in kedge's cache directory, by path and time of change of the executable. Thread safe; blocks.
 */
#pragma once

#include "base/cancel.h"
#include "base/error.h"

typedef struct GhVersion {
    unsigned part[3]; // major, minor, patch
} GhVersion;

int gh_version_compare(GhVersion a, GhVersion b); // < 0, 0, > 0
/* The first X.Y.Z or X.Y in `text`; what follows is ignored. */
bool gh_version_parse(const char *text, GhVersion *ret_version);

/* "2.92.0", or "DEV" for a gh that says no number, whose version is newer than all. Starts nothing
   but `gh --version`, so it needs no permit. Caller frees the text. */
bool gh_version_of(const char *path, Cancel *cancel, char **ret_text, GhVersion *ret_version,
                   GError **error);

/* From this version on, gh prints what is no JSON (logs, diffs, files) only without escape
   sequences, or with GH_RAW_FLAG. Kedge removes them itself. */
#define GH_RAW_FLAG "--allow-escape-sequences"
bool gh_version_has_raw_flag(GhVersion version);
