/*
 * Deadlines of tasks (stop_after.h).
 */
#include "workflow/stop_after.h"

#include "base/limits.h"
#include "base/timefmt.h"
#include "workflow/repo_file.h"

#include <string.h>

#define MAX_AMOUNT_DIGITS 4
#define MAX_PARTS         8

/* As many digits as `count`, of a number up to `max`. */
static bool take_number(const char **at, size_t count, int max, int *ret_value)
{
    int value = 0;
    for (size_t i = 0; i < count; i++, (*at)++) {
        if (!g_ascii_isdigit(**at))
            return false;
        value = value * 10 + (**at - '0');
    }
    *ret_value = value;
    return value <= max;
}

static bool take(const char **at, char c)
{
    if (**at != c)
        return false;
    (*at)++;
    return true;
}

/* Behind the date: "", or THH:MM(:SS)Z. */
static bool take_time(const char **at, int *ret_hour, int *ret_minute, int *ret_second)
{
    if (**at == '\0')
        return true;
    if (!take(at, 'T') || !take_number(at, 2, 23, ret_hour) || !take(at, ':') ||
        !take_number(at, 2, 59, ret_minute))
        return false;
    if (**at == ':' && (!take(at, ':') || !take_number(at, 2, 59, ret_second)))
        return false;
    return take(at, 'Z') && **at == '\0';
}

static bool read_absolute(const char *text, int64_t *ret_ms)
{
    int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
    const char *at = text;
    if (!take_number(&at, 4, 9999, &year) || !take(&at, '-') || !take_number(&at, 2, 12, &month) ||
        !take(&at, '-') || !take_number(&at, 2, 31, &day) ||
        !take_time(&at, &hour, &minute, &second))
        return false;
    g_autoptr(GDateTime) when = g_date_time_new_utc(year, month, day, hour, minute, second);
    if (when)
        *ret_ms = g_date_time_to_unix(when) * 1000;
    return when != NULL;
}

/* One of `+3d12h`: moves *when by it. */
static bool take_amount(const char **at, GDateTime **when)
{
    static const char *const units[] = { "mo", "h", "d", "w" };
    size_t digits = strspn(*at, G_CSET_DIGITS);
    if (digits == 0 || digits > MAX_AMOUNT_DIGITS)
        return false;
    int amount = (int)g_ascii_strtoll(*at, NULL, 10);
    *at += digits;
    for (size_t i = 0; i < G_N_ELEMENTS(units); i++) {
        if (!g_str_has_prefix(*at, units[i]))
            continue;
        *at += strlen(units[i]);
        GDateTime *next = i == 0   ? g_date_time_add_months(*when, amount)
                          : i == 1 ? g_date_time_add_hours(*when, amount)
                          : i == 2 ? g_date_time_add_days(*when, amount)
                                   : g_date_time_add_weeks(*when, amount);
        g_date_time_unref(*when);
        *when = next;
        return next != NULL;
    }
    return false;
}

static bool read_relative(const char *text, int64_t from_ms, int64_t *ret_ms)
{
    const char *at = text + 1;
    GDateTime *when = g_date_time_new_from_unix_utc(from_ms / 1000);
    bool is_good = when && *at;
    for (int parts = 0; is_good && *at; parts++)
        is_good = parts < MAX_PARTS && take_amount(&at, &when);
    if (is_good)
        *ret_ms = g_date_time_to_unix(when) * 1000;
    g_clear_pointer(&when, g_date_time_unref);
    return is_good;
}

bool wm_stop_after_parse(const char *text, int64_t from_ms, bool *ret_is_relative,
                         int64_t *ret_deadline_ms, GError **error)
{
    bool is_relative = *text == '+';
    int64_t deadline_ms = 0;
    if (!(is_relative ? read_relative(text, from_ms, &deadline_ms)
                      : read_absolute(text, &deadline_ms)))
        return fail_with(error, KEDGE_ERROR_PROTOCOL,
                         "on.stop-after: \"%s\" is neither a UTC time (2026-05-01, "
                         "2026-05-01T10:00Z) nor a span (+7d, +1d12h, +2w, +1mo)",
                         text);
    *ret_is_relative = is_relative;
    *ret_deadline_ms = deadline_ms;
    return true;
}

const char *wm_stop_after_of(const WmTask *task)
{
    return json_get_text(json_get_object(task->on, "gates"), "stop-after");
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
    return is_same && read_absolute(deadline, ret_ms) ? deadline : NULL;
}

bool wm_stop_after_deadline(const WmTask *task, const json_t *stored, GPtrArray *warnings,
                            int64_t *ret_deadline_ms)
{
    const char *text = wm_stop_after_of(task);
    bool is_relative = false;
    int64_t deadline_ms = 0;
    g_autoptr(GError) problem = NULL;
    if (!text)
        return false;
    if (!wm_stop_after_parse(text, 0, &is_relative, &deadline_ms, &problem)) {
        g_ptr_array_add(warnings, g_strdup_printf("%s: %s", task->path, problem->message));
        return false;
    }
    if (is_relative && !stored_deadline(stored, task, text, &deadline_ms)) {
        g_ptr_array_add(warnings, g_strdup_printf("%s: on.stop-after \"%s\" has no deadline in %s "
                                                  "yet; run kedge wm compile",
                                                  task->path, text, WM_STOP_AFTER_PATH));
        return false;
    }
    *ret_deadline_ms = deadline_ms;
    return true;
}

static bool settle(const WmTask *task, const json_t *stored, bool refreshes, int64_t now_ms,
                   json_t *all, GError **error)
{
    const json_t *given = json_object_get(json_get_object(task->on, "gates"), "stop-after");
    const char *text = wm_stop_after_of(task);
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
    json_t *entry = json_object();
    json_set_text(entry, "expr", text);
    json_set_text(entry, "deadline", old ? old : made);
    json_set_take(all, task->name, entry);
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
