/*
 * Scaffolding for tests of the REST client and of what stands on it: a server on 127.0.0.1 that
 * answers from a table, an environment without tokens and hosts, and waits that are noted instead
 * of waited. One fixture at a time: it sets environment variables of the process.
 */
#pragma once

#include "base/str.h"
#include "unit.h"

#include "base/cancel.h"
#include "base/file.h"
#include "base/json.h"
#include "github/rest/rest.h"
#include "http_server.h"

#define REST_TOKEN "ghp_0123456789abcdefABCDEF"

typedef enum {
    CANNED_KEEP,  // the connection stays open
    CANNED_DROP,  // no answer: closed after the request was read
    CANNED_EARLY, // closed in the middle of the body
    CANNED_RAW,   // `body` is all that is sent; then closed
    CANNED_STALL, // nothing more, until the client leaves or the fixture ends
} CannedEnd;

typedef struct CannedAnswer {
    const char *request; // the request line begins so: "GET /repos/o/r/pulls/42"; NULL: any
    int status;          // 0: 200
    const char *headers; // "Name: value\r\n…"; {url} is the server's; NULL: none
    const char *body;    // {url} as well; NULL: empty
    unsigned times;      // answers so many requests; 0: one
    CannedEnd end;
    /* The body instead: `request` is head and body, `number` counts those that this answer got.
       Caller frees. */
    char *(*make)(const char *request, unsigned number);
} CannedAnswer;

typedef struct RestFixture {
    TestServer *server;
    char *url;
    char *dir; // temporary: HOME, and nothing on PATH
    const CannedAnswer *answers;
    size_t count;
    unsigned *uses;   // of each answer; guarded by the server's lock
    GArray *sleeps;   // int64_t milliseconds; guarded by the server's lock
    char *unexpected; // the first request that no answer fits; guarded by the server's lock
} RestFixture;

static const char *const rest_variables[] = {
    "GITHUB_TOKEN",
    "GH_TOKEN",
    "GH_ENTERPRISE_TOKEN",
    "GITHUB_ENTERPRISE_TOKEN",
    "GITHUB_API_URL",
    "GITHUB_GRAPHQL_URL",
    "GH_HOST",
    "GITHUB_ACTIONS",
    "KEDGE_GITHUB_MAX_WAIT",
    "PI_GITHUB_MAX_WAIT",
    "KEDGE_GITHUB_API_VERSION",
    "GH_CONFIG_DIR",
    "XDG_CONFIG_HOME",
};

static inline bool rest_fixture_send(TestServer *server, int fd, const CannedAnswer *answer,
                                     const char *url, const char *request, unsigned number)
{
    g_autofree char *made = answer->make ? answer->make(request, number) : NULL;
    GString *body = g_string_new(made ? made : answer->body);
    GString *headers = g_string_new(answer->headers);
    g_string_replace(body, "{url}", url, 0);
    g_string_replace(headers, "{url}", url, 0);
    if (answer->end == CANNED_RAW) {
        test_send(fd, body->str, body->len);
    } else if (answer->end == CANNED_STALL) {
        test_server_wait(server, fd, 10000);
    } else if (answer->end != CANNED_DROP) {
        size_t length = body->len + (answer->end == CANNED_EARLY ? 1 : 0);
        g_string_append_printf(headers, "Content-Length: %zu\r\n\r\n", length);
        g_autofree char *first = g_strdup_printf(
            "HTTP/1.1 %d Canned\r\n%s", answer->status ? answer->status : 200, headers->str);
        g_string_prepend(body, first);
        test_send(fd, body->str, body->len); // in one piece: two would wait for each other
    }
    g_string_free(body, true);
    g_string_free(headers, true);
    return answer->end == CANNED_KEEP;
}

static inline bool rest_fixture_serve(TestServer *server, int fd, const char *request,
                                      unsigned number G_GNUC_UNUSED)
{
    static const CannedAnswer none = { .status = 418,
                                       .body = "{\"message\":\"not in the table\"}" };
    RestFixture *self = server->data;
    const CannedAnswer *found = &none;
    unsigned use = 0;
    pthread_mutex_lock(&server->lock);
    for (size_t i = 0; i < self->count && found == &none; i++) {
        const CannedAnswer *answer = &self->answers[i];
        bool fits = !answer->request || str_has_prefix(request, answer->request);
        if (fits && self->uses[i] < MAX(answer->times, 1)) {
            use = ++self->uses[i];
            found = answer;
        }
    }
    if (found == &none && !self->unexpected)
        self->unexpected = g_strndup(request, strcspn(request, "\r\n"));
    pthread_mutex_unlock(&server->lock);
    return rest_fixture_send(server, fd, found, self->url, request, use);
}

/* `answers` lives as long as the fixture; the first that fits and is not used up is given. */
static inline RestFixture *rest_fixture_new(const CannedAnswer *answers, size_t count)
{
    RestFixture *self = g_new0(RestFixture, 1);
    self->answers = answers;
    self->count = count;
    self->uses = g_new0(unsigned, count + 1);
    self->sleeps = g_array_new(false, false, sizeof(int64_t));
    self->dir = g_dir_make_tmp("kedge-rest-XXXXXX", NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(rest_variables); i++)
        g_unsetenv(rest_variables[i]);
    g_setenv("no_proxy", "127.0.0.1", true);
    g_setenv("HOME", self->dir, true);
    g_setenv("PATH", self->dir, true);
    self->server = test_server_start(rest_fixture_serve, self);
    self->url = test_server_url(self->server, "");
    g_setenv("GITHUB_API_URL", self->url, true);
    g_setenv("GITHUB_TOKEN", REST_TOKEN, true);
    return self;
}

/* Also fails the test for a request that was not in the table. */
static inline void rest_fixture_free(RestFixture *self)
{
    test_server_stop(self->server);
    if (self->unexpected)
        fail_msg("unexpected: %s", self->unexpected);
    assert_true(file_remove_tree(self->dir, NULL));
    g_array_unref(self->sleeps);
    g_free(self->uses);
    g_free(self->url);
    g_free(self->dir);
    g_free(self);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RestFixture, rest_fixture_free)

/* For RestOptions and ToolClock; `fixture` is their user_data. */
static inline bool rest_fixture_sleep(void *fixture, int64_t duration_ms, Cancel *cancel,
                                      GError **error)
{
    RestFixture *self = fixture;
    pthread_mutex_lock(&self->server->lock);
    g_array_append_val(self->sleeps, duration_ms);
    pthread_mutex_unlock(&self->server->lock);
    return cancel_check(cancel, error);
}

/* The request lines without " HTTP/1.1", in order of arrival, each with a line end. Caller frees.
 */
static inline char *rest_fixture_log(const RestFixture *self)
{
    GString *log = g_string_new(NULL);
    pthread_mutex_lock(&self->server->lock);
    for (guint i = 0; i < self->server->requests->len; i++) {
        const char *request = self->server->requests->pdata[i];
        size_t length = strcspn(request, "\r\n");
        g_string_append_len(log, request, (gssize)(length - strlen(" HTTP/1.1")));
        g_string_append_c(log, '\n');
    }
    pthread_mutex_unlock(&self->server->lock);
    return g_string_free(log, false);
}

/* The body of the n-th request, from 1. Caller frees. */
static inline char *rest_fixture_body(const RestFixture *self, unsigned number)
{
    g_autofree char *request = test_server_request(self->server, number);
    const char *end = request ? strstr(request, "\r\n\r\n") : NULL;
    return g_strdup(end ? end + 4 : "");
}

/* Waits as whole seconds, rounded: "1 2 4". Caller frees. */
static inline char *rest_fixture_waits(const RestFixture *self)
{
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < self->sleeps->len; i++)
        g_string_append_printf(text, "%s%" G_GINT64_FORMAT, i > 0 ? " " : "",
                               (g_array_index(self->sleeps, int64_t, i) + 500) / 1000);
    return g_string_free(text, false);
}

/* A client of this server that does not really wait, with the environment's token. */
static inline Rest *rest_fixture_open(RestFixture *self)
{
    const RestOptions options = {
        .prefers_github_token = true,
        .user_agent_part = "agent-tools",
        .max_wait_s = -1,
        .sleep = rest_fixture_sleep,
        .user_data = self,
    };
    g_autoptr(GError) error = NULL;
    Rest *rest = NULL;
    if (!rest_new(&options, NULL, &rest, &error))
        fail_msg("rest_new: %s", error->message);
    return rest;
}

/* The error of a call that must fail, with that code and text (NULL: any). Caller frees. */
static inline GError *rest_fixture_error(const char *name, Rest *rest, const RestCall *call,
                                         RestErrorCode code, const char *text)
{
    g_auto(RestAnswer) answer = { 0 };
    g_autoptr(GError) error = NULL;
    if (rest_call(rest, call, NULL, &answer, &error))
        fail_msg("%s: does not fail", name);
    if (!g_error_matches(error, REST_ERROR, (int)code))
        fail_msg("%s: code %d: %s", name, error->code, error->message);
    if (text && strcmp(error->message, text) != 0)
        fail_msg("%s: '%s', want '%s'", name, error->message, text);
    return g_steal_pointer(&error);
}

static inline unsigned rest_fixture_count(const RestFixture *self)
{
    return test_server_count(self->server, &self->server->requests->len);
}
