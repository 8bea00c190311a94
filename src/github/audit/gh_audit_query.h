/*
 * Reading the audit log (gh-policy §9.4). Lines that cannot be parsed are skipped and counted.
 * Thread safe; writers may be at work.
 */
#pragma once

#include "base/json.h"

#define GH_AUDIT_DEFAULT_LIMIT 200
#define GH_AUDIT_DEFAULT_DAYS  7

typedef struct GhAuditFilter {     // borrowed; NULL: any
    int64_t since, until;          // unix milliseconds, both included; until 0: no end
    const char *host, *repo, *cmd; // may end in *
    const char *class_name, *policy, *kind, *ref, *tool;
    const char *grep; // POSIX extended regular expression on the whole line
    int64_t limit;    // of lines, the newest; of values when counting; 0: the default
} GhAuditFilter;

typedef void (*GhAuditFunc)(const char *line, void *user_data); // without line feed

/* Calls `on_line` for each match, newest last. A log that is not there has no matches. USAGE:
   `grep` is no regular expression. `ret_skipped` may be NULL. */
bool gh_audit_query(const char *dir, const GhAuditFilter *filter, GhAuditFunc on_line,
                    void *user_data, size_t *ret_skipped, GError **error);

typedef void (*GhAuditCountFunc)(const char *value, guint64 count, void *user_data);

/* Counts the matches by the value of `field`, an item's name; largest first, then by value. USAGE:
   no such field. */
bool gh_audit_count(const char *dir, const GhAuditFilter *filter, const char *field,
                    GhAuditCountFunc on_count, void *user_data, size_t *ret_skipped,
                    GError **error);

/* The line's items with numbers and booleans as such; "-" is null. NULL: it cannot be parsed. */
json_t *gh_audit_line_to_json(const char *line);

/* YYYY-MM-DD (local; as an end that day's last moment), RFC 3339, or Nm, Nh, Nd, Nw before `now`.
 */
bool gh_audit_parse_time(const char *text, int64_t now, bool is_end, int64_t *ret_at,
                         GError **error);
