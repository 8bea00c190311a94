/*
 * What matching asks a payload (match_private.h), and who sent it.
 */
#include "wm/trigger/match_private.h"

#include "base/str.h"
#include "wm/task/body.h"
#include "wm/task/gate_date.h"
#include "wm/workspace/run_dir.h"

#include <stdarg.h>
#include <string.h>

#define BIRTH_MS ((int64_t)10 * 1000)

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

/* What carries a text that a task may have written: to the event that says it was written. */
static const struct {
    const char *event; // NULL: any
    const char *object, *action;
} texts[] = {
    { NULL, "comment", NULL },
    { NULL, "review", NULL },
    { "issues", "issue", "opened" },
    { "pull_request", "pull_request", "opened" },
    { "pull_request_target", "pull_request", "opened" },
};

/* GitHub does not know the author as one who may write here, as a task has to, and a person can
   write any mark. It does not know private members of an organization either: a gate asks
   (match.h). */
static bool is_strangers(const WmEvent *event, const char *object)
{
    static const char *const strangers[] = { "NONE", "FIRST_TIMER", "FIRST_TIME_CONTRIBUTOR",
                                             NULL };
    const json_t *text = json_get_object(event->payload, object);
    const char *association = json_get_text(text, "author_association");
    const char *type = json_get_text(json_get_object(text, "user"), "type");
    return association && g_strv_contains(strangers, association) && !str_equal_nocase(type, "bot");
}

/* Labels that a task gave what it had just made are its own act, where a person's come later. */
static bool is_labeled_at_birth(const Match *self, const char *object)
{
    const char *body = wm_match_text(self, object, "body");
    if (strcmp(wm_match_action(self), "labeled") != 0 || !strstr(body, WM_MARKER_PREFIX))
        return false;
    g_autofree char *marker = wm_body_marker(self->task->name);
    int64_t made_ms = 0, changed_ms = 0;
    return strstr(body, g_strchug(marker)) &&
           wm_gate_parse_date(wm_match_text(self, object, "created_at"), &made_ms) &&
           wm_gate_parse_date(wm_match_text(self, object, "updated_at"), &changed_ms) &&
           changed_ms - made_ms <= BIRTH_MS;
}

/* A push to the branch of a run of this task: wm/TASK-DATE-TIME. */
static bool is_pushed(const Match *self)
{
    const char *ref = json_get_text(self->event->payload, "ref");
    if (!wm_match_is_event(self, "push") || !ref)
        return false;
    g_autofree char *slug = wm_slug(self->task->name);
    g_autofree char *start = g_strdup_printf("refs/heads/wm/%s-", slug);
    if (!str_has_prefix(ref, start))
        return false;
    const char *time = ref + strlen(start);
    return strspn(time, "0123456789") == 8 && time[8] == '-' && strspn(time + 9, "0123456789") == 6;
}

/* A text with a mark, that was written by a stranger or, else, by a task. */
static bool has_mark(const Match *self, bool is_wanted_of_stranger)
{
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        const char *object = texts[i].object, *action = texts[i].action;
        if ((texts[i].event && !wm_match_is_event(self, texts[i].event)) ||
            is_strangers(self->event, object) != is_wanted_of_stranger)
            continue;
        if (action && is_labeled_at_birth(self, object))
            return true;
        if ((!action || strcmp(wm_match_action(self), action) == 0) &&
            strstr(wm_match_text(self, object, "body"), WM_MARKER_PREFIX))
            return true;
    }
    return false;
}

bool wm_match_is_own(const Match *self)
{
    return has_mark(self, false) || is_pushed(self);
}

bool wm_event_has_doubtful_mark(const WmTask *task, const WmEvent *event)
{
    const Match self = { .task = task, .event = event };
    return has_mark(&self, true);
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
