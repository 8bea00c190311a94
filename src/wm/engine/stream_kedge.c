/*
 * Events of kedge's own JSON mode (task-engine §5.10, agent-core §3.9).
 */
#include "wm/engine/stream_private.h"

#include <string.h>

#define NOTICE_CHARS 120
#define ERROR_CHARS  400

static void start(WmStream *self)
{
    if (!self->has_started)
        wm_stream_show(self, "[session] started");
    self->has_started = true;
}

static bool is_block(const json_t *block, const char *type)
{
    return g_strcmp0(json_get_text(block, "type"), type) == 0;
}

/* Adds what a message has used; the first makes an unknown sum known. */
static void add_tokens(int64_t *sum, const json_t *usage, const char *key)
{
    double count = json_get_number(usage, key, -1);
    if (count >= 0 && count < 1e15)
        *sum = MAX(*sum, 0) + (int64_t)count;
}

static void take_usage(WmStream *self, const json_t *message)
{
    const json_t *usage = json_get_object(message, "usage");
    double cost = json_get_number(json_get_object(usage, "cost"), "total", -1);
    if (cost >= 0)
        self->usage.cost_usd = MAX(self->usage.cost_usd, 0) + cost;
    add_tokens(&self->usage.input_tokens, usage, "input");
    add_tokens(&self->usage.output_tokens, usage, "output");
    add_tokens(&self->usage.cache_read_tokens, usage, "cacheRead");
    wm_stream_add_model(self, json_get_text(message, "model"));
}

static void take_message(WmStream *self, const json_t *event)
{
    const json_t *message = json_get_object(event, "message");
    if (g_strcmp0(json_get_text(message, "role"), "assistant") != 0)
        return;
    const json_t *blocks = json_get_array(message, "content");
    g_autoptr(GString) response = g_string_new(NULL);
    bool has_calls = false;
    for (size_t i = 0; i < json_array_size(blocks); i++) {
        const json_t *block = json_array_get(blocks, i);
        has_calls = has_calls || is_block(block, "toolCall");
        const char *text = is_block(block, "text") ? json_get_text(block, "text") : NULL;
        if (!text)
            continue;
        wm_stream_show_text(self, text);
        g_string_append_printf(response, "%s%s", response->len ? "\n" : "", text);
    }
    if (!has_calls)
        wm_stream_set_response(self, response->str);
    const char *reason = json_get_text(message, "stopReason");
    self->has_failed = g_strcmp0(reason, "error") == 0 || g_strcmp0(reason, "aborted") == 0;
    g_autofree char *error = wm_stream_field(json_get_text(message, "errorMessage"), ERROR_CHARS);
    if (self->has_failed && *error) // not in task-engine §5.10: a run that fails says why
        wm_stream_show(self, "[error] %s", error);
    take_usage(self, message);
}

static void take_call(WmStream *self, const json_t *event)
{
    wm_stream_show_tool(self, json_get_text(event, "toolName"), json_get_object(event, "args"));
}

static void take_call_end(WmStream *self, const json_t *event)
{
    wm_stream_show_tool_result(self, json_get_text(event, "toolCallId"),
                               json_get_bool(event, "isError", false) ? " error" : "");
}

static void take_notice(WmStream *self, const json_t *event)
{
    g_autofree char *message = wm_stream_field(json_get_text(event, "message"), NOTICE_CHARS);
    wm_stream_show(self, "[notice] %s", message);
}

static void take_turn(WmStream *self, const json_t *event)
{
    self->usage.turns = MAX(self->usage.turns, 0) + 1;
}

static void take_session(WmStream *self, const json_t *event)
{
    g_free(self->usage.session_id);
    self->usage.session_id = g_strdup(json_get_text(event, "id"));
    start(self);
}

static void take_start(WmStream *self, const json_t *event)
{
    start(self);
}

static void take_end(WmStream *self, const json_t *event)
{
    const char *subtype = self->has_failed ? "error" : "success";
    g_free(self->usage.subtype);
    self->usage.subtype = g_strdup(subtype);
    wm_stream_show_result(self, subtype, MAX(self->usage.cost_usd, 0), MAX(self->usage.turns, 0));
}

static void take_silently(WmStream *self, const json_t *event)
{
}

void wm_stream_kedge(WmStream *self, const char *type, const json_t *event)
{
    static const struct {
        const char *type;
        void (*take)(WmStream *self, const json_t *event);
    } kinds[] = {
        { "session", take_session },
        { "agent_start", take_start },
        { "message_end", take_message },
        { "tool_execution_start", take_call },
        { "tool_execution_end", take_call_end },
        { "notice", take_notice },
        { "turn_end", take_turn },
        { "agent_end", take_end },
        { "message_start", take_silently },
        { "message_update", take_silently },
        { "turn_start", take_silently },
        { "tool_execution_update", take_silently },
        { "auto_retry_end", take_silently },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
        if (strcmp(type, kinds[i].type) == 0) {
            kinds[i].take(self, event);
            return;
        }
    }
    wm_stream_show_event(self, type);
}
