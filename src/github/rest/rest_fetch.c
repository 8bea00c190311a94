/*
 * Bytes that GitHub keeps elsewhere: release assets, Actions artifacts (rest.h). The token goes to
 * GitHub alone: where a redirect leads to another host, the rest of the way is gone without it.
 */
#include "base/str.h"
#include "github/rest/rest_private.h"

#define MAX_REDIRECTS  5
#define FIRST_BYTE_MS  (60 * 1000)
#define IDLE_MS        (60 * 1000)
#define FETCH_MS       (30 * 60 * 1000)
#define TOKEN_HEADER   "Authorization:"
#define ACCEPT_HEADER  "Accept:"
#define VERSION_HEADER "X-GitHub-Api-Version:"
#define ANY_TYPE       "Accept: */*"

typedef struct Way { // where the request goes next
    char *url;
    bool is_away; // from GitHub: it never gets the token again
} Way;

static void way_clear(Way *self)
{
    g_free(self->url);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Way, way_clear)

static bool is_for_github(const char *header)
{
    return str_has_prefix(header, TOKEN_HEADER) || str_has_prefix(header, VERSION_HEADER);
}

/* Borrowed elements but for `accept`. Caller frees the array. */
static GPtrArray *headers_for(const Rest *self, const Way *way, const char *accept)
{
    GPtrArray *headers = g_ptr_array_new();
    g_ptr_array_add(headers, (char *)(way->is_away ? ANY_TYPE : accept));
    for (char **header = self->headers; *header; header++) {
        if (!str_has_prefix(*header, ACCEPT_HEADER) && !(way->is_away && is_for_github(*header)))
            g_ptr_array_add(headers, *header);
    }
    g_ptr_array_add(headers, NULL);
    return headers;
}

static bool send_once(const Rest *self, const RestFetch *fetch, const Way *way, Cancel *cancel,
                      HttpResponse *ret_response, GError **error)
{
    g_autofree char *accept =
        g_strconcat(ACCEPT_HEADER " ", fetch->accept ? fetch->accept : "application/json", NULL);
    g_autoptr(GPtrArray) headers = headers_for(self, way, accept);
    const HttpRequest http = {
        .method = "GET",
        .url = way->url,
        .headers = (const char *const *)headers->pdata,
        .first_byte_timeout_ms = FIRST_BYTE_MS,
        .idle_timeout_ms = IDLE_MS,
        .timeout_ms = fetch->timeout_ms > 0 ? fetch->timeout_ms : FETCH_MS,
        .max_body_bytes = fetch->max_bytes,
        .on_body = fetch->take,
        .user_data = fetch->user_data,
    };
    return http_request(self->http, &http, cancel, ret_response, error);
}

/* Signed addresses are secrets of a kind: none is in a message. */
static bool follow(const Rest *self, const RestRequest *request, const HttpResponse *response,
                   Way *way, GError **error)
{
    const char *location = http_response_header(response, "location");
    char *url = NULL;
    bool is_same = false;
    if (!location)
        return rest_fail_status(self, request, response, false, error);
    if (!rest_place_follow(&self->place, way->url, location, &url, &is_same))
        return rest_fail_other(request, response->status, error,
                               "refusing to follow a redirect that is not to https");
    g_free(way->url);
    way->url = url;
    way->is_away = way->is_away || !is_same;
    return true;
}

static bool fail(const Rest *self, const RestRequest *request, const Way *way,
                 const HttpResponse *response, GError **error)
{
    int64_t wait_s = way->is_away ? 0 : rest_limit_wait_s(response, false);
    if (response->status == 401 && !way->is_away) // another login may have come since
        rest_hosts_forget_token(self->hosts, self->place.token_host);
    if (wait_s > 0)
        return rest_fail_limit(self, response, wait_s, error);
    if (way->is_away) // its words are not GitHub's
        return rest_fail_other(request, response->status, error,
                               "the server that keeps it answered %d", response->status);
    return rest_fail_status(self, request, response, false, error);
}

static bool begin(const Rest *self, const RestFetch *fetch, char **ret_first, Way *ret_way,
                  GError **error)
{
    bool is_own = true;
    char *url = NULL;
    if (!fetch->url)
        url = g_strconcat(self->place.base_url, fetch->path, NULL);
    else if (!rest_place_open(&self->place, fetch->url, &url, &is_own))
        return rest_fail(error, REST_ERROR_USAGE, NULL, "not a plain https address");
    *ret_first = url;
    *ret_way = (Way) { .url = g_strdup(url), .is_away = !is_own };
    return true;
}

bool rest_fetch(Rest *self, const RestFetch *fetch, Cancel *cancel, GError **error)
{
    g_autofree char *first = NULL;
    g_auto(Way) way = { 0 };
    if (!begin(self, fetch, &first, &way, error))
        return false;
    const RestRequest request = {
        .method = "GET",
        .url = first,
        .operation = fetch->operation,
        .subject = fetch->subject,
    };
    if (!rest_policy_check(self, &request, error))
        return false;
    for (int redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
        g_auto(HttpResponse) response = { 0 };
        if (!send_once(self, fetch, &way, cancel, &response, error))
            return false;
        if (response.status >= 200 && response.status < 300)
            return true;
        if (response.status < 300 || response.status >= 400)
            return fail(self, &request, &way, &response, error);
        if (!follow(self, &request, &response, &way, error))
            return false;
    }
    return rest_fail_other(&request, 302, error, "more than %d redirects", MAX_REDIRECTS);
}
