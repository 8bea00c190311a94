/* See stop_after.h. */
#include "wm/trigger/stop_after.h"

#include "base/limits.h"
#include "base/str.h"
#include "base/timefmt.h"
#include "wm/task/gate_date.h"
#include "wm/task/repo_file.h"

#include <string.h>

#define MAX_SPAN_BYTES 64

/* A later time by one amount, "12h", after which *at then is; NULL: beyond all calendars. */
static GDateTime *add_amount(GDateTime *when, const char **at)
{
    int amount = (int)g_ascii_strtoll(*at, NULL, 10);
    const char *unit = *at + strspn(*at, G_CSET_DIGITS);
    *at = unit + (str_has_prefix(unit, "mo") ? 2 : 1);
    switch (*unit) {
    case 'm':
        return g_date_time_add_months(when, amount);
    case 'h':
        return g_date_time_add_hours(when, amount);
    case 'd':
        return g_date_time_add_days(when, amount);
    default:
        return g_date_time_add_weeks(when, amount);
    }
}

static bool read_relative(const char *text, int64_t from_ms, int64_t *ret_ms)
{
    if (strlen(text) > MAX_SPAN_BYTES || !wm_gate_is_relative_date(text))
        return false;
    GDateTime *when = g_date_time_new_from_unix_utc(from_ms / 1000);
    for (const char *at = text + 1; when && *at;) {
        GDateTime *next = add_amount(when, &at);
        g_date_time_unref(when);
        when = next;
    }
    if (!when)
        return false;
    *ret_ms = g_date_time_to_unix(when) * 1000;
    g_date_time_unref(when);
    return true;
}

bool wm_stop_after_parse(const char *text, int64_t from_ms, bool *ret_is_relative,
                         int64_t *ret_deadline_ms, GError **error)
{
    bool is_relative = *text == '+';
    int64_t deadline_ms = 0;
    if (!(is_relative ? read_relative(text, from_ms, &deadline_ms)
                      : wm_gate_parse_date(text, &deadline_ms)))
        return fail_with(error, KEDGE_ERROR_PROTOCOL,
                         "on.stop-after: \"%s\" is neither a UTC time (2026-05-01, "
                         "2026-05-01T10:00Z) nor a span (+7d, +1d12h, +2w, +1mo)",
                         text);
    *ret_is_relative = is_relative;
    *ret_deadline_ms = deadline_ms;
    return true;
}

bool wm_stop_after_read(const char *root, json_t **ret_stored, GError **error)
{
    g_autofree char *text = NULL;
    g_autoptr(json_t) stored = NULL;
    if (!wm_repo_file_read(root, WM_STOP_AFTER_PATH, LIMIT_CONFIG_FILE_BYTES, &text, error))
        return false;
    if (text && (!json_parse_text(text, &stored, error))) {
        g_prefix_error(error, WM_STOP_AFTER_PATH ": ");
        return false;
    }
    if (stored && !json_is_object(stored))
        return fail_with(error, KEDGE_ERROR_PROTOCOL, WM_STOP_AFTER_PATH ": not an object");
    *ret_stored = stored ? g_steal_pointer(&stored) : json_object();
    return true;
}

/* The stored deadline for just this expression. */
static const char *stored_deadline(const json_t *stored, const WmTask *task, const char *text,
                                   int64_t *ret_ms)
{
    const json_t *entry = json_get_object(stored, task->name);
    const char *deadline = json_get_text(entry, "deadline");
    bool is_same = deadline && g_strcmp0(json_get_text(entry, "expr"), text) == 0;
    return is_same && wm_gate_parse_date(deadline, ret_ms) ? deadline : NULL;
}

static bool settle(const WmTask *task, const json_t *stored, bool refreshes, int64_t now_ms,
                   json_t *all, GError **error)
{
    const json_t *given = json_object_get(json_get_object(task->on, "gates"), "stop-after");
    const char *text = json_string_value(given);
    bool is_relative = false;
    int64_t deadline_ms = 0;
    if (given && !text && !json_is_null(given))
        return fail_with(error, KEDGE_ERROR_PROTOCOL, "%s: on.stop-after: expected a text",
                         task->path);
    if (!text)
        return true;
    if (!wm_stop_after_parse(text, now_ms, &is_relative, &deadline_ms, error)) {
        g_prefix_error(error, "%s: ", task->path);
        return false;
    }
    if (!is_relative)
        return true;
    g_autofree char *made = time_format_iso_seconds(deadline_ms);
    const char *old = refreshes ? NULL : stored_deadline(stored, task, text, &deadline_ms);
    json_set_take(all, task->name, json_make("expr:%s deadline:%s", text, old ? old : made));
    return true;
}

bool wm_stop_after_settle(const WmProject *project, const json_t *stored, bool refreshes,
                          int64_t now_ms, json_t **ret_stored, GError **error)
{
    g_autoptr(json_t) all = json_object();
    for (unsigned i = 0; i < project->tasks->len; i++)
        if (!settle(g_ptr_array_index(project->tasks, i), stored, refreshes, now_ms, all, error))
            return false;
    *ret_stored = g_steal_pointer(&all);
    return true;
}
