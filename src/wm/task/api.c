/*
 * The task engine's calls to GitHub (api.h): the common client, with the words of task-engine §8.4.
 */
#include "wm/task/api.h"

#include "base/dirs.h"
#include "base/env.h"
#include "base/str.h"
#include "base/timefmt.h"
#include "github/git.h"
#include "github/remote_url.h"

#include <stdarg.h>

#define MAX_LOGIN_BYTES 39
#define MAX_BODY_SHOWN  ((size_t)300) // of an answer that says nothing else
#define LOGIN_CHARS     "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-"
#define NO_PROJECT      "/" // the work tree is an agent's: its settings do not count
#define READ_ONLY       "Resource not accessible by integration"

struct WmApi {
    Rest *rest;
    WmRepo repo;
};

void wm_repo_clear(WmRepo *self)
{
    g_free(self->owner);
    g_free(self->name);
    g_free(self->slug);
    *self = (WmRepo) { 0 };
}

static WmRepo repo_of(const char *owner, const char *name)
{
    return (WmRepo) {
        .owner = g_strdup(owner),
        .name = g_strdup(name),
        .slug = g_strconcat(owner, "/", name, NULL),
    };
}

/* It becomes part of paths and of a remote's URL, so nothing unusual gets in. */
static bool parse_slug(const char *text, WmRepo *ret_repo, GError **error)
{
    g_autofree char *trimmed = g_strstrip(g_strdup(text));
    g_auto(GStrv) parts = g_strsplit(trimmed, "/", -1);
    if (g_strv_length(parts) != 2 || !remote_owner_is_valid(parts[0]) ||
        !remote_repo_is_valid(parts[1]))
        return fail_with(error, KEDGE_ERROR_FAILED, "invalid repo: %s", text);
    *ret_repo = repo_of(parts[0], parts[1]);
    return true;
}

/* Does a remote on `host` lead to the server that we ask? One on this machine stands for all. */
static bool is_asked(const char *host)
{
    g_autofree char *local = rest_local_origin();
    if (local)
        return true;
    g_autofree char *asked = rest_environment_host();
    return asked && str_equal_nocase(asked, host);
}

static bool take_remote(const char *url, WmRepo *ret_repo)
{
    g_auto(RemoteUrl) remote = { 0 };
    if (!url || !remote_url_parse(url, &remote) || !is_asked(remote.host))
        return false;
    *ret_repo = repo_of(remote.owner, remote.repo);
    return true;
}

bool wm_repo_find(const char *given, const char *root, Cancel *cancel, WmRepo *ret_repo,
                  GError **error)
{
    const char *named = str_is_empty(given) ? env_get_raw("GITHUB_REPOSITORY") : given;
    if (named)
        return parse_slug(named, ret_repo, error);
    g_autofree char *raw = NULL, *effective = NULL;
    g_autoptr(GError) failed = NULL;
    if (!git_remote_urls(root, "origin", cancel, &raw, &effective, &failed) &&
        error_is(failed, KEDGE_ERROR_CANCELLED)) {
        return pass_error(error, &failed);
    }
    if (take_remote(effective, ret_repo) || take_remote(raw, ret_repo))
        return true;
    return fail_with(error, KEDGE_ERROR_NOT_FOUND,
                     "cannot determine the repository: set GITHUB_REPOSITORY, use --repo, or run "
                     "inside a clone with a GitHub origin");
}

bool wm_api_new(const WmRepo *repo, const char *cwd, Cancel *cancel, WmApi **ret_api,
                GError **error)
{
    g_autofree char *agent_dir = dirs_agent();
    g_autoptr(Settings) settings = settings_load(agent_dir, NO_PROJECT, NULL);
    const RestOptions options = {
        .uses_login = true,
        .cwd = cwd,
        .user_agent_part = "wm",
        .max_wait_s = -1,
        .settings = settings,
    };
    return wm_api_open(repo, &options, cancel, ret_api, error);
}

bool wm_api_open(const WmRepo *repo, const RestOptions *options, Cancel *cancel, WmApi **ret_api,
                 GError **error)
{
    g_autoptr(GError) failed = NULL;
    g_autofree char *slug = g_strconcat(repo->owner, "/", repo->name, NULL);
    RestOptions own = *options;
    own.repo = slug;
    Rest *rest = NULL;
    if (!rest_new(&own, cancel, &rest, &failed)) {
        if (g_error_matches(failed, REST_ERROR, REST_ERROR_AUTH))
            return fail_with(error, KEDGE_ERROR_DENIED,
                             "no GitHub token: set GH_TOKEN or GITHUB_TOKEN, or run gh auth login");
        return pass_error(error, &failed);
    }
    WmApi *self = g_new0(WmApi, 1);
    self->rest = rest;
    self->repo = repo_of(repo->owner, repo->name);
    *ret_api = self;
    return true;
}

void wm_api_free(WmApi *self)
{
    if (!self)
        return;
    rest_free(self->rest);
    wm_repo_clear(&self->repo);
    g_free(self);
}

char *wm_api_seal(const WmApi *self, const char *text)
{
    return rest_seal(self->rest, text);
}

const WmRepo *wm_api_repo(const WmApi *self)
{
    return &self->repo;
}

static bool is_read(const char *method)
{
    return strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0;
}

/* `; field: code` for each of the answer's errors; its own words where there is no code. */
static void append_errors(GString *text, const json_t *body)
{
    const json_t *errors = json_get_array(body, "errors");
    for (size_t i = 0; i < json_array_size(errors); i++) {
        const json_t *item = json_array_get(errors, i);
        const char *field = json_get_text(item, "field"), *code = json_get_text(item, "code");
        const char *message = json_get_text(item, "message");
        if (json_is_string(item))
            g_string_append_printf(text, "; %s", json_string_value(item));
        else if (!str_is_empty(field) && !str_is_empty(code))
            g_string_append_printf(text, "; %s: %s", field, code);
        else if (!str_is_empty(code) && str_is_empty(message))
            g_string_append_printf(text, "; %s", code);
        if (!str_is_empty(message))
            g_string_append_printf(text, "; %s", message);
    }
}

static const char *hint_of(const char *method, const RestFailure *failure)
{
    if (failure->status == 401)
        return "check the token";
    if (failure->status == 403 && strstr(failure->message, READ_ONLY))
        return "the token has no write permission (in CI only the outputs job may write)";
    if (failure->status == 404 && !is_read(method))
        return "not found, or the token cannot see it";
    return NULL;
}

/* Caller frees. */
static char *describe_status(const char *method, const RestFailure *failure)
{
    g_autoptr(GString) text = g_string_new(NULL);
    g_string_append_printf(text, "HTTP %d: ", failure->status);
    if (*failure->message != '\0') {
        g_string_append(text, failure->message);
    } else if (json_object_size(failure->body) + json_array_size(failure->body) > 0) {
        g_autofree char *all = json_to_text(failure->body);
        g_autofree char *start = str_truncate(all, MAX_BODY_SHOWN);
        g_string_append(text, start);
    } else {
        g_string_append(text, str_is_empty(failure->detail) ? "no message" : failure->detail);
    }
    append_errors(text, failure->body);
    const char *hint = hint_of(method, failure);
    if (hint)
        g_string_append_printf(text, " — %s", hint);
    return g_string_free(g_steal_pointer(&text), false);
}

/* Caller frees. */
static char *describe_limit(const RestFailure *failure)
{
    int64_t wait_s = failure->retry_after_s;
    g_autofree char *at = time_format_iso_seconds(time_now_ms() + wait_s * 1000);
    return g_strdup_printf("GitHub API rate limit reached (resets at %s)", at);
}

/* NULL: its own text is best. Caller frees. */
static char *api_describe(const char *method, const char *path, const GError *error)
{
    const RestFailure *failure = rest_error_failure(error);
    if (!failure || error->code == REST_ERROR_USAGE)
        return NULL;
    if (error->code == REST_ERROR_RATE_LIMIT)
        return describe_limit(failure);
    g_autofree char *reason = NULL;
    if (error->code == REST_ERROR_UNREADABLE)
        reason = g_strdup("the answer is unreadable");
    else if (failure->status > 0)
        reason = describe_status(method, failure);
    else
        reason = g_strdup(failure->detail ? failure->detail : error->message);
    bool is_unknown = error->code == REST_ERROR_UNKNOWN_OUTCOME;
    return g_strdup_printf("GitHub API %s %s: %s%s", method, path, reason,
                           is_unknown ? " (it may have been carried out)" : "");
}

/* Hands `failed` on in the words of task-engine §8.4: its code and what it carries stay. False. */
static bool fail_call(const char *method, const char *path, GError *failed, GError **error)
{
    char *text = api_describe(method, path, failed);
    if (text) {
        g_free(failed->message);
        failed->message = text;
    }
    return pass_error(error, &failed);
}

bool wm_api_call(WmApi *self, const WmCall *call, Cancel *cancel, json_t **ret_body, GError **error)
{
    const RestCall rest_call_ = {
        .method = call->method,
        .path = call->path,
        .body = call->body,
        .operation = call->method,
        .is_repeatable = call->is_repeatable,
    };
    g_auto(RestAnswer) answer = { 0 };
    GError *failed = NULL;
    if (!rest_call(self->rest, &rest_call_, cancel, &answer, &failed))
        return fail_call(call->method, call->path, failed, error);
    if (ret_body)
        *ret_body = g_steal_pointer(&answer.body);
    return true;
}

bool wm_api_get(WmApi *self, const char *path, Cancel *cancel, json_t **ret_body, GError **error)
{
    return wm_api_call(self, &(WmCall) { .method = "GET", .path = path }, cancel, ret_body, error);
}

bool wm_api_list(WmApi *self, const char *path, const char *key, Cancel *cancel, json_t **ret_items,
                 GError **error)
{
    const RestCall call = { .method = "GET", .path = path, .operation = "GET" };
    GError *failed = NULL;
    if (!rest_list(self->rest, &call, key, cancel, ret_items, NULL, &failed))
        return fail_call("GET", path, failed, error);
    return true;
}

bool wm_api_graphql(WmApi *self, const char *query, const json_t *variables, Cancel *cancel,
                    json_t **ret_data, GError **error)
{
    GError *failed = NULL;
    g_autoptr(json_t) data = NULL;
    if (rest_graphql(self->rest, query, variables, "GraphQL", cancel, &data, &failed)) {
        if (ret_data)
            *ret_data = g_steal_pointer(&data);
        return true;
    }
    const RestFailure *failure = rest_error_failure(failed);
    char *text = NULL;
    if (failure && failed->code == REST_ERROR_UNREADABLE)
        text = g_strdup("GitHub GraphQL: empty response");
    else if (failure && failure->status == 200)
        text = g_strconcat("GitHub GraphQL: ", failure->message, NULL);
    if (!text)
        return fail_call("POST", "/graphql", failed, error);
    g_free(failed->message);
    failed->message = text;
    return pass_error(error, &failed);
}

int wm_api_status(const GError *error)
{
    const RestFailure *failure = rest_error_failure(error);
    return failure ? failure->status : 0;
}

bool wm_api_is_unknown(const GError *error)
{
    return g_error_matches(error, REST_ERROR, REST_ERROR_UNKNOWN_OUTCOME) ||
           g_error_matches(error, REST_ERROR, REST_ERROR_UNREADABLE) ||
           error_is(error, KEDGE_ERROR_CANCELLED);
}

bool wm_api_says(const GError *error, const char *text)
{
    const RestFailure *failure = rest_error_failure(error);
    if (!failure)
        return false;
    g_autoptr(GString) all = g_string_new(failure->message);
    append_errors(all, failure->body);
    return str_contains_nocase(all->str, text);
}

char *wm_path(const WmApi *self, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    g_autofree char *rest = g_strdup_vprintf(format, args);
    va_end(args);
    return rest_repo_path(self->repo.owner, self->repo.name, "%s", rest);
}

char *wm_encode(const char *segment)
{
    return g_uri_escape_string(segment, NULL, false);
}

bool wm_login_is_valid(const char *login)
{
    size_t length = strspn(login, LOGIN_CHARS);
    const char *rest = login + length;
    return length > 0 && length <= MAX_LOGIN_BYTES && (*rest == '\0' || strcmp(rest, "[bot]") == 0);
}
