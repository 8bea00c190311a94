/*
 * workflow/validate*.c: what is wrong with configuration and tasks (task-engine §3.4).
 */
#include "wm_repo_fixture.h"

#include "workflow/project.h"

// All of `list` that begin with the path of the one task, each behind a line end.
static char *joined(const GPtrArray *list)
{
    GString *out = g_string_new(NULL);
    for (guint i = 0; i < list->len; i++)
        g_string_append_printf(out, "%s\n", (char *)list->pdata[i]);
    return g_string_free(out, FALSE);
}

typedef struct Row {
    const char *name, *front, *body; // body NULL: "x"
    const char *problem, *warning;   // what must be among them; NULL: there are none
    const char *config;              // NULL: none
} Row;

#define X      ".wm/tasks/x.md: "
#define QUIET  "on: {push: }\n"
#define PUBLIC X "public trigger without on.roles; anyone can start this task\n"

static const Row rows[] = {
    { "good", QUIET },
    { "task-C12", QUIET "safe-outputs: {create_issue: {}}", .warning = X "safe-outputs" },
    { "unknown output", QUIET "safe-outputs: {create-discussion: {}}",
      .warning = X "safe-outputs: \"create-discussion\" is not supported" },
    { "task-C20", "on: {push: , reaction: party}", .problem = X "on.reaction \"party\" is not" },
    { "engine", QUIET "engine: copilot", .problem = X "engine \"copilot\" is no longer supported" },
    { "engine", QUIET "engine: gemini", .problem = X "unknown engine \"gemini\"" },
    { "expression", QUIET, "${{ secrets.FOO }}", .problem = X "expression \"secrets.FOO\"" },
    { "expression, to be warned of", QUIET, "${{ secrets.FOO }}",
      .warning = X "expression \"secrets.FOO\"", .config = "compat: {gh_aw_expressions: warn}" },
    { "expression, not looked at", QUIET, "${{ secrets.FOO }}",
      .config = "compat: {gh_aw_expressions: off}" },
    { "schedule", "on: {schedule: custom}",
      .warning = X "on.schedule \"custom\" is not a schedule kedge understands" },
    { "every tick", "on: {schedule: }", .warning = X "on.schedule is empty" },
    { "trigger", "on: whenever", .warning = X "on: \"whenever\" is not a trigger kedge" },
    { "inert trigger", "on: {push: 3}", .warning = X "on.push: expected a map; ignored" },
    { "public", "on: issues", .warning = PUBLIC },
    { "public", "on: {slash_command: go}", .warning = PUBLIC },
    { "public, to all on purpose", "on: {issues: , roles: all}" },
    { "public, with a gate for all", "on: issues", .config = "gates: {roles: [write]}" },
    { "no role", "on: {issues: , roles: [writer]}",
      .warning = X "on.roles: \"writer\" is not a role of GitHub" },
    { "no roles", "on: {issues: , roles: [3]}", .warning = X "on.roles names no role" },
    { "stop-after", "on: {push: , stop-after: +30m}",
      .problem = X "on.stop-after: neither a date nor a time such as +7d" },
    { "stop-after", "on: {push: , stop-after: +7d}" },
    { "ignored keys", QUIET "if: x\nsteps: []\nenv: {}",
      .warning = X "not interpreted: if, steps" },
    { "network", QUIET "network: {allowed: [node]}",
      .warning = X "network: is not enforced for engine claude" },
    { "network of kedge", QUIET "network: defaults\nengine: kedge",
      .warning = X "network: is not enforced for engine kedge" },
    { "task-S13", "on: {issues: {labels: [agent]}, roles: all}\nsafe-outputs: {add-labels: }",
      .warning = X "add-labels may trigger task \"x\" (label \"agent\")" },
    { "blocked label",
      "on: {issues: {labels: [agent]}, roles: all}\nsafe-outputs: {add-labels: {blocked: [ag*]}}" },
    { "other labels",
      "on: {issues: {labels: [agent]}, roles: all}\nsafe-outputs: {add-labels: [bug]}" },
    { "label command", "on: {label_command: , roles: all}\nsafe-outputs: {add-labels: }",
      .warning = X "add-labels may trigger task \"x\" (label \"x\")" },
    { "unknown version", QUIET, .warning = ".wm/config.yml: version 2 is unknown",
      .config = "version: 2" },
    { "configuration", QUIET, .problem = ".wm/config.yml: engine: expected a string",
      .config = "engine: []" },
    { "yaml", "on: [", .problem = "x.md: yaml frontmatter: line " },
};

static void check(const Row *row)
{
    g_auto(RepoFixture) repo = repo_new();
    g_autofree char *text =
        g_strdup_printf("---\n%s\n---\n%s\n", row->front, row->body ? row->body : "x");
    repo_put(&repo, ".wm/tasks/x.md", text);
    if (row->config)
        repo_put(&repo, WM_CONFIG_PATH, row->config);
    g_autoptr(GPtrArray) problems = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GPtrArray) warnings = g_ptr_array_new_with_free_func(g_free);
    wm_project_validate(repo.root, problems, warnings);
    g_autofree char *bad = joined(problems), *odd = joined(warnings);
    bool is_bad_right = row->problem ? strstr(bad, row->problem) != NULL : *bad == '\0';
    bool is_odd_right = row->warning ? strstr(odd, row->warning) != NULL : *odd == '\0';
    if (!is_bad_right || !is_odd_right)
        fail_msg("%s: problems: %swarnings: %s", row->name, bad, odd);
}

static void test_rows(void **state G_GNUC_UNUSED)
{
    g_unsetenv("WM_AGENT_CMD");
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
        check(&rows[i]);
}

// Everything is said, not only the first.
static void test_several(void **state G_GNUC_UNUSED)
{
    g_auto(RepoFixture) repo = repo_new();
    repo_put(&repo, ".wm/tasks/a.md", "no task");
    repo_put(&repo, ".wm/tasks/b.md", "---\nengine: x\non: {push: , reaction: ''}\n---\n");
    repo_put(&repo, ".wm/tasks/quo\"te.md", "---\non: push\n---\n"); // task-C18
    g_autoptr(GPtrArray) problems = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GPtrArray) warnings = g_ptr_array_new_with_free_func(g_free);
    wm_project_validate(repo.root, problems, warnings);
    assert_int_equal(problems->len, 4);
    assert_string_equal(problems->pdata[0], "a.md: missing opening ---");
    assert_true(g_str_has_prefix(problems->pdata[1], ".wm/tasks/quo\"te.md: not a task name"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_several),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
