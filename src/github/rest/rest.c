/*
 * The REST client's front: what is made once for all calls, single calls, and GraphQL.
 */
#include "github/rest/rest_private.h"

#include "base/env.h"
#include "base/timefmt.h"
#include "github/graphql_scan.h"

#define API_VERSION        "2022-11-28"
#define DEFAULT_MAX_WAIT_S 60

static bool plain_sleep(void *user_data G_GNUC_UNUSED, int64_t duration_ms, Cancel *cancel,
                        GError **error)
{
    return cancel_sleep(cancel, duration_ms, error);
}

/* An empty KEDGE_GITHUB_API_VERSION means that the header is not sent, for servers without it. */
static char **make_headers(const RestOptions *options, const char *token)
{
    const char *version = g_getenv("KEDGE_GITHUB_API_VERSION");
    if (!version)
        version = API_VERSION;
    const char *part = options->user_agent_part;
    GPtrArray *headers = g_ptr_array_new();
    g_ptr_array_add(headers, g_strdup("Accept: application/vnd.github+json"));
    if (*version != '\0')
        g_ptr_array_add(headers, g_strconcat("X-GitHub-Api-Version: ", version, NULL));
    if (*token != '\0')
        g_ptr_array_add(headers, g_strconcat("Authorization: Bearer ", token, NULL));
    g_ptr_array_add(headers,
                    g_strconcat("User-Agent: kedge/" KEDGE_VERSION, part ? " " : NULL, part, NULL));
    g_ptr_array_add(headers, NULL);
    return (char **)g_ptr_array_free(headers, false);
}

static void take_shared(Rest *self, ToolContext *context)
{
    if (!context) {
        self->own_http = http_client_new();
        self->own_hosts = rest_hosts_new();
    }
    self->http = context ? tool_context_http(context) : self->own_http;
    self->hosts = context ? rest_hosts_of(context) : self->own_hosts;
}

/* The token does not appear in it. */
static char *make_identity(const Rest *self)
{
    g_autofree char *sum = g_compute_checksum_for_string(G_CHECKSUM_SHA256, self->token, -1);
    return g_strconcat(self->place.base_url, " ", sum, NULL);
}

bool rest_new(const RestOptions *options, Cancel *cancel, Rest **ret_rest, GError **error)
{
    g_autoptr(Rest) self = g_new0(Rest, 1);
    take_shared(self, options->context);
    if (!rest_place_find(options, &self->place, error) ||
        !rest_auth_find(options, &self->place, self->hosts, cancel, &self->token, error))
        return false;
    self->settings = options->settings ? settings_ref((Settings *)options->settings) : NULL;
    self->policy_host = g_strdup(options->host ? options->host : self->place.token_host);
    self->repo = g_strdup(options->repo);
    self->identity = make_identity(self);
    self->headers = make_headers(options, self->token);
    self->max_wait_s = options->max_wait_s >= 0 ? options->max_wait_s
                                                : env_int("GITHUB_MAX_WAIT", DEFAULT_MAX_WAIT_S);
    self->deadline_at = options->timeout_ms > 0 ? time_monotonic_ms() + options->timeout_ms : 0;
    self->sleep = options->sleep ? options->sleep : plain_sleep;
    self->user_data = options->user_data;
    *ret_rest = g_steal_pointer(&self);
    return true;
}

void rest_free(Rest *self)
{
    if (!self)
        return;
    http_client_free(self->own_http);
    rest_hosts_free(self->own_hosts);
    g_free(self->identity);
    g_strfreev(self->headers);
    settings_unref(self->settings);
    g_free(self->policy_host);
    g_free(self->repo);
    g_free(self->token);
    rest_place_clear(&self->place);
    g_free(self);
}

void rest_answer_clear(RestAnswer *self)
{
    json_decref(self->body);
    g_free(self->moved_to);
    *self = (RestAnswer) { 0 };
}

bool rest_call(Rest *self, const RestCall *call, Cancel *cancel, RestAnswer *ret_answer,
               GError **error)
{
    g_autofree char *url = g_strconcat(self->place.base_url, call->path, NULL);
    g_autofree char *body = call->body ? json_to_text(call->body) : NULL;
    const RestRequest request = {
        .method = call->method,
        .url = url,
        .body = body,
        .operation = call->operation,
        .subject = call->subject ? call->subject : call->path,
        .is_repeatable = call->is_repeatable,
    };
    g_auto(HttpResponse) response = { 0 };
    g_auto(RestAnswer) answer = { 0 };
    if (!rest_exchange(self, &request, cancel, &response, &answer.moved_to, error))
        return false;
    answer.status = response.status;
    if (response.body_size > 0 &&
        !json_parse(response.body, response.body_size, &answer.body, NULL))
        return rest_fail_unreadable(call->operation, error);
    *ret_answer = answer;
    answer = (RestAnswer) { 0 };
    return true;
}

bool rest_graphql(Rest *self, const char *query, const json_t *variables, const char *operation,
                  Cancel *cancel, json_t **ret_data, GError **error)
{
    g_autoptr(json_t) envelope = json_make("query:%s", query);
    if (variables)
        json_object_set(envelope, "variables", (json_t *)variables);
    g_autofree char *body = json_to_text(envelope);
    const RestRequest request = {
        .method = "POST",
        .url = self->place.graphql_url,
        .body = body,
        .operation = operation,
        .subject = self->place.graphql_url,
        .is_repeatable = graphql_scan(query) == GRAPHQL_READ,
        .is_graphql = true,
    };
    g_auto(HttpResponse) response = { 0 };
    g_autoptr(json_t) answer = NULL;
    if (!rest_exchange(self, &request, cancel, &response, NULL, error))
        return false;
    if (!json_parse(response.body, response.body_size, &answer, NULL))
        return rest_fail_unreadable(operation, error);
    json_t *errors = json_get_array(answer, "errors");
    if (json_array_size(errors) > 0)
        return rest_fail_graphql(self, &request, errors, error);
    json_t *data = json_get_object(answer, "data");
    if (!data)
        return rest_fail_unreadable(operation, error);
    *ret_data = json_incref(data);
    return true;
}

char *rest_repo_path(const char *owner, const char *repo, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    g_autofree char *rest = g_strdup_vprintf(format, args);
    va_end(args);
    g_autofree char *owner_part = g_uri_escape_string(owner, NULL, false);
    g_autofree char *repo_part = g_uri_escape_string(repo, NULL, false);
    return g_strconcat("/repos/", owner_part, "/", repo_part, rest, NULL);
}
