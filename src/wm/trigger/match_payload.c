/*
 * What matching asks a payload (match_private.h), and who sent it.
 */
#include "wm/trigger/match_private.h"

#include "base/str.h"
#include "wm/task/body.h"

#include <stdarg.h>
#include <string.h>

bool wm_match_refuse(const Match *self, const char *format, ...)
{
    if (!self->why)
        return false;
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    g_string_append_printf(self->why, "%s%s: %s", self->why->len > 0 ? "; " : "", self->key, text);
    return false;
}

const char *wm_match_text(const Match *self, const char *object, const char *key)
{
    const char *text = json_get_text(json_get_object(self->event->payload, object), key);
    return text ? text : "";
}

const char *wm_match_action(const Match *self)
{
    const char *action = json_get_text(self->event->payload, "action");
    return action ? action : "";
}

char *wm_match_label(const Match *self)
{
    return g_strstrip(g_strdup(wm_match_text(self, "label", "name")));
}

bool wm_match_is_event(const Match *self, const char *name)
{
    return strcmp(self->event->name, name) == 0;
}

bool wm_list_has(const json_t *list, const char *text)
{
    json_each (list, index, item)
        if (strcmp(json_string_value(item), text) == 0)
            return true;
    return false;
}

bool wm_match_is_own_comment(const Match *self)
{
    return strstr(wm_match_text(self, "comment", "body"), WM_MARKER_PREFIX) != NULL;
}

bool wm_event_is_exempt(const WmEvent *event)
{
    return strcmp(event->name, "schedule") == 0 || strcmp(event->name, "workflow_dispatch") == 0 ||
           *event->name == '\0';
}

bool wm_event_is_automated(const WmEvent *event)
{
    const json_t *sender = json_get_object(event->payload, "sender");
    if (wm_event_is_exempt(event) || !sender)
        return false;
    const char *written[] = { json_get_text(sender, "type"), json_get_text(sender, "login") };
    g_autofree char *type = g_strstrip(g_strdup(written[0] ? written[0] : ""));
    g_autofree char *name = g_strstrip(g_strdup(written[1] ? written[1] : ""));
    g_autofree char *login = g_ascii_strdown(name, -1);
    return str_equal_nocase(type, "bot") || g_str_has_suffix(login, "[bot]");
}
