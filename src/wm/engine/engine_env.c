/*
 * The environment of a run's agent program (engine.h, task-engine §5.6): what kedge was started
 * with, keys of models included, without what steers the runner; and the variables of the run.
 *
 * A rehearsal's has nothing with which GitHub could be changed: no token, no login, and a git that
 * speaks no protocol.
 */
#include "base/env.h"
#include "base/git.h"
#include "base/secret_names.h"
#include "base/secrets.h"
#include "base/str.h"
#include "wm/engine/engine_self.h"
#include "wm/task/command_files.h"

#include <string.h>

#define DEFAULT_PATH    "/usr/local/bin:/usr/bin:/bin"
#define DEFAULT_SERVER  "https://github.com"
#define BOT_NAME        "github-actions[bot]"
#define BOT_EMAIL       "41898282+github-actions[bot]@users.noreply.github.com"
#define GIT_TIMEOUT_MS  (5 * 1000)
#define MAX_EMAIL_BYTES ((size_t)4096)
#define MAX_GIT_CONFIGS 1000 // that were given to us

// answers git in the child, where the token is
#define HELPER                                                                                     \
    "!f() { test \"$1\" = get || exit 0; echo username=x-access-token; "                           \
    "echo \"password=${GH_TOKEN:-$GITHUB_TOKEN}\"; }; f"

static void engine_env_set(char ***env, const char *name, const char *value)
{
    *env = g_environ_setenv(*env, name, value, TRUE);
}

static void engine_env_unset(char ***env, const char *name)
{
    *env = g_environ_unsetenv(*env, name);
}

static bool is_in_actions(char **env)
{
    return g_strcmp0(g_environ_getenv(env, "GITHUB_ACTIONS"), "true") == 0;
}

const char *wm_agent_root(const WmAgentSpec *spec)
{
    return spec->root ? spec->root : spec->project->root;
}

/* One more setting of git, behind those that the environment has already. */
static void add_git_config(char ***env, const char *key, const char *value)
{
    const char *given = g_environ_getenv(*env, "GIT_CONFIG_COUNT");
    gint64 count = given ? g_ascii_strtoll(given, NULL, 10) : 0;
    count = count < 0 || count > MAX_GIT_CONFIGS ? 0 : count;
    g_autofree char *key_name = g_strdup_printf("GIT_CONFIG_KEY_%" G_GINT64_FORMAT, count);
    g_autofree char *value_name = g_strdup_printf("GIT_CONFIG_VALUE_%" G_GINT64_FORMAT, count);
    g_autofree char *total = g_strdup_printf("%" G_GINT64_FORMAT, count + 1);
    engine_env_set(env, key_name, key);
    engine_env_set(env, value_name, value);
    engine_env_set(env, "GIT_CONFIG_COUNT", total);
}

static bool git_has_email(const char *root)
{
    static const char *const args[] = { "config", "--get", "user.email", NULL };
    const GitSpec spec = {
        .dir = root,
        .args = args,
        .timeout_ms = GIT_TIMEOUT_MS,
        .max_output_bytes = MAX_EMAIL_BYTES,
    };
    g_auto(GitResult) result = { 0 };
    return git_start(&spec, NULL, &result, NULL) && result.exit_status == 0 && *result.output;
}

/* On a runner commits need an author, and fetches the token that the checkout did not keep. */
static void add_runner(char ***env, const WmAgentSpec *spec)
{
    static const char *const identity[][2] = {
        { "GIT_AUTHOR_NAME", BOT_NAME },
        { "GIT_AUTHOR_EMAIL", BOT_EMAIL },
        { "GIT_COMMITTER_NAME", BOT_NAME },
        { "GIT_COMMITTER_EMAIL", BOT_EMAIL },
    };
    if (!git_has_email(wm_agent_root(spec)))
        for (size_t i = 0; i < G_N_ELEMENTS(identity); i++)
            *env = g_environ_setenv(*env, identity[i][0], identity[i][1], FALSE);
    if (!g_environ_getenv(*env, "GH_TOKEN") && !g_environ_getenv(*env, "GITHUB_TOKEN"))
        return;
    const char *given = env_get_raw("GITHUB_SERVER_URL");
    g_autofree char *server = g_strdup(given ? given : DEFAULT_SERVER);
    while (g_str_has_suffix(server, "/"))
        server[strlen(server) - 1] = '\0';
    g_autofree char *key = g_strdup_printf("credential.%s.helper", server);
    add_git_config(env, key, HELPER);
}

/* A credential that is no model's: of GitHub or of another service that a program could write to.
 */
static bool is_token(const char *name)
{
    if (secret_kind(name) == SECRET_TOKEN)
        return true;
    if (secret_is_provider_key(name) || str_has_prefix(name, "CLAUDE_") ||
        str_has_prefix(name, "ANTHROPIC_"))
        return false;
    return g_str_has_suffix(name, "_TOKEN") || g_str_has_suffix(name, "_PAT") ||
           g_str_has_suffix(name, "_PASSWORD") || g_str_equal(name, "SSH_AUTH_SOCK") ||
           g_str_equal(name, "GIT_SSH_COMMAND") || g_str_equal(name, "GIT_SSH");
}

static void unset_credentials(char ***env)
{
    g_auto(GStrv) entries = g_strdupv(*env);
    for (char **entry = entries; *entry; entry++) {
        (*entry)[strcspn(*entry, "=")] = '\0';
        if (is_token(*entry) || str_has_prefix(*entry, "GIT_CONFIG_"))
            engine_env_unset(env, *entry);
    }
}

static void close_environment(char ***env, const WmAgentSpec *spec)
{
    unset_credentials(env);
    if (spec->repo) // the clone's origin does not tell
        engine_env_set(env, "GH_REPO", spec->repo);
    g_autofree char *login = g_build_filename(spec->run_dir, "no-login", NULL);
    engine_env_set(env, "GH_CONFIG_DIR", login);
    engine_env_set(env, "GH_PROMPT_DISABLED", "1");
    engine_env_set(env, "DBUS_SESSION_BUS_ADDRESS", "disabled:"); // gh asks the key ring behind it
    // whatever any configuration says of single protocols
    engine_env_set(env, "GIT_ALLOW_PROTOCOL", "none");
    engine_env_set(env, "GIT_TERMINAL_PROMPT", "0");
    engine_env_set(env, "GIT_ASKPASS", "/bin/false");
    engine_env_set(env, "SSH_ASKPASS", "/bin/false");
    engine_env_set(env, "GIT_SSH_COMMAND", "/bin/false");
    add_git_config(env, "protocol.allow", "never");
    add_git_config(env, "credential.helper", "");
    static const char *const prefixes[] = { "https://", "http://", "ssh://", "git@", "file://" };
    for (size_t i = 0; i < G_N_ELEMENTS(prefixes); i++)
        add_git_config(env, "url.rehearsal-does-not-push:.pushInsteadOf", prefixes[i]);
    engine_env_set(env, "KEDGE_WM_STAGED", "1");
}

/* A token that is meant for agents takes the place of kedge's own, also in a rehearsal: whoever set
   it vouches that it only reads. */
static void give_own_token(char ***env)
{
    const char *token = secrets_get("KEDGE_WM_AGENT_TOKEN");
    engine_env_unset(env, "KEDGE_WM_AGENT_TOKEN");
    if (!token)
        return;
    engine_env_set(env, "GH_TOKEN", token);
    engine_env_unset(env, "GITHUB_TOKEN");
    engine_env_unset(env, "GH_ENTERPRISE_TOKEN");
    engine_env_unset(env, "GITHUB_ENTERPRISE_TOKEN");
}

static void add_number(char ***env, const char *name, int64_t number)
{
    if (number <= 0) {
        engine_env_unset(env, name);
        return;
    }
    g_autofree char *text = g_strdup_printf("%" G_GINT64_FORMAT, (gint64)number);
    engine_env_set(env, name, text);
}

static void add_optional(char ***env, const char *name, const char *value)
{
    if (value)
        engine_env_set(env, name, value);
    else
        engine_env_unset(env, name);
}

static void add_run(char ***env, const WmAgentSpec *spec)
{
    g_autofree char *output = g_build_filename(spec->run_dir, "output.jsonl", NULL);
    g_autofree char *tools = wm_task_tools(spec->task);
    engine_env_set(env, "GITHUB_REPOSITORY", spec->repo ? spec->repo : "");
    engine_env_set(env, "WM_TASK", spec->task->name);
    engine_env_set(env, "WM_REPO_ROOT", wm_agent_root(spec));
    engine_env_set(env, "WM_SAFE_OUTPUT_FILE", output);
    add_number(env, "WM_ISSUE_NUMBER", spec->issue);
    add_number(env, "WM_PR_NUMBER", spec->pull);
    add_optional(env, "WM_TASK_TOOLS", tools);
    add_optional(env, "WM_EVENT_NAME", spec->event_name);
    add_optional(env, "WM_EVENT_PATH", spec->event_path);
    if (g_environ_getenv(*env, "GITHUB_EVENT_PATH")) // the runner's file is what GitHub sent
        add_optional(env, "GITHUB_EVENT_PATH", spec->event_path);
    engine_env_set(env, "KEDGE_WM_RUN_ID", spec->run_id);
    engine_env_set(env, "KEDGE_WM_RUN_DIR", spec->run_dir);
}

static void add_path(char ***env, const WmAgentSpec *spec)
{
    g_autofree char *shims = wm_shims_dir(spec->run_dir);
    const char *path = g_environ_getenv(*env, "PATH");
    if (!shims)
        return;
    g_autofree char *whole = g_strconcat(shims, ":", path ? path : DEFAULT_PATH, NULL);
    engine_env_set(env, "PATH", whole);
}

char **wm_engine_environment(const WmAgentSpec *spec)
{
    char **env = env_for_agent();
    for (size_t i = 0; wm_command_file_names[i]; i++)
        engine_env_unset(&env, wm_command_file_names[i]);
    add_run(&env, spec);
    add_path(&env, spec);
    if (is_in_actions(env))
        add_runner(&env, spec);
    if (spec->is_rehearsal)
        close_environment(&env, spec);
    give_own_token(&env);
    return env;
}

/* Directories of settings and state that a variable puts elsewhere than below the home. */
static bool is_of_home(const char *name)
{
    return str_has_prefix(name, "XDG_") || g_str_equal(name, "KEDGE_CONFIG_DIR") ||
           g_str_equal(name, "PI_CONFIG_DIR") || g_str_equal(name, "KEDGE_AGENT_DIR") ||
           g_str_equal(name, "PI_AGENT_DIR");
}

char **wm_engine_judge_environment(const char *home)
{
    char **env = env_for_agent();
    g_auto(GStrv) entries = g_strdupv(env);
    for (char **entry = entries; *entry; entry++) {
        (*entry)[strcspn(*entry, "=")] = '\0';
        if (is_token(*entry) || str_has_prefix(*entry, "WM_") || (home && is_of_home(*entry)))
            engine_env_unset(&env, *entry);
    }
    for (size_t i = 0; wm_command_file_names[i]; i++)
        engine_env_unset(&env, wm_command_file_names[i]);
    if (home)
        engine_env_set(&env, "HOME", home);
    return env;
}
