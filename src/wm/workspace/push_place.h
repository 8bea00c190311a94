/*
 * From where a run pushes: a clone that no agent has seen, made when the agent has ended, with the
 * commits of the branch that it left (task-engine §9.3 rule 8). Nothing of the .git that it could
 * write (hooks, helpers, other URLs, commands) is used with a token. Blocks.
 */
#pragma once

#include "wm/workspace/quarantine.h"

typedef struct WmPushPlace { // all owned
    char *root;              // where the agent worked; NULL: nothing was noted
    char *url;               // of origin; NULL: there is none
    char *branch;            // the default branch
    char *base;              // the commit of origin/BRANCH; NULL: not known
    bool is_short;           // the agent began after `base`: what is before it need not be copied
    char *dir;               // holds the clone; NULL: none was made
    char *clone;             // its work tree is empty
} WmPushPlace;

/* What is so before the agent begins, and believed afterwards. `of_payload`: the default branch, as
   the event has it; NULL. */
bool wm_push_place_note(const WmGit *git, const char *of_payload, Cancel *cancel,
                        WmPushPlace *ret_place, GError **error);
/* The same of a root where an agent has been: `url` counts (NULL: the address of origin, without
   what the configuration makes of it), and nothing is known of origin's branches. */
bool wm_push_place_note_late(const WmGit *git, const char *url, const char *of_payload,
                             Cancel *cancel, WmPushPlace *ret_place, GError **error);
/* The clone, on the branch that `root` is on, or on its commit. */
bool wm_push_place_make(WmPushPlace *self, Cancel *cancel, GError **error);
/* After a push of HEAD to `remote_branch`: `root` is told where that is and, `is_upstream`, which
   branch it is the upstream of, as git itself would have. Failures are of no account. */
void wm_push_place_tell(const WmPushPlace *self, const char *remote_branch, bool is_upstream,
                        Cancel *cancel);
/* Removes the clone. */
void wm_push_place_clear(WmPushPlace *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(WmPushPlace, wm_push_place_clear)
