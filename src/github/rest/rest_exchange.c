/*
 * One exchange with GitHub: the request, its redirects, and its repeats after an outage or a rate
 * limit (common §8.3). A request that changes something goes out twice only when it is known, or
 * declared, to be harmless.
 */
#include "base/str.h"
#include "github/rest/rest_private.h"

#include "base/timefmt.h"

#define REQUEST_TIMEOUT_MS (30 * 1000)
#define MAX_REDIRECTS      5
#define MAX_RETRIES        3
#define MAX_LIMIT_WAITS    3
#define SEARCH_PATH        "/search/"
#define RETRY_JITTER       0.2 // either way, so that many clients do not come back together

typedef struct Exchange {
    const Rest *rest;
    const RestRequest *request;
    Cancel *cancel;
    char *url; // where the request goes next
    char *limit_scope;
    int redirects, retries, limit_waits;
    bool has_moved;
} Exchange;

static void exchange_clear(Exchange *self)
{
    g_free(self->url);
    g_free(self->limit_scope);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Exchange, exchange_clear)

static bool is_repeatable(const RestRequest *request)
{
    static const char *const methods[] = { "GET", "HEAD", "PUT", "PATCH", "DELETE", NULL };
    return request->is_repeatable || g_strv_contains(methods, request->method);
}

static bool is_redirect(int status)
{
    return status == 301 || status == 302 || status == 307 || status == 308;
}

static bool is_outage(int status)
{
    return status == 500 || (status >= 502 && status <= 504);
}

static bool has_time_for(const Exchange *self, int64_t wait_ms)
{
    int64_t deadline_at = self->rest->deadline_at;
    return deadline_at == 0 || time_monotonic_ms() + wait_ms < deadline_at;
}

static bool exchange_sleep(const Exchange *self, int64_t wait_ms, GError **error)
{
    return self->rest->sleep(self->rest->user_data, wait_ms, self->cancel, error);
}

static bool send_once(const Exchange *self, bool *was_sent, HttpResponse *ret_response,
                      GError **error)
{
    const RestRequest *request = self->request;
    g_autoptr(GPtrArray) headers = g_ptr_array_new();
    for (char **header = self->rest->headers; *header; header++)
        g_ptr_array_add(headers, *header);
    if (request->body)
        g_ptr_array_add(headers, (char *)"Content-Type: application/json");
    g_ptr_array_add(headers, NULL);
    const HttpRequest http = {
        .method = request->method,
        .url = self->url,
        .headers = (const char *const *)headers->pdata,
        .body = request->body,
        .body_size = request->body ? strlen(request->body) : 0,
        .timeout_ms = REQUEST_TIMEOUT_MS,
        .max_body_bytes = REST_MAX_BODY_BYTES,
        .is_sent_once = !is_repeatable(request),
        .was_sent = was_sent,
    };
    return http_request(self->rest->http, &http, self->cancel, ret_response, error);
}

/* Waits before the next try. False with no error: there is none, or no time for it. */
static bool wait_for_retry(Exchange *self, GError **error)
{
    int64_t wait_ms = (int64_t)1000 << self->retries;
    wait_ms =
        (int64_t)((double)wait_ms * g_random_double_range(1 - RETRY_JITTER, 1 + RETRY_JITTER));
    if (self->retries >= MAX_RETRIES || !has_time_for(self, wait_ms))
        return false;
    self->retries++;
    return exchange_sleep(self, wait_ms, error);
}

/* No answer came. True: to be sent again. */
static bool after_failure(Exchange *self, const GError *failed, bool was_sent, GError **error)
{
    bool is_passing =
        error_is(failed, KEDGE_ERROR_NETWORK) || error_is(failed, KEDGE_ERROR_TIMEOUT);
    bool may_repeat = is_repeatable(self->request) || !was_sent;
    g_autoptr(GError) stopped = NULL;
    if (is_passing && may_repeat && wait_for_retry(self, &stopped))
        return true;
    if (stopped || error_is(failed, KEDGE_ERROR_CANCELLED)) {
        g_propagate_error(error, stopped ? g_steal_pointer(&stopped) : g_error_copy(failed));
        return false;
    }
    return rest_fail_transport(self->rest, self->request, failed, !may_repeat, error);
}

/* An answer of 5xx. True: to be sent again. */
static bool after_outage(Exchange *self, const HttpResponse *response, GError **error)
{
    bool may_repeat = is_repeatable(self->request);
    g_autoptr(GError) stopped = NULL;
    if (is_outage(response->status) && may_repeat && wait_for_retry(self, &stopped))
        return true;
    if (stopped)
        return pass_error(error, &stopped);
    return rest_fail_status(self->rest, self->request, response, !may_repeat, error);
}

/* GitHub counts these apart. Caller frees. */
static char *limit_scope(const Exchange *self)
{
    const Rest *rest = self->rest;
    bool is_search = str_has_prefix(self->request->url, rest->place.base_url) &&
                     str_has_prefix(self->request->url + strlen(rest->place.base_url), SEARCH_PATH);
    const char *resource = self->request->is_graphql ? "graphql" : is_search ? "search" : "core";
    return g_strconcat(rest->identity, " ", resource, NULL);
}

/* A request that a limit refused was not carried out: any method may go out again. `response` NULL:
   the limit is known from before, and nothing was sent. */
static bool after_limit(Exchange *self, const HttpResponse *response, int64_t wait_s,
                        GError **error)
{
    int64_t wait_ms = wait_s * 1000;
    if (self->limit_waits >= MAX_LIMIT_WAITS || wait_s > self->rest->max_wait_s ||
        !has_time_for(self, wait_ms))
        return rest_fail_limit(self->rest, response, wait_s, error);
    self->limit_waits++;
    return exchange_sleep(self, wait_ms, error);
}

static bool after_redirect(Exchange *self, const HttpResponse *response, GError **error)
{
    const RestRequest *request = self->request;
    int status = response->status;
    const char *location = http_response_header(response, "location");
    bool keeps_method = status == 307 || status == 308;
    if (!location || (!keeps_method && strcmp(request->method, "GET") != 0))
        return rest_fail_status(self->rest, request, response, false, error);
    if (self->redirects >= MAX_REDIRECTS)
        return rest_fail_other(request, status, error, "more than %d redirects", MAX_REDIRECTS);
    char *url = NULL;
    if (!rest_place_resolve(self->url, location, &url))
        return rest_fail_other(request, status, error,
                               "refusing to send the token to another host");
    g_free(self->url);
    self->url = url;
    self->redirects++;
    // 307 is what a POST to a renamed repository gets
    self->has_moved = self->has_moved || status != 302;
    return true;
}

/* True with *ret_is_done, or to be called again. */
static bool exchange_step(Exchange *self, HttpResponse *response, bool *ret_is_done, GError **error)
{
    bool was_sent = false;
    g_autoptr(GError) failed = NULL;
    if (!send_once(self, &was_sent, response, &failed))
        return after_failure(self, failed, was_sent, error);

    int64_t wait_s = rest_limit_wait_s(response, self->request->is_graphql);
    rest_hosts_set_limit(self->rest->hosts, self->limit_scope, wait_s * 1000);
    if (response->status == 401) // another login may have come since
        rest_hosts_forget_token(self->rest->hosts, self->rest->place.token_host);
    if (wait_s > 0)
        return after_limit(self, response, wait_s, error);
    if (is_redirect(response->status))
        return after_redirect(self, response, error);
    if (response->status >= 500)
        return after_outage(self, response, error);
    if (response->status < 200 || response->status >= 300)
        return rest_fail_status(self->rest, self->request, response, false, error);
    *ret_is_done = true;
    return true;
}

/* The URL's path below the base URL. Caller frees. */
static char *path_of(const Rest *rest, const char *url)
{
    if (str_has_prefix(url, rest->place.base_url))
        return g_strdup(url + strlen(rest->place.base_url));
    const char *authority = strstr(url, "://") + strlen("://");
    return g_strdup(authority + strcspn(authority, "/?"));
}

bool rest_exchange(const Rest *self, const RestRequest *request, Cancel *cancel,
                   HttpResponse *ret_response, char **ret_moved_to, GError **error)
{
    if (!rest_policy_check(self, request, error))
        return false;
    g_auto(Exchange) exchange = {
        .rest = self,
        .request = request,
        .cancel = cancel,
        .url = g_strdup(request->url),
    };
    exchange.limit_scope = limit_scope(&exchange);
    int64_t known_ms = rest_hosts_limit_ms(self->hosts, exchange.limit_scope);
    if (known_ms > 0 && !after_limit(&exchange, NULL, (known_ms + 999) / 1000, error))
        return false;

    g_auto(HttpResponse) response = { 0 };
    for (bool is_done = false; !is_done;) {
        http_response_clear(&response);
        if (!exchange_step(&exchange, &response, &is_done, error))
            return false;
    }
    *ret_response = response;
    response = (HttpResponse) { 0 };
    if (ret_moved_to)
        *ret_moved_to = exchange.has_moved ? path_of(self, exchange.url) : NULL;
    return true;
}
