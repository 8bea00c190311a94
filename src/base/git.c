/*
 * Environment, options and limits of git (git.h).
 *
 * The user's own configuration counts (insteadOf, credential helpers, proxies). A repository's own
 * configuration names programs in many places. A filter or a helper has a name that only the
 * configuration knows, so it is asked first; git_programs.h closes what was found.
 */
#include "base/git.h"

#include "base/env.h"
#include "base/git_dir.h"
#include "base/git_kept.h"
#include "base/git_programs.h"
#include "base/limits.h"
#include "base/proc.h"
#include "base/str.h"
#include "base/utf8.h"

#define GIT_TIMEOUT_MS (60 * 1000)
#define PROGRAMS_BYTES ((size_t)256 * 1024)
#define GIT_DIR_OPTION "--git-dir="
#define FILE_URL       "file://"
#define NO_TRANSPORT   "none" // no protocol has this name
#define EXIT_NO_KEY    1

static const char *const options[] = {
    "-c", "protocol.ext.allow=never",
    "-c", "core.fsmonitor=false",
    "-c", "core.untrackedCache=false",
    "-c", "core.quotepath=off",
    "-c", "color.ui=false",
};

/* Of all but the person's own commands: their hooks get git's options, too, and one that shows a
   diff would fail with those of reading ones. */
static const char *const closed_options[] = { "-c", "core.hooksPath=/dev/null" };

static const char *const reading_options[] = {
    "-c",
    "diff.external=",
    "-c",
    "log.showSignature=false", // it would run gpg.program
    "-c",
    "format.pretty=medium", // "%G?" would, too
};

/* A submodule has hooks and filters of its own; what tidies up in the background would outlive the
   command, with its environment. */
static const char *const changing_options[] = {
    "-c", "submodule.recurse=false",
    "-c", "fetch.recurseSubmodules=false",
    "-c", "push.recurseSubmodules=no",
    "-c", "maintenance.auto=false",
    "-c", "gc.auto=0",
};

/* They would point git at another repository than that of the directory, or start a program. */
const char *const git_misleading[] = {
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_PREFIX",
    "GIT_EXTERNAL_DIFF",
    "GIT_CONFIG", // `git config` would read another file than git does
    NULL,
};

static const char *const changing[] = {
    "add",  "checkout", "worktree", "branch", "config", "remote", "fetch",
    "push", "commit",   "merge",    "apply",  "reset",  "stash",  NULL,
};

static const char *const connecting[] = { "fetch", "ls-remote", "push", NULL };

/* They write files, or connect: programs that the configuration names would run. */
static const char *const starting[] = {
    "add",   "apply", "checkout", "commit", "fetch",    "ls-remote",
    "merge", "push",  "reset",    "stash",  "worktree", NULL,
};

/* Reading commands that never look at the files of a work tree, so need not ask for filters. One
   that writes an index does: it compares entries that are as young as the index is. */
static const char *const blind[] = {
    "cat-file",     "check-ref-format", "for-each-ref", "hash-object", "ls-remote",
    "merge-base",   "merge-file",       "rev-list",     "rev-parse",   "show-ref",
    "symbolic-ref", "update-ref",       "version",      NULL,
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
    g_clear_pointer(&self->left_off, g_free);
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

/* What is done about one command. */
typedef struct Care {
    bool is_reading, connects, is_own;
    bool has_no_hooks;  // "config" is asked where they are
    bool asks_filters;  // all of them are to be emptied
    bool asks_programs; // those that a stranger could replace are
    const char *other;  // repository of this machine that git opens, too; borrowed, NULL: none
} Care;

static Care care_for(const GitSpec *spec)
{
    size_t at = subcommand_index(spec->args);
    const char *subcommand = spec->args[at];
    Care care = { .is_reading = subcommand && !is_listed(subcommand, changing),
                  .connects = is_listed(subcommand, connecting),
                  .is_own = spec->is_own };
    care.has_no_hooks = !care.is_own && g_strcmp0(subcommand, "config") != 0;
    bool only_lists = subcommand && strcmp(subcommand, "worktree") == 0 &&
                      g_strcmp0(spec->args[at + 1], "add") != 0;
    care.asks_filters = spec->only_looks || (care.is_reading && !is_listed(subcommand, blind));
    care.asks_programs = is_listed(subcommand, starting) && !care.is_own && !only_lists;
    return care;
}

static char **git_spec_environment(const GitSpec *spec, const Care *care)
{
    char **env = spec->env != NULL ? g_strdupv((char **)spec->env) : env_for_child(NULL);
    for (size_t i = 0; git_misleading[i]; i++)
        env = g_environ_unsetenv(env, git_misleading[i]);
    if (spec->index_file)
        env = g_environ_setenv(env, "GIT_INDEX_FILE", spec->index_file, true);
    env = g_environ_setenv(env, "GIT_TERMINAL_PROMPT", "0", true);
    env = g_environ_setenv(env, "GIT_PAGER", "cat", true);
    env = g_environ_setenv(env, "LC_ALL", "C.UTF-8", true);
    env = g_environ_setenv(env, "GIT_NO_LAZY_FETCH", "1", true);
    if (care->is_own)
        return env;
    env = git_programs_close_variables(env, spec->tree);
    if (!care->connects)
        env_drop_secrets(env);
    if (care->is_reading)
        env = g_environ_setenv(env, "GIT_OPTIONAL_LOCKS", "0", true);
    // git before 2.45 does not know GIT_NO_LAZY_FETCH everywhere
    if (!care->connects)
        env = g_environ_setenv(env, "GIT_ALLOW_PROTOCOL", NO_TRANSPORT, true);
    return env;
}

static void add_all(GPtrArray *argv, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        g_ptr_array_add(argv, (char *)words[i]);
}

static GPtrArray *command_line(const char *program, const char *const *args, const Care *care)
{
    static const char *const plain_diff[] = { "--no-ext-diff", "--no-textconv" };
    size_t at = subcommand_index(args);
    GPtrArray *argv = g_ptr_array_new();
    g_ptr_array_add(argv, (char *)program);
    add_all(argv, options, G_N_ELEMENTS(options));
    if (care->has_no_hooks)
        add_all(argv, closed_options, G_N_ELEMENTS(closed_options));
    if (care->is_reading)
        add_all(argv, reading_options, G_N_ELEMENTS(reading_options));
    else if (!care->is_own)
        add_all(argv, changing_options, G_N_ELEMENTS(changing_options));
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

/* The tree of the git directory that --git-dir names; NULL: none is named. Caller frees. */
static char *named_tree(const char *const *args)
{
    for (size_t i = 0; args[i] && args[i][0] == '-'; i++) {
        const char *dir = args[i] + strlen(GIT_DIR_OPTION);
        if (!str_has_prefix(args[i], GIT_DIR_OPTION))
            continue;
        return g_str_has_suffix(dir, "/.git") ? g_path_get_dirname(dir) : g_strdup(dir);
    }
    return NULL;
}

static bool git_spec_run(const GitSpec *spec, const char *program, char **env, const Care *care,
                         Cancel *cancel, ProcResult *ret_result, GError **error)
{
    g_autoptr(GPtrArray) argv = command_line(program, spec->args, care);
    g_autofree char *top = git_dir_marked(spec->dir);
    g_autofree char *named = named_tree(spec->args);
    const char *const trees[] = { top ? top : spec->dir, named ? named : care->other,
                                  named ? care->other : NULL, NULL };
    const ProcSpec proc = {
        .argv = (const char *const *)argv->pdata,
        .cwd = spec->dir,
        .env = (const char *const *)env,
        .trees = trees,
        .profile = care->is_reading ? PROC_PROFILE_TOOL : PROC_PROFILE_CHANGER,
        .input = spec->input,
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

/* Without the entries that include other files; their number. */
static unsigned drop_includes(const ProcResult *result, GString *ret_rest)
{
    unsigned count = 0;
    const char *end = result->output + result->output_size;
    for (const char *at = result->output, *next; at < end; at = next) {
        const char *nul = memchr(at, '\0', (size_t)(end - at));
        next = nul ? nul + 1 : end;
        if (str_has_prefix(at, "include"))
            count++;
        else
            g_string_append_len(ret_rest, at, next - at);
    }
    return count;
}

/* The entries of the configuration whose keys match, as -z prints them; NULL: git failed. Caller
   frees. */
static char *ask_for_keys(const GitSpec *spec, const char *program, const char *keys,
                          Cancel *cancel, char **env, size_t *ret_size, GError **error)
{
    static const Care looks = { .is_reading = true, .has_no_hooks = true };
    g_autofree char *kept_key = git_kept_key(spec->dir, keys, (const char *const *)env);
    char *kept = kept_key ? git_kept_find(kept_key, ret_size) : NULL;
    if (kept)
        return kept;
    g_autofree char *all = g_strconcat(keys, "|^include(if\\..*)?\\.path$", NULL);
    const GitSpec question = {
        .dir = spec->dir,
        .args = (const char *const[]) { "config", "-z", "--get-regexp", all, NULL },
        .timeout_ms = spec->timeout_ms,
        .max_output_bytes = PROGRAMS_BYTES,
        .is_bytes = true,
    };
    g_auto(ProcResult) result = { 0 };
    if (!git_spec_run(&question, program, env, &looks, cancel, &result, error)) {
        g_prefix_error(error, "cannot tell which filters git would run: ");
        return NULL;
    }
    GString *rest = g_string_new(NULL);
    bool is_whole = result.exit_status == 0 || result.exit_status == EXIT_NO_KEY;
    if (result.exit_status == 0 && drop_includes(&result, rest) > 0)
        is_whole = false;
    if (kept_key && is_whole)
        git_kept_put(kept_key, rest->str, rest->len);
    *ret_size = rest->len;
    return g_string_free(rest, FALSE);
}

/* Asks the configuration for the keys that match, and closes what is to be closed, in *env.
 *ret_left_off: what, in words; NULL: nothing that is to be said. */
static bool close_programs(const GitSpec *spec, const char *program, const Care *care,
                           Cancel *cancel, char ***env, char **ret_left_off, GError **error)
{
    const char *keys = care->asks_filters ? GIT_FILTER_KEYS
                       : care->connects   ? GIT_HELPER_KEYS
                                          : GIT_PROGRAM_KEYS;
    size_t size = 0;
    g_autofree char *entries = ask_for_keys(spec, program, keys, cancel, *env, &size, error);
    if (!entries)
        return false;
    if (size == 0) // none, or no repository: git will say so itself
        return true;
    if (care->asks_filters)
        return git_programs_close_filters(entries, size, env, error);
    g_autoptr(GPtrArray) left_off = g_ptr_array_new_with_free_func(g_free);
    if (!git_programs_close_foreign(entries, size, spec->tree, care->connects, env, left_off,
                                    error))
        return false;
    bool is_any = left_off->len > 0;
    g_ptr_array_add(left_off, NULL);
    *ret_left_off = is_any ? g_strjoinv(", ", (char **)left_off->pdata) : NULL;
    return true;
}

/* https://host/…, host:path; a path or file:// is none. */
static bool is_of_network(const char *url)
{
    const char *colon = strchr(url, ':'), *slash = strchr(url, '/');
    return colon && (!slash || colon < slash) && !str_has_prefix(url, "file:");
}

/* The repository of this machine to which the command connects; NULL: there is none, or git says
   itself that there is no such remote. A remote has one address for what is fetched, and any number
   to push to. Caller frees. */
static char *repository_here(const GitSpec *spec, const char *program, char **env, Cancel *cancel)
{
    static const Care looks = { .is_reading = true, .has_no_hooks = true };
    size_t at = subcommand_index(spec->args);
    bool pushes = strcmp(spec->args[at], "push") == 0;
    const char *const *remote = spec->args + at + 1;
    while (*remote && **remote == '-')
        remote++;
    const char *const of_remote[] = {
        "remote", "get-url", "--all", pushes ? "--push" : "--all", "--end-of-options", *remote, NULL
    };
    const char *const of_any[] = { "ls-remote", "--get-url", "--end-of-options", *remote, NULL };
    const char *const *const questions[] = { of_remote, of_any };
    for (size_t i = 0; *remote && i < G_N_ELEMENTS(questions); i++) {
        const GitSpec question = { .dir = spec->dir, .args = questions[i] };
        g_auto(ProcResult) result = { 0 };
        if (!git_spec_run(&question, program, env, &looks, cancel, &result, NULL) ||
            result.exit_status != 0)
            continue;
        g_auto(GStrv) urls = g_strsplit(result.output, "\n", -1);
        for (char **url = urls; *url; url++)
            if (**url != '\0' && !is_of_network(*url))
                return g_strdup(str_has_prefix(*url, FILE_URL) ? *url + strlen(FILE_URL) : *url);
        return NULL;
    }
    return NULL;
}

bool git_start(const GitSpec *spec, Cancel *cancel, GitResult *ret_result, GError **error)
{
    g_autofree char *program = proc_find_program("git");
    if (!program)
        return fail_with(error, KEDGE_ERROR_NOT_FOUND, "git is not installed.");
    Care care = care_for(spec);
    g_autofree char *left_off = NULL;
    g_auto(GStrv) env = git_spec_environment(spec, &care);
    g_auto(ProcResult) result = { 0 };
    g_autofree char *here =
        care.connects && !care.is_own ? repository_here(spec, program, env, cancel) : NULL;
    if (here) // git runs its hooks, with our environment
        env_drop_secrets(env);
    care.other = here;
    if (((care.asks_filters || care.asks_programs) &&
         !close_programs(spec, program, &care, cancel, &env, &left_off, error)) ||
        !git_spec_run(spec, program, env, &care, cancel, &result, error))
        return false;
    ret_result->output =
        spec->is_bytes ? g_steal_pointer(&result.output) : utf8_trim(result.output);
    ret_result->output_size = spec->is_bytes ? result.output_size : strlen(ret_result->output);
    ret_result->error_output = utf8_trim(result.error_output);
    ret_result->left_off = g_steal_pointer(&left_off);
    ret_result->exit_status = result.exit_status;
    return true;
}

bool git_close_filters(const char *dir, bool writes_tree, Cancel *cancel, char ***env,
                       GError **error)
{
    g_autofree char *left_off = NULL;
    g_autofree char *program = proc_find_program("git");
    const GitSpec spec = { .dir = dir ? dir : "." };
    const Care care = { .asks_filters = !writes_tree, .asks_programs = writes_tree };
    GError *failed = NULL;
    if (!program || close_programs(&spec, program, &care, cancel, env, &left_off, &failed))
        return true;
    if (error_is(failed, KEDGE_ERROR_NOT_FOUND)) { // the directory: whoever starts there reports it
        g_error_free(failed);
        return true;
    }
    return pass_error(error, &failed);
}
