/*
 * Repository references `[HOST/]OWNER/REPO` and GitHub URLs (github-tool §0.4, §5.4, §5.5). Pure.
 */
#pragma once

#include "tool/tool.h"

typedef struct RepoRef {
    char *host; // lower case; NULL: the default host
    char *slug; // OWNER/REPO
} RepoRef;

void repo_ref_clear(RepoRef *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(RepoRef, repo_ref_clear)

/* False when `text` is no reference. */
bool repo_ref_parse(const char *text, RepoRef *ret_ref);
bool repo_ref_equal(const char *a, const char *b, const Settings *settings);
/* GH_HOST in lower case, else gh.defaultHost. Caller frees. */
char *repo_default_host(const Settings *settings);
/* The hosts of gh-policy §1.4, in their normal form; github.com is the first. Caller frees with
 * g_strfreev(). */
char **repo_known_hosts(const Settings *settings);
/* May a call of the gh tools name this host? */
bool repo_host_is_listed(const char *host, const Settings *settings);
/* May a call of the github tool? Its default host, GH_HOST included, is known, too. */
bool repo_host_is_known(const char *host, const Settings *settings);

typedef struct GithubUrl { // /pull/N, /issues/N, /actions/runs/N
    char *host, *slug;
    int64_t number;
} GithubUrl;
void github_url_clear(GithubUrl *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(GithubUrl, github_url_clear)
/* `kind` is "pull", "issues" or "actions/runs". */
bool github_url_parse(const char *url, const char *kind, GithubUrl *ret_url);
/* The reference of a URL's repository: the host only when it is not the default. Caller frees. */
char *github_url_repo(const GithubUrl *url, const Settings *settings);
