/*
 * Shims (engine_self.h): an agent's `gh wm emit`, `gh-wm emit` and `kedge wm emit` are this very
 * program, whether or not it, or gh, is installed. It goes by the name that it is started with, so
 * that links to it do for two of them, whatever its file is called.
 */
#include "wm/engine/engine_self.h"

#include "base/env.h"
#include "base/file.h"
#include "base/path.h"
#include "base/str.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

char *wm_engine_program(const char *run_dir)
{
    g_autofree char *path = path_of_program();
    g_autofree char *name = g_path_get_basename(path);
    return g_str_equal(name, "gh-wm") ? g_build_filename(run_dir, "bin", "kedge", NULL)
                                      : g_steal_pointer(&path);
}

char *wm_shims_dir(const char *run_dir)
{
    bool is_wanted = true;
    const char *given = env_get_raw("KEDGE_WM_SHIMS");
    if (given)
        str_parse_bool(given, &is_wanted);
    return is_wanted ? g_build_filename(run_dir, "bin", NULL) : NULL;
}

/* `gh wm` is ours. All else is for the gh that was on PATH before, whose directories are in the
   script: shims of a run within a run would find one another otherwise. */
static char *gh_script(const char *gh_wm)
{
    const char *path = env_get_raw("PATH");
    g_autofree char *directories = str_shell_quote(path ? path : "/usr/local/bin:/usr/bin:/bin");
    g_autofree char *program = str_shell_quote(gh_wm);
    return g_strdup_printf("#!/bin/sh\n"
                           "if [ \"${1-}\" = wm ]; then\n"
                           "    shift\n"
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
                           program, directories);
}

static bool make_link(const char *target, const char *path, GError **error)
{
    if (symlink(target, path) == 0 || errno == EEXIST)
        return true;
    return fail_with_errno(error, errno, "cannot make the link %s", path);
}

bool wm_shims_write(const char *run_dir, GError **error)
{
    g_autofree char *self = path_of_program();
    g_autofree char *dir = g_build_filename(run_dir, "bin", NULL);
    g_autofree char *kedge = g_build_filename(dir, "kedge", NULL);
    g_autofree char *gh_wm = g_build_filename(dir, "gh-wm", NULL);
    g_autofree char *gh = g_build_filename(dir, "gh", NULL);
    g_autofree char *script = gh_script(gh_wm);
    return file_make_dirs(dir, 0700, error) && make_link(self, kedge, error) &&
           make_link(self, gh_wm, error) &&
           file_write_atomic(gh, script, strlen(script), 0700, error);
}
