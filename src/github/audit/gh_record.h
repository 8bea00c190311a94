/*
 * The record of one gh call for people who look for a fault: as JSON (gh-policy §11.3), as text
 * (gh-policy §11.2), and the last 20 of the calls outside of sessions in <agent
 * dir>/gh-audit/last.json. Everything in it is redacted. Thread safe.
 */
#pragma once

#include "base/json.h"
#include "github/classify/gh_kind.h"

#define GH_RECORD_KEPT 20

typedef struct GhRecord { // borrowed; NULL is written as null
    const char *id;       // as in the audit line
    int64_t at;           // unix milliseconds
    const char *tool, *via;
    const char *host, *repo, *source; // of the context
    const char *cwd;
    const char *const *argv; // redacted in record mode; NULL: never understood
    const char *command;     // "pr view"
    const char *class_name;  // "read"; NULL: not classified
    const char *reason;      // of the class
    const char *policy;      // "auto", "confirm", "block"
    const char *set_host;    // GH_HOST and GH_REPO as the runner set them; NULL: not set
    const char *set_repo;
    bool is_confirmed;
    int exit_status; // negative: none
    int signal;      // 0: none
    int64_t duration_ms;
    size_t captured_bytes;
    bool is_truncated;
    GhKind kind;
    const char *message;           // its first line is kept
    const char *error_output;      // its first 400 bytes are kept
    const char *const *normalized; // what was changed in the arguments; NULL: nothing
    const char *gh_version;
    const char *const *secrets; // redact_argv_secrets(); NULL: none
} GhRecord;

/* New reference. */
json_t *gh_record_to_json(const GhRecord *record);

/* The layout of `last-error`, without a line feed at the end. Caller frees. */
char *gh_record_to_text(const json_t *record);

/* Puts the record in front of those in <dir>/last.json (0600, replaced atomically). What is there
   instead of a regular file of ours, such as a link, is replaced, never followed. */
bool gh_record_store(const char *dir, const json_t *record, GError **error);
/* The stored records, newest first; empty when there are none, or no file of ours. New reference.
 */
bool gh_record_load(const char *dir, json_t **ret_records, GError **error);
