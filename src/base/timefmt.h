/*
 * Time as kedge writes it (spec/common.md §9). `_at` values are milliseconds since the epoch.
 */
#pragma once

#include <glib.h>

gint64 time_now_ms(void);            // wall clock
gint64 time_monotonic_ms(void);      // for deadlines
char *time_format_iso(gint64 at_ms); // 2026-03-04T05:06:07.089Z; caller frees
