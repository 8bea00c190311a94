/* See task_fetch.h. */
#include "wm/task/task_fetch.h"

#include "base/dirs.h"
#include "base/http.h"
#include "base/redact.h"
#include "base/str.h"
#include "base/timefmt.h"
#include "github/rest/rest.h"
#include "tool/policy.h"
#include "wm/task/task.h"

#include <string.h>

#define MAX_REDIRECTS 5
#define FETCH_MS      (60 * (int64_t)1000)
#define NO_PROJECT    "/" // settings of a repository do not say whom to ask

typedef struct Fetch {
    HttpClient *http;
    int64_t deadline_ms; // monotonic
    Cancel *cancel;
    const char *cwd;
} Fetch;

void wm_fetched_clear(WmFetched *self)
{
    g_free(self->text);
    g_free(self->url);
    g_free(self->record);
    *self = (WmFetched) { 0 };
}

char *wm_status_text(int status)
{
    static const struct {
        int status;
        const char *reason;
    } reasons[] = {
        { 400, "Bad Request" },
        { 401, "Unauthorized" },
        { 403, "Forbidden" },
        { 404, "Not Found" },
        { 410, "Gone" },
        { 429, "Too Many Requests" },
        { 500, "Internal Server Error" },
        { 502, "Bad Gateway" },
        { 503, "Service Unavailable" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(reasons); i++)
        if (reasons[i].status == status)
            return g_strdup_printf("%d %s", status, reasons[i].reason);
    return g_strdup_printf("%d", status);
}

/* A login in an address would be sent, and written into the task. */
static bool check_url(const char *url, bool may_be_here, GError **error)
{
    g_autoptr(GUri) uri = g_uri_parse(url, G_URI_FLAGS_ENCODED, NULL);
    const char *host = uri ? g_uri_get_host(uri) : NULL;
    const char *scheme = uri ? g_uri_get_scheme(uri) : "";
    bool is_here = host && http_is_loopback(host);
    if (str_is_empty(host) || g_uri_get_userinfo(uri))
        return fail_with(error, KEDGE_ERROR_FAILED, "not a plain https address: \"%s\"", url);
    if (strcmp(scheme, "https") != 0 && !(strcmp(scheme, "http") == 0 && is_here && may_be_here))
        return fail_with(error, KEDGE_ERROR_FAILED, "refusing insecure URL \"%s\"", url);
    return true;
}

static bool is_redirect(int status)
{
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

/* From a server elsewhere no way leads to one on this machine. */
static bool http_response_follow(const HttpResponse *response, char **url, GError **error)
{
    const char *location = http_response_header(response, "location");
    g_autofree char *next =
        location ? g_uri_resolve_relative(*url, location, G_URI_FLAGS_ENCODED, NULL) : NULL;
    if (!next)
        return fail_with(error, KEDGE_ERROR_PROTOCOL, "HTTP %d without a place to go from %s",
                         response->status, *url);
    if (!check_url(next, str_has_prefix(*url, "http:"), error))
        return false;
    g_free(*url);
    *url = g_steal_pointer(&next);
    return true;
}

static bool get_once(const Fetch *self, const char *url, HttpResponse *ret_response, GError **error)
{
    static const char *const headers[] = { "User-Agent: kedge/" KEDGE_VERSION " wm",
                                           "Accept: text/plain, text/markdown, */*;q=0.5", NULL };
    const HttpRequest request = {
        .url = url,
        .headers = headers,
        .timeout_ms = MAX(self->deadline_ms - time_monotonic_ms(), 1),
        .max_body_bytes = WM_MAX_TASK_BYTES,
    };
    return http_request(self->http, &request, self->cancel, ret_response, error);
}

static bool fetch_get(const Fetch *self, const char *first, WmFetched *ret_fetched, GError **error)
{
    g_autofree char *url = g_strdup(first);
    if (!check_url(url, true, error))
        return false;
    for (int redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
        g_auto(HttpResponse) response = { 0 };
        if (!get_once(self, url, &response, error))
            return false;
        if (!is_redirect(response.status)) {
            bool is_good = response.status == 200;
            ret_fetched->status = response.status;
            ret_fetched->url = g_strdup(first);
            ret_fetched->size = is_good ? response.body_size : 0;
            ret_fetched->text = !is_good        ? NULL
                                : response.body ? g_steal_pointer(&response.body)
                                                : g_strdup("");
            return true;
        }
        if (!http_response_follow(&response, &url, error))
            return false;
    }
    return fail_with(error, KEDGE_ERROR_LIMIT, "more than %d redirects from %s", MAX_REDIRECTS,
                     first);
}

static bool task_fetch_append(const char *data, size_t size, void *user_data,
                              GError **error G_GNUC_UNUSED)
{
    g_string_append_len(user_data, data, (gssize)size);
    return true;
}

static Settings *own_settings(void)
{
    g_autofree char *agent_dir = dirs_agent();
    return settings_load(agent_dir, NO_PROJECT, NULL);
}

/* What is public is had without REST, which asks for the policy itself. */
static bool may_read(const WmSource *source, GError **error)
{
    g_autoptr(Settings) settings = own_settings();
    g_autofree char *repo = g_strconcat(source->owner, "/", source->repo, NULL);
    g_autofree char *reason = NULL;
    return policy_lets_pass(settings, EFFECT_READ, "github.com", repo, &reason) ||
           fail_with(error, KEDGE_ERROR_DENIED, "refused: %s: %s", repo, reason);
}

static bool open_rest(const Fetch *self, Rest **ret_rest)
{
    g_autoptr(Settings) settings = own_settings();
    const RestOptions options = {
        .uses_login = true,
        .cwd = self->cwd,
        .user_agent_part = "wm",
        .timeout_ms = MAX(self->deadline_ms - time_monotonic_ms(), 1),
        .settings = settings,
    };
    return rest_new(&options, self->cancel, ret_rest, NULL);
}

/* NULL: not there either, or not to be had. */
static GString *get_private(const WmSource *source, const char *path, const Fetch *self, Rest *rest)
{
    g_autofree char *ref = g_uri_escape_string(source->ref ? source->ref : "main", NULL, FALSE);
    g_autofree char *file = g_uri_escape_string(path, "/", FALSE);
    g_autofree char *where =
        rest_repo_path(source->owner, source->repo, "/contents/%s?ref=%s", file, ref);
    g_autoptr(GString) text = g_string_new(NULL);
    const RestFetch fetch = {
        .path = where,
        .accept = "application/vnd.github.raw",
        .operation = "wm",
        .max_bytes = WM_MAX_TASK_BYTES,
        .timeout_ms = MAX(self->deadline_ms - time_monotonic_ms(), 1),
        .take = task_fetch_append,
        .user_data = text,
    };
    return rest_fetch(rest, &fetch, self->cancel, NULL) ? g_steal_pointer(&text) : NULL;
}

static void get_any_private(const WmSource *source, const char *const *paths, const Fetch *self,
                            WmFetched *fetched)
{
    g_autoptr(Rest) rest = NULL;
    if (!open_rest(self, &rest))
        return;
    for (const char *const *path = paths; *path; path++) {
        GString *text = get_private(source, *path, self, rest);
        if (!text)
            continue;
        fetched->status = 200;
        fetched->size = text->len;
        fetched->text = g_string_free(text, FALSE);
        fetched->record = wm_source_record(source, *path);
        return;
    }
}

static bool get_raw(const WmSource *source, const char *const *paths, const Fetch *self,
                    WmFetched *ret_fetched, GError **error)
{
    if (!may_read(source, error))
        return false;
    for (const char *const *path = paths; *path; path++) {
        g_autofree char *url = wm_source_raw_url(source, *path);
        wm_fetched_clear(ret_fetched);
        if (!fetch_get(self, url, ret_fetched, error))
            return false;
        if (ret_fetched->status == 404)
            continue;
        ret_fetched->record = wm_source_record(source, *path);
        return true;
    }
    get_any_private(source, paths, self, ret_fetched);
    return !cancel_has_fired(self->cancel) || fail_with(error, KEDGE_ERROR_CANCELLED, "cancelled");
}

/* What is recorded gets committed. */
static char *record_of_url(const char *url)
{
    g_autofree char *safe = redact_text(url);
    return strcmp(safe, url) == 0 ? g_strdup(url) : NULL;
}

bool wm_fetch(const WmSource *source, const char *const *paths, const char *cwd, Cancel *cancel,
              WmFetched *ret_fetched, GError **error)
{
    g_autoptr(HttpClient) http = http_client_new();
    const Fetch self = {
        .http = http,
        .deadline_ms = time_monotonic_ms() + FETCH_MS,
        .cancel = cancel,
        .cwd = cwd,
    };
    g_auto(WmFetched) fetched = { 0 };
    if (source->kind == WM_FROM_URL ? !fetch_get(&self, source->text, &fetched, error)
                                    : !get_raw(source, paths, &self, &fetched, error))
        return false;
    if (source->kind == WM_FROM_URL)
        fetched.record = record_of_url(source->text);
    *ret_fetched = fetched;
    fetched = (WmFetched) { 0 };
    return true;
}
