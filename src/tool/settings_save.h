/*
 * Saving settings (agent-core §5.2): into <agent dir>/config.yml, never into a project's file.
 * Under a lock that other processes see, the file is read again and only what changed is put in, in
 * place: comments, order, unknown keys and what others have saved meanwhile stay. A file that does
 * not parse, or that cannot be changed without losing something, is refused and left as it is.
 * Thread safe; blocks the calling thread.
 */
#pragma once

#include "base/cancel.h"
#include "base/json.h"

typedef struct SettingChange {
    const char *const *parts; // the keys from the root, NULL-terminated (settings_path.h)
    const json_t *value;      // NULL: removed, so that the default counts again
} SettingChange;

/* All of them or none. */
bool settings_save(const char *agent_dir, const SettingChange *changes, size_t count,
                   Cancel *cancel, GError **error);

char *settings_user_path(const char *agent_dir); // <agent dir>/config.yml; caller frees
