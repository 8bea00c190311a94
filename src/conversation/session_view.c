/* See session_view.h. */
#include "conversation/session_view.h"

#include "agent/event_kind.h"
#include "agent/transcript.h"
#include "base/mask.h"
#include "model/message.h"
#include "session/session_tree.h"

#include <math.h>

void session_view_clear(SessionView *self)
{
    json_decref(self->messages);
    json_decref(self->last_answer);
    json_decref(self->header);
    g_free(self->path);
    *self = (SessionView) { 0 };
}

void session_view_take(SessionView *self, Engine *engine)
{
    session_view_clear(self);
    const json_t *last = agent_last_message(engine->agent);
    self->engine = engine;
    self->last_answer = last ? json_incref((json_t *)last) : NULL;
    self->header = json_copy((json_t *)session_header(engine->session));
    self->path = g_strdup(session_path(engine->session));
    self->context_tokens = agent_context_tokens(engine->agent);
}

json_t *session_view_messages(SessionView *self)
{
    if (!self->messages)
        self->messages = json_copy((json_t *)agent_messages(self->engine->agent));
    return self->messages;
}

GPtrArray *session_view_heads(const SessionView *self)
{
    bool is_waiting = !self->messages && !agent_has_messages(self->engine->agent);
    return is_waiting ? session_context_heads(self->engine->session) : NULL;
}

size_t session_view_count(SessionView *self)
{
    g_autoptr(GPtrArray) heads = session_view_heads(self);
    return heads ? heads->len : json_array_size(session_view_messages(self));
}

json_t *session_view_newest(SessionView *self, size_t count, size_t *ret_before)
{
    g_autoptr(GPtrArray) heads = session_view_heads(self);
    json_t *newest = json_array();
    size_t all = heads ? heads->len : json_array_size(session_view_messages(self));
    *ret_before = all - MIN(all, count);
    for (size_t i = *ret_before; i < all; i++) {
        if (!heads) {
            json_array_append(newest, json_array_get(self->messages, i));
            continue;
        }
        g_autoptr(json_t) entry = session_read_entry(self->engine->session, heads->pdata[i]);
        g_autoptr(json_t) message = session_entry_message(entry);
        if (message)
            json_append_take(newest, mask_json(message));
    }
    return newest;
}

static void note_tokens(SessionView *self, const json_t *message)
{
    const char *reason = message_stop_reason(message);
    int64_t total = json_get_int(json_get_object(message, "usage"), "totalTokens", 0);
    bool is_measured = g_str_equal(message_role(message), "assistant") && total > 0 &&
                       !g_str_equal(reason, "error") && !g_str_equal(reason, "aborted");
    if (is_measured)
        self->context_tokens = total;
    else if (self->context_tokens >= 0)
        self->context_tokens += transcript_estimate(message);
}

json_t *session_view_context_usage(const SessionView *self, int64_t window)
{
    bool is_known = self->context_tokens >= 0;
    double percent = window > 0 ? (double)self->context_tokens * 100 / (double)window : 0;
    return json_make("tokens:%p contextWindow:%jd percent:%p",
                     is_known ? json_integer(self->context_tokens) : json_null(), window,
                     is_known ? json_real(round(percent * 10) / 10) : json_null());
}

void session_view_note(SessionView *self, const json_t *event)
{
    EventKind kind = event_kind(event);
    if (kind == EVENT_COMPACTION_START)
        self->is_compacting = true;
    if (kind == EVENT_COMPACTION_END) {
        self->is_compacting = false;
        self->context_tokens = -1;
    }
    if (kind != EVENT_MESSAGE_END)
        return;
    json_t *message = json_get_object(event, "message");
    if (self->messages) // else the engine is asked, which has it
        json_array_append(self->messages, message);
    note_tokens(self, message);
    if (!g_str_equal(message_role(message), "assistant"))
        return;
    json_decref(self->last_answer);
    self->last_answer = json_incref(message);
}
