/*
 * What the parts of the REST client share. Not for other rooms.
 */
#pragma once

#include "base/http.h"
#include "base/limits.h"
#include "github/rest/rest.h"
#include "github/rest/rest_hosts.h"

#define REST_MAX_BODY_BYTES (32 * MIB) // one answer (common §8.3)
#define REST_MAX_LIST_BYTES (256 * MIB)
#define REST_MAX_PAGES      1000
#define REST_PAGE_ITEMS     100

typedef struct RestPlace { // where requests go
    char *base_url;        // without a slash at its end
    char *graphql_url;
    char *host;       // of base_url, with its port; for messages
    char *token_host; // github.com, acme.ghe.com, git.corp.example: as the known hosts write it
    bool is_loopback;
} RestPlace;

void rest_place_clear(RestPlace *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(RestPlace, rest_place_clear)

struct Rest { // constant after rest_new(), so that threads may share it
    RestPlace place;
    Settings *settings; // NULL: no policy is asked for
    char *policy_host;  // whose policy holds
    char *repo;         // of requests whose path names none; NULL: unknown
    char *token;
    HttpClient *http;
    RestHosts *hosts;
    HttpClient *own_http; // NULL: it is the context's, as
    RestHosts *own_hosts;
    char *identity;      // server and token, as a name for what is known of both
    char **headers;      // of every request
    int64_t max_wait_s;  // 0: never
    int64_t deadline_at; // monotonic, in ms; 0: none
    bool (*sleep)(void *user_data, int64_t duration_ms, Cancel *cancel, GError **error);
    void *user_data;
};

/* rest_place.c */
bool rest_place_find(const RestOptions *options, RestPlace *ret_place, GError **error);
/* `location`, relative to `url`, as an absolute URL. False when it is none, or leads to another
   scheme, host or port than `url`. */
bool rest_place_resolve(const char *url, const char *location, char **ret_url);

/* Where a redirect from `url` leads, for bytes: any host over https; to this machine only from it.
   `ret_is_same`: it is the same scheme, host and port. False: it must not be followed. */
bool rest_place_follow(const RestPlace *self, const char *url, const char *location, char **ret_url,
                       bool *ret_is_same);

/* `url` put together from its parts, so that libcurl reads out of it what was checked.
   `ret_is_own`: the token of this place belongs to its host. False: it is not plain https (or on
   this machine, from it). */
bool rest_place_open(const RestPlace *self, const char *url, char **ret_url, bool *ret_is_own);

/* rest_auth.c */
bool rest_auth_find(const RestOptions *options, const RestPlace *place, RestHosts *hosts,
                    Cancel *cancel, char **ret_token, GError **error);

/* rest_login.c: gh's own token for a host, asked for once. NULL without error when gh has none;
   NULL with CANCELLED. Caller frees. */
char *rest_login_find(const RestOptions *options, const char *host, RestHosts *hosts,
                      Cancel *cancel, GError **error);

/* rest_exchange.c */
typedef struct RestRequest { // all borrowed
    const char *method;
    const char *url;  // absolute, on the base URL's host
    const char *body; // NULL: none
    const char *operation;
    const char *subject;
    bool is_repeatable; // besides GET, PUT, PATCH and DELETE
    bool is_graphql;
} RestRequest;

/* Retries, waits and redirects; the answer has a 2xx status. `ret_moved_to` may be NULL. */
bool rest_exchange(const Rest *self, const RestRequest *request, Cancel *cancel,
                   HttpResponse *ret_response, char **ret_moved_to, GError **error);

/* rest_policy.c: DENIED when the settings refuse it. */
bool rest_policy_check(const Rest *self, const RestRequest *request, GError **error);

/* rest_limit.c: seconds until the request may be sent again; 0: the answer is no rate limit. */
int64_t rest_limit_wait_s(const HttpResponse *response, bool is_graphql);

/* rest_error.c. All return false. */
bool rest_fail(GError **error, RestErrorCode code, const RestFailure *facts, const char *format,
               ...) G_GNUC_PRINTF(4, 5);
bool rest_fail_status(const Rest *self, const RestRequest *request, const HttpResponse *response,
                      bool is_outcome_unknown, GError **error);
/* `response` NULL: an earlier one said so. */
bool rest_fail_limit(const Rest *self, const HttpResponse *response, int64_t wait_s,
                     GError **error);
/* No answer: `cause` is an error of http_request(). */
bool rest_fail_transport(const Rest *self, const RestRequest *request, const GError *cause,
                         bool is_outcome_unknown, GError **error);
/* The `errors` of a GraphQL answer. */
bool rest_fail_graphql(const Rest *self, const RestRequest *request, const json_t *errors,
                       GError **error);
/* A status that is none, or that was not acted on, with our own words. */
bool rest_fail_other(const RestRequest *request, int status, GError **error, const char *format,
                     ...) G_GNUC_PRINTF(4, 5);
