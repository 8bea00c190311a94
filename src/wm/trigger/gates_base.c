/*
 * What the gates share (gates_private.h): values as written, the connection, words of a refusal.
 */
#include "wm/trigger/gates_private.h"

#include "wm/task/triggers.h"
#include "wm/task/wm_log.h"

#include <stdarg.h>

WmGates *wm_gates_new(const WmResolve *resolve, int64_t now_ms)
{
    WmGates *self = g_new0(WmGates, 1);
    self->resolve = resolve;
    self->now_ms = now_ms;
    self->roles = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    self->causes = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    return self;
}

void wm_gates_free(WmGates *self)
{
    if (!self)
        return;
    wm_api_free(self->api);
    g_clear_error(&self->api_error);
    g_hash_table_unref(self->roles);
    g_hash_table_unref(self->causes);
    json_decref(self->deadlines);
    g_free(self);
}

const json_t *wm_gate_value(const WmTask *task, const char *key)
{
    const json_t *value = json_object_get(json_get_object(task->on, WM_GATES), key);
    return json_is_null(value) ? NULL : value;
}

const char *wm_gate_actor(const WmEvent *event)
{
    const char *login = json_get_text(json_get_object(event->payload, "sender"), "login");
    return login ? login : "";
}

bool wm_gate_api(WmGates *self, Cancel *cancel, WmApi **ret_api, GError **error)
{
    const WmResolve *resolve = self->resolve;
    if (!self->api && !self->api_error) {
        bool is_open = resolve->open_api &&
                       resolve->open_api(resolve->user_data, cancel, &self->api, &self->api_error);
        if (!is_open && !self->api_error)
            fail_with(&self->api_error, KEDGE_ERROR_DENIED, "GitHub is not asked here");
    }
    if (!self->api) {
        g_propagate_error(error, g_error_copy(self->api_error));
        return false;
    }
    *ret_api = self->api;
    return true;
}

bool wm_gate_refuse(const WmTask *task, char **ret_reason, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *reason = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    wm_say("wm: %s: %s; skipped", task->name, reason);
    *ret_reason = g_steal_pointer(&reason);
    return false;
}
