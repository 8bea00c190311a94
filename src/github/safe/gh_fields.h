/*
 * The fields that the gh_* wrappers may ask of gh with --json (gh-policy §12.6): allowlists, the gh
 * version from which a field exists, and the heavy ones, of which a call may name one. Pure.
 */
#pragma once

#include "base/error.h"

typedef enum {
    GH_FIELDS_REPO,
    GH_FIELDS_PR,
    GH_FIELDS_PR_LIST,
    GH_FIELDS_PR_CHECKS,
    GH_FIELDS_ISSUE,
    GH_FIELDS_ISSUE_LIST,
    GH_FIELDS_RUN,
    GH_FIELDS_RUN_LIST,
    GH_FIELDS_SEARCH_PRS,
    GH_FIELDS_SEARCH_ISSUES,
} GhFieldSet;

typedef struct GhFieldRequest {
    const char *tool; // for messages
    GhFieldSet set;
    const char *wanted;       // the `fields` argument; NULL: the defaults
    const char *defaults;     // "a,b"
    bool drops_body;          // include_body: false
    const char *const *added; // by include_* and by the tool; NULL-terminated; may be NULL
    const char *version;      // of the installed gh, "2.46.0"; NULL: the newest
} GhFieldRequest;

/* The value of --json. USAGE: a name that is not in the list, or two heavy ones. Caller frees. */
bool gh_fields_choose(const GhFieldRequest *request, char **ret_fields, GError **error);
