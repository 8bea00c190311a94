/* See reply.h. */
#include "arcade/reply.h"

#include "agenttools/answer.h"

#define HTTP_FAILURE (http_failure_quark())
static GQuark http_failure_quark(void)
{
    return g_quark_from_static_string("kedge-http-failure-quark");
}

typedef struct Failure {
    unsigned status;
    const char *code; // in the error object
} Failure;

static const Failure failures[] = {
    { 400, "validation" },
    { 401, "unauthorized" },
    { 403, "permission" },
    { 404, "not_found" },
    { 405, "method_not_allowed" },
    { 409, "conflict" },
    { 412, "precondition_failed" },
    { 413, "too_large" },
    { 415, "unsupported_media_type" },
    { 428, "precondition_required" },
    { 429, "rate_limited" },
    { 431, "too_large" },
    { 500, "internal" },
};

static const struct {
    AnswerCode code;
    unsigned status;
} answer_statuses[] = {
    { ANSWER_USAGE, 400 },      { ANSWER_NO_INPUT, 400 },           { ANSWER_INVALID_JSON, 400 },
    { ANSWER_VALIDATION, 400 }, { ANSWER_PERMISSION, 403 },         { ANSWER_NOT_FOUND, 404 },
    { ANSWER_CONFLICT, 409 },   { ANSWER_INVALID_TRANSITION, 409 }, { ANSWER_INVALID_STATE, 409 },
};

void reply_clear(ArcadeReply *self)
{
    g_clear_pointer(&self->body, g_bytes_unref);
    g_clear_pointer(&self->etag, g_free);
    g_clear_pointer(&self->content_security_policy, g_free);
    g_clear_pointer(&self->allow, g_free);
    if (self->source.data)
        self->source.free(g_steal_pointer(&self->source.data));
    g_clear_pointer(&self->error_details, json_decref);
}

void reply_bytes(ArcadeReply *self, const char *content_type, char *data, size_t size)
{
    self->status = 200;
    self->content_type = content_type;
    g_clear_pointer(&self->body, g_bytes_unref);
    self->body = g_bytes_new_take(data, size);
}

void reply_json(ArcadeReply *self, unsigned status, json_t *value)
{
    char *text = json_to_text(value);
    json_decref(value);
    reply_bytes(self, "application/json", text, strlen(text));
    self->status = status;
}

void reply_set_etag(ArcadeReply *self, const char *sha256)
{
    g_free(self->etag);
    self->etag = g_strdup_printf("\"%s\"", sha256);
}

bool reply_fail(GError **error, unsigned status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    g_autofree char *message = g_strdup_vprintf(format, args);
    va_end(args);
    g_set_error_literal(error, HTTP_FAILURE, (int)status, message);
    return false;
}

static const char *code_of(unsigned status)
{
    for (size_t i = 0; i < G_N_ELEMENTS(failures); i++)
        if (failures[i].status == status)
            return failures[i].code;
    return "internal";
}

static Failure failure_of(const GError *error)
{
    if (error->domain == HTTP_FAILURE)
        return (Failure) { (unsigned)error->code, code_of((unsigned)error->code) };
    for (size_t i = 0; i < G_N_ELEMENTS(answer_statuses); i++)
        if (answer_error_is(error, answer_statuses[i].code))
            return (Failure) { answer_statuses[i].status,
                               answer_code_name(answer_statuses[i].code) };
    if (error_is(error, KEDGE_ERROR_LIMIT))
        return (Failure) { 413, "too_large" };
    return (Failure) { 500, "internal" };
}

void reply_error(ArcadeReply *self, const GError *error)
{
    Failure failure = failure_of(error);
    json_t *object = json_make("code:%s message:%s", failure.code, error->message);
    if (self->error_details)
        json_object_update_missing(object, self->error_details);
    json_t *whole = json_make("error:%p", object);

    g_autofree char *allow = g_steal_pointer(&self->allow);
    reply_clear(self);
    *self = (ArcadeReply) { .allow = failure.status == 405 ? g_steal_pointer(&allow) : NULL };
    reply_json(self, failure.status, whole);
}
