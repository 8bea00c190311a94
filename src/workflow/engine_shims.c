/*
 * Shims (engine_self.h): small scripts by which an agent's `gh wm emit`, `gh-wm emit` and `kedge wm
 * emit` are this very program, whether or not it, or gh, is installed.
 */
#include "workflow/engine_self.h"

#include "base/env.h"
#include "base/file.h"
#include "base/str.h"

#include <string.h>

#define DELETED " (deleted)" // what the kernel appends once the file was replaced

char *wm_engine_self(void)
{
    g_autofree char *path = g_file_read_link("/proc/self/exe", NULL);
    if (!path)
        return g_strdup("/proc/self/exe"); // a child that is being started still has it
    if (g_str_has_suffix(path, DELETED) && !file_exists(path))
        path[strlen(path) - strlen(DELETED)] = '\0'; // the new one is where the old one was
    return g_steal_pointer(&path);
}

char *wm_shims_dir(const char *run_dir)
{
    bool is_wanted = true;
    const char *given = env_get_raw("KEDGE_WM_SHIMS");
    if (given)
        str_parse_bool(given, &is_wanted);
    return is_wanted ? g_build_filename(run_dir, "bin", NULL) : NULL;
}

static bool write_script(const char *dir, const char *name, const char *text, GError **error)
{
    g_autofree char *path = g_build_filename(dir, name, NULL);
    g_autofree char *script = g_strconcat("#!/bin/sh\n", text, NULL);
    return file_write_atomic(path, script, strlen(script), 0755, error);
}

/* `gh wm` is ours. All else is for the gh that was on PATH before, whose directories stand in the
   script: shims of a run within a run would find one another otherwise. */
static char *gh_script(const char *self)
{
    const char *path = env_get_raw("PATH");
    g_autofree char *directories = str_shell_quote(path ? path : "/usr/local/bin:/usr/bin:/bin");
    return g_strdup_printf("if [ \"${1-}\" = wm ]; then\n"
                           "    exec %s \"$@\"\n"
                           "fi\n"
                           "before=%s\n"
                           "while [ -n \"$before\" ]; do\n"
                           "    dir=${before%%%%:*}\n"
                           "    case $before in *:*) before=${before#*:} ;; *) before= ;; esac\n"
                           "    case $dir in /*) ;; *) continue ;; esac\n"
                           "    if [ -f \"$dir/gh\" ] && [ -x \"$dir/gh\" ]; then\n"
                           "        exec \"$dir/gh\" \"$@\"\n"
                           "    fi\n"
                           "done\n"
                           "echo 'gh: command not found' >&2\n"
                           "exit 127\n",
                           self, directories);
}

bool wm_shims_write(const char *run_dir, GError **error)
{
    g_autofree char *dir = wm_shims_dir(run_dir);
    if (!dir)
        return true;
    g_autofree char *path = wm_engine_self();
    g_autofree char *self = str_shell_quote(path);
    g_autofree char *gh_wm = g_strdup_printf("exec %s wm \"$@\"\n", self);
    g_autofree char *kedge = g_strdup_printf("exec %s \"$@\"\n", self);
    g_autofree char *gh = gh_script(self);
    return file_make_dirs(dir, 0755, error) && write_script(dir, "gh-wm", gh_wm, error) &&
           write_script(dir, "kedge", kedge, error) && write_script(dir, "gh", gh, error);
}
