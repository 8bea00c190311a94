/*
 * Events of Claude Code's stream-json (task-engine §5.10).
 */
#include "wm/engine/stream_private.h"

#include "base/limits.h"

#include <string.h>

#define MAX_COLLECTED_BYTES (64 * KIB)

static void flush(WmStream *self)
{
    wm_stream_show_text(self, self->collected->str);
    g_string_truncate(self->collected, 0);
}

static bool is_type(const json_t *object, const char *type)
{
    return g_strcmp0(json_get_text(object, "type"), type) == 0;
}

static const json_t *blocks_of(const json_t *event)
{
    return json_get_array(json_get_object(event, "message"), "content");
}

static void take_assistant(WmStream *self, const json_t *event)
{
    const json_t *blocks = blocks_of(event);
    for (size_t i = 0; i < json_array_size(blocks); i++) {
        const json_t *block = json_array_get(blocks, i);
        if (is_type(block, "tool_use"))
            wm_stream_show_tool(self, json_get_text(block, "name"),
                                json_get_object(block, "input"));
        else if (is_type(block, "text"))
            wm_stream_show_text(self, json_get_text(block, "text"));
    }
}

static void take_user(WmStream *self, const json_t *event)
{
    const json_t *blocks = blocks_of(event);
    for (size_t i = 0; i < json_array_size(blocks); i++) {
        const json_t *block = json_array_get(blocks, i);
        if (is_type(block, "tool_result"))
            wm_stream_show_tool_result(self, json_get_text(block, "tool_use_id"), "");
    }
}

/* The first of the keys that is a number; negative: none. */
static double first_number(const json_t *event, const char *const *keys)
{
    for (; *keys; keys++)
        if (json_is_number(json_object_get(event, *keys)))
            return json_get_number(event, *keys, -1);
    return -1;
}

static int64_t count_of(double number)
{
    return number >= 0 && number < 1e15 ? (int64_t)number : -1;
}

static void take_usage(WmUsage *usage, const json_t *event)
{
    const json_t *tokens = json_get_object(event, "usage");
    usage->input_tokens = count_of(json_get_number(tokens, "input_tokens", -1));
    usage->output_tokens = count_of(json_get_number(tokens, "output_tokens", -1));
    usage->cache_read_tokens = count_of(json_get_number(tokens, "cache_read_input_tokens", -1));
    usage->duration_ms = count_of(json_get_number(event, "duration_ms", -1));
    g_free(usage->session_id);
    usage->session_id = g_strdup(json_get_text(event, "session_id"));
}

static void take_result(WmStream *self, const json_t *event)
{
    static const char *const costs[] = { "total_cost_usd", "cost_usd", "cost", NULL };
    static const char *const turns[] = { "num_turns", "turns", NULL };
    const char *subtype = json_get_text(event, "subtype");
    WmUsage *usage = &self->usage;
    usage->cost_usd = first_number(event, costs);
    usage->turns = count_of(first_number(event, turns));
    take_usage(usage, event);
    g_free(usage->subtype);
    usage->subtype = g_strdup(subtype);
    json_t *by_model = json_get_object(event, "modelUsage");
    json_each_member (by_model, model, value)
        wm_stream_add_model(self, model);
    wm_stream_set_response(self, json_get_text(event, "result"));
    wm_stream_show_result(self, subtype, usage->cost_usd, usage->turns);
}

/* Pieces of a message, for those who asked for them. */
static void take_partial(WmStream *self, const json_t *event)
{
    const json_t *inner = json_get_object(event, "event");
    const json_t *delta = json_get_object(inner, "delta");
    const json_t *block = json_get_object(inner, "content_block");
    if (is_type(delta, "text_delta")) {
        const char *text = json_get_text(delta, "text");
        if (text && self->collected->len < MAX_COLLECTED_BYTES)
            g_string_append(self->collected, text);
    } else if (is_type(inner, "content_block_start")) {
        flush(self);
        if (is_type(block, "tool_use"))
            wm_stream_show_tool(self, json_get_text(block, "name"),
                                json_get_object(block, "input"));
    } else if (is_type(inner, "content_block_stop") || is_type(inner, "message_stop")) {
        flush(self);
    }
}

static void take_system(WmStream *self, const json_t *event)
{
    const char *subtype = json_get_text(event, "subtype");
    g_autofree char *shown = wm_stream_field(subtype, 80);
    if (g_strcmp0(subtype, "init") == 0)
        wm_stream_show(self, "[session] started");
    else
        wm_stream_show(self, "[system] %s", *shown ? shown : "system");
}

void wm_stream_claude(WmStream *self, const char *type, const json_t *event)
{
    static const struct {
        const char *type;
        void (*take)(WmStream *self, const json_t *event);
    } kinds[] = {
        { "system", take_system }, { "assistant", take_assistant },  { "user", take_user },
        { "result", take_result }, { "stream_event", take_partial },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
        if (strcmp(type, kinds[i].type) == 0) {
            kinds[i].take(self, event);
            return;
        }
    }
    wm_stream_show_event(self, type);
}

void wm_stream_claude_finish(WmStream *self)
{
    flush(self);
}
