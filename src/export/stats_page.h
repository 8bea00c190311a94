/*
 * What the sessions used as one HTML page (agent-core §1.8): everything is in it, nothing is
 * loaded, no script is needed. Pure.
 */
#pragma once

#include "base/json.h"

/* `report` is usage_db_report()'s; `made_at` says when, in words. Caller frees. */
char *stats_page(const json_t *report, const char *made_at);
