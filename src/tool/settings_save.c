/*
 * Lock, read again, change in place, write (settings_save.h).
 */
#include "tool/settings_save.h"

#include "base/dir_lock.h"
#include "base/file.h"
#include "base/limits.h"
#include "base/own_file.h"
#include "base/yaml_edit.h"
#include "tool/settings_migrate.h"

char *settings_user_path(const char *agent_dir)
{
    return g_build_filename(agent_dir, "config.yml", NULL);
}

/* An absent file is an empty one. */
static bool read_text(const char *path, char **ret_text, size_t *ret_size, GError **error)
{
    g_autoptr(GError) problem = NULL;
    if (own_file_read(path, LIMIT_CONFIG_FILE_BYTES, ret_text, ret_size, &problem))
        return true;
    if (file_exists(path)) { // also a dangling link, a directory, what is another's
        return pass_error(error, &problem);
    }
    *ret_text = g_strdup("");
    *ret_size = 0;
    return true;
}

static bool apply(const char *path, const SettingChange *changes, size_t count, GError **error)
{
    g_autofree char *text = NULL;
    size_t size = 0;
    if (!read_text(path, &text, &size, error))
        return false;
    g_autofree char *old = g_strndup(text, size);
    for (size_t i = 0; i < count; i++) {
        char *next = NULL;
        if (!yaml_edit(text, size, path, changes[i].parts, changes[i].value, &next, error))
            return false;
        g_free(text);
        text = next;
        size = strlen(text);
    }
    bool is_same = strcmp(old, text) == 0;
    return is_same || file_write_atomic(path, text, size, 0600, error);
}

bool settings_save(const char *agent_dir, const SettingChange *changes, size_t count,
                   Cancel *cancel, GError **error)
{
    g_autofree char *path = settings_user_path(agent_dir);
    g_autoptr(DirLock) lock = NULL;
    if (!file_make_dirs(agent_dir, 0700, error) || !settings_migrate_files(agent_dir, error) ||
        !dir_lock_acquire(path, cancel, &lock, error) || !apply(path, changes, count, error)) {
        g_prefix_error(error, "settings not saved: ");
        return false;
    }
    return true;
}
