/*
 * Arguments of the `github` tool (github-tool §1.1) and the functions that its `op` names. One file
 * per operation; github.c has the field table, the table of operations and what calls them.
 */
#pragma once

#include "tool/tool.h"

typedef struct GithubArgs { // borrowed from the call's JSON; optional strings raw, see github_opt()
    const char *op, *repo, *branch, *title, *body, *base, *head, *query, *since, *until,
        *date_field, *run;
    const json_t *pr, *reviewer, *assignee, *label; // arrays of strings, or NULL
    bool force, force_with_lease, draft, fill, has_body, has_limit, has_tail;
    double limit, tail;
} GithubArgs;

typedef bool (*GithubOp)(ToolCall *call, const GithubArgs *args, ToolResult *result,
                         GError **error);

bool github_repo_view(ToolCall *call, const GithubArgs *args, ToolResult *result, GError **error);
bool github_pr_create(ToolCall *call, const GithubArgs *args, ToolResult *result, GError **error);
bool github_pr_checkout(ToolCall *call, const GithubArgs *args, ToolResult *result, GError **error);
bool github_pr_push(ToolCall *call, const GithubArgs *args, ToolResult *result, GError **error);
bool github_search(ToolCall *call, const GithubArgs *args, ToolResult *result, GError **error);
bool github_run_watch(ToolCall *call, const GithubArgs *args, ToolResult *result, GError **error);

/* The checks of pr_create that need nothing but the arguments: before a person is asked (E12, E13).
 */
bool github_pr_create_check(const GithubArgs *args, GError **error);

/* opt() of github-tool §0.1: trimmed; NULL when missing or empty. Caller frees. */
char *github_opt(const char *value);
/* Entries trimmed, blanks dropped; NULL-terminated, maybe empty. Caller frees with g_strfreev(). */
char **github_opt_list(const json_t *list);
/* floor and clamp of github-tool §1.1; USAGE with E10 or E11. */
bool github_count(const char *label, bool is_given, double value, int64_t fallback, int64_t maximum,
                  int64_t *ret_count, GError **error);
/* [HOST/]OWNER/REPO that the call was judged as, without the default host; NULL: not known. Caller
   frees. */
char *github_judged_repo(const ToolCall *call);
/* Where pr_push would push to, as far as git's configuration says. Callers free. */
void github_push_repo(ToolCall *call, const GithubArgs *args, char **ret_host, char **ret_repo);
/* Checks and reduces a `repo` argument (github-tool §0.4): E20, E39. `ret_repo` NULL when `repo` is
   missing. `allows_bare` for repo_view. */
bool github_repo_argument(ToolCall *call, const char *repo, bool allows_bare, char **ret_repo,
                          GError **error);
