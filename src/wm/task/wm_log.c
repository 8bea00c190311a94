/* See wm_log.h. */
#include "wm/task/wm_log.h"

#include "base/env.h"
#include "base/json.h"
#include "base/log.h"
#include "base/str.h"
#include "base/timefmt.h"

#include <stdarg.h>
#include <string.h>

static const char *const level_names[] = { "DEBUG", "INFO", "WARN", "ERROR" };

static bool is_json(void)
{
    return g_strcmp0(env_get_raw("WM_LOG_FORMAT"), "json") == 0;
}

/* What the runner trims before it looks for a command. */
static size_t count_blanks(const char *text)
{
    size_t size = 0;
    for (;;) {
        gunichar letter = g_utf8_get_char_validated(text + size, -1);
        if (letter == 0 || letter > 0x10ffff || !g_unichar_isspace(letter))
            return size;
        size += (size_t)g_unichar_to_utf8(letter, NULL);
    }
}

char *wm_log_safe(const char *text)
{
    GString *out = g_string_new(text ? text : "");
    for (char *at = out->str; *at; at++)
        if (*at == '\n' || *at == '\r')
            *at = ' ';
    size_t blanks = count_blanks(out->str);
    if (str_has_prefix(out->str + blanks, "::"))
        g_string_insert_c(out, (gssize)blanks + 1, ' ');
    g_string_replace(out, "##[", "# #[", 0); // the older form counts anywhere in a line
    return g_string_free(out, FALSE);
}

/* `text` is safe. */
static void annotate(WmLevel level, const char *text)
{
    static const char *const prefixes[] = { "wm: ", "warning: ", "error: " };
    if (level < WM_WARN || g_strcmp0(env_get_raw("GITHUB_ACTIONS"), "true") != 0)
        return;
    for (size_t i = 0; i < G_N_ELEMENTS(prefixes); i++)
        text += str_has_prefix(text, prefixes[i]) ? strlen(prefixes[i]) : 0;
    g_autoptr(GString) data = g_string_new(text);
    g_string_replace(data, "%", "%25", 0);
    log_text("::%s::%s", level == WM_ERROR ? "error" : "warning", data->str);
}

static void append_pair(GString *out, const char *key, const char *value)
{
    g_autofree char *safe = wm_log_safe(value);
    bool is_plain = safe[0] != '\0' && !strpbrk(safe, " \t\"");
    g_autoptr(json_t) text = json_text(safe);
    g_autofree char *quoted = json_to_text(text);
    g_string_append_printf(out, " %s=%s", key, is_plain ? safe : quoted);
}

void wm_log(WmLevel level, const char *msg, ...)
{
    bool as_json = is_json();
    if (!as_json && level < WM_INFO)
        return;
    g_autofree char *safe = wm_log_safe(msg), *now = time_format_iso_seconds(time_now_ms());
    g_autoptr(json_t) record = json_object();
    g_autoptr(GString) line = g_string_new(safe);
    json_add(record, "time:%s level:%s msg:%s", now, level_names[level], msg);
    va_list pairs;
    va_start(pairs, msg);
    const char *key = NULL;
    while ((key = va_arg(pairs, const char *))) {
        const char *value = va_arg(pairs, const char *);
        if (!value)
            continue;
        json_set_text(record, key, value);
        append_pair(line, key, value);
    }
    va_end(pairs);
    g_autofree char *json = as_json ? json_to_text(record) : NULL;
    g_autofree char *plain = wm_log_safe(line->str), *text = json ? wm_log_safe(json) : NULL;
    log_text("%s", text ? text : plain);
    annotate(level, plain);
}

void wm_say_as(WmLevel level, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    g_autofree char *safe = wm_log_safe(text);
    log_text("%s", safe);
    annotate(level, safe);
}

void wm_say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    g_autofree char *safe = wm_log_safe(text);
    log_text("%s", safe);
}
