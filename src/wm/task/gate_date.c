/* See gate_date.h. */
#include "wm/task/gate_date.h"

#include "base/str.h"

#include <string.h>

#define MINUTE_MS   ((int64_t)60 * 1000)
#define MAX_MINUTES ((int64_t)366 * 24 * 60)

bool wm_gate_parse_date(const char *text, int64_t *ret_at_ms)
{
    size_t size = strlen(text);
    g_autofree char *whole = size == strlen("2026-05-01") ? g_strconcat(text, "T00:00:00Z", NULL)
                             : size == strlen("2026-05-01T12:00Z")
                                 ? g_strdup_printf("%.16s:00Z", text)
                                 : g_strdup(text);
    if (strlen(whole) != strlen("2026-05-01T12:00:00Z") || text[size - 1] == '\n' ||
        (size > 10 && text[size - 1] != 'Z'))
        return false;
    g_autoptr(GDateTime) date = g_date_time_new_from_iso8601(whole, NULL);
    if (!date)
        return false;
    *ret_at_ms = g_date_time_to_unix(date) * 1000;
    return true;
}

bool wm_gate_is_relative_date(const char *text)
{
    static const char *const units[] = { "mo", "h", "d", "w" };
    if (*text != '+' || !text[1])
        return false;
    for (const char *at = text + 1; *at;) {
        size_t digits = strspn(at, "0123456789"), unit_size = 0;
        at += digits;
        for (size_t i = 0; unit_size == 0 && i < G_N_ELEMENTS(units); i++)
            if (str_has_prefix(at, units[i]))
                unit_size = strlen(units[i]);
        if (digits == 0 || digits > 4 || unit_size == 0)
            return false;
        at += unit_size;
    }
    return true;
}

int64_t wm_gate_duration_ms(const json_t *value)
{
    static const struct {
        const char *unit;
        int64_t minutes;
    } units[] = { { "m", 1 }, { "h", 60 }, { "d", 24 * 60 }, { "w", 7 * 24 * 60 } };
    int64_t minutes = json_is_integer(value) ? json_integer_value(value) : 0;
    g_autofree char *text =
        g_strstrip(g_strdup(json_is_string(value) ? json_string_value(value) : ""));
    for (size_t i = 0; *text && i < G_N_ELEMENTS(units); i++) {
        int64_t number;
        g_autofree char *digits = g_strndup(text, strlen(text) - 1);
        if (g_str_has_suffix(text, units[i].unit) && str_parse_int(digits, &number) && number > 0 &&
            number <= MAX_MINUTES)
            minutes = number * units[i].minutes;
    }
    return minutes > 0 && minutes <= MAX_MINUTES ? minutes * MINUTE_MS : 0;
}
