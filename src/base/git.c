/*
 * Environment, options and limits of git (git.h).
 *
 * The user's own configuration counts (insteadOf, credential helpers, proxies). A repository's own
 * configuration names programs in many places; each is closed here for the commands that look only.
 * A filter has a name that only the configuration knows, so it is asked first, and each one found
 * is emptied by an entry of the environment, which is read after every file.
 */
#include "base/git.h"

#include "base/env.h"
#include "base/git_dir.h"
#include "base/limits.h"
#include "base/proc.h"
#include "base/str.h"
#include "base/utf8.h"

#define GIT_TIMEOUT_MS    (60 * 1000)
#define MAX_FILTER_KEYS   512
#define FILTER_KEYS_BYTES ((size_t)64 * 1024)
#define NO_TRANSPORT      "none" // no protocol has this name

static const char *const options[] = {
    "-c", "protocol.ext.allow=never",
    "-c", "core.fsmonitor=false",
    "-c", "core.untrackedCache=false",
    "-c", "core.quotepath=off",
    "-c", "color.ui=false",
};

/* Not for the others: hooks get git's options, too, and one that shows a diff would fail. */
static const char *const reading_options[] = {
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "diff.external=",
    "-c",
    "log.showSignature=false", // it would run gpg.program
    "-c",
    "format.pretty=medium", // "%G?" would, too
};

/* They would point git at another repository than that of the directory, or start a program. */
static const char *const unset[] = {
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_PREFIX",
    "GIT_EXTERNAL_DIFF",
    "GIT_CONFIG", // `git config` would read another file than git does
};

static const char *const changing[] = {
    "add",  "checkout", "worktree", "branch", "config", "remote", "fetch",
    "push", "commit",   "merge",    "apply",  "reset",  "stash",  NULL,
};

/* Reading commands that never look at the files of a work tree, so need not ask for filters. */
static const char *const blind[] = {
    "cat-file",     "check-ref-format", "for-each-ref", "hash-object", "ls-remote", "merge-base",
    "merge-file",   "read-tree",        "rev-list",     "rev-parse",   "show-ref",  "symbolic-ref",
    "update-index", "update-ref",       "version",      "write-tree",  NULL,
};

static const char *const with_diffs[] = {
    "annotate",     "blame", "diff", "diff-files",  "diff-index", "diff-tree",
    "format-patch", "log",   "show", "whatchanged", NULL,
};

/* A submodule's own configuration has filters, too: git would look at it in a child. */
static const char *const with_submodules[] = { "diff", "diff-files", "diff-index", "status", NULL };

void git_result_clear(GitResult *self)
{
    g_clear_pointer(&self->output, g_free);
    g_clear_pointer(&self->error_output, g_free);
}

/* Where the subcommand stands in `args`: behind git's own options. The end when there is none. */
static size_t subcommand_index(const char *const *args)
{
    size_t i = 0;
    while (args[i] && args[i][0] == '-') {
        bool has_value = strcmp(args[i], "-c") == 0 || strcmp(args[i], "--git-dir") == 0;
        i += has_value && args[i + 1] != NULL ? 2 : 1;
    }
    return i;
}

static bool is_listed(const char *subcommand, const char *const *list)
{
    return subcommand != NULL && g_strv_contains(list, subcommand);
}

/* Adds KEY= (false for required) as an entry that overrides every file. Takes over `env`. */
static char **env_add_empty(char **env, const char *key)
{
    const char *text = g_environ_getenv(env, "GIT_CONFIG_COUNT");
    int64_t count = 0;
    if (text && !str_parse_int(text, &count))
        return env; // git itself refuses to run with it
    g_autofree char *key_name = g_strdup_printf("GIT_CONFIG_KEY_%" G_GINT64_FORMAT, count);
    g_autofree char *value_name = g_strdup_printf("GIT_CONFIG_VALUE_%" G_GINT64_FORMAT, count);
    g_autofree char *next = g_strdup_printf("%" G_GINT64_FORMAT, count + 1);
    env = g_environ_setenv(env, key_name, key, true);
    env =
        g_environ_setenv(env, value_name, g_str_has_suffix(key, ".required") ? "false" : "", true);
    return g_environ_setenv(env, "GIT_CONFIG_COUNT", next, true);
}

static char **git_spec_environment(const GitSpec *spec, bool is_reading, const char *subcommand)
{
    char **env = spec->env != NULL ? g_strdupv((char **)spec->env) : env_for_child(NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(unset); i++)
        env = g_environ_unsetenv(env, unset[i]);
    if (spec->index_file)
        env = g_environ_setenv(env, "GIT_INDEX_FILE", spec->index_file, true);
    env = g_environ_setenv(env, "GIT_TERMINAL_PROMPT", "0", true);
    env = g_environ_setenv(env, "GIT_PAGER", "cat", true);
    env = g_environ_setenv(env, "LC_ALL", "C.UTF-8", true);
    if (!spec->may_fetch_missing)
        env = g_environ_setenv(env, "GIT_NO_LAZY_FETCH", "1", true);
    if (!is_reading)
        return env;
    env = g_environ_setenv(env, "GIT_OPTIONAL_LOCKS", "0", true);
    // git before 2.45 does not know GIT_NO_LAZY_FETCH everywhere
    if (strcmp(subcommand, "ls-remote") != 0)
        env = g_environ_setenv(env, "GIT_ALLOW_PROTOCOL", NO_TRANSPORT, true);
    return env;
}

static void add_all(GPtrArray *argv, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        g_ptr_array_add(argv, (char *)words[i]);
}

static GPtrArray *command_line(const char *program, const char *const *args, bool is_reading)
{
    static const char *const plain_diff[] = { "--no-ext-diff", "--no-textconv" };
    size_t at = subcommand_index(args);
    GPtrArray *argv = g_ptr_array_new();
    g_ptr_array_add(argv, (char *)program);
    add_all(argv, options, G_N_ELEMENTS(options));
    if (is_reading)
        add_all(argv, reading_options, G_N_ELEMENTS(reading_options));
    add_all(argv, args, at);
    if (args[at]) {
        g_ptr_array_add(argv, (char *)args[at]);
        if (is_listed(args[at], with_diffs))
            add_all(argv, plain_diff, G_N_ELEMENTS(plain_diff));
        if (is_listed(args[at], with_submodules))
            g_ptr_array_add(argv, (char *)"--ignore-submodules=dirty");
        add_all(argv, args + at + 1, g_strv_length((char **)args + at + 1));
    }
    g_ptr_array_add(argv, NULL);
    return argv;
}

static bool git_spec_run(const GitSpec *spec, const char *program, char **env, bool is_reading,
                         Cancel *cancel, ProcResult *ret_result, GError **error)
{
    g_autoptr(GPtrArray) argv = command_line(program, spec->args, is_reading);
    g_autofree char *top = git_dir_marked(spec->dir);
    const ProcSpec proc = {
        .argv = (const char *const *)argv->pdata,
        .cwd = spec->dir,
        .env = (const char *const *)env,
        .trees = (const char *const[]) { top ? top : spec->dir, NULL },
        .profile = is_reading ? PROC_PROFILE_TOOL : PROC_PROFILE_CHANGER,
        .timeout_ms = spec->timeout_ms > 0 ? spec->timeout_ms : GIT_TIMEOUT_MS,
        .max_output_bytes =
            spec->max_output_bytes > 0 ? spec->max_output_bytes : LIMIT_GIT_OUTPUT_BYTES,
        .keep = PROC_KEEP_HEAD,
        .has_own_stderr = true,
        .is_bytes = spec->is_bytes,
    };
    g_auto(ProcResult) result = { 0 };
    if (!proc_run(&proc, cancel, &result, error))
        return false;
    if (result.dropped_bytes > 0)
        return fail_with(error, KEDGE_ERROR_LIMIT, "git %s: the output is too large",
                         spec->args[subcommand_index(spec->args)]);
    *ret_result = result;
    result = (ProcResult) { 0 };
    return true;
}

/* Empties each filter that the configuration names, in *env. */
static bool close_filters(const GitSpec *spec, const char *program, Cancel *cancel, char ***env,
                          GError **error)
{
    const GitSpec question = {
        .dir = spec->dir,
        .args = (const char *const[]) { "config", "--name-only", "-z", "--get-regexp", "^filter\\.",
                                        NULL },
        .timeout_ms = spec->timeout_ms,
        .max_output_bytes = FILTER_KEYS_BYTES,
        .is_bytes = true,
    };
    g_auto(ProcResult) result = { 0 };
    if (!git_spec_run(&question, program, *env, true, cancel, &result, error)) {
        g_prefix_error(error, "cannot tell which filters git would run: ");
        return false;
    }
    if (result.exit_status != 0) // none, or no repository: git will say so itself
        return true;
    g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
    for (const char *key = result.output; key < result.output + result.output_size;
         key += strlen(key) + 1) {
        if (!g_hash_table_add(seen, (char *)key))
            continue;
        if (g_hash_table_size(seen) > MAX_FILTER_KEYS)
            return fail_with(error, KEDGE_ERROR_LIMIT,
                             "%s: git's configuration has more than %d entries about filters",
                             spec->dir, MAX_FILTER_KEYS);
        *env = env_add_empty(*env, key);
    }
    return true;
}

bool git_start(const GitSpec *spec, Cancel *cancel, GitResult *ret_result, GError **error)
{
    g_autofree char *program = proc_find_program("git");
    if (!program)
        return fail_with(error, KEDGE_ERROR_NOT_FOUND, "git is not installed.");
    const char *subcommand = spec->args[subcommand_index(spec->args)];
    bool is_reading = subcommand != NULL && !is_listed(subcommand, changing);
    g_auto(GStrv) env = git_spec_environment(spec, is_reading, subcommand);
    g_auto(ProcResult) result = { 0 };
    if ((is_reading && !is_listed(subcommand, blind) &&
         !close_filters(spec, program, cancel, &env, error)) ||
        !git_spec_run(spec, program, env, is_reading, cancel, &result, error))
        return false;
    ret_result->output =
        spec->is_bytes ? g_steal_pointer(&result.output) : utf8_trim(result.output);
    ret_result->output_size = spec->is_bytes ? result.output_size : strlen(ret_result->output);
    ret_result->error_output = utf8_trim(result.error_output);
    ret_result->exit_status = result.exit_status;
    return true;
}
