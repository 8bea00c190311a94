/*
 * Which agent program a run starts, with which arguments and environment (task-engine §5.6, §5.7).
 * Rows: task-R03 to task-R06, task-R21, task-R22, task-R29, task-R31, task-C10, task-C11, task-C16,
 * task-S09.
 */
#include "base/str.h"
#include "wm_fixture.h"

#include "base/proc.h"
#include "wm/engine/engine.h"

#define RUN_MS (60 * 1000)

static WmAgentSpec spec_of(const WmFixture *fixture, WmEngineKind engine)
{
    return (WmAgentSpec) {
        .project = &fixture->project,
        .task = fixture->task,
        .engine = engine,
        .prompt = "the prompt",
        .run_dir = fixture->run_dir,
        .run_id = "fix-1",
    };
}

static void forget_variables(void)
{
    static const char *const names[] = {
        "WM_AGENT_CMD",      "WM_ENGINE_CODEX_CMD", "WM_CLAUDE_OUTPUT_FORMAT", "GITHUB_ACTIONS",
        "GH_TOKEN",          "GITHUB_TOKEN",        "KEDGE_WM_SHIMS",          "GIT_CONFIG_COUNT",
        "GITHUB_REPOSITORY",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
        g_unsetenv(names[i]);
}

static void test_find(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *config, *front, *command, *error;
        WmEngineKind kind;
    } cases[] = {
        { "the default", NULL, "a: 1", NULL, NULL, WM_ENGINE_CLAUDE },
        { "of the configuration", "engine: kedge", "a: 1", NULL, NULL, WM_ENGINE_KEDGE },
        { "of the task", "engine: kedge", "engine: ' Codex '", NULL, NULL, WM_ENGINE_CODEX },
        { "task-C11", NULL, "engine: {id: codex, model: m2}", NULL, NULL, WM_ENGINE_CODEX },
        { "a command comes first", NULL, "engine: x", "echo", NULL, WM_ENGINE_CUSTOM },
        { "a blank one does not", NULL, "engine: kedge", "  ", NULL, WM_ENGINE_KEDGE },
        { "task-R29", NULL, "engine: x", NULL,
          "unknown engine \"x\" (use claude, codex, kedge, or set WM_AGENT_CMD)", 0 },
        { "an old one", NULL, "engine: copilot", NULL,
          "engine \"copilot\" is no longer supported; use WM_AGENT_CMD or set engine to \"claude\" "
          "or \"codex\"",
          0 },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        forget_variables();
        if (cases[i].command)
            g_setenv("WM_AGENT_CMD", cases[i].command, TRUE);
        WmFixture fixture = wm_fixture_new(cases[i].config, cases[i].front, "b");
        g_autoptr(GError) error = NULL;
        WmEngineKind kind = 0;
        bool ok = wm_engine_find(fixture.task, fixture.project.config, &kind, &error);
        wm_fixture_end(&fixture);
        if (ok == (cases[i].error != NULL) || kind != cases[i].kind ||
            g_strcmp0(error ? error->message : NULL, cases[i].error) != 0)
            fail_msg("%s: %d, %s", cases[i].name, (int)kind, error ? error->message : "no error");
    }
}

static const struct ArgvCase {
    const char *name, *variable, *command, *config, *front, *system_text;
    WmEngineKind engine;
    bool is_quiet, no_stdin;
    const char *argv; // joined by |; of kedge without the program. Or the error
    WmFormat format;
} argv_cases[] = {
    { "task-R03", "WM_AGENT_CMD", "echo {prompt} tail", NULL, "a: 1", NULL, WM_ENGINE_CUSTOM,
      .no_stdin = true, .argv = "echo|the prompt|tail" },
    { "at the end", "WM_AGENT_CMD", "  my-agent \t--flag  'a b' ", NULL, "a: 1", "s",
      WM_ENGINE_CUSTOM, .no_stdin = true, .argv = "my-agent|--flag|'a|b'|the prompt" },
    { "the first place only", "WM_AGENT_CMD", "x {prompt} y {prompt}", NULL, "a: 1", NULL,
      WM_ENGINE_CUSTOM, .no_stdin = true, .argv = "x|the prompt|y|{prompt}" },
    { "task-R04", "WM_AGENT_CMD", "{prompt}", NULL, "a: 1", NULL, WM_ENGINE_CUSTOM,
      .argv = "WM_AGENT_CMD: missing executable before {prompt}" },
    { "empty", "WM_AGENT_CMD", " ", NULL, "a: 1", NULL, WM_ENGINE_CUSTOM,
      .argv = "WM_AGENT_CMD: empty" },
    { "task-R05", NULL, NULL, "model: m1", "a: 1", NULL, WM_ENGINE_CLAUDE,
      .argv = "claude|-p|--dangerously-skip-permissions|--model|m1|--max-turns|100|--verbose|"
              "--output-format|stream-json",
      .format = WM_FORMAT_STREAM_JSON },
    { "task-R06", NULL, NULL, NULL, "a: 1", "rules", WM_ENGINE_CLAUDE,
      .argv = "claude|-p|--dangerously-skip-permissions|--max-turns|100|--verbose|"
              "--output-format|stream-json|--append-system-prompt|rules",
      .format = WM_FORMAT_STREAM_JSON },
    { "task-C16", NULL, NULL, "claude_output_format: JSON", "max-turns: 7", NULL, WM_ENGINE_CLAUDE,
      .is_quiet = true,
      .argv = "claude|-p|--dangerously-skip-permissions|--max-turns|7|--output-format|json",
      .format = WM_FORMAT_JSON },
    { "task-C16 with the variable", "WM_CLAUDE_OUTPUT_FORMAT", "bogus",
      "claude_output_format: JSON", "a: 1", NULL, WM_ENGINE_CLAUDE, .is_quiet = true,
      .argv = "claude|-p|--dangerously-skip-permissions|--max-turns|100" },
    { "who watches gets a stream", NULL, NULL, "claude_output_format: json", "a: 1", NULL,
      WM_ENGINE_CLAUDE,
      .argv = "claude|-p|--dangerously-skip-permissions|--max-turns|100|--verbose|--output-format|"
              "stream-json",
      .format = WM_FORMAT_STREAM_JSON },
    { "task-C11 codex", NULL, NULL, "model: m1", "engine: {id: codex, model: m2}", "rules",
      WM_ENGINE_CODEX,
      .argv = "codex|exec|--dangerously-bypass-approvals-and-sandbox|--skip-git-repo-check|"
              "--model|m2|-" },
    { "codex by a command", "WM_ENGINE_CODEX_CMD", "codex x", NULL, "a: 1", NULL, WM_ENGINE_CODEX,
      .no_stdin = true, .argv = "codex|x|the prompt" },
    { "codex without a program", "WM_ENGINE_CODEX_CMD", "{prompt} x", NULL, "a: 1", NULL,
      WM_ENGINE_CODEX, .argv = "WM_ENGINE_CODEX_CMD: missing executable before {prompt}" },
    { "task-R31", NULL, NULL, "model: m1", "max-ai-credits: 150", "rules", WM_ENGINE_KEDGE,
      .argv = "-p|--mode|json|--no-session|--fail-on-error|--model|m1|--max-turns|100|--max-cost|"
              "1.5|--append-system-prompt|rules",
      .format = WM_FORMAT_STREAM_JSON },
};

static void check_argv(const struct ArgvCase *c)
{
    forget_variables();
    if (c->variable)
        g_setenv(c->variable, c->command, TRUE);
    WmFixture fixture = wm_fixture_new(c->config, c->front, "b");
    WmAgentSpec spec = spec_of(&fixture, c->engine);
    spec.system_text = c->system_text;
    spec.is_quiet = c->is_quiet;
    g_auto(GStrv) argv = NULL;
    bool reads_stdin = false;
    WmFormat format = WM_FORMAT_TEXT;
    g_autoptr(GError) error = NULL;
    bool ok = wm_engine_argv(&spec, &argv, &reads_stdin, &format, &error);
    wm_fixture_end(&fixture);
    bool is_kedge = c->engine == WM_ENGINE_KEDGE;
    g_autofree char *self = g_file_read_link("/proc/self/exe", NULL);
    g_autofree char *got =
        ok ? g_strjoinv("|", argv + (is_kedge ? 1 : 0)) : g_strdup(error->message);
    if (strcmp(got, c->argv) != 0 || (ok && reads_stdin == c->no_stdin) || format != c->format)
        fail_msg("%s: got %s, stdin %d, format %d", c->name, got, reads_stdin, (int)format);
    if (is_kedge)
        assert_string_equal(argv[0], self);
}

static void test_argv(void **state G_GNUC_UNUSED)
{
    for (size_t i = 0; i < G_N_ELEMENTS(argv_cases); i++)
        check_argv(&argv_cases[i]);
}

/* What the kernel would refuse with words that say nothing. */
static void test_prompt_is_too_large(void **state G_GNUC_UNUSED)
{
    forget_variables();
    g_setenv("WM_AGENT_CMD", "echo", TRUE);
    WmFixture fixture = wm_fixture_new(NULL, "a: 1", "b");
    WmAgentSpec spec = spec_of(&fixture, WM_ENGINE_CUSTOM);
    g_autofree char *fits = g_strnfill(120 * 1024, 'p');
    g_autofree char *too_large = g_strnfill(120 * 1024 + 1, 'p');
    g_auto(GStrv) argv = NULL;
    g_auto(GStrv) none = NULL;
    bool reads_stdin;
    WmFormat format;
    g_autoptr(GError) error = NULL;
    spec.prompt = fits;
    assert_true(wm_engine_argv(&spec, &argv, &reads_stdin, &format, NULL));
    spec.prompt = too_large;
    assert_false(wm_engine_argv(&spec, &none, &reads_stdin, &format, &error));
    assert_string_equal(error->message, "prompt too large for a command argument (122881 bytes); "
                                        "use an engine that reads stdin");
    wm_fixture_end(&fixture);
}

static const char *value(char **env, const char *name)
{
    return g_environ_getenv(env, name);
}

static void test_environment(void **state G_GNUC_UNUSED)
{
    forget_variables();
    static const char *const gone[] = { "GITHUB_ENV",   "GITHUB_PATH",     "GITHUB_OUTPUT",
                                        "GITHUB_STATE", "WM_ISSUE_NUMBER", "WM_TASK_TOOLS" };
    for (size_t i = 0; i < G_N_ELEMENTS(gone); i++)
        g_setenv(gone[i], "inherited", TRUE);
    g_setenv("ANTHROPIC_API_KEY", "a-key-of-the-model", TRUE);
    g_setenv("GITHUB_TOKEN", "a-token-of-github", TRUE);
    WmFixture fixture = wm_fixture_new(NULL, "a: 1", "b");
    WmAgentSpec spec = spec_of(&fixture, WM_ENGINE_CUSTOM);
    spec.repo = "o/r";
    spec.event_name = "issues";
    spec.event_path = "/e.json";
    spec.pull = 7;
    g_auto(GStrv) env = wm_engine_environment(&spec);
    for (size_t i = 0; i < G_N_ELEMENTS(gone); i++)
        assert_null(value(env, gone[i]));
    g_autofree char *output = g_build_filename(fixture.run_dir, "output.jsonl", NULL);
    g_autofree char *shims = g_strdup_printf("%s/bin:", fixture.run_dir);
    assert_string_equal(value(env, "ANTHROPIC_API_KEY"), "a-key-of-the-model");
    assert_string_equal(value(env, "GITHUB_TOKEN"), "a-token-of-github"); // task-S09
    assert_string_equal(value(env, "GITHUB_REPOSITORY"), "o/r");
    assert_string_equal(value(env, "WM_TASK"), "fix");
    assert_string_equal(value(env, "WM_REPO_ROOT"), fixture.root);
    assert_string_equal(value(env, "WM_SAFE_OUTPUT_FILE"), output);
    assert_string_equal(value(env, "WM_PR_NUMBER"), "7");
    assert_string_equal(value(env, "WM_EVENT_NAME"), "issues");
    assert_string_equal(value(env, "WM_EVENT_PATH"), "/e.json");
    assert_string_equal(value(env, "KEDGE_WM_RUN_ID"), "fix-1");
    assert_string_equal(value(env, "KEDGE_WM_RUN_DIR"), fixture.run_dir);
    assert_true(str_has_prefix(value(env, "PATH"), shims));
    assert_null(value(env, "GIT_CONFIG_COUNT"));

    g_setenv("KEDGE_WM_SHIMS", "0", TRUE);
    g_auto(GStrv) plain = wm_engine_environment(&spec);
    assert_string_equal(value(plain, "PATH"), g_getenv("PATH"));
    wm_fixture_end(&fixture);
    for (size_t i = 0; i < G_N_ELEMENTS(gone); i++)
        g_unsetenv(gone[i]);
}

static void test_numbers_and_tools(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *front, *tools;
        int64_t issue, pull;
        const char *issue_text, *pull_text;
    } cases[] = {
        { "task-R21", "a: 1", NULL, 12, 0, "12", NULL },
        { "task-R22", "a: 1", NULL, 5, 5, "5", "5" },
        { "task-C10 a text", "tools: ' x '", "x", 0, 0, NULL, NULL },
        { "task-C10 a map", "tools: {b: 1, a: [true]}", "{\"a\":[true],\"b\":1}", 0, 0, NULL,
          NULL },
        { "task-C10 null", "tools:", "null", 0, 0, NULL, NULL },
    };
    forget_variables();
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        WmFixture fixture = wm_fixture_new(NULL, cases[i].front, "b");
        WmAgentSpec spec = spec_of(&fixture, WM_ENGINE_CUSTOM);
        spec.issue = cases[i].issue;
        spec.pull = cases[i].pull;
        g_auto(GStrv) env = wm_engine_environment(&spec);
        wm_fixture_end(&fixture);
        if (g_strcmp0(value(env, "WM_TASK_TOOLS"), cases[i].tools) != 0 ||
            g_strcmp0(value(env, "WM_ISSUE_NUMBER"), cases[i].issue_text) != 0 ||
            g_strcmp0(value(env, "WM_PR_NUMBER"), cases[i].pull_text) != 0)
            fail_msg("%s: %s, %s, %s", cases[i].name, value(env, "WM_TASK_TOOLS"),
                     value(env, "WM_ISSUE_NUMBER"), value(env, "WM_PR_NUMBER"));
        assert_string_equal(value(env, "GITHUB_REPOSITORY"), "");
    }
}

/* What `script` prints in the environment of an agent. */
static char *run_in(char **env, const char *dir, const char *script)
{
    const ProcSpec spec = {
        .argv = (const char *const[]) { "/bin/sh", "-c", script, NULL },
        .cwd = dir,
        .env = (const char *const *)env,
        .timeout_ms = RUN_MS,
        .max_output_bytes = 64 * 1024,
    };
    g_auto(ProcResult) result = { 0 };
    g_autoptr(GError) error = NULL;
    if (!proc_run(&spec, NULL, &result, &error))
        fail_msg("%s", error->message);
    return g_strdup_printf("%s(%d)", result.output, result.exit_status);
}

/* On a runner: an author, a helper that knows the token, and none of the runner's own tokens. */
static void test_on_a_runner(void **state G_GNUC_UNUSED)
{
    forget_variables();
    WmFixture fixture = wm_fixture_new(NULL, "a: 1", "b");
    g_autofree char *home = wm_fixture_path(&fixture, "home");
    g_setenv("HOME", home, TRUE);
    g_setenv("GIT_CONFIG_NOSYSTEM", "1", TRUE);
    g_setenv("GITHUB_ACTIONS", "true", TRUE);
    g_setenv("GH_TOKEN", "a-token-of-github", TRUE);
    static const char *const secret[] = { "ACTIONS_RUNTIME_TOKEN", "ACTIONS_RESULTS_URL",
                                          "ACTIONS_ID_TOKEN_REQUEST_TOKEN",
                                          "ACTIONS_ID_TOKEN_REQUEST_URL" };
    for (size_t i = 0; i < G_N_ELEMENTS(secret); i++)
        g_setenv(secret[i], "of-the-runner", TRUE);
    WmAgentSpec spec = spec_of(&fixture, WM_ENGINE_CUSTOM);
    g_auto(GStrv) env = wm_engine_environment(&spec);
    for (size_t i = 0; i < G_N_ELEMENTS(secret); i++) {
        assert_null(value(env, secret[i])); // task-S09
        g_unsetenv(secret[i]);
    }
    assert_string_equal(value(env, "GIT_AUTHOR_NAME"), "github-actions[bot]");
    assert_string_equal(value(env, "GIT_COMMITTER_EMAIL"),
                        "41898282+github-actions[bot]@users.noreply.github.com");
    g_autofree char *filled = run_in(
        env, fixture.root, "printf 'protocol=https\\nhost=github.com\\n\\n' | git credential fill");
    assert_string_equal(filled, "protocol=https\nhost=github.com\nusername=x-access-token\n"
                                "password=a-token-of-github\n(0)");
    for (char **entry = env; *entry; entry++) // the token itself stands in no setting
        assert_true(!str_has_prefix(*entry, "GIT_CONFIG") ||
                    strstr(*entry, "a-token-of-github") == NULL);
    wm_fixture_end(&fixture);
    forget_variables();
}

static void test_rehearsal_is_closed(void **state G_GNUC_UNUSED)
{
    forget_variables();
    static const char *const gone[] = { "GITHUB_TOKEN", "GH_ENTERPRISE_TOKEN", "NPM_TOKEN",
                                        "SSH_AUTH_SOCK" };
    for (size_t i = 0; i < G_N_ELEMENTS(gone); i++)
        g_setenv(gone[i], "a-token-of-somebody", TRUE);
    g_setenv("GH_TOKEN", "a-token-of-somebody", TRUE);
    g_setenv("KEDGE_WM_AGENT_TOKEN", "a-token-that-reads", TRUE);
    g_setenv("GITHUB_ACTIONS", "true", TRUE);
    g_setenv("ANTHROPIC_API_KEY", "a-key-of-the-model", TRUE);
    g_setenv("CLAUDE_CODE_OAUTH_TOKEN", "a-key-of-a-model", TRUE);
    g_setenv("GIT_CONFIG_COUNT", "1", TRUE);
    g_setenv("GIT_CONFIG_KEY_0", "protocol.file.allow", TRUE);
    g_setenv("GIT_CONFIG_VALUE_0", "always", TRUE);
    WmFixture fixture = wm_fixture_new(NULL, "a: 1", "b");
    WmAgentSpec spec = spec_of(&fixture, WM_ENGINE_CUSTOM);
    spec.is_rehearsal = true;
    g_auto(GStrv) env = wm_engine_environment(&spec);
    // none but the one that is meant for agents
    assert_string_equal(value(env, "GH_TOKEN"), "a-token-that-reads");
    g_unsetenv("KEDGE_WM_AGENT_TOKEN");
    g_auto(GStrv) without = wm_engine_environment(&spec);
    assert_null(value(without, "GH_TOKEN"));
    assert_null(value(env, "KEDGE_WM_AGENT_TOKEN"));
    g_unsetenv("GH_TOKEN");
    for (size_t i = 0; i < G_N_ELEMENTS(gone); i++) {
        assert_null(value(env, gone[i]));
        g_unsetenv(gone[i]);
    }
    g_autofree char *login = g_build_filename(fixture.run_dir, "no-login", NULL);
    assert_string_equal(value(env, "ANTHROPIC_API_KEY"), "a-key-of-the-model");
    assert_string_equal(value(env, "CLAUDE_CODE_OAUTH_TOKEN"), "a-key-of-a-model");
    assert_string_equal(value(env, "KEDGE_WM_STAGED"), "1");
    assert_string_equal(value(env, "GH_CONFIG_DIR"), login);
    // a remote that the repository itself allows
    g_autofree char *cloned = run_in(
        env, fixture.root,
        "git init -q a && git init -q --bare b && cd a && git config protocol.file.allow always && "
        "git remote add origin \"file://$PWD/../b\" && git fetch -q origin; "
        "git -c user.name=n -c user.email=e commit -q --allow-empty -m m && "
        "! git push -q origin HEAD:refs/heads/x && git -C ../b for-each-ref && echo closed");
    if (!strstr(cloned, "closed\n(0)") || strstr(cloned, "refs/heads/x"))
        fail_msg("got %s", cloned);
    wm_fixture_end(&fixture);
    g_unsetenv("CLAUDE_CODE_OAUTH_TOKEN");
    forget_variables();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_find),
        cmocka_unit_test(test_argv),
        cmocka_unit_test(test_prompt_is_too_large),
        cmocka_unit_test(test_environment),
        cmocka_unit_test(test_numbers_and_tools),
        cmocka_unit_test(test_on_a_runner),
        cmocka_unit_test(test_rehearsal_is_closed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
