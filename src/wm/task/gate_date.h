/*
 * Dates and times to come, as `on.stop-after` has them (task-engine §10.3), and lengths of time, as
 * `on.cooldown` has them. Pure.
 */
#pragma once

#include "base/json.h"

/* `2026-05-01`, `2026-05-01T12:00Z`, with or without seconds: milliseconds since the epoch. */
bool wm_gate_parse_date(const char *text, int64_t *ret_at_ms);
/* `+7d`, `+1d12h`: the form of a deadline that compile resolves (h, d, w, mo; no minutes). */
bool wm_gate_is_relative_date(const char *text);
/* `4h`, `30m`, `1d`, `2w`, of at most 366 days; a number is of minutes. 0: none of these. */
int64_t wm_gate_duration_ms(const json_t *value);
