/* See jsonrpc.h. */
#include "base/jsonrpc.h"

static json_t *message_new(void)
{
    json_t *message = json_object();
    json_set_text(message, "jsonrpc", "2.0");
    return message;
}

static void set_id(json_t *message, const json_t *id)
{
    json_set_take(message, "id", id ? json_deep_copy(id) : json_null());
}

json_t *jsonrpc_result(const json_t *id, json_t *result)
{
    json_t *message = message_new();
    set_id(message, id);
    json_set_take(message, "result", result ? result : json_object());
    return message;
}

json_t *jsonrpc_error(const json_t *id, int code, const char *text)
{
    json_t *error = json_object();
    json_set_int(error, "code", code);
    json_set_text(error, "message", text);
    json_t *message = message_new();
    set_id(message, id);
    json_set_take(message, "error", error);
    return message;
}

json_t *jsonrpc_notification(const char *method, json_t *params)
{
    json_t *message = message_new();
    json_set_text(message, "method", method);
    json_set_take(message, "params", params ? params : json_object());
    return message;
}

json_t *jsonrpc_request(const json_t *id, const char *method, json_t *params)
{
    json_t *message = jsonrpc_notification(method, params);
    set_id(message, id);
    return message;
}

JsonrpcKind jsonrpc_classify(const json_t *message)
{
    if (!json_is_object(message) || g_strcmp0(json_get_text(message, "jsonrpc"), "2.0") != 0)
        return JSONRPC_INVALID;
    const json_t *id = json_object_get(message, "id");
    bool has_id = json_is_string(id) || json_is_integer(id);
    if (json_get_text(message, "method"))
        return has_id ? JSONRPC_REQUEST : id ? JSONRPC_INVALID : JSONRPC_NOTIFICATION;
    bool is_answer = json_object_get(message, "result") || json_object_get(message, "error");
    return has_id && is_answer ? JSONRPC_RESPONSE : JSONRPC_INVALID;
}
