/*
 * Clocks, and the one text form of a time.
 */
#include "base/timefmt.h"

#include "base/lock.h"

#include <string.h>

// glibc guards its time zone itself, but ThreadSanitizer cannot see that lock
static pthread_mutex_t zone_lock = PTHREAD_MUTEX_INITIALIZER;

static gint64 clock_ms(clockid_t clock)
{
    struct timespec now;
    int failed = clock_gettime(clock, &now);
    g_assert(failed == 0);
    return (gint64)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

gint64 time_now_ms(void)
{
    return clock_ms(CLOCK_REALTIME);
}

gint64 time_monotonic_ms(void)
{
    return clock_ms(CLOCK_MONOTONIC);
}

bool time_to_utc(time_t at, struct tm *ret_parts)
{
    HOLD_LOCK(&zone_lock);
    return gmtime_r(&at, ret_parts) != NULL;
}

bool time_to_local(time_t at, struct tm *ret_parts)
{
    HOLD_LOCK(&zone_lock);
    tzset(); // localtime_r() need not
    return localtime_r(&at, ret_parts) != NULL;
}

time_t time_from_utc(struct tm *parts)
{
    HOLD_LOCK(&zone_lock);
    return timegm(parts);
}

time_t time_from_local(struct tm *parts)
{
    HOLD_LOCK(&zone_lock);
    return mktime(parts);
}

char *time_format_iso(gint64 at_ms)
{
    // years 0000 to 9999: the form has four digits
    at_ms = CLAMP(at_ms, -62167219200000, 253402300799999);
    gint64 millisecond = ((at_ms % 1000) + 1000) % 1000;
    time_t second = (time_t)((at_ms - millisecond) / 1000);
    struct tm parts;
    time_to_utc(second, &parts);
    return g_strdup_printf("%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", parts.tm_year + 1900,
                           parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min,
                           parts.tm_sec, (int)millisecond);
}

char *time_age_text(gint64 age_ms)
{
    gint64 seconds = age_ms / 1000, minute = 60, hour = 3600, day = 86400;
    if (seconds <= 0)
        return g_strdup("");
    if (seconds < minute)
        return g_strdup("just now");
    if (seconds < hour)
        return g_strdup_printf("%" G_GINT64_FORMAT "m ago", seconds / minute);
    if (seconds < day)
        return g_strdup_printf("%" G_GINT64_FORMAT "h ago", seconds / hour);
    if (seconds < 7 * day)
        return g_strdup_printf("%" G_GINT64_FORMAT "d ago", seconds / day);
    if (seconds < 30 * day)
        return g_strdup_printf("%" G_GINT64_FORMAT "w ago", seconds / (7 * day));
    return g_strdup_printf("%" G_GINT64_FORMAT "mo ago", seconds / (30 * day));
}

char *time_format_iso_seconds(gint64 at_ms)
{
    g_autofree char *text = time_format_iso(at_ms);
    size_t seconds = strcspn(text, ".");
    return g_strdup_printf("%.*sZ", (int)seconds, text);
}
