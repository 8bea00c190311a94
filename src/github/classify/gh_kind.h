/*
 * What became of a call of the gh tools: the kinds of gh-policy §7.1, how a run that ended is
 * sorted into them, and their texts. Pure, but for the look at which package manager is installed.
 *
 * Functions that refuse a call before gh runs report a GError of the domain GH_KIND_ERROR: its code
 * is the kind, its message the kind's text.
 */
#pragma once

#include "base/proc.h"

typedef enum {
    GH_KIND_NONE,
    GH_KIND_AUTH,
    GH_KIND_TIMEOUT,
    GH_KIND_POLICY_BLOCKED,
    GH_KIND_IRREVERSIBLE_BLOCKED,
    GH_KIND_TRUNCATED, // no error for the caller
    GH_KIND_REMOTE_CWD,
    GH_KIND_NO_EXECUTABLE,
    GH_KIND_GH_EXIT,
    GH_KIND_VERSION,
    GH_KIND_INVALID_CWD,
    GH_KIND_INVALID_ARGS,
    GH_KIND_NO_REPO,
    GH_KIND_CONFIRM_DECLINED,
    GH_KIND_CONFIRM_UNAVAILABLE,
    GH_KIND_RATE_LIMIT,
    GH_KIND_SIGNAL,
    GH_KIND_SPAWN,
    GH_KIND_CANCELLED,
} GhKind;

const char *gh_kind_name(GhKind kind); // "auth" …; NULL for GH_KIND_NONE
bool gh_kind_is_error(GhKind kind);    // neither NONE nor TRUNCATED

typedef struct GhEnd { // how a run of gh ended; borrowed
    ProcStop stop;
    int exit_status;
    int signal;              // 0, or the one that ended it
    bool is_cut;             // more output came than is kept
    const char *command;     // "pr checks"; NULL: unknown
    const char *const *argv; // without "gh"
    const char *output;
    const char *error_output;
} GhEnd;

GhKind gh_kind_of_end(const GhEnd *end);

typedef struct GhFacts {      // what the texts are about; borrowed; each kind looks at its own only
    const char *reason;       // policy-blocked, invalid-args, spawn
    const char *command;      // irreversible-blocked, confirm-declined: "pr merge"
    const char *argv;         // confirm-unavailable: as a person would type it; NULL: the command
    const char *class_name;   // confirm-unavailable
    const char *allow_flag;   // confirm-unavailable: the flag that would allow it; NULL: none
    const char *cwd;          // remote-cwd, invalid-cwd
    bool is_outside;          // invalid-cwd: it exists, and we may not work there
    const char *executable;   // no-executable
    const char *version;      // version; NULL: unknown
    const char *minimum;      // version
    const char *host;         // auth
    const char *error_output; // auth
    int64_t timeout_s;        // timeout
    size_t max_bytes;         // truncated
    int exit_status;          // gh-exit
    int signal;               // signal
    const char *const *secrets; // of redact_argv(): masked in every text; NULL: none
} GhFacts;

/* Redacted; without gh's own words, which follow it in a result. NULL for GH_KIND_NONE. */
char *gh_kind_message(GhKind kind, const GhFacts *facts);

/* "[truncated at 64KB; …]", for the end of output that was cut. Caller frees. */
char *gh_kind_cut_marker(size_t max_bytes);

#define GH_KIND_ERROR (gh_kind_error_quark())
GQuark gh_kind_error_quark(void);

/* Sets *error and returns false. */
bool fail_with_kind(GError **error, GhKind kind, const GhFacts *facts);
/* The kind of any error; those of other domains are CANCELLED, TIMEOUT or SPAWN. */
GhKind gh_kind_of_error(const GError *error);

/* The words of a command line for a POSIX shell. Caller frees. */
char *gh_quote_argv(const char *const *argv);
/* "Reproduce: GH_PROMPT_DISABLED=1 …" (gh-policy §7.4). `argv` is redacted; `host` and `repo` (may
   be NULL) are what the runner set, and are left out where argv says the same. Caller frees. */
char *gh_reproduce_line(const char *const *argv, const char *host, const char *repo);
/* Its last part: "[GH_HOST=… ][GH_REPO=… ]gh …". Caller frees. */
char *gh_reproduce_command(const char *const *argv, const char *host, const char *repo);
