/*
 * Fetching tasks from elsewhere (task-engine §3.7, §3.8): https only (http on this machine), at
 * most 5 redirects, 60 s and 1 MiB; no token and no cookie goes to such a server. A repository that
 * answers 404 there is asked once more through GitHub's interface, with the token, if there is one:
 * it may be private. Blocks.
 */
#pragma once

#include "base/cancel.h"
#include "wm/task/task_source.h"

typedef struct WmFetched {
    char *text; // NUL-terminated; NULL unless the status is 200
    size_t size;
    int status;
    char *url;    // that was asked last
    char *record; // for `source:`; NULL for an address that holds a secret
} WmFetched;
void wm_fetched_clear(WmFetched *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(WmFetched, wm_fetched_clear)

/* `paths`: of a repository, each in turn until one is there (NULL-terminated); a URL has none. A
   status other than 200 is an answer and no error. `cwd`: a gh from there is not run. */
bool wm_fetch(const WmSource *source, const char *const *paths, const char *cwd, Cancel *cancel,
              WmFetched *ret_fetched, GError **error);

/* "404 Not Found". Caller frees. */
char *wm_status_text(int status);
