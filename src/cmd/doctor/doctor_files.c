/*
 * `kedge doctor`: the files of kedge itself (doctor_check.h). Nothing is made or changed.
 */
#include "cmd/doctor/doctor_check.h"

#include "base/db.h"
#include "base/dir_lock.h"
#include "base/dirs.h"
#include "base/file.h"
#include "base/limits.h"
#include "base/path.h"
#include "base/yaml.h"
#include "tool/settings_unknown.h"
#include "tui/term/keymap.h"
#include "tui/text/style.h"

#include <errno.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define DISK_LOW_BYTES  ((uint64_t)200 * MIB)
#define DISK_FULL_BYTES ((uint64_t)10 * MIB)
#define NAMES_MAX       1000 // of a directory, when leftover locks are looked for

void health_check_settings(Health *self, const GPtrArray *warnings)
{
    g_autofree char *agent_dir = dirs_agent();
    g_autofree char *path = g_build_filename(agent_dir, "config.yml", NULL);
    g_autofree char *shown = path_shorten_home(path);
    g_autoptr(json_t) value = NULL;
    g_autoptr(GError) error = NULL;
    bool is_read = yaml_read_file(path, &value, &error);
    if (!is_read && !error_is(error, KEDGE_ERROR_NOT_FOUND)) {
        g_autofree char *recovery = g_strdup_printf("correct %s", shown);
        check_list_add(&self->list, "config.yml", CHECK_BAD, recovery, "%s; none of it counts",
                       error->message);
        return;
    }
    for (unsigned i = 0; i < warnings->len; i++)
        check_list_add(&self->list, "config.yml", CHECK_WARNING, "kedge config list --origin", "%s",
                       (char *)warnings->pdata[i]);
    g_autoptr(GPtrArray) unknown = settings_unknown_keys(self->settings);
    for (unsigned i = 0; i < unknown->len; i++) {
        const SettingKey *meant = settings_unknown_meant(unknown->pdata[i]);
        bool is_guard = meant && meant->scope == SETTING_MAY_TIGHTEN;
        g_autofree char *text = settings_unknown_text(unknown->pdata[i]);
        g_autofree char *recovery = g_strdup_printf("correct %s", shown);
        check_list_add(&self->list, "config.yml", is_guard ? CHECK_BAD : CHECK_WARNING, recovery,
                       "%s%s", text, is_guard ? " It is a guard: nothing runs without it" : "");
    }
    if (warnings->len + unknown->len == 0)
        check_list_add(&self->list, "config.yml", CHECK_GOOD, NULL, "%s%s", shown,
                       is_read ? "" : " is not there: the defaults hold");
}

static void check_keys(Health *self, const char *agent_dir)
{
    g_autofree char *path = keymap_path(agent_dir);
    g_autofree char *shown = path_shorten_home(path);
    g_autofree char *recovery =
        g_strdup_printf("correct %s; `kedge config keys` lists the actions", shown);
    g_autoptr(GPtrArray) warnings = g_ptr_array_new_with_free_func(g_free);
    keymap_free(keymap_load(path, warnings));
    for (unsigned i = 0; i < warnings->len; i++)
        check_list_add(&self->list, "keybindings.json", CHECK_WARNING, recovery, "%s",
                       (char *)warnings->pdata[i]);
    if (warnings->len == 0)
        check_list_add(&self->list, "keybindings.json", CHECK_GOOD, NULL, "%s%s", shown,
                       file_exists(path) ? "" : " is not there: the default keys hold");
}

static void check_theme(Health *self, const char *dir, const char *setting)
{
    const char *name = settings_get_text(self->settings, setting);
    const ThemeSpec spec = {
        .name = name,
        .dir = dir,
        .symbols = settings_get_text(self->settings, "symbolPreset"),
    };
    g_autofree char *problem = NULL;
    theme_free(theme_load(&spec, &problem));
    if (problem) {
        g_autofree char *recovery =
            g_strdup_printf("correct it, or kedge config reset %s", setting);
        check_list_add(&self->list, setting, CHECK_WARNING, recovery, "%s", problem);
    } else {
        check_list_add(&self->list, setting, CHECK_GOOD, NULL, "%s", name ? name : "");
    }
}

/* The directory itself, or the nearest one above it that is there. Caller frees. */
static char *doctor_files_nearest(const char *dir)
{
    char *at = g_strdup(dir);
    while (!file_exists(at)) {
        char *parent = g_path_get_dirname(at);
        g_free(at);
        at = parent;
    }
    return at;
}

static void check_sessions(Health *self, const char *dir)
{
    g_autofree char *at = doctor_files_nearest(dir);
    g_autofree char *shown = path_shorten_home(dir);
    g_autofree char *place = path_shorten_home(at);
    g_autofree char *quoted = g_shell_quote(at);
    if (!file_is_directory(at)) {
        g_autofree char *recovery = g_strdup_printf("mv %s %s.old", quoted, quoted);
        check_list_add(&self->list, "sessions", CHECK_BAD, recovery, "%s is no directory", place);
    } else if (access(at, R_OK | W_OK | X_OK) != 0) {
        g_autofree char *recovery = g_strdup_printf("chmod u+rwx %s", quoted);
        check_list_add(&self->list, "sessions", CHECK_BAD, recovery, "%s cannot be written: %s",
                       place, g_strerror(errno));
    } else {
        check_list_add(&self->list, "sessions", CHECK_GOOD, NULL, "%s%s", shown,
                       strcmp(at, dir) == 0 ? "" : ", made with the first session");
    }
}

static void check_disk(Health *self, const char *dir)
{
    g_autofree char *at = doctor_files_nearest(dir);
    g_autofree char *quoted = g_shell_quote(at);
    g_autofree char *recovery = g_strdup_printf("df -h %s", quoted);
    struct statvfs info;
    if (statvfs(at, &info) != 0) {
        check_list_add(&self->list, "disk", CHECK_WARNING, recovery, "%s: %s", at,
                       g_strerror(errno));
        return;
    }
    uint64_t free_bytes = (uint64_t)info.f_bavail * info.f_frsize;
    uint64_t used = (uint64_t)(info.f_blocks - info.f_bfree);
    uint64_t usable = used + info.f_bavail;
    unsigned percent = usable > 0 ? (unsigned)(used * 100 / usable) : 0;
    g_autofree char *size = g_format_size_full(free_bytes, G_FORMAT_SIZE_IEC_UNITS);
    CheckState status = free_bytes < DISK_FULL_BYTES  ? CHECK_BAD
                        : free_bytes < DISK_LOW_BYTES ? CHECK_WARNING
                                                      : CHECK_GOOD;
    check_list_add(&self->list, "disk", status, status == CHECK_GOOD ? NULL : recovery,
                   "%s free for sessions, %u%% used", size, percent);
}

static void check_database(Health *self, const char *agent_dir, const char *name, const char *use,
                           bool is_index)
{
    g_autofree char *path = g_build_filename(agent_dir, name, NULL);
    if (!file_exists(path)) {
        check_list_add(&self->list, name, CHECK_GOOD, NULL, "not there yet (%s)", use);
        return;
    }
    g_autofree char *quoted = g_shell_quote(path);
    g_autofree char *recovery =
        is_index ? g_strdup_printf("rm %s (it is made again)", quoted)
                 : g_strdup_printf("mv %s %s.broken, then kedge login", quoted, quoted);
    g_autoptr(GError) error = NULL;
    if (db_check(path, &error))
        check_list_add(&self->list, name, CHECK_GOOD, NULL, "can be opened (%s)", use);
    else
        check_list_add(&self->list, name, CHECK_WARNING, recovery, "%s", error->message);
}

static void check_locks(Health *self, const char *agent_dir)
{
    g_autoptr(GDir) dir = g_dir_open(agent_dir, 0, NULL);
    unsigned left = 0;
    const char *name;
    for (unsigned i = 0; dir && i < NAMES_MAX && (name = g_dir_read_name(dir)); i++) {
        g_autofree char *path = g_build_filename(agent_dir, name, NULL);
        if (!g_str_has_suffix(name, ".lock") || !file_is_directory(path) || !dir_lock_is_left(path))
            continue;
        g_autofree char *quoted = g_shell_quote(path);
        g_autofree char *shown = path_shorten_home(path);
        g_autofree char *recovery = g_strdup_printf("rm -r %s", quoted);
        check_list_add(&self->list, "locks", CHECK_WARNING, recovery,
                       "%s is left over; the next who needs it takes it", shown);
        left++;
    }
    if (left == 0)
        check_list_add(&self->list, "locks", CHECK_GOOD, NULL, "none left over");
}

void health_check_files(Health *self)
{
    g_autofree char *agent_dir = dirs_agent();
    g_autofree char *themes = g_build_filename(agent_dir, "themes", NULL);
    g_autofree char *sessions = g_build_filename(agent_dir, "sessions", NULL);
    check_keys(self, agent_dir);
    check_theme(self, themes, "theme.dark");
    check_theme(self, themes, "theme.light");
    check_sessions(self, sessions);
    check_disk(self, sessions);
    check_database(self, agent_dir, "sessions.db", "the index of sessions", true);
    check_database(self, agent_dir, "agent.db", "keys", false);
    check_locks(self, agent_dir);
}
