/*
 * The runner of the gh tools (gh-policy §6): what tool_call() allowed, carried out unchanged.
 *
 * Besides gh_run() it is the only way to gh, and like it asks for the ToolPermit of the running
 * call and takes one of the places of gh_place.h. It differs in its limits: the checked working
 * directory, the exact environment, a minimum version, the first 64 KiB of output, and a timeout of
 * at most 120 s. Thread safe; blocks.
 */
#pragma once

#include "github/classify/gh_kind.h"
#include "github/safe/gh_cwd.h"
#include "tool/tool.h"

#define GH_MAX_TIMEOUT_S 120

typedef struct GhExec {      // borrowed
    const char *const *argv; // without "gh"
    const char *command;     // its words: "pr view"; NULL: unknown
    const char *host;        // the context's, for messages
    const char *set_host;    // GH_HOST; NULL: not set (gh-policy §1.6)
    const char *set_repo;    // GH_REPO, HOST/OWNER/REPO; NULL: not set
    const GhCwd *cwd;
    int64_t
        timeout_s; // of the caller, clamped to 1…120; 0: by command and settings (gh-policy §6.4)
    size_t max_bytes;   // of output; 0: by command and settings
    bool may_take_long; // what is known to take its time gets 30 minutes, when timeout_s is 0
    const char *const *secrets; // redact_argv_secrets(); NULL: none
} GhExec;

typedef struct GhOutcome {
    bool has_run;
    GhKind kind;
    char *message;    // of the kind; NULL for GH_KIND_NONE
    char *output;     // for the model: plain, masked, with the marker when cut; NULL: did not run
    char *raw_output; // as gh printed it, up to the cut
    size_t captured_bytes; // of raw_output
    size_t held_bytes;     // the most memory that stdout took while gh ran
    char *error_output;    // for the model; NULL: did not run
    bool is_truncated;
    int exit_status; // -1: did not run, or was killed
    int signal;      // that killed it, not sent by us; 0: none
    int64_t duration_ms;
    char *gh_version; // NULL: not known
} GhOutcome;

void gh_outcome_clear(GhOutcome *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(GhOutcome, gh_outcome_clear)

/* Never fails: what goes wrong is the outcome's kind. */
void gh_exec(ToolCall *call, const GhExec *spec, GhOutcome *ret_outcome);
