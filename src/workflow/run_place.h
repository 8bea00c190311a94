/*
 * Where a worker's run happens: clones of its own in a new directory, so that nothing that an agent
 * does to files, hooks or configuration of git reaches the checkout that the worker was started in,
 * or the clone from which its writes are applied. Blocks.
 */
#pragma once

#include "base/cancel.h"

typedef struct WmPlace {
    char *dir;  // holds all of it
    char *work; // the agent's clone, on the default branch
    char
        *policy; // a second one, which no agent has seen: policy, and from where writes are applied
    char *branch; // the default branch
} WmPlace;

/* Fetches the default branch of the remote `origin` of `root`, and clones it. */
bool wm_place_make(const char *root, Cancel *cancel, WmPlace *ret_place, GError **error);
/* Writes files below .wm of a clone. */
typedef bool (*WmPlaceFill)(const char *dir, void *user_data, GError **error);
/* One clone of the commit that is checked out in `root`, with the files that `add_files` writes
   committed on top; its origin leads nowhere. `policy` is not made. */
bool wm_place_make_here(const char *root, WmPlaceFill add_files, void *user_data, Cancel *cancel,
                        WmPlace *ret_place, GError **error);
/* The files of the second clone as they are now, in a directory that is made: policy to be
   believed, before the agent's branch is taken. */
bool wm_place_trust(const WmPlace *self, const char *dir, Cancel *cancel, GError **error);
/* Takes the branch that the agent's clone is on, with its commits, into the second clone. */
bool wm_place_take_branch(const WmPlace *self, Cancel *cancel, GError **error);
/* Removes directories of runs whose process was killed, after a day. */
void wm_place_prune(void);
/* Removes the directory. */
void wm_place_clear(WmPlace *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(WmPlace, wm_place_clear)
