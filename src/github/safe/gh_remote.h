/*
 * What a remote's URL leads to: host and repository (gh-policy §1.4), SSH aliases of people with
 * two accounts included. Asks ssh about an alias, 2 s; otherwise pure.
 */
#pragma once

#include "base/cancel.h"
#include "tool/settings.h"

typedef struct GhRemote {
    char *name;
    char *host;     // NULL: the URL leads to no host in one of GitHub's forms
    char *repo;     // OWNER/REPO; NULL: no host
    bool is_known;  // the host is one that calls of the gh tools may name
    bool is_alias;  // an SSH alias stands for the host
    char *resolved; // OWNER/REPO that gh was told to use (`gh repo set-default`); NULL: none
} GhRemote;

GhRemote *gh_remote_new(const char *name, const char *url, const Settings *settings,
                        Cancel *cancel);
void gh_remote_free(GhRemote *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(GhRemote, gh_remote_free)

/* The repository that a `gh-resolved` of this remote means: "base" is its own, OWNER/REPO one on
   its host. NULL when there is no such remote, it leads to no host, or the value is neither.
   Caller frees. */
char *gh_remote_resolve(const GhRemote *remote, const char *value);
