/*
 * The few changes that are made to a command line of gh before it runs (gh-policy §1.6), so that it
 * acts on the context: placeholders of `gh api`, --hostname, and a repository that gh takes only as
 * a positional. Pure.
 */
#pragma once

#include "github/safe/gh_target.h"

/* {owner}, :repo, {branch} … in the endpoint and the typed fields of `gh api`. *ret_argv is NULL
   when there are none; the caller frees it with g_strfreev(). Errors of GH_KIND_ERROR: no-repo;
   invalid-args without a branch. */
bool gh_argv_expand(const Classified *classified, const GhContextSpec *spec, char ***ret_argv,
                    GError **error);

/* `has_hostname`: the tool was given one. *ret_argv is NULL when nothing is to be changed. */
void gh_argv_complete(const Classified *classified, const GhTarget *target, bool has_hostname,
                      char ***ret_argv);
/* Does the completed command line still mean what it did? An element in front could have swallowed
 * what was put in. */
bool gh_argv_is_complete(const Classified *before, const Classified *completed,
                         const GhTarget *target, bool has_hostname);
