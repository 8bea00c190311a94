/*
 * Settings of earlier shapes (agent-core §5.3). Thread safe.
 */
#pragma once

#include "base/json.h"

/* In a layer as it was read: keys that were renamed, values that had another unit. A new key that
   is set wins over its old form. */
void settings_migrate_fields(json_t *layer);

/* While there is no config.yml: settings.json becomes one, and settings.json.bak. On failure it
   stays as it is. */
bool settings_migrate_files(const char *agent_dir, GError **error);
