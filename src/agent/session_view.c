/*
 * Session views (session_view.h).
 */
#include "agent/session_view.h"

#include "model/message.h"

void session_view_clear(SessionView *self)
{
    json_decref(self->messages);
    json_decref(self->last_answer);
    json_decref(self->header);
    g_free(self->path);
    g_free(self->artifacts_dir);
    *self = (SessionView) { 0 };
}

void session_view_take(SessionView *self, const Engine *engine)
{
    session_view_clear(self);
    const json_t *last = agent_last_message(engine->agent);
    self->messages = json_copy((json_t *)agent_messages(engine->agent));
    self->last_answer = last ? json_incref((json_t *)last) : NULL;
    self->header = json_copy((json_t *)session_header(engine->session));
    self->path = g_strdup(session_path(engine->session));
    self->artifacts_dir = session_artifacts_dir(engine->session);
}

void session_view_note(SessionView *self, const json_t *event)
{
    const char *type = json_get_text(event, "type");
    if (g_strcmp0(type, "compaction_start") == 0)
        self->is_compacting = true;
    if (g_strcmp0(type, "compaction_end") == 0)
        self->is_compacting = false;
    if (g_strcmp0(type, "message_end") != 0)
        return;
    json_t *message = json_get_object(event, "message");
    json_array_append(self->messages, message);
    if (!g_str_equal(message_role(message), "assistant"))
        return;
    json_decref(self->last_answer);
    self->last_answer = json_incref(message);
}
