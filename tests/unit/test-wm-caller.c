/*
 * The caller workflow, and those that kedge ships: what a reader of YAML sees in them. Whatever
 * stands in configuration and tasks, the jobs are the same, an agent's token cannot write, and no
 * value of others gets into a script (task-engine §7.6, task-Y24).
 */
#include "base/str.h"
#include "unit.h"

#include "base/yaml.h"
#include "base/yaml_write.h"
#include "wm/compile/caller.h"

#include "wm_repo_fixture.h"

#define SHIPPED "/../../.github/"

static json_t *parse(const char *text, const char *name)
{
    json_t *value = NULL;
    GError *error = NULL;
    if (!yaml_parse(text, strlen(text), name, &value, &error))
        fail_msg("%s\n%s", error->message, text);
    return value;
}

/* NULL: refused. */
static char *render(const RepoFixture *repo)
{
    g_autoptr(GPtrArray) warnings = wm_notes_new();
    g_autoptr(WmProject) project = NULL;
    char *text = NULL;
    if (!wm_project_load(repo->root, NULL, warnings, &project, NULL) ||
        !wm_caller_render(project, warnings, &text, NULL))
        return NULL;
    return text;
}

static void check_scripts(const json_t *steps, bool is_ours)
{
    size_t index = 0;
    json_t *step = NULL;
    json_array_foreach (steps, index, step) {
        const char *run = json_get_text(step, "run"), *uses = json_get_text(step, "uses");
        if (is_ours && run && strstr(run, "${{"))
            fail_msg("an expression in a script: %s", run);
        if (uses && str_has_prefix(uses, "actions/checkout@"))
            assert_true(json_is_false(json_get_path(step, "with.persist-credentials")));
    }
}

/* Only a job that carries out what was asked for may write, and those that call it. */
static void check_jobs(const json_t *workflow, bool is_ours)
{
    const char *name = NULL;
    json_t *job = NULL;
    json_object_foreach (json_get_object(workflow, "jobs"), name, job) {
        // what matches nothing takes the place of nothing that waits (task-Y25)
        const json_t *group = json_get_path(job, "concurrency.group");
        bool is_run = strcmp(name, "run") == 0 || strcmp(name, "run_agent") == 0;
        if (!is_ours && is_run != (group && strstr(json_string_value(group), "matrix.task")))
            fail_msg("%s has another group", name);
        bool may_write = strcmp(name, "run") == 0 || strcmp(name, "outputs") == 0 ||
                         strcmp(name, "run_outputs") == 0;
        g_autofree char *rights = json_to_text(json_get_object(job, "permissions"));
        assert_non_null(strstr(rights, "\"contents\""));
        if (!may_write && strstr(rights, "write"))
            fail_msg("%s has %s", name, rights);
        check_scripts(json_get_array(job, "steps"), is_ours);
    }
}

/* What is pinned by its caller names nothing of ours in another way: it has the action's script. */
static unsigned check_install(const json_t *workflow, const char *script)
{
    unsigned count = 0;
    json_each_member (json_get_object(workflow, "jobs"), name, job) {
        json_each (json_get_array(job, "steps"), index, step) {
            const char *uses = json_get_text(step, "uses"), *run = json_get_text(step, "run");
            if (uses && !str_has_prefix(uses, "actions/"))
                fail_msg("%s: a reference that no pin reaches: %s", name, uses);
            count += g_strcmp0(run, script) == 0;
        }
    }
    return count;
}

static void test_shipped(void **state G_GNUC_UNUSED)
{
    g_autoptr(json_t) action = NULL;
    assert_true(
        yaml_read_file(TEST_DATA_DIR SHIPPED "actions/install-kedge/action.yml", &action, NULL));
    const json_t *steps = json_get_array(json_get_object(action, "runs"), "steps");
    const char *script = json_get_text(json_array_get(steps, 0), "run");
    assert_non_null(script);
    static const char *const files[] = { "workflows/agent-resolve.yml", "workflows/agent-run.yml" };
    for (size_t i = 0; i < G_N_ELEMENTS(files); i++) {
        g_autofree char *path = g_strconcat(TEST_DATA_DIR SHIPPED, files[i], NULL);
        g_autoptr(json_t) workflow = NULL;
        assert_true(yaml_read_file(path, &workflow, NULL));
        assert_non_null(json_get_path(workflow, "on.workflow_call.inputs"));
        check_jobs(workflow, true);
        assert_int_equal(check_install(workflow, script), i == 0 ? 1 : 2); // in each job
    }
    assert_string_equal(json_get_text(json_get_object(action, "runs"), "using"), "composite");
    check_scripts(steps, true);
}

/* What the caller gives is what the shipped workflows take. */
static void test_inputs(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *job, *path;
    } calls[] = { { "resolve", "workflows/agent-resolve.yml" },
                  { "run", "workflows/agent-run.yml" } };
    g_auto(RepoFixture) repo = repo_new();
    repo_put(&repo, ".wm/tasks/x.md",
             "---\non: {issues: , manual-approval: live}\nsafe-outputs: {messages: {run-failure: "
             "bad}}\n---\n");
    g_autofree char *text = render(&repo);
    g_autoptr(json_t) caller = parse(text, "caller");
    for (size_t i = 0; i < G_N_ELEMENTS(calls); i++) {
        g_autofree char *path = g_strconcat(TEST_DATA_DIR SHIPPED, calls[i].path, NULL);
        g_autoptr(json_t) called = NULL;
        assert_true(yaml_read_file(path, &called, NULL));
        const json_t *takes = json_get_path(called, "on.workflow_call.inputs");
        const json_t *job = json_get_object(json_get_object(caller, "jobs"), calls[i].job);
        const char *key = NULL;
        json_t *value = NULL;
        json_object_foreach (json_get_object(job, "with"), key, value)
            if (!json_object_get(takes, key))
                fail_msg("%s takes no %s", calls[i].path, key);
        json_object_foreach ((json_t *)takes, key, value)
            if (json_get_bool(value, "required", false) &&
                !json_object_get(json_get_object(job, "with"), key))
                fail_msg("%s lacks %s", calls[i].path, key);
    }
}

static const char *const hostile[] = {
    "x\"]\n    permissions: write-all",
    "'; rm -rf /; echo '",
    "${{ github.event.issue.title }}",
    "a: b # c",
    "}}",
    "*x",
    "&x",
    "!!js x",
    "- x",
    "|",
    "\\",
    "\xc2\x85jobs: {}",
    "\xe2\x80\xa8jobs: {}",
    "@jobs@",
    "@secret_variables@",
    "on",
    "~",
};

/* `format` has one %s, a text in YAML's quotes. */
static char *with_text(const char *format, const char *text)
{
    g_autoptr(GString) quoted = g_string_new(NULL);
    yaml_write_quoted(text, quoted);
    g_auto(GStrv) parts = g_strsplit(format, "%s", 2);
    return g_strconcat(parts[0], quoted->str, parts[1], NULL);
}

static void check_hostile(const RepoFixture *repo, const char *what)
{
    g_autofree char *text = render(repo);
    if (!text)
        return; // refused, which is as good
    g_autoptr(json_t) workflow = parse(text, what);
    const json_t *jobs = json_get_object(workflow, "jobs");
    bool is_inline = json_object_get(jobs, "run_agent") != NULL;
    assert_int_equal(json_object_size(workflow), 5); // name, run-name, on, permissions, jobs
    assert_int_equal(json_object_size(jobs), is_inline ? 3 : 2);
    assert_int_equal(json_object_size(json_get_object(workflow, "permissions")), 1);
    check_jobs(workflow, false);
    if (strstr(text, "secrets: inherit"))
        fail_msg("%s", text);
}

static void test_hostile(void **state G_GNUC_UNUSED)
{
    static const char *const configs[] = {
        "workflow: {runs_on: [%s]}",
        "workflow: {runs_on: [%s], pre_steps: [{run: x}]}",
        "workflow: {kedge_version: %s}",
        "workflow: {reusable_repo: %s}",
        "workflow: {reusable_ref: %s}",
        "workflow: {secrets: [%s]}",
        "workflow: {pre_steps: [{run: %s}]}",
        "workflow: {pre_steps: [{uses: x/y@v1, with: {k: %s}}]}",
        "workflow: {pre_steps: [{run: x, %s: y}]}",
        "workflow: {install_steps: [{run: %s}]}",
    };
    static const char *const tasks[] = {
        "---\non: {issues: {types: [%s]}}\n---\n",
        "---\non: {repository_dispatch: {types: [%s]}}\n---\n",
        "---\non: {workflow_run: {workflows: [%s]}}\n---\n",
        "---\non: {schedule: %s}\n---\n",
        "---\non: {issues: , manual-approval: %s}\n---\n",
        "---\non: {slash_command: {name: %s, events: [%s]}}\n---\n",
        "---\non: %s\n---\n",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(hostile); i++) {
        for (size_t k = 0; k < G_N_ELEMENTS(configs); k++) {
            g_auto(RepoFixture) repo = repo_new();
            g_autofree char *config = with_text(configs[k], hostile[i]);
            repo_put(&repo, ".wm/tasks/it's.md", "---\non: issues\n---\n");
            repo_put(&repo, ".wm/config.yml", config);
            check_hostile(&repo, config);
        }
        for (size_t k = 0; k < G_N_ELEMENTS(tasks); k++) {
            g_auto(RepoFixture) repo = repo_new();
            g_autofree char *task = with_text(tasks[k], hostile[i]);
            repo_put(&repo, ".wm/tasks/x }} @jobs@ it's.md", task);
            repo_put(&repo, ".wm/config.yml", k % 2 ? "workflow: {pre_steps: [{run: x}]}" : "");
            check_hostile(&repo, task);
        }
    }
}

/* Steps of the configuration come out as they went in, whatever is in their texts. */
static void test_steps_are_kept(void **state G_GNUC_UNUSED)
{
    for (size_t i = 0; i < G_N_ELEMENTS(hostile); i++) {
        g_auto(RepoFixture) repo = repo_new();
        g_autofree char *config =
            with_text("workflow: {pre_steps: [{run: %s, id: x}]}", hostile[i]);
        repo_put(&repo, ".wm/tasks/x.md", "---\non: issues\n---\n");
        repo_put(&repo, ".wm/config.yml", config);
        g_autofree char *text = render(&repo);
        g_autoptr(json_t) workflow = parse(text, config);
        const json_t *steps = json_get_path(workflow, "jobs.run_agent.steps");
        assert_string_equal(json_get_text(json_array_get(steps, 1), "run"), hostile[i]);
        assert_string_equal(json_get_text(json_array_get(steps, 1), "id"), "x");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shipped),
        cmocka_unit_test(test_inputs),
        cmocka_unit_test(test_hostile),
        cmocka_unit_test(test_steps_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
