/*
 * Lines of the live stream as people read them (stream_private.h).
 */
#include "wm/engine/stream_private.h"

#include "base/ansi.h"
#include "base/utf8.h"
#include "tool/call_title.h"

#include <stdarg.h>
#include <string.h>

#define TEXT_CHARS  120
#define ID_CHARS    40
#define NAME_CHARS  80
#define MAX_MODELS  20
#define FIELD_BYTES ((size_t)16 * 1024) // of a text that is looked at for a field of it

char *wm_stream_field(const char *text, size_t max_chars)
{
    if (!text)
        return g_strdup("");
    g_autofree char *valid = utf8_from_bytes(text, strnlen(text, FIELD_BYTES));
    g_autofree char *plain = ansi_strip(valid);
    g_strdelimit(plain, "\n\t", ' ');
    g_autofree char *trimmed = utf8_trim(plain);
    return utf8_ellipsize(trimmed, max_chars);
}

void wm_stream_show(WmStream *self, const char *format, ...)
{
    if (!self->show)
        return;
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *line = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    self->show(line, self->user_data);
}

void wm_stream_show_text(WmStream *self, const char *text)
{
    g_autofree char *field = wm_stream_field(text, TEXT_CHARS);
    if (*field)
        wm_stream_show(self, "[agent] %s", field);
}

static char *hint_of(const json_t *input)
{
    static const char *const keys[] = { "command", "file_path", "path", "pattern", "query", "op" };
    for (size_t i = 0; i < G_N_ELEMENTS(keys); i++) {
        const char *value = json_get_text(input, keys[i]);
        if (value && *value)
            return wm_stream_field(value, TEXT_CHARS);
    }
    return json_get_array(input, "args") ? call_title_arguments(input) : g_strdup(""); // an argv
}

void wm_stream_show_tool(WmStream *self, const char *name, const json_t *input)
{
    g_autofree char *shown = wm_stream_field(name, NAME_CHARS);
    g_autofree char *hint = hint_of(input);
    wm_stream_show(self, "[tool] %s%s%s", *shown ? shown : "tool", *hint ? " → " : "", hint);
}

void wm_stream_show_tool_result(WmStream *self, const char *id, const char *rest)
{
    g_autofree char *shown = wm_stream_field(id, ID_CHARS);
    wm_stream_show(self, "[tool_result]%s%s%s", *shown ? " id=" : "", shown, rest);
}

void wm_stream_show_result(WmStream *self, const char *subtype, double cost_usd, int64_t turns)
{
    g_autoptr(GString) rest = g_string_new(NULL);
    if (cost_usd >= 0) {
        char cost[G_ASCII_DTOSTR_BUF_SIZE];
        g_string_append_printf(rest, " | cost=$%s",
                               g_ascii_formatd(cost, sizeof(cost), "%.4f", cost_usd));
    }
    if (turns >= 0)
        g_string_append_printf(rest, " | turns=%" G_GINT64_FORMAT, (gint64)turns);
    g_autofree char *shown = wm_stream_field(subtype, NAME_CHARS);
    wm_stream_show(self, "[result] %s%s", *shown ? shown : "done", rest->str);
}

void wm_stream_show_event(WmStream *self, const char *type)
{
    g_autofree char *shown = wm_stream_field(type, NAME_CHARS);
    wm_stream_show(self, "[event] type=%s", shown);
}

void wm_stream_set_response(WmStream *self, const char *text)
{
    g_autofree char *trimmed = utf8_trim(text ? text : "");
    g_free(self->last_response);
    self->last_response = *trimmed ? g_steal_pointer(&trimmed) : NULL;
}

void wm_stream_add_model(WmStream *self, const char *name)
{
    g_autofree char *shown = wm_stream_field(name, NAME_CHARS);
    if (*shown && g_hash_table_size(self->models) < MAX_MODELS)
        g_hash_table_add(self->models, g_steal_pointer(&shown));
}
