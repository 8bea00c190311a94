/*
 * The arguments of the gh_* wrappers (gh-policy §12.1, §12.4): one struct for all fifteen, a field
 * table for each, and the checks that a table cannot express. Pure.
 */
#pragma once

#include "base/field.h"

typedef struct GhWrapperArgs { // borrowed from the call's JSON
    const char *repo, *hostname;
    int64_t limit, number, attempt;
    bool has_limit, has_attempt;
    const json_t *run_id, *job;
    const char *fields;
    bool include_body, has_include_body;
    bool include_comments, include_reviews, include_jobs;
    const char *state, *author, *assignee, *base, *head, *milestone, *mention, *search;
    const json_t *label; // array of strings
    bool draft, has_draft, merged, has_merged;
    bool name_only, required;
    const char *format;
    const char *workflow, *branch, *status, *event, *user, *commit, *created;
    const char *query, *owner, *sort, *order, *review;
    const char *endpoint;
    const json_t *headers; // array of strings
} GhWrapperArgs;

extern const FieldDef gh_repo_view_fields[];
extern const FieldDef gh_pr_view_fields[];
extern const FieldDef gh_pr_list_fields[];
extern const FieldDef gh_pr_diff_fields[];
extern const FieldDef gh_pr_checks_fields[];
extern const FieldDef gh_pr_files_fields[];
extern const FieldDef gh_pr_current_fields[];
extern const FieldDef gh_issue_view_fields[];
extern const FieldDef gh_issue_list_fields[];
extern const FieldDef gh_run_view_fields[];
extern const FieldDef gh_run_list_fields[];
extern const FieldDef gh_run_logs_failed_fields[];
extern const FieldDef gh_search_prs_fields[];
extern const FieldDef gh_search_issues_fields[];
extern const FieldDef gh_api_get_fields[];

/* These set an invalid-args error of GH_KIND_ERROR that names the argument. */

/* Neither empty, nor an option, nor too long, nor with characters that deceive. NULL is fine. */
bool gh_text_check(const char *name, const char *text, GError **error);
/* The same, but it may begin with "-": it stands where gh reads no option. */
bool gh_free_text_check(const char *name, const char *text, GError **error);
bool gh_number_check(const char *name, int64_t number, GError **error); // 1 … 2^31 - 1
/* An integer, or a string of 1 to 19 digits. Caller frees the digits. */
bool gh_id_check(const char *name, const json_t *value, char **ret_digits, GError **error);

/* Words of a search: split at white space outside of double quotes, which are dropped. Caller frees
 * with g_strfreev(). */
char **gh_search_words(const char *query);
