/*
 * Branch filters as GitHub Actions has them (task-engine §4.3): `*` not across `/`, `**` across it,
 * `?` and `+` repeat what is before them, `[]`, `\`, and `!` in front takes back. Pure.
 */
#pragma once

#include "base/json.h"

/* `patterns` is an array of texts, of which the last that matches decides. What cannot be
   understood matches nothing. */
bool wm_branch_matches(const json_t *patterns, const char *branch);
