/*
 * The live stream of an agent (engine.h, task-engine §5.10): lines in, lines for people out, and
 * what a run keeps of them.
 */
#include "base/ansi.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/utf8.h"
#include "wm/engine/stream_private.h"

#include <string.h>

#define MAX_EVENT_BYTES (4 * MIB)  // of a line that is parsed
#define MAX_TEXT_BYTES  (16 * KIB) // of a line of an engine that has no events
#define PLAIN_CHARS     400
#define MAX_TYPES       64 // that are counted apart
#define TYPE_CHARS      40
#define OTHER_TYPES     "other"
#define LAST_EVENT      "{\"type\":\"agent_end\","

static void count_type(WmStream *self, const char *type)
{
    g_autofree char *name = wm_stream_field(type, TYPE_CHARS);
    bool is_one_more = !g_hash_table_contains(self->event_types, name) &&
                       g_hash_table_size(self->event_types) >= MAX_TYPES;
    const char *key = is_one_more ? OTHER_TYPES : name;
    gsize count = GPOINTER_TO_SIZE(g_hash_table_lookup(self->event_types, key));
    g_hash_table_replace(self->event_types, g_strdup(key), GSIZE_TO_POINTER(count + 1));
    self->event_lines++;
}

static void take_event(WmStream *self, const json_t *event)
{
    const char *type = json_get_text(event, "type");
    if (!type || !*type)
        return;
    count_type(self, type);
    if (self->engine == WM_ENGINE_CLAUDE)
        wm_stream_claude(self, type, event);
    else
        wm_stream_kedge(self, type, event);
}

/* No event, or one that is too long to be looked at. */
static void take_plain(WmStream *self, const char *line, size_t size)
{
    self->bad_lines++;
    g_autofree char *text = utf8_from_bytes(line, MIN(size, MAX_TEXT_BYTES)); // NULs hide nothing
    g_autofree char *field = wm_stream_field(text, PLAIN_CHARS);
    if (*field)
        wm_stream_show(self, "%s", field);
}

/* A line of an engine without events, as it is. */
static void take_text(WmStream *self, const char *line, size_t size, bool is_cut)
{
    if (!self->show)
        return;
    g_autofree char *valid = utf8_from_bytes(line, size);
    g_autofree char *plain = ansi_strip(valid);
    wm_stream_show(self, "%s%s", plain, is_cut ? "…" : "");
}

static void take_line(const char *line, size_t size, bool is_cut, void *user_data)
{
    WmStream *self = user_data;
    if (self->engine != WM_ENGINE_CLAUDE && self->engine != WM_ENGINE_KEDGE) {
        take_text(self, line, size, is_cut);
        return;
    }
    if (is_cut && self->engine == WM_ENGINE_KEDGE && str_has_prefix(line, LAST_EVENT)) {
        // it repeats the whole conversation; nothing of that is needed
        count_type(self, "agent_end");
        wm_stream_kedge(self, "agent_end", NULL);
        return;
    }
    g_autoptr(json_t) event = NULL;
    if (!is_cut && line[strspn(line, " \t\r")] == '{' && json_parse(line, size, &event, NULL) &&
        json_is_object(event))
        take_event(self, event);
    else if (strspn(line, " \t\r") < size)
        take_plain(self, line, size);
}

WmStream *wm_stream_new(WmEngineKind engine, void (*show)(const char *line, void *user_data),
                        void *user_data)
{
    bool has_events = engine == WM_ENGINE_CLAUDE || engine == WM_ENGINE_KEDGE;
    WmStream *self = g_new0(WmStream, 1);
    *self = (WmStream) {
        .engine = engine,
        .show = show,
        .user_data = user_data,
        .collected = g_string_new(NULL),
        .models = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
        .event_types = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
        .usage = WM_USAGE_UNKNOWN,
    };
    self->lines = (WmLines) { .max_bytes = has_events ? MAX_EVENT_BYTES : MAX_TEXT_BYTES,
                              .take = take_line,
                              .user_data = self };
    return self;
}

void wm_stream_free(WmStream *self)
{
    if (!self)
        return;
    wm_lines_clear(&self->lines);
    g_string_free(self->collected, TRUE);
    g_hash_table_unref(self->models);
    g_hash_table_unref(self->event_types);
    wm_usage_clear(&self->usage);
    g_free(self->last_response);
    g_free(self);
}

void wm_usage_clear(WmUsage *self)
{
    g_free(self->model);
    g_free(self->session_id);
    g_free(self->subtype);
    *self = WM_USAGE_UNKNOWN;
}

void wm_stream_push(WmStream *self, const char *data, size_t size)
{
    wm_lines_push(&self->lines, data, size);
}

static char *join_models(const WmStream *self)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    GHashTableIter all;
    gpointer name;
    g_hash_table_iter_init(&all, self->models);
    while (g_hash_table_iter_next(&all, &name, NULL))
        g_ptr_array_add(names, name);
    g_ptr_array_sort(names, str_compare);
    g_ptr_array_add(names, NULL);
    return names->len > 1 ? g_strjoinv(", ", (char **)names->pdata) : NULL;
}

void wm_stream_finish(WmStream *self)
{
    wm_lines_finish(&self->lines);
    wm_stream_claude_finish(self);
    g_free(self->usage.model);
    self->usage.model = join_models(self);
}

const WmUsage *wm_stream_usage(const WmStream *self)
{
    return &self->usage;
}

const char *wm_stream_last_response(const WmStream *self)
{
    return self->last_response;
}
