/*
 * GitHub for tasks (task-engine §8): one repository, over REST without gh, with the error texts of
 * task-engine §8.4. Blocks; thread safe.
 */
#pragma once

#include "github/rest/rest.h"

typedef struct WmRepo {
    char *owner, *name, *slug; // slug: owner/name
} WmRepo;
void wm_repo_clear(WmRepo *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(WmRepo, wm_repo_clear)

/* `given` (--repo; NULL) → GITHUB_REPOSITORY → the remote origin of `root` (task-engine §8.2). */
bool wm_repo_find(const char *given, const char *root, Cancel *cancel, WmRepo *ret_repo,
                  GError **error);

typedef struct WmApi WmApi;

/* The token of task-engine §8.3, or its error. `repo` is copied. `cwd` as in RestOptions. */
bool wm_api_new(const WmRepo *repo, const char *cwd, Cancel *cancel, WmApi **ret_api,
                GError **error);
/* The same with settings of one's own (tests: waits that are none). */
bool wm_api_open(const WmRepo *repo, const RestOptions *options, Cancel *cancel, WmApi **ret_api,
                 GError **error);
void wm_api_free(WmApi *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(WmApi, wm_api_free)
/* rest_seal() of our token. */
char *wm_api_seal(const WmApi *self, const char *text);
const WmRepo *wm_api_repo(const WmApi *self);

typedef struct WmCall { // all borrowed
    const char *method;
    const char *path;   // encoded: wm_path()
    const json_t *body; // NULL: none
    bool is_repeatable; // a POST that may be sent again
} WmCall;

/* *ret_body: a new reference, NULL for an empty answer; may be NULL. Errors are of REST_ERROR with
   the texts of task-engine §8.4: `GitHub API POST /repos/o/r/issues/42/comments: HTTP 403: …`. */
bool wm_api_call(WmApi *self, const WmCall *call, Cancel *cancel, json_t **ret_body,
                 GError **error);
bool wm_api_get(WmApi *self, const char *path, Cancel *cancel, json_t **ret_body, GError **error);
/* All pages; `key` as in rest_list(). */
bool wm_api_list(WmApi *self, const char *path, const char *key, Cancel *cancel, json_t **ret_items,
                 GError **error);
bool wm_api_graphql(WmApi *self, const char *query, const json_t *variables, Cancel *cancel,
                    json_t **ret_data, GError **error);
/* The status of an error of these functions; 0: no answer, or another error. */
int wm_api_status(const GError *error);
/* A write that failed so may have been carried out all the same: the connection broke, the answer
   was 5xx or unreadable, or somebody stopped us while we waited for it. */
bool wm_api_is_unknown(const GError *error);
/* The `message` and the `errors` of the answer contain `text`, in any case. */
bool wm_api_says(const GError *error, const char *text);

/* "/repos/o/r" and the formatted rest, whose data the caller encoded (wm_encode()). Caller frees
   both. */
char *wm_path(const WmApi *self, const char *format, ...) G_GNUC_PRINTF(2, 3);
char *wm_encode(const char *segment);
/* task-engine §8.5: a login as it may be in a path. */
bool wm_login_is_valid(const char *login);
