/*
 * What a command line of gh acts on, computed from its words (gh-policy §1.6), so that the
 * header, the policy and the question tell the truth; and what has to be set so that gh agrees.
 * Pure, but for the environment.
 */
#pragma once

#include "github/classify/classify.h"
#include "github/safe/gh_context.h"

typedef struct GhTarget {
    GhContext context; // repo is NULL for a command that acts on no repository
    char *env_host;    // GH_HOST of the child; NULL: not set
    char *env_repo;    // GH_REPO, HOST/OWNER/REPO; NULL: not set
} GhTarget;

void gh_target_clear(GhTarget *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(GhTarget, gh_target_clear)

/* `spec` has the arguments of the tool beside the command line. Errors of GH_KIND_ERROR:
   invalid-args, policy-blocked. */
bool gh_target_resolve(const GhContextSpec *spec, const Classified *classified,
                       GhTarget *ret_target, GError **error);

/* Does gh take the repository of the context as a positional, since it heeds GH_REPO nowhere else?
 */
bool gh_target_is_positional(const Classified *classified);
/* Does gh take the host of this command from --hostname? */
bool gh_target_takes_hostname(const Classified *classified);
