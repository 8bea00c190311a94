/*
 * The errors of the REST client: GitHub's answer in the words of agent-tools-cli §2.5, with what a
 * caller needs beside them. Nothing of an answer gets in before the token is out of it.
 */
#include "github/rest/rest_private.h"

#include "base/redact.h"
#include "base/str.h"
#include "base/utf8.h"

#define MAX_MESSAGE_BYTES ((size_t)4096)
#define MAX_DETAIL_BYTES  ((size_t)300)
#define NOT_FOUND_HINT                                                                             \
    "Check owner, repo and number; a private repository also answers 404 when the token cannot "   \
    "see it"

typedef struct RestErrorPrivate {
    RestFailure failure; // its texts and its body are owned
} RestErrorPrivate;

static void rest_error_private_init(RestErrorPrivate *self)
{
    self->failure.message = g_strdup("");
}

static void copy_facts(const RestFailure *from, RestFailure *to)
{
    g_free((char *)to->message);
    *to = (RestFailure) {
        .status = from->status,
        .message = g_strdup(from->message ? from->message : ""),
        .request_id = g_strdup(from->request_id),
        .hint = g_strdup(from->hint),
        .retry_after_s = from->retry_after_s,
        .body = json_incref((json_t *)from->body),
        .detail = g_strdup(from->detail),
    };
}

static void rest_error_private_copy(const RestErrorPrivate *from, RestErrorPrivate *to)
{
    copy_facts(&from->failure, &to->failure);
}

static void rest_error_private_clear(RestErrorPrivate *self)
{
    g_free((char *)self->failure.message);
    g_free((char *)self->failure.request_id);
    g_free((char *)self->failure.hint);
    json_decref((json_t *)self->failure.body);
    g_free((char *)self->failure.detail);
}

G_DEFINE_EXTENDED_ERROR(RestError, rest_error)

const RestFailure *rest_error_failure(const GError *error)
{
    if (!error || error->domain != REST_ERROR)
        return NULL;
    return &rest_error_get_private(error)->failure;
}

bool rest_fail(GError **error, RestErrorCode code, const RestFailure *facts, const char *format,
               ...)
{
    va_list args;
    va_start(args, format);
    GError *made = g_error_new_valist(REST_ERROR, (int)code, format, args);
    va_end(args);
    if (facts)
        copy_facts(facts, &rest_error_get_private(made)->failure);
    return pass_error(error, &made);
}

/* What an answer says of itself, free of secrets. */
typedef struct Facts {
    char *message, *request_id;
    json_t *body; // NULL: no JSON, then:
    char *detail;
} Facts;

static void facts_clear(Facts *self)
{
    g_free(self->message);
    g_free(self->request_id);
    json_decref(self->body);
    g_free(self->detail);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Facts, facts_clear)

static char *rest_clean(const Rest *self, const char *text)
{
    const char *const secrets[] = { self->token, NULL };
    g_autofree char *bounded = str_truncate(text, MAX_MESSAGE_BYTES);
    return redact_text_with(bounded, secrets);
}

/* New reference. Keys are GitHub's own words; only values can hold what was sent. */
static json_t *clean_json(const Rest *self, const json_t *value)
{
    if (json_is_string(value)) {
        g_autofree char *text = rest_clean(self, json_string_value(value));
        return json_text(text);
    }
    if (json_is_array(value)) {
        json_t *list = json_array();
        for (size_t i = 0; i < json_array_size(value); i++)
            json_append_take(list, clean_json(self, json_array_get(value, i)));
        return list;
    }
    if (!json_is_object(value))
        return json_incref((json_t *)value);
    json_t *object = json_object();
    json_each_member (value, key, member)
        json_set_take(object, key, clean_json(self, member));
    return object;
}

/* Masked before it is cut: half a token has no shape. */
static char *clean_start(const Rest *self, const char *text, size_t size)
{
    g_autofree char *valid = utf8_from_bytes(text, MIN(size, MAX_MESSAGE_BYTES));
    g_autofree char *shown = rest_clean(self, valid);
    return str_truncate(shown, MAX_DETAIL_BYTES);
}

static Facts facts_of(const Rest *self, const HttpResponse *response)
{
    Facts facts = { 0 };
    g_autoptr(json_t) body = NULL;
    const char *request_id = http_response_header(response, "x-github-request-id");
    if (json_parse(response->body, response->body_size, &body, NULL))
        facts.body = clean_json(self, body);
    else
        facts.detail = clean_start(self, response->body, response->body_size);
    const char *message = json_get_text(facts.body, "message");
    facts.message = g_strdup(message ? message : "");
    facts.request_id = request_id ? rest_clean(self, request_id) : NULL;
    return facts;
}

/* ": <item>"; an object's as "field code message". */
static void append_item(GString *text, const json_t *item)
{
    static const char *const keys[] = { "field", "code", "message" };
    const char *separator = ": ";
    if (json_is_string(item))
        g_string_append_printf(text, ": %s", json_string_value(item));
    for (size_t i = 0; i < G_N_ELEMENTS(keys); i++) {
        const char *part = json_get_text(item, keys[i]);
        if (str_is_empty(part))
            continue;
        g_string_append_printf(text, "%s%s", separator, part);
        separator = " ";
    }
}

/* GitHub's message with the items of its `errors`. Caller frees. */
static char *facts_describe(const Facts *facts)
{
    GString *text = g_string_new(facts->message);
    const json_t *errors = json_object_get(facts->body, "errors");
    if (json_is_string(errors))
        append_item(text, errors);
    for (size_t i = 0; i < json_array_size(errors); i++)
        append_item(text, json_array_get(errors, i));
    return g_string_free(text, false);
}

static bool fail_permission(const Rest *self, const Facts *facts, const HttpResponse *response,
                            RestFailure *failure, GError **error)
{
    const char *sso = http_response_header(response, "x-github-sso");
    if (sso) {
        const char *url = strstr(sso, "url=");
        g_autofree char *shown = rest_clean(self, url ? url + strlen("url=") : sso);
        failure->hint = shown;
        return rest_fail(error, REST_ERROR_PERMISSION, failure,
                         "Permission denied: the token must be authorised for SAML single "
                         "sign-on: %s",
                         shown);
    }
    const char *needed = http_response_header(response, "x-accepted-github-permissions");
    if (str_is_empty(needed))
        needed = http_response_header(response, "x-accepted-oauth-scopes");
    g_autofree char *shown = str_is_empty(needed) ? NULL : rest_clean(self, needed);
    g_autofree char *hint = shown ? g_strconcat("the token needs: ", shown, NULL) : NULL;
    failure->hint = hint;
    return rest_fail(error, REST_ERROR_PERMISSION, failure, "Permission denied: %s",
                     *facts->message ? facts->message : "GitHub gives no reason");
}

static bool fail_outage(const RestRequest *request, const RestFailure *failure,
                        bool is_outcome_unknown, GError **error)
{
    RestErrorCode code = is_outcome_unknown ? REST_ERROR_UNKNOWN_OUTCOME : REST_ERROR_UNAVAILABLE;
    return rest_fail(error, code, failure, "GitHub is unavailable (%d) during %s", failure->status,
                     request->operation);
}

bool rest_fail_status(const Rest *self, const RestRequest *request, const HttpResponse *response,
                      bool is_outcome_unknown, GError **error)
{
    g_auto(Facts) facts = facts_of(self, response);
    RestFailure failure = { .status = response->status,
                            .message = facts.message,
                            .request_id = facts.request_id,
                            .body = facts.body,
                            .detail = facts.detail };
    g_autofree char *all = facts_describe(&facts);
    if (response->status >= 500)
        return fail_outage(request, &failure, is_outcome_unknown, error);
    switch (response->status) {
    case 401:
        return rest_fail(error, REST_ERROR_AUTH, &failure,
                         "Permission denied: GitHub rejected the token during %s (%s)",
                         request->operation, *facts.message ? facts.message : "status 401");
    case 403:
        return fail_permission(self, &facts, response, &failure, error);
    case 404:
        failure.hint = NOT_FOUND_HINT;
        return rest_fail(error, REST_ERROR_NOT_FOUND, &failure, "Not found: %s", request->subject);
    case 409:
        return rest_fail(error, REST_ERROR_CONFLICT, &failure, "Conflict: %s", facts.message);
    case 410:
        return rest_fail(error, REST_ERROR_NOT_FOUND, &failure, "Not found: %s",
                         *facts.message ? facts.message : request->subject);
    case 422:
        return rest_fail(error, REST_ERROR_UNPROCESSABLE, &failure, "Validation failed: %s", all);
    case 451:
        return rest_fail(error, REST_ERROR_PERMISSION, &failure,
                         "Permission denied: unavailable for legal reasons");
    default:
        return rest_fail(error, REST_ERROR_OTHER, &failure, "GitHub API error (%d) during %s: %s",
                         response->status, request->operation,
                         *facts.message ? facts.message : "no message");
    }
}

bool rest_fail_limit(const Rest *self, const HttpResponse *response, int64_t wait_s, GError **error)
{
    const HttpResponse none = { .body = (char *)"" };
    if (!response)
        response = &none;
    g_auto(Facts) facts = facts_of(self, response);
    const RestFailure failure = { .status = response->status,
                                  .message = facts.message,
                                  .request_id = facts.request_id,
                                  .retry_after_s = wait_s,
                                  .body = facts.body };
    return rest_fail(error, REST_ERROR_RATE_LIMIT, &failure,
                     "Rate limit exceeded - retry after %" G_GINT64_FORMAT " seconds", wait_s);
}

bool rest_fail_transport(const Rest *self, const RestRequest *request, const GError *cause,
                         bool is_outcome_unknown, GError **error)
{
    static const char prefix[] = "connection error: "; // of base/http.c: ours says the same
    const char *text = cause->message;
    if (str_has_prefix(text, prefix))
        text += strlen(prefix);
    const char *end = g_str_has_suffix(text, ")") ? g_strrstr(text, " (") : NULL; // the host
    g_autofree char *words = end ? g_strndup(text, (size_t)(end - text)) : g_strdup(text);
    g_autofree char *reason = rest_clean(self, words);
    const RestFailure failure = { .message = "", .hint = reason };
    const RestFailure silence = { .message = "", .detail = reason };
    if (error_is(cause, KEDGE_ERROR_PROTOCOL) || error_is(cause, KEDGE_ERROR_LIMIT))
        return rest_fail(error, REST_ERROR_UNREADABLE, &failure,
                         "GitHub sent an unreadable answer during %s", request->operation);
    RestErrorCode code = is_outcome_unknown ? REST_ERROR_UNKNOWN_OUTCOME : REST_ERROR_UNAVAILABLE;
    return rest_fail(error, code, &silence, "Could not reach %s during %s: %s", self->place.host,
                     request->operation, reason);
}

bool rest_fail_unreadable(const char *operation, GError **error)
{
    return rest_fail(error, REST_ERROR_UNREADABLE, NULL,
                     "GitHub sent an unreadable answer during %s", operation);
}

bool rest_fail_other(const RestRequest *request, int status, GError **error, const char *format,
                     ...)
{
    va_list args;
    va_start(args, format);
    g_autofree char *reason = g_strdup_vprintf(format, args);
    va_end(args);
    const RestFailure failure = { .status = status, .message = reason };
    return rest_fail(error, REST_ERROR_OTHER, &failure, "GitHub API error (%d) during %s: %s",
                     status, request->operation, reason);
}

bool rest_fail_graphql(const Rest *self, const RestRequest *request, const json_t *errors,
                       GError **error)
{
    const json_t *first = json_array_get(errors, 0);
    const char *message = json_get_text(first, "message");
    g_autofree char *shown = rest_clean(self, message ? message : "no message");
    const RestFailure failure = { .status = 200, .message = shown };
    if (g_strcmp0(json_get_text(first, "type"), "NOT_FOUND") == 0)
        return rest_fail(error, REST_ERROR_NOT_FOUND, &failure, "Not found: %s", shown);
    return rest_fail_other(request, 200, error, "%s", shown);
}
