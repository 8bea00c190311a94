/*
 * Gates (gates.h): their order, bots, and deadlines. Roles are in gates_actor.c, what asks for
 * issues and runs in gates_search.c and gates_runs.c, what they share in gates_base.c.
 */
#include "wm/trigger/gates_private.h"

#include "wm/task/trigger_words.h"
#include "wm/task/wm_log.h"
#include "wm/trigger/match_private.h"

#include <string.h>

#define DEADLINES_PATH ".wm/stop-after.json"

// Without case and without `[bot]`. Caller frees.
static char *plain_login(const char *login)
{
    g_autofree char *low = g_ascii_strdown(login, -1);
    char *plain = g_strdup(g_strstrip(low));
    if (g_str_has_suffix(plain, "[bot]"))
        plain[strlen(plain) - strlen("[bot]")] = '\0';
    return plain;
}

static bool names_actor(const WmTask *task, const char *key, const WmEvent *event)
{
    const json_t *value = wm_gate_value(task, key);
    g_autofree char *actor = plain_login(wm_gate_actor(event));
    g_autoptr(json_t) list = value ? wm_trigger_list(value) : NULL;
    bool is_named = false;
    json_each (list, index, item) {
        g_autofree char *login = plain_login(json_string_value(item));
        is_named = is_named || (*login && strcmp(login, actor) == 0);
    }
    return is_named;
}

bool wm_gates_let_bot(const WmTask *task, const WmEvent *event)
{
    return names_actor(task, "bots", event);
}

static bool pass_actor(WmGates *self, const WmTask *task, Cancel *cancel, char **ret_reason)
{
    const WmEvent *event = self->resolve->event;
    if (wm_event_is_exempt(event))
        return true;
    if (names_actor(task, "skip-bots", event))
        return wm_gate_refuse(task, ret_reason, "actor gate: @%s is in on.skip-bots",
                              wm_gate_actor(event));
    // anybody can have the name of a bot, but for its brackets
    bool is_bot = wm_event_is_automated(event) && names_actor(task, "bots", event);
    return is_bot || wm_gate_roles(self, task, cancel, ret_reason);
}

// What compile wrote down; {} when it did not.
static const json_t *read_deadlines(WmGates *self)
{
    if (self->deadlines)
        return self->deadlines;
    g_autofree char *path = g_build_filename(self->resolve->project->root, DEADLINES_PATH, NULL);
    g_autoptr(GError) error = NULL;
    json_t *deadlines = NULL;
    if (!json_read_file(path, &deadlines, &error) && !error_is(error, KEDGE_ERROR_NOT_FOUND))
        wm_say_as(WM_WARN, "wm: %s: %s", DEADLINES_PATH, error->message);
    self->deadlines = deadlines ? deadlines : json_object();
    return self->deadlines;
}

// False: no deadline is known.
static bool find_deadline(WmGates *self, const WmTask *task, const char *text, int64_t *ret_at_ms)
{
    if (!wm_gate_is_relative_date(text))
        return wm_gate_parse_date(text, ret_at_ms);
    const json_t *stored = json_get_object(read_deadlines(self), task->name);
    const char *deadline = json_get_text(stored, "deadline");
    return g_strcmp0(json_get_text(stored, "expr"), text) == 0 && deadline &&
           wm_gate_parse_date(deadline, ret_at_ms);
}

static bool pass_deadline(WmGates *self, const WmTask *task, char **ret_reason)
{
    const json_t *value = wm_gate_value(task, "stop-after");
    if (!value)
        return true;
    const char *written = json_string_value(value);
    g_autofree char *text = g_strstrip(g_strdup(written ? written : ""));
    int64_t at_ms;
    if (!find_deadline(self, task, text, &at_ms)) {
        bool is_relative = wm_gate_is_relative_date(text);
        wm_say_as(WM_WARN, "wm: %s: stop-after \"%s\": %s; not skipped", task->name, text,
                  is_relative ? "no deadline in " DEADLINES_PATH " (run kedge wm compile)"
                              : "neither a date nor a time such as +7d");
        return true;
    }
    return self->now_ms < at_ms || wm_gate_refuse(task, ret_reason, "stop-after %s is over", text);
}

bool wm_gates_pass(WmGates *self, const WmTask *task, Cancel *cancel, char **ret_reason)
{
    return pass_deadline(self, task, ret_reason) && wm_gate_mark(self, task, cancel, ret_reason) &&
           pass_actor(self, task, cancel, ret_reason) &&
           wm_gate_searches(self, task, cancel, ret_reason) &&
           wm_gate_runs(self, task, cancel, ret_reason);
}
