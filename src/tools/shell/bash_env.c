/*
 * Shell, environment and snapshot for the bash tool (bash_env.h).
 */
#include "tools/shell/bash_env.h"

#include "base/dirs.h"
#include "base/env.h"
#include "base/fd.h"
#include "base/limits.h"
#include "base/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

// Enough for a busy machine: what an rc file holds (a lock of pyenv) may stay when it is killed.
#define SNAPSHOT_TIMEOUT_MS 10000
#define SNAPSHOT_MAX_BYTES  (1 * MIB)
#define PARSE_MS            (60 * 1000)
#define PARSE_MAX_BYTES     (64 * KIB) // the end of what it says
#define SNAPSHOT_END        "# end of snapshot\n"

static bool is_executable(const char *path)
{
    return access(path, X_OK) == 0 && g_file_test(path, G_FILE_TEST_IS_REGULAR);
}

bool bash_shell_is(const char *shell, const char *name)
{
    g_autofree char *base = g_path_get_basename(shell);
    return strstr(base, name) != NULL;
}

/* $SHELL when we know how to talk to it, else bash, else sh. */
static char *default_shell(void)
{
    const char *own = env_get_raw("SHELL");
    if (own && (bash_shell_is(own, "bash") || bash_shell_is(own, "zsh")) && is_executable(own))
        return g_strdup(own);

    static const char *const names[] = { "bash", "sh" };
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        char *path = proc_find_program(names[i]);
        if (path)
            return path;
    }
    static const char *const dirs[] = { "/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin" };
    for (size_t i = 0; i < G_N_ELEMENTS(names) * G_N_ELEMENTS(dirs); i++) {
        g_autofree char *path =
            g_build_filename(dirs[i % G_N_ELEMENTS(dirs)], names[i / G_N_ELEMENTS(dirs)], NULL);
        if (is_executable(path))
            return g_steal_pointer(&path);
    }
    return g_strdup("sh");
}

bool bash_find_shell(const Settings *settings, char **ret_shell, GError **error)
{
    const char *asked = settings_get_text(settings, "shellPath");
    if (!asked || !*asked) {
        *ret_shell = default_shell();
        return true;
    }
    if (!is_executable(asked)) {
        g_autofree char *agent_dir = dirs_agent();
        return fail_with(
            error, KEDGE_ERROR_NOT_FOUND,
            "Custom shell path not found: %s\nPlease update shellPath in %s/config.yml", asked,
            agent_dir);
    }
    *ret_shell = g_strdup(asked);
    return true;
}

/* "NAME=value": no pager, no editor, no colour, no question. */
static const char *const quiet[] = {
    "PAGER=cat",
    "GIT_PAGER=cat",
    "MANPAGER=cat",
    "SYSTEMD_PAGER=cat",
    "BAT_PAGER=cat",
    "DELTA_PAGER=cat",
    "GH_PAGER=cat",
    "GLAB_PAGER=cat",
    "PSQL_PAGER=cat",
    "MYSQL_PAGER=cat",
    "HOMEBREW_PAGER=cat",
    "AWS_PAGER=",
    "LESS=FRX",
    "TERM=dumb",
    "GPG_TTY=not a tty",
    "NO_COLOR=1",
    "PYTHONUNBUFFERED=1",
    "TF_IN_AUTOMATION=1",
    "GH_PROMPT_DISABLED=1",
    "COMPOSER_NO_INTERACTION=1",
    "CLOUDSDK_CORE_DISABLE_PROMPTS=1",
    "PIP_NO_INPUT=1",
    "PIP_DISABLE_PIP_VERSION_CHECK=1",
    "GIT_EDITOR=true",
    "VISUAL=true",
    "EDITOR=true",
    "GIT_TERMINAL_PROMPT=0",
    "TF_INPUT=0",
    "YARN_ENABLE_TELEMETRY=0",
    "YARN_ENABLE_PROGRESS_BARS=0",
    "SSH_ASKPASS=/usr/bin/false",
    "npm_config_yes=true",
    "PNPM_DISABLE_SELF_UPDATE_CHECK=true",
    "npm_config_update_notifier=false",
    "npm_config_fund=false",
    "npm_config_audit=false",
    "npm_config_progress=false",
    "PNPM_UPDATE_NOTIFIER=false",
    "CARGO_TERM_PROGRESS_WHEN=never",
    "DEBIAN_FRONTEND=noninteractive",
    "KEDGECODE=1",
    "CLAUDECODE=1",
};

static char **set_entry(char **env, const char *entry)
{
    const char *equals = strchr(entry, '=');
    g_autofree char *name = g_strndup(entry, (size_t)(equals - entry));
    return g_environ_setenv(env, name, equals + 1, TRUE);
}

static char **passed_names(const Settings *settings)
{
    GPtrArray *names = g_ptr_array_new();
    json_each (settings_get_json(settings, "env.pass"), i, name) {
        if (json_is_string(name))
            g_ptr_array_add(names, g_strdup(json_string_value(name)));
    }
    g_ptr_array_add(names, NULL);
    return (char **)g_ptr_array_free(names, FALSE);
}

/* A project may ask for it, and not take it back. */
static bool is_inheriting_safely(const Settings *settings)
{
    const char *user = json_string_value(settings_user_json(settings, "env.inherit"));
    const char *project = json_string_value(settings_project_json(settings, "env.inherit"));
    return g_strcmp0(user, "safe") == 0 || g_strcmp0(project, "safe") == 0;
}

char **bash_environment(const Settings *settings, const char *shell)
{
    g_auto(GStrv) pass = passed_names(settings);
    const char *const *names = (const char *const *)pass;
    char **env = is_inheriting_safely(settings) ? env_for_safe_child(names) : env_for_child(names);
    env = g_environ_setenv(env, "SHELL", shell, TRUE);
    if (!env_flag("BASH_NO_CI"))
        env = g_environ_setenv(env, "CI", "1", TRUE);
    for (size_t i = 0; i < G_N_ELEMENTS(quiet); i++)
        env = set_entry(env, quiet[i]);
    return env;
}

const char *bash_command_prefix(void)
{
    const char *prefix = env_get("SHELL_PREFIX");
    return prefix ? prefix : env_get_raw("CLAUDE_CODE_SHELL_PREFIX");
}

/* The rc file may print, fail or exit: only what comes whole, up to the end mark, is used. Names of
   everyday tools stay what they are, whatever the user's own shell makes of them. */
static const char snapshot_script[] =
    "exec 3>&1 </dev/null >/dev/null 2>&1\n"
    ". ~/.bashrc\n"
    "exec 1>&3 3>&-\n"
    "common=' ls dir vdir cat head tail less more grep egrep fgrep rg find fd locate sed awk perl "
    "cp"
    " mv rm mkdir rmdir touch chmod chown ln pwd readlink stat cut sort uniq xargs tee tr basename"
    " dirname '\n"
    "echo '# Functions, options, aliases and PATH of ~/.bashrc'\n"
    "echo 'unalias -a 2>/dev/null || true'\n"
    "while read -r _ _ name; do\n"
    "  case $name in _*) continue ;; esac\n"
    "  case $common in *\" $name \"*) continue ;; esac\n"
    "  declare -f -- \"$name\"\n"
    "done < <(declare -F)\n"
    "shopt -p | while read -r line; do\n"
    "  case $line in *' login_shell' | *' restricted_shell') ;; *) echo \"$line\" ;; esac\n"
    "done\n"
    "set -o | while read -r name state; do\n"
    "  case $name in onecmd | monitor | restricted) continue ;; esac\n"
    "  [ \"$state\" = on ] && echo \"set -o $name\"\n"
    "done\n"
    "echo 'shopt -s expand_aliases'\n"
    "count=0\n"
    "for name in \"${!BASH_ALIASES[@]}\"; do\n"
    "  case $common in *\" $name \"*) continue ;; esac\n"
    "  [ $((count += 1)) -le 1000 ] && printf 'alias -- %q=%q\\n' \"$name\" "
    "\"${BASH_ALIASES[$name]}\"\n"
    "done\n"
    "printf 'export PATH=%q\\n' \"$PATH\"\n"
    "echo '# end of snapshot'\n";

static bool has_rc_file(void)
{
    g_autofree char *home = dirs_home();
    g_autofree char *path = g_build_filename(home, ".bashrc", NULL);
    return access(path, R_OK) == 0;
}

/* The directory for snapshots, when it is ours alone: others may write to the temporary directory.
 */
static char *snapshot_dir(void)
{
    g_autofree char *dir = g_build_filename(dirs_temp(), "kedge-shell-snapshots", NULL);
    if (mkdir(dir, 0700) < 0 && errno != EEXIST)
        return NULL;
    struct stat info;
    bool is_ours = lstat(dir, &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == geteuid() &&
                   (info.st_mode & 077) == 0;
    return is_ours ? g_steal_pointer(&dir) : NULL;
}

char *bash_snapshot_write(const char *snapshot)
{
    g_autofree char *dir = snapshot_dir();
    if (!dir)
        return NULL;
    g_autofree char *uuid = g_uuid_string_random();
    g_autofree char *path = g_strdup_printf("%s/snapshot-bash-%s.sh", dir, uuid);
    g_auto(Fd) fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return NULL;
    if (!fd_write_all(fd, snapshot, strlen(snapshot), path, NULL)) {
        unlink(path);
        return NULL;
    }
    return g_steal_pointer(&path);
}

char *bash_snapshot_make(const char *shell, const char *const *env, Cancel *cancel)
{
    if (!bash_shell_is(shell, "bash") || !has_rc_file())
        return NULL;

    g_auto(GStrv) own_env = g_strdupv((char **)env);
    own_env = g_environ_unsetenv(own_env, "BASH_ENV");
    own_env = g_environ_unsetenv(own_env, "ENV");
    const ProcSpec spec = {
        .argv = (const char *const[]) { shell, "-c", snapshot_script, NULL },
        .env = (const char *const *)own_env,
        .profile = PROC_PROFILE_RUN,
        .timeout_ms = SNAPSHOT_TIMEOUT_MS,
        .max_output_bytes = SNAPSHOT_MAX_BYTES,
    };
    g_auto(ProcResult) result = { 0 };
    if (!proc_run(&spec, cancel, &result, NULL) || result.dropped_bytes > 0 ||
        !g_str_has_suffix(result.output, SNAPSHOT_END))
        return NULL;
    return g_steal_pointer(&result.output);
}

/* As a script, and not as what is typed, since then it stops at the first error. */
char *bash_parse(const Settings *settings, const char *shell, const char *text, Cancel *cancel,
                 GError **error)
{
    g_auto(GStrv) env = bash_environment(settings, shell);
    env = g_environ_unsetenv(env, "BASH_ENV");
    env = g_environ_setenv(env, "LC_ALL", "C", TRUE);
    const ProcSpec spec = {
        .argv = (const char *const[]) { shell, "-n", "-O", "extglob", "/dev/stdin", NULL },
        .env = (const char *const *)env,
        .input = text,
        .profile = PROC_PROFILE_READER,
        .timeout_ms = PARSE_MS,
        .max_output_bytes = PARSE_MAX_BYTES,
    };
    g_auto(ProcResult) result = { 0 };
    if (!proc_run(&spec, cancel, &result, error))
        return NULL;
    return g_steal_pointer(&result.output);
}
