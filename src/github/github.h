/*
 * The tools of this room: `github` (github-tool §1), the general `gh` and the typed reads gh_*
 * (gh-policy §12), `gh_review`; and what is read by its address (github-tool §7).
 */
#pragma once

#include "tool/hook.h"
#include "tool/internal_url.h"
#include "tool/repo_flow.h"

/* Knows what a shell command would do on GitHub, so that bash is no way around a refusal. */
extern const ToolHook gh_shell_reader;
/* Forgets what is kept of an issue or pull request that a command changes. */
extern const ToolHook gh_view_forgetter;
/* Makes line breaks of the `\n` that a model left in a body. */
extern const ToolHook gh_body_lines;

/* Whether a repository is public, and which one a directory is about. */
extern const RepoLookup github_repo_lookup;

extern const ToolDef tool_github;

extern const ToolDef tool_gh;

extern const ToolDef tool_gh_repo_view;
extern const ToolDef tool_gh_pr_view;
extern const ToolDef tool_gh_pr_list;
extern const ToolDef tool_gh_pr_diff;
extern const ToolDef tool_gh_pr_checks;
extern const ToolDef tool_gh_pr_files;
extern const ToolDef tool_gh_pr_current;
extern const ToolDef tool_gh_issue_view;
extern const ToolDef tool_gh_issue_list;
extern const ToolDef tool_gh_run_view;
extern const ToolDef tool_gh_run_list;
extern const ToolDef tool_gh_run_logs_failed;
extern const ToolDef tool_gh_search_prs;
extern const ToolDef tool_gh_search_issues;
extern const ToolDef tool_gh_api_get;
extern const ToolDef tool_gh_run_artifacts;
extern const ToolDef tool_gh_release_download;
extern const ToolDef tool_gh_review;

extern const UrlScheme url_gh;
extern const UrlScheme url_issue;
extern const UrlScheme url_pr;
extern const UrlScheme url_run;
