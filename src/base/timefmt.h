/*
 * Time as kedge writes it (common §9). `_at` values are milliseconds since the epoch.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <time.h>

gint64 time_now_ms(void);                    // wall clock
gint64 time_monotonic_ms(void);              // for deadlines
char *time_format_iso(gint64 at_ms);         // 2026-03-04T05:06:07.089Z; caller frees
char *time_format_iso_seconds(gint64 at_ms); // 2026-03-04T05:06:07Z; caller frees

/* Broken-down time and back, one thread at a time: the C library's time zone is shared state. False
   for a time that has no calendar year. Local time follows TZ as it is now. */
bool time_to_utc(time_t at, struct tm *ret_parts);
bool time_to_local(time_t at, struct tm *ret_parts);
time_t time_from_utc(struct tm *parts);
time_t time_from_local(struct tm *parts);

/* "just now", "5m ago", "3h ago", "2d ago", "1w ago", "4mo ago"; "" for what is not older than a
   second. Caller frees. */
char *time_age_text(gint64 age_ms);
