/* See queue.h. */
#include "wm/run/queue.h"

#include "agenttools/agenttools.h"
#include "base/dirs.h"
#include "tool/call.h"
#include "tool/settings.h"

#define MAX_ATTEMPTS 3

struct WmQueue {
    char *db, *type;
    Settings *settings;
    ToolContext *context;
};

WmQueue *wm_queue_new(const char *root, const char *db, const char *type)
{
    WmQueue *self = g_new0(WmQueue, 1);
    g_autofree char *agent_dir = dirs_agent();
    self->db = g_strdup(db);
    self->type = g_strdup(type);
    self->settings = settings_load(agent_dir, root, NULL);
    self->context = tool_context_new(root, self->settings, NULL);
    return self;
}

void wm_queue_free(WmQueue *self)
{
    if (!self)
        return;
    tool_context_free(self->context);
    settings_unref(self->settings);
    g_free(self->db);
    g_free(self->type);
    g_free(self);
}

void wm_row_clear(WmRow *self)
{
    g_clear_pointer(&self->token, g_free);
    g_clear_pointer(&self->payload, json_decref);
    self->id = 0;
}

static bool fail_with_envelope(const json_t *envelope, const char *operation, GError **error)
{
    const json_t *problem = json_array_get(json_get_array(envelope, "error_details"), 0);
    const char *code = json_get_text(problem, "code");
    const char *text = json_string_value(json_array_get(json_get_array(envelope, "errors"), 0));
    static const char *const gone[] = { "lease_lost", "invalid_state", "not_found", NULL };
    bool is_gone = code && g_strv_contains(gone, code);
    KedgeError kind = is_gone ? KEDGE_ERROR_DENIED : KEDGE_ERROR_FAILED;
    return fail_with(error, kind, "queue: %s: %s", operation, text ? text : "no answer");
}

/* Takes `arguments`. *ret_data is a new reference, json_null() too; may be NULL. What was done is
   told although `cancel` has fired meanwhile: no one else knows of it. */
static bool wm_queue_ask(WmQueue *self, const OperationDef *operation, json_t *arguments_,
                         Cancel *cancel, json_t **ret_data, GError **error)
{
    g_autoptr(json_t) arguments = arguments_;
    json_set_text(arguments, "db", self->db);
    const ToolDoor door = { .kind = DOOR_TYPED, .via = "cli", .wants_whole_text = true };
    const ToolCallSpec spec = {
        .tool = &operation->tool,
        .arguments = arguments,
        .context = self->context,
        .door = &door,
        .cancel = cancel,
    };
    g_auto(ToolResult) result = { 0 };
    if (!cancel_check(cancel, error))
        return false;
    tool_call(&spec, &result);
    const json_t *envelope = operation_envelope(&result);
    if (!json_get_bool(envelope, "success", false))
        return cancel_check(cancel, error) &&
               fail_with_envelope(envelope, operation->operation, error);
    if (ret_data)
        *ret_data = json_incref(json_object_get(envelope, "data"));
    return true;
}

static bool queue_add(WmQueue *self, const char *type, const char *description, const char *key,
                      const json_t *payload, Cancel *cancel, json_t **ret_data, GError **error)
{
    json_t *arguments = json_object();
    json_set_text(arguments, "type", type);
    json_set_text(arguments, "description", description);
    json_set_text(arguments, "idempotencyKey", key);
    json_set_take(arguments, "payload", json_incref((json_t *)payload));
    json_set_int(arguments, "maxAttempts", MAX_ATTEMPTS);
    return wm_queue_ask(self, &operation_task_create, arguments, cancel, ret_data, error);
}

bool wm_queue_add(WmQueue *self, const char *description, const char *key, const json_t *payload,
                  Cancel *cancel, int64_t *ret_id, bool *ret_is_new, GError **error)
{
    g_autoptr(json_t) data = NULL;
    if (!queue_add(self, self->type, description, key, payload, cancel, &data, error))
        return false;
    *ret_id = json_get_int(data, "id", 0);
    *ret_is_new = json_get_bool(data, "created", false);
    return true;
}

bool wm_queue_take(WmQueue *self, const char *worker, int64_t lease_s, int64_t wait_s,
                   Cancel *cancel, WmRow *ret_row, GError **error)
{
    g_autoptr(json_t) data = NULL;
    json_t *arguments = json_object();
    json_set_text(arguments, "type", self->type);
    json_set_text(arguments, "worker", worker);
    json_set_int(arguments, "leaseSeconds", lease_s);
    json_set_int(arguments, "waitSeconds", wait_s);
    if (!wm_queue_ask(self, &operation_task_pickup, arguments, cancel, &data, error))
        return false;
    *ret_row = (WmRow) { .id = json_get_int(data, "id", 0),
                         .attempt = json_get_int(data, "attempts", 1),
                         .token = g_strdup(json_get_text(data, "leaseToken")),
                         .payload = json_incref(json_get_object(data, "payload")) };
    return true;
}

/* What every call about a row has. New reference. */
static json_t *wm_row_about(const WmRow *row)
{
    json_t *arguments = json_object();
    json_set_int(arguments, "id", row->id);
    json_set_text(arguments, "leaseToken", row->token);
    return arguments;
}

bool wm_queue_beat(WmQueue *self, const WmRow *row, int64_t lease_s, Cancel *cancel,
                   bool *ret_go_on, GError **error)
{
    g_autoptr(json_t) data = NULL;
    g_autoptr(GError) cause = NULL;
    json_t *arguments = wm_row_about(row);
    json_set_int(arguments, "leaseSeconds", lease_s);
    if (wm_queue_ask(self, &operation_task_heartbeat, arguments, cancel, &data, &cause)) {
        *ret_go_on = !json_get_bool(data, "cancelled", false);
        return true;
    }
    if (error_is(cause, KEDGE_ERROR_DENIED)) {
        *ret_go_on = false;
        return true;
    }
    return pass_error(error, &cause);
}

bool wm_queue_mark(WmQueue *self, const WmRow *row, Cancel *cancel, bool *ret_is_first,
                   GError **error)
{
    g_autofree char *type = g_strconcat(self->type, ":outputs", NULL);
    g_autofree char *key = g_strdup_printf("outputs-%" G_GINT64_FORMAT, row->id);
    g_autofree char *description =
        g_strdup_printf("Writes of run %" G_GINT64_FORMAT " may have been made", row->id);
    g_autoptr(json_t) payload = json_object();
    g_autoptr(json_t) data = NULL;
    json_set_int(payload, "run", row->id);
    // not what a stop ends half-way: the next worker would see the mark of one that wrote nothing
    if (!cancel_check(cancel, error) ||
        !queue_add(self, type, description, key, payload, NULL, &data, error))
        return false;
    *ret_is_first = json_get_bool(data, "created", false);
    if (*ret_is_first) { // no one is to take it; no one looks for its type anyway
        json_t *mark = json_object();
        json_set_int(mark, "id", json_get_int(data, "id", 0));
        wm_queue_ask(self, &operation_task_cancel, mark, NULL, NULL, NULL);
    }
    return true;
}

bool wm_queue_complete(WmQueue *self, const WmRow *row, const json_t *result, Cancel *cancel,
                       GError **error)
{
    json_t *arguments = wm_row_about(row);
    json_set_take(arguments, "result", json_incref((json_t *)result));
    return wm_queue_ask(self, &operation_task_complete, arguments, cancel, NULL, error);
}

bool wm_queue_fail(WmQueue *self, const WmRow *row, const char *reason, bool may_retry,
                   Cancel *cancel, GError **error)
{
    json_t *arguments = wm_row_about(row);
    json_set_text(arguments, "error", reason);
    if (!may_retry)
        json_set_bool(arguments, "noRetry", true);
    return wm_queue_ask(self, &operation_task_fail, arguments, cancel, NULL, error);
}

bool wm_queue_release(WmQueue *self, const WmRow *row, Cancel *cancel, GError **error)
{
    return wm_queue_ask(self, &operation_task_release, wm_row_about(row), cancel, NULL, error);
}
