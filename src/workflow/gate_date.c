/*
 * Dates of gates (gate_date.h).
 */
#include "workflow/gate_date.h"

#include <glib.h>
#include <string.h>

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
            if (g_str_has_prefix(at, units[i]))
                unit_size = strlen(units[i]);
        if (digits == 0 || digits > 4 || unit_size == 0)
            return false;
        at += unit_size;
    }
    return true;
}
