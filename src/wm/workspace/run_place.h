/*
 * Where a worker's run happens: clones of its own in a new directory, so that nothing that an agent
 * does to files, hooks or configuration of git reaches the checkout that the worker was started in,
 * or the clone from which its writes are applied. Blocks.
 */
#pragma once

#include "base/cancel.h"

typedef struct WmPlace {
    char *dir;     // holds the agent's
    char *work;    // its clone, on the default branch
    char *branch;  // the default branch
    char *commit;  // of origin's default branch that was cloned
    char *url;     // of origin
    char *apart;   // holds what no agent has seen: made when it has ended; NULL until then
    char *policy;  // a second clone of that commit, from where writes are applied
    char *trusted; // its files alone: policy to be believed
} WmPlace;

/* Fetches the default branch of the remote `origin` of `root`, and clones it. */
bool wm_place_make(const char *root, Cancel *cancel, WmPlace *ret_place, GError **error);
/* Writes files below .wm of a clone. */
typedef bool (*WmPlaceFill)(const char *dir, void *user_data, GError **error);
/* One clone of the commit that is checked out in `root`, with the files that `add_files` writes
   committed on top; its origin leads nowhere. Nothing can be set apart. */
bool wm_place_make_here(const char *root, WmPlaceFill add_files, void *user_data, Cancel *cancel,
                        WmPlace *ret_place, GError **error);
/* When the agent has ended: the second clone, and its files. An agent knows where its own clone is,
   and could have written what lies beside it. */
bool wm_place_set_apart(WmPlace *self, const char *root, Cancel *cancel, GError **error);
/* Takes the branch that the agent's clone is on, or the commit when it is on none, with all its
   commits, into the second clone, which is then there. PROTOCOL: what the agent left cannot be
   taken. */
bool wm_place_take_branch(const WmPlace *self, Cancel *cancel, GError **error);
/* Removes directories of runs whose process was killed, after a day. */
void wm_place_prune(void);
/* Removes the directories. */
void wm_place_clear(WmPlace *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(WmPlace, wm_place_clear)
