/*
 * The typed reads gh_* (gh-policy §12): one row each says how its command line is built. What they
 * run is judged like any other command line of gh.
 */
#pragma once

#include "github/safe/gh_call.h"
#include "github/safe/gh_fields.h"
#include "github/safe/gh_wrapper_args.h"

typedef enum {
    GH_SUBJECT_NONE,
    GH_SUBJECT_REPO, // the repository as a positional
    GH_SUBJECT_NUMBER,
    GH_SUBJECT_RUN,
    GH_SUBJECT_RUN_OR_JOB,
    GH_SUBJECT_ENDPOINT,
} GhSubject;

typedef struct GhWrapper {
    const ToolDef *tool;
    const char *words[2]; // of the command; the second may be NULL
    GhSubject subject;
    bool has_repo;  // --repo HOST/OWNER/REPO
    bool is_search; // the repository is a condition, the words follow --
    int64_t limit;  // the default; 0: the tool has none
    bool has_json;  // --json with fields of the set
    GhFieldSet set;
    const char *defaults;
    const char *added;    // a field that is always asked for; NULL: none
    const char *fixed[3]; // at the end of the command line
    bool is_raw;          // what it prints is no JSON
} GhWrapper;

/* The command line of a call, checked (gh-policy §12.3, §12.4). `context` is the call's. Caller
 *frees ret_argv with g_strfreev(). Errors of GH_KIND_ERROR. */
bool gh_wrapper_build(const GhWrapper *wrapper, const GhWrapperArgs *args, const GhCall *call,
                      const GhContext *context, char ***ret_argv, GError **error);

/* The value of --json, as the caller chose it; also where an older gh has to be asked for something
 * else. */
bool gh_wrapper_fields(const GhWrapper *wrapper, const GhWrapperArgs *args, const GhCall *call,
                       char **ret_fields, GError **error);
/* `pr checks --json` came with gh 2.50. */
bool gh_wrapper_needs_rollup(const GhWrapper *wrapper, const GhCall *call);
