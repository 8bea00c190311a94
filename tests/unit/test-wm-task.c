/*
 * wm/task/task.c, task_keys.c, config.c: what a task and the configuration say (task-engine §2.1
 * to §2.3, rows C of task-engine §11.4).
 */
#include "base/str.h"
#include "wm_notes_fixture.h"
#include "wm_repo_fixture.h"

#include "wm/task/task.h"

static WmTask *parse(const char *text)
{
    WmTask *task = NULL;
    g_autoptr(GError) error = NULL;
    if (!wm_task_parse(text, strlen(text), ".wm/tasks/x.md", NULL, &task, &error))
        fail_msg("%s: %s", text, error->message);
    return task;
}

static void test_split(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *text, *front, *body;
    } rows[] = {
        { "plain", "---\na: 1\n---\n\nDo it.\n", "{\"a\":1}", "Do it." },
        { "task-C04: CRLF", "---\r\na: 1\r\n---\r\nDo it.\r\n", "{\"a\":1}", "Do it." },
        { "task-C05: BOM", "\xef\xbb\xbf---\na: 1\n---\nDo it.", "{\"a\":1}", "Do it." },
        { "blanks about the fences", "  ---\t\na: 1\n --- \nx", "{\"a\":1}", "x" },
        { "empty", "---\n---\nx", "{}", "x" },
        { "no body", "---\na: 1\n---", "{\"a\":1}", "" },
        { "a rule in the body", "---\na: 1\n---\nx\n---\ny", "{\"a\":1}", "x\n---\ny" },
        { "on is a text", "---\non: push\n---\n", "{\"on\":\"push\"}", "" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(WmTask) task = parse(rows[i].text);
        g_autofree char *front = json_to_text(task->front);
        if (strcmp(front, rows[i].front) != 0 || strcmp(task->body, rows[i].body) != 0)
            fail_msg("%s: %s, '%s'", rows[i].name, front, task->body);
        assert_string_equal(task->name, "x");
    }
    g_autofree char *yaml = NULL, *body = NULL;
    assert_true(wm_task_split("---\n\n a: 1 \n---\n b ", 19, &yaml, &body, NULL));
    assert_string_equal(yaml, "a: 1");
    assert_string_equal(body, "b");
}

static void test_bad_files(void **state G_GNUC_UNUSED)
{
    g_autofree char *large = g_strnfill(WM_MAX_TASK_BYTES + 1, 'x');
    const struct {
        const char *name, *text, *want;
    } rows[] = {
        { "task-C06", "# Just Markdown\n\ntext\n", "x.md: missing opening ---" },
        { "only a fence", "---", "x.md: missing opening ---" },
        { "empty", "", "x.md: missing opening ---" },
        { "task-C07", "---\nfoo: 1", "x.md: unclosed frontmatter" },
        { "task-C09", "---\non: push\nengine: x\non: issues\n---\n",
          "x.md: yaml frontmatter: line 4: mapping key \"on\" already defined at line 2" },
        { "a list", "---\n- a\n---\n", "x.md: yaml frontmatter: expected a map" },
        { "task-C19",
          "---\na: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\n"
          "c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\n"
          "e: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: [*e,*e,*e,*e,*e,*e,*e,*e,*e,*e]\n---\n",
          "x.md: yaml: document too complex" },
        { "1 MiB", large, "x.md: file too large" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        WmTask *task = NULL;
        g_autoptr(GError) error = NULL;
        assert_false(wm_task_parse(rows[i].text, strlen(rows[i].text), ".wm/tasks/x.md", NULL,
                                   &task, &error));
        if (strcmp(error->message, rows[i].want) != 0)
            fail_msg("%s: %s", rows[i].name, error->message);
    }
}

static void test_names(void **state G_GNUC_UNUSED)
{
    g_autofree char *longest = g_strnfill(100, 'a'), *longer = g_strnfill(101, 'a');
    const struct {
        const char *name;
        bool is_valid;
    } rows[] = {
        { "implement", true }, { "My Task_v2!", true }, { "\xc3\xa9t\xc3\xa9", true },
        { "a.b", true },       { longest, true },       { longer, false },
        { "", false },         { ".hidden", false },    { "-x", false },
        { "a/b", false },      { "a\\b", false },       { "a\"b", false },
        { "a:b", false },      { "a<b", false },        { "a|b", false },
        { "a*b", false },      { "a?b", false },        { "a\nb", false },
        { "a\x7f", false },    { "a\xc2\x85", false },  { "a\xff", false },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
        if (wm_task_name_is_valid(rows[i].name) != rows[i].is_valid)
            fail_msg("'%s'", rows[i].name);
}

static WmConfig *config_of(const char *yaml)
{
    g_auto(RepoFixture) repo = repo_new();
    WmConfig *config = NULL;
    g_autoptr(GError) error = NULL;
    if (yaml)
        repo_put(&repo, WM_CONFIG_PATH, yaml);
    if (!wm_config_read(repo.root, NULL, &config, &error))
        fail_msg("%s: %s", yaml, error->message);
    return config;
}

static void test_numbers(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *front;
        int64_t minutes;
    } rows[] = {
        { "timeout-minutes: 0", 45 },     { "timeout-minutes: 99999", 480 },
        { "timeout-minutes: '30'", 45 },  { "timeout-minutes: 20.0", 20 },
        { "timeout-minutes: 20.5", 45 },  { "timeout-minutes: -3", 45 },
        { "timeout-minutes: 1e300", 45 }, { "x: 1", 45 },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *text = g_strdup_printf("---\n%s\n---\n", rows[i].front);
        g_autoptr(WmTask) task = parse(text);
        if (wm_task_timeout_minutes(task) != rows[i].minutes)
            fail_msg("task-C03: %s", rows[i].front);
    }
}

static void test_keys(void **state G_GNUC_UNUSED)
{
    g_autoptr(WmConfig) config = config_of("engine: ' Codex '\nmodel: m1\nmax_turns: 7\n"
                                           "limits: {cost_usd: 2.5}\n");
    static const struct {
        const char *name, *front, *engine, *model, *tools;
        int64_t turns;
    } rows[] = {
        { "defaults", "a: 1", "codex", "m1", NULL, 7 },
        { "engine as text", "engine: ' Claude '", "claude", "m1", NULL, 7 },
        { "empty engine", "engine: ''", "codex", "m1", NULL, 7 },
        { "task-C11", "engine: {id: codex, model: m2, max-turns: 9}", "codex", "m2", NULL, 9 },
        { "max-turns", "engine: {id: kedge, max-turns: 9}\nmax-turns: 3", "kedge", "m1", NULL, 3 },
        { "task-C10", "tools: ' x '", "codex", "m1", "x", 7 },
        { "task-C10", "tools: {b: 1, a: [true]}", "codex", "m1", "{\"a\":[true],\"b\":1}", 7 },
        { "task-C10", "tools:", "codex", "m1", "null", 7 },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *text = g_strdup_printf("---\n%s\n---\n", rows[i].front);
        g_autoptr(WmTask) task = parse(text);
        g_autofree char *engine = wm_task_engine(task, config);
        g_autofree char *model = wm_task_model(task, config), *tools = wm_task_tools(task);
        if (strcmp(engine, rows[i].engine) != 0 || strcmp(model, rows[i].model) != 0 ||
            g_strcmp0(tools, rows[i].tools) != 0 ||
            wm_task_max_turns(task, config) != rows[i].turns)
            fail_msg("%s: %s: %s, %s, %s", rows[i].name, rows[i].front, engine, model, tools);
    }
    g_autoptr(WmTask) capped = parse("---\nmax-ai-credits: 50\n---\n");
    g_autoptr(WmTask) plain = parse("---\n---\n");
    assert_float_equal(wm_task_cost_usd(capped, config), 0.5, 1e-9);
    assert_float_equal(wm_task_cost_usd(plain, config), 2.5, 1e-9);
}

static void test_reaction(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *front, *reaction, *error;
    } rows[] = {
        { "on: push", NULL, NULL },
        { "on: {reaction: eyes}", "eyes", NULL },
        { "on: {reaction: +1}", NULL, "on.reaction must be a non-empty string" }, // a number
        { "on: {reaction: '+1'}", "+1", NULL },
        { "on: {reaction: none}", NULL, NULL }, // task-C20
        { "on: {reaction: }", NULL, "on.reaction must be a non-empty string" },
        { "on: {reaction: party}", NULL,
          "on.reaction \"party\" is not a valid GitHub reaction (use +1, -1, laugh, confused, "
          "heart, hooray, rocket, eyes)" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *text = g_strdup_printf("---\n%s\n---\n", rows[i].front);
        g_autoptr(WmTask) task = parse(text);
        const char *reaction = NULL;
        g_autoptr(GError) error = NULL;
        bool is_good = wm_task_reaction(task, &reaction, &error);
        assert_int_equal(is_good, rows[i].error == NULL);
        if (g_strcmp0(reaction, rows[i].reaction) != 0 ||
            g_strcmp0(error ? error->message : NULL, rows[i].error) != 0)
            fail_msg("task-C20: %s: %s", rows[i].front, error ? error->message : reaction);
    }
}

static void test_crons(void **state G_GNUC_UNUSED)
{
    g_autoptr(WmTask) task = parse("---\non: {schedule: [daily, custom, {cron: 0  1 * * *}]}\n---");
    g_autoptr(GPtrArray) warnings = wm_notes_new();
    bool matches_any = true;
    g_autoptr(GPtrArray) crons = wm_task_crons(task, warnings, &matches_any);
    assert_false(matches_any);
    assert_int_equal(crons->len, 2);
    assert_string_equal(crons->pdata[1], "0 1 * * *");
    assert_int_equal(warnings->len, 1);
    expect_note(warnings, 0, ".wm/tasks/x.md", "on.schedule",
                "on.schedule \"custom\" is not a schedule kedge understands; not added to "
                "wm-agent.yml");
    g_autoptr(WmTask) any = parse("---\non: {schedule: }\n---");
    g_autoptr(GPtrArray) none = wm_task_crons(any, NULL, &matches_any);
    assert_true(matches_any && none->len == 0);
}

static void test_config_defaults(void **state G_GNUC_UNUSED)
{
    g_autoptr(WmConfig) config = config_of(NULL); // task-C01
    assert_string_equal(config->engine, "claude");
    assert_int_equal(config->max_turns, 100);
    assert_string_equal(config->claude_format, "text");
    assert_string_equal(json_string_value(json_array_get(config->runs_on, 0)), "ubuntu-latest");
    assert_string_equal(json_string_value(json_array_get(config->secrets, 0)), "ANTHROPIC_API_KEY");
    assert_true(config->expands && config->installs_claude == WM_UNSET);
    assert_null(config->gate_roles);
}

static void test_config_values(void **state G_GNUC_UNUSED)
{
    g_autoptr(WmConfig) config = config_of(
        "version: 1\nmax_turns: 0\nclaude_output_format: JSON\nunknown: {a: b}\n"
        "context: {files: [a, ' ', b], event: summary}\npr: {draft: true, reviewers: [octocat]}\n"
        "compat: {gh_aw_expressions: off, gh_aw_expand: false, gh_aw_workflows: force}\n"
        "workflow: {runs_on: macos-14, install: none, install_claude_code: false, "
        "kedge_version: v0.4.0, secrets: [MY_KEY], pre_steps: [{run: x, id: y}]}\n"
        "gates: {roles: all}\n");
    assert_int_equal(config->max_turns, 100);
    assert_string_equal(config->claude_format, "json"); // task-C16
    assert_int_equal(json_array_size(config->context_files), 2);
    assert_true(config->summarizes_event && config->pr_is_draft && !config->expands);
    assert_int_equal(config->expressions, WM_EXPRESSIONS_OFF);
    assert_int_equal(config->gh_aw, WM_GH_AW_FORCE);
    assert_int_equal(config->install, WM_INSTALL_NONE);
    assert_int_equal(config->installs_claude, WM_NO);
    assert_string_equal(config->kedge_version, "v0.4.0");
    g_autofree char *roles = json_to_text(config->gate_roles);
    g_autofree char *runs_on = json_to_text(config->runs_on);
    g_autofree char *steps = json_to_text(config->pre_steps);
    assert_string_equal(roles, "[\"all\"]");
    assert_string_equal(runs_on, "[\"macos-14\"]");
    assert_string_equal(steps, "[{\"run\":\"x\",\"id\":\"y\"}]");
}

static void test_bad_config(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *yaml, *want;
    } rows[] = {
        { "[", ".wm/config.yml: yaml: line " }, // task-C02
        { "- a", ".wm/config.yml: expected a map" },
        { "engine: 3", ".wm/config.yml: engine: expected a string" },
        { "max_turns: many", ".wm/config.yml: max_turns: expected an integer" },
        { "pr: {draft: yes}", ".wm/config.yml: pr.draft: expected true or false" },
        { "pr: true", ".wm/config.yml: pr: expected a map" },
        { "workflow: {runs_on: 3}",
          ".wm/config.yml: workflow.runs_on: expected a list of strings, or one string" },
        { "workflow: {pre_steps: [x]}",
          ".wm/config.yml: workflow.pre_steps: expected a list of maps" },
        { "workflow: {secrets: [my-key]}",
          ".wm/config.yml: workflow.secrets: expected names of capital letters, digits and _" },
        { "workflow: {install: brew}",
          ".wm/config.yml: workflow.install: expected release, gh-extension or none" },
        { "compat: {gh_aw_workflows: 3}",
          ".wm/config.yml: compat.gh_aw_workflows: expected true, false or force" },
        { "limits: {cost_usd: cheap}", ".wm/config.yml: limits.cost_usd: expected a number" },
    };
    g_auto(RepoFixture) repo = repo_new();
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        WmConfig *config = NULL;
        g_autoptr(GError) error = NULL;
        repo_put(&repo, WM_CONFIG_PATH, rows[i].yaml);
        assert_false(wm_config_read(repo.root, NULL, &config, &error));
        if (!str_has_prefix(error->message, rows[i].want))
            fail_msg("%s: %s", rows[i].yaml, error->message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_split),         cmocka_unit_test(test_bad_files),
        cmocka_unit_test(test_names),         cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_keys),          cmocka_unit_test(test_reaction),
        cmocka_unit_test(test_crons),         cmocka_unit_test(test_config_defaults),
        cmocka_unit_test(test_config_values), cmocka_unit_test(test_bad_config),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
