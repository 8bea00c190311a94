/*
 * The gh seam (design §4 decision 4): every GitHub action is an argument vector for gh, handed to
 * gh_run().
 *
 * gh_run() takes the ToolPermit of the running call, so nothing reaches gh without tool_call()'s
 * decision. At most LIMIT_GH_PROCESSES run at once in this process; further calls wait. Thread
 * safe; blocks. Runner, failure mapping and limits: github-tool §0.3; environment and executable:
 * gh-policy §6.2, §6.5.
 */
#pragma once

#include "tool/tool.h"

typedef struct GhSpec {
    const char *const *argv; // without "gh"; NULL-terminated
    bool has_explicit_repo;  // a repository was given by the caller or is resolved already
                             // (github-tool §0.3)
    bool is_untrimmed;       // text is left as it came
    bool is_raw;             // what is asked for is no JSON: logs, diffs, files
    bool keeps_tail;         // output over the cap: keep the last part (job logs) instead of E6
    int64_t timeout_ms;      // 0: 5 minutes
} GhSpec;

typedef struct GhResult {
    char *output;       // stdout, valid UTF-8, trimmed unless is_untrimmed
    char *error_output; // stderr, trimmed
    int exit_status;
} GhResult;

void gh_result_clear(GhResult *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(GhResult, gh_result_clear)

/* Never fails on exit status. Errors: E0 (CANCELLED), E1 (NOT_FOUND), E6 (LIMIT), E7 (TIMEOUT). The
   environment, working directory, settings, and cancel token are those of `call`, whose permit must
   be set. */
bool gh_run(ToolCall *call, const GhSpec *spec, GhResult *ret_result, GError **error);
/* As gh_run(), and a non-zero exit goes through the failure mapping. Caller frees the text. */
bool gh_text(ToolCall *call, const GhSpec *spec, char **ret_text, GError **error);
/* As gh_text(); stdout must be JSON of the wanted kind (JSON_OBJECT or JSON_ARRAY): E4, E5. */
bool gh_json(ToolCall *call, const GhSpec *spec, json_type wanted, json_t **ret_value,
             GError **error);

/* Is there a gh to run? (Tool availability.) */
bool gh_is_available(const Settings *settings);
