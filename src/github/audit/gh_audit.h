/*
 * The audit log: one line for each GitHub call, refused ones included (gh-policy §9.1, §9.2).
 *
 * Files are <dir>/YYYY-MM-DD.log by local date. A line is below 1 KiB and written with one write(),
 * so lines of several processes and threads do not mix. It never holds arguments, titles or output.
 * Thread safe.
 */
#pragma once

#include "base/error.h"

#include <stdint.h>
#include <sys/types.h>

#define GH_AUDIT_LINE_BYTES 1024

typedef struct GhAuditLine { // borrowed; NULL is written as "-"
    int64_t at;              // unix milliseconds
    const char *host, *repo; // OWNER/REPO
    const char *class_name;  // "read" …
    const char *policy;      // "auto", "confirm", "block"
    int exit_status;         // negative: not run, or killed
    int64_t duration_ms;
    size_t bytes;
    const char *tool;
    const char *command; // words: "pr view", "api GET", "api graphql mutation"
    const char *ref;     // the first positional; kept when it is a number
    const char *kind;    // gh_kind_name()
    bool is_truncated;
    const char *via; // "agent", "mcp", "cli", "rpc"
    const char *id;  // 8 hex digits, as in the debug record
} GhAuditLine;

/* <agent dir>/gh-audit. Caller frees. */
char *gh_audit_dir(void);
/* 8 random hex digits. Caller frees. */
char *gh_audit_new_id(void);

/* With the line feed. Caller frees. */
char *gh_audit_format(const GhAuditLine *line);

/* Makes the directory (0700) and the file (0600) when needed; the first line of a day deletes files
   that are older than `keep_days` (0: none). The call itself must not fail with it. */
bool gh_audit_append(const char *dir, const GhAuditLine *line, int64_t keep_days, GError **error);

/* The directory, opened and private: made, or its mode set; DENIED when it is another user's. */
bool gh_audit_open_dir(const char *dir, int *ret_fd, GError **error);
/* "YYYY-MM-DD" for the name of a file of the log, else NULL. Caller frees. */
char *gh_audit_date_of_name(const char *name);
/* The local date of a time, as in names of files. Caller frees. */
char *gh_audit_date(int64_t at);
