/*
 * GitHub's REST interface without gh (common §8): base URL, token, headers, pages, retries and rate
 * limits, and what the policy refuses, in one place. Blocks; thread safe; a Rest may be shared by
 * threads.
 */
#pragma once

#include "base/cancel.h"
#include "base/json.h"
#include "tool/context.h"

typedef enum {                // GError of REST_ERROR; the texts are those of agent-tools-cli §2.5
    REST_ERROR_AUTH,          // 401, no token
    REST_ERROR_PERMISSION,    // 403, 451
    REST_ERROR_NOT_FOUND,     // 404, 410
    REST_ERROR_CONFLICT,      // 409
    REST_ERROR_UNPROCESSABLE, // 422
    REST_ERROR_RATE_LIMIT,    // 403, 429; the wait was too long, or the fourth
    REST_ERROR_UNAVAILABLE,   // 5xx after retries, no answer
    REST_ERROR_UNKNOWN_OUTCOME, // a POST may have been carried out: its connection broke, or 5xx
    REST_ERROR_UNREADABLE,      // an answer that is not the JSON expected
    REST_ERROR_USAGE,           // a host or base URL that is refused
    REST_ERROR_OTHER,
} RestErrorCode;
#define REST_ERROR (rest_error_quark())
GQuark rest_error_quark(void);

typedef struct RestFailure { // what an error of REST_ERROR carries; borrowed from it
    int status;              // 0: no answer
    const char *message;     // GitHub's own; "" when there is none
    const char *request_id;  // x-github-request-id; NULL
    const char *hint;        // NULL: none
    int64_t retry_after_s;   // of a rate limit; 0: unknown
    const json_t *body;      // of the answer; NULL
    const char *detail;      // no answer: why; one that is no JSON: how it begins (300 bytes); NULL
} RestFailure;               // the token and token shapes are in none of them
/* NULL for an error of another domain. */
const RestFailure *rest_error_failure(const GError *error);

typedef struct RestOptions {     // all borrowed
    const char *api_url;         // explicit base URL; NULL
    const char *host;            // explicit host; NULL: GITHUB_API_URL, then GH_HOST
    bool honours_api_url;        // GITHUB_API_URL before `host` where it leads to that host, or to
                                 // this machine
    bool is_from_argument;       // api_url or host came in an argument: must be known or loopback
    bool is_from_model;          // a model chose it: loopback must be named, with its port, by the
                                 // user's environment or gh.knownHosts
    bool prefers_github_token;   // GITHUB_TOKEN before GH_TOKEN (agent-tools; common §8.2)
    bool uses_login;             // gh's login as the last resort
    bool may_be_anonymous;       // without a token the calls go out as nobody's
    const char *cwd;             // a gh from the repository around it is not run; NULL: unchecked
    const char *user_agent_part; // "agent-tools"; NULL: none
    int64_t max_wait_s;          // longest wait for a rate limit; -1: KEDGE_GITHUB_MAX_WAIT, or 60
    int64_t timeout_ms;          // of all calls, from now: no wait goes beyond; 0: none
    const Settings *settings;    // known hosts, gh's executable; what gh.policy and gh.hostPolicy
                                 // refuse for `host` (NULL: the base URL's) is not sent. NULL: in
                                 // tests
    const char *repo; // OWNER/REPO that requests are about whose path names none; NULL: unknown
    /* Its calls share connections, gh's login and what is known of rate limits. It outlives the
       Rest. NULL: they are this Rest's own. */
    ToolContext *context;
    /* Waits; tests replace it. NULL: cancel_sleep(). */
    bool (*sleep)(void *user_data, int64_t duration_ms, Cancel *cancel, GError **error);
    void *user_data; // lives as long as the Rest
} RestOptions;

typedef struct Rest Rest;

/* Finds base URL and token; no network but for gh's login. AUTH without a token, USAGE. */
bool rest_new(const RestOptions *options, Cancel *cancel, Rest **ret_rest, GError **error);
void rest_free(Rest *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Rest, rest_free)

typedef struct RestCall {  // all borrowed
    const char *method;    // "GET", "POST" …
    const char *path;      // "/repos/o/r/pulls/1?…", percent-encoded (rest_repo_path())
    const json_t *body;    // NULL: none
    const char *operation; // for error texts: "submit-review"
    const char *subject;   // for 404: "o/r pull request 42"; NULL: the path
    bool is_repeatable;    // a POST that may be retried as a GET is
} RestCall;

typedef struct RestAnswer {
    int status;
    json_t *body;   // NULL for an empty one
    char *moved_to; // path that a redirect of the repository led to; NULL
} RestAnswer;
void rest_answer_clear(RestAnswer *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(RestAnswer, rest_answer_clear)

/* One request with retries and waits. A status of 300 and more is an error. A POST that is not
   repeatable goes out again only when nothing was sent, or a rate limit refused it. */
bool rest_call(Rest *self, const RestCall *call, Cancel *cancel, RestAnswer *ret_answer,
               GError **error);

/* All pages of a GET whose answer is an array (or, with `key`, an object that holds one), without
   doubles by id. per_page is added. `ret_moved_to` may be NULL. At most 1,000 pages and 256 MiB:
   more is an error, never a part of the list. */
bool rest_list(Rest *self, const RestCall *call, const char *key, Cancel *cancel,
               json_t **ret_items, char **ret_moved_to, GError **error);

/* POST to the GraphQL interface; errors in the answer become OTHER (NOT_FOUND for that type).
 *ret_data is its `data`. A query is repeatable, a mutation is not. */
bool rest_graphql(Rest *self, const char *query, const json_t *variables, const char *operation,
                  Cancel *cancel, json_t **ret_data, GError **error);

/* UNREADABLE, for an answer that lacks what the caller needs: false. */
bool rest_fail_unreadable(const char *operation, GError **error);

typedef struct RestFetch { // all borrowed
    const char *path;      // as of RestCall; or:
    const char *url;       // absolute; the token goes along only to the host that it is for
    const char *accept;    // media type; NULL: JSON
    const char *operation; // for error texts
    const char *subject;   // the same
    size_t max_bytes;      // more is LIMIT
    int64_t timeout_ms;    // of each request; 0: 30 minutes
    HttpBodyFunc take;     // gets the bytes, piece by piece, on the calling thread
    void *user_data;
} RestFetch;

/* GET of bytes that are too many to be held. Redirects lead to where they are kept: to https (from
   this machine also to it), and without the token as soon as that is another host. Never repeated:
   some may have been taken. Errors of REST_ERROR and of http_request(), and `take`'s own. */
bool rest_fetch(Rest *self, const RestFetch *fetch, Cancel *cancel, GError **error);

/* The server on this machine that GITHUB_API_URL names, as http://127.0.0.1:8080, which then stands
   for every host. NULL: it names none. Caller frees. */
char *rest_local_origin(void);

/* A seal of a text that only who has the same token can make (HMAC-SHA256, hexadecimal). Caller
   frees. */
char *rest_seal(const Rest *self, const char *text);
/* The token of the environment for a web server (GITHUB_SERVER_URL), by the rule of common §8.2;
   NULL: none is set for it, or it must not go there. Caller frees. */
char *rest_server_token(const char *server_url);
/* The host that GITHUB_API_URL or GH_HOST leads to, as remote URLs write it: github.com. NULL: they
   hold no address. Caller frees. */
char *rest_environment_host(void);

/* "/repos/" + owner + "/" + repo + formatted rest; owner and repo are percent-encoded. Caller
   frees. */
char *rest_repo_path(const char *owner, const char *repo, const char *format, ...)
    G_GNUC_PRINTF(3, 4);
