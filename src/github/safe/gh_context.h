/*
 * The context of gh: which host and repository a call is about, and who said so (gh-policy §1.1,
 * §1.2). Reads the environment; everything else is handed in.
 */
#pragma once

#include "github/safe/gh_context_git.h"

typedef enum {
    GH_SOURCE_EXPLICIT_REPO,
    GH_SOURCE_EXPLICIT_HOST,
    GH_SOURCE_ENV_REPO,
    GH_SOURCE_ENV_HOST,
    GH_SOURCE_RESOLVED,
    GH_SOURCE_UPSTREAM, // the remote of that name, the parent of a fork
    GH_SOURCE_ORIGIN,
    GH_SOURCE_REMOTE, // one of another name
    GH_SOURCE_DEFAULT,
} GhSource;

const char *gh_source_name(GhSource source); // "explicit-repo" …

typedef struct GhContext {
    char *host;
    char *repo; // OWNER/REPO; NULL: none
    GhSource source;
} GhContext;

void gh_context_clear(GhContext *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(GhContext, gh_context_clear)

typedef struct GhContextEnv { // GH_HOST and GH_REPO; NULL: not set
    const char *host, *repo;
} GhContextEnv;

typedef struct GhContextSpec {      // borrowed
    const char *const *known_hosts; // a repository on another host is none
    const char *default_host;       // gh.defaultHost
    const char *repo;               // the argument of that name; NULL: none
    const char *hostname;           // the same
    const GhClone *clone;           // of the working directory
    const GhContextEnv *env;        // of who calls; NULL: our own
} GhContextSpec;

/* Errors of GH_KIND_ERROR: invalid-args for what is no repository, policy-blocked for an unknown
 * host. */
bool gh_context_resolve(const GhContextSpec *spec, GhContext *ret_context, GError **error);

typedef struct GhRepoName {
    char *host; // NULL: not named
    char *repo; // OWNER/REPO
} GhRepoName;

void gh_repo_name_clear(GhRepoName *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(GhRepoName, gh_repo_name_clear)

/* [HOST/]OWNER/REPO, or the URL of a repository. Errors as of gh_context_resolve(). */
bool gh_repo_name_parse(const char *text, const char *const *known_hosts, GhRepoName *ret_name,
                        GError **error);
