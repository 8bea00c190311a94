/*
 * The table of settings for people and for editors: groups, JSON Schema, reference page. Pure;
 * thread safe.
 */
#pragma once

#include "base/json.h"
#include "tool/settings_keys.h"

/* The heading under which a key is listed: "Models". */
const char *setting_group(const char *key);
/* Every heading once, in the order of lists; NULL-terminated. */
const char *const *setting_groups(void);

/* JSON Schema of config.yml. New reference. */
json_t *settings_schema(void);

/* docs/settings.md. Caller frees. */
char *settings_page(void);
