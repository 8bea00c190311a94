/*
 * workflow/validate*.c: what is wrong with configuration and tasks (task-engine §3.4).
 */
#include "base/str.h"
#include "wm_repo_fixture.h"

#include "wm/task/project.h"

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
    { "task-C12", QUIET "safe-outputs: {create_issue: {}}", .warning = X "line 3: safe-outputs" },
    { "unknown output", QUIET "safe-outputs: {create-discussion: {}}",
      .warning = X "line 3: safe-outputs: \"create-discussion\" is not supported" },
    { "task-C20", "on: {push: , reaction: party}",
      .problem = X "line 2: on.reaction \"party\" is not" },
    { "engine", QUIET "engine: copilot",
      .problem = X "line 3: engine \"copilot\" is no longer supported" },
    { "engine", QUIET "engine: gemini", .problem = X "line 3: unknown engine \"gemini\"" },
    { "expression", QUIET, "${{ secrets.FOO }}",
      .problem = X "line 5: expression \"secrets.FOO\"" },
    { "expression, to be warned of", QUIET, "${{ secrets.FOO }}",
      .warning = X "line 5: expression \"secrets.FOO\"",
      .config = "compat: {gh_aw_expressions: warn}" },
    { "expression, not looked at", QUIET, "${{ secrets.FOO }}",
      .config = "compat: {gh_aw_expressions: off}" },
    { "schedule", "on: {schedule: custom}",
      .warning = X "line 2: on.schedule \"custom\" is not a schedule kedge understands" },
    { "every tick", "on: {schedule: }", .warning = X "line 2: on.schedule is empty" },
    { "trigger", "on: whenever", .warning = X "line 2: on: \"whenever\" is not a trigger kedge" },
    { "inert trigger", "on: {push: 3}", .warning = X "line 2: on.push: expected a map; ignored" },
    { "public", "on: issues", .warning = PUBLIC },
    { "public", "on: {slash_command: go}", .warning = PUBLIC },
    { "public, to all on purpose", "on: {issues: , roles: all}" },
    { "public, with a gate for all", "on: issues", .config = "gates: {roles: [write]}" },
    { "no role", "on: {issues: , roles: [writer]}",
      .warning = X "line 2: on.roles: \"writer\" is not a role of GitHub" },
    { "no roles", "on: {issues: , roles: [3]}", .warning = X "line 2: on.roles names no role" },
    { "stop-after", "on: {push: , stop-after: +30m}",
      .problem = X "line 2: on.stop-after: neither a date nor a time such as +7d: \"+30m\"" },
    { "stop-after", "on: {push: , stop-after: +7d}" },
    { "ignored keys", QUIET "if: x\nsteps: []\nenv: {}",
      .warning = X "not interpreted: if, steps" },
    { "network", QUIET "network: {allowed: [node]}",
      .warning = X "line 3: network: is not enforced for engine claude" },
    { "network of kedge", QUIET "network: defaults\nengine: kedge",
      .warning = X "line 3: network: is not enforced for engine kedge" },
    { "a model that looks for threats", QUIET "safe-outputs: {threat-detection: {prompt: cats}}" },
    { "an engine that cannot do without tools",
      QUIET "safe-outputs: {threat-detection: {engine: {id: codex}}}",
      .problem = X "line 3: safe-outputs.threat-detection: engine \"codex\" cannot be kept from" },
    { "an option of threat-detection", QUIET "safe-outputs: {threat-detection: {engines: kedge}}",
      .warning = X "line 3: safe-outputs.threat-detection.engines is not read" },
    { "task-S13", "on: {issues: {labels: [agent]}, roles: all}\nsafe-outputs: {add-labels: }",
      .warning = X "add-labels may trigger task \"x\" (label \"agent\")" },
    { "blocked label",
      "on: {issues: {labels: [agent]}, roles: all}\nsafe-outputs: {add-labels: {blocked: [ag*]}}" },
    { "other labels",
      "on: {issues: {labels: [agent]}, roles: all}\nsafe-outputs: {add-labels: [bug]}" },
    { "label command", "on: {label_command: , roles: all}\nsafe-outputs: {add-labels: }",
      .warning = X "add-labels may trigger task \"x\" (label \"x\")" },
    { "unknown version", QUIET, .warning = ".wm/config.yml: line 1: version 2 is unknown",
      .config = "version: 2" },
    { "configuration", QUIET, .problem = ".wm/config.yml: line 1: engine: expected a string",
      .config = "engine: []" },
    { "a key that nobody reads", QUIET "timeout_minutes: 5",
      .warning = X "line 3: timeout_minutes is not a key of a task (did you mean "
                   "\"timeout-minutes\"?); ignored\n" },
    { "a key that is like none", QUIET "zebra: 5",
      .warning = X "line 3: zebra is not a key of a "
                   "task; ignored\n" },
    { "a filter that is none", "on:\n  push:\n    branch: main",
      .warning = X "line 4: on.push.branch is not read (did you mean \"branches\"?); it filters "
                   "nothing\n" },
    { "filters of all kinds",
      "on: {push: {types: [x], branches: [a], branches-ignore: [b]}, schedule: [{cron: daily}],\n"
      "  slash_command: {name: x, events: '*'}, label_command: {name: x, remove_label: false},\n"
      "  workflow_run: {workflows: [CI]}, workflow_dispatch: {inputs: {a: {}}}, roles: all}" },
    { "runs of which workflow", "on:\n  workflow_run: {types: [completed]}",
      .warning = X "line 3: on.workflow_run: no workflows, and GitHub wants to know which; not "
                   "added to wm-agent.yml\n" },
    { "an event that is mistyped", "on:\n  push:\n  isues: {types: [opened]}",
      .warning = X "line 4: on.isues is not a trigger kedge understands (did you mean "
                   "\"issues\"?)\n" },
    { "a kind that is mistyped", "on: {release: {types: [publish]}}",
      .warning =
          X "line 2: on.release.types: \"publish\" is not an activity type that GitHub knows "
            "(did you mean \"published\"?); not added to wm-agent.yml\n" },
    { "no trigger", "description: x",
      .warning = X "on: no trigger; the task starts only by hand\n" },
    { "an output that is mistyped", QUIET "safe-outputs:\n  noop:\n  add-label: {}",
      .warning = X "line 5: safe-outputs: \"add-label\" is not supported (did you mean "
                   "\"add-labels\"?)" },
    { "an option of an output", QUIET "safe-outputs:\n  add_comment:\n    targets: 5",
      .warning = X "line 5: safe-outputs.add_comment.targets is not read (did you mean "
                   "\"target\"?)\n" },
    // what a task writes may start it again, where the token is a person's
    { "issues", "on: {issues: {types: [opened]}, roles: all}\nsafe-outputs: {create-issue: }",
      .warning = X "create-issue may trigger task \"x\" (issues: opened); only the marker" },
    { "labels of issues",
      "on: {issues: {types: [labeled], labels: [a]}, roles: all}\n"
      "safe-outputs: {create-issue: {labels: [b, a]}}",
      .warning = X "create-issue may trigger task \"x\" (label \"a\")\n" },
    { "other labels of issues",
      "on: {issues: {types: [labeled], labels: [a]}, roles: all}\n"
      "safe-outputs: {create-issue: {labels: [b]}, update-issue: , create-pull-request: }" },
    { "titles", "on: {issues: , roles: all}\nsafe-outputs: {update-issue: }",
      .warning = X "update-issue may trigger task \"x\" (issues: edited)\n" },
    { "pull requests", "on: pull_request\nsafe-outputs: {create-pull-request: }",
      .warning = X "create-pull-request may trigger task \"x\" (pull_request: opened); only" },
    { "commits", "on: pull_request\nsafe-outputs: {push-to-pull-request-branch: }",
      .warning = X "push-to-pull-request-branch may trigger task \"x\" (pull_request: synch" },
    { "what GitHub does not report by itself",
      "on: pull_request\nsafe-outputs: {close-pull-request: , update-pull-request: }" },
    { "commands",
      "on: {slash_command: {events: [issues]}, roles: all}\nsafe-outputs: {update-issue: }",
      .warning = X "update-issue may trigger task \"x\" (a text with its command)\n" },
    { "options of outputs",
      QUIET "safe-outputs: {create-pull-request: {if_no_changes: warn, draft: true}, messages: "
            "{footer: x}, close-issue: {required-labels: [a]}, push-to-pull-request-branch: "
            "{title-prefix: a}, add-reviewer: {reviewers: [a]}}" },
    { "a message that nobody posts", QUIET "safe-outputs: {messages: {zebra: x}}",
      .warning = X "line 3: safe-outputs.messages.zebra is not read\n" },
    { "minutes", QUIET "timeout-minutes: ten",
      .warning = X "line 3: timeout-minutes: expected a whole number above 0, not \"ten\"; 45 "
                   "counts\n" },
    { "too many minutes", QUIET "timeout-minutes: 481",
      .warning = X "line 3: timeout-minutes: at most 480 counts, not 481\n" },
    { "numbers that count", QUIET "timeout-minutes: 480.0\nmax-turns: 1\nmax-ai-credits: 5" },
    { "turns", QUIET "max-turns: -1", .warning = X "line 3: max-turns: expected a whole number" },
    { "an engine that is no text", QUIET "engine: [claude]",
      .warning = X "line 3: engine: expected a text, or a map with id" },
    { "cooldown", "on: {push: , cooldown: soon}",
      .warning = X "line 2: on.cooldown: expected a time such as 4h or 30m, not \"soon\"" },
    { "cooldown", "on: {push: , cooldown: 4h}" },
    { "a tool that is mistyped", QUIET "tools: {bsh: true}",
      .warning = X "line 3: tools.bsh is not a tool kedge knows (did you mean \"bash\"?)\n" },
    { "tools", QUIET "tools: {bash: true, edit: false, playwright: }" },
    { "no body", QUIET, " ", .warning = X "no text below the frontmatter; the prompt is \"x: " },
    { "a directive in the body", QUIET, "a\n\n{{#if x}}",
      .problem = X "line 7: unsupported gh-aw" },
    { "a key of the configuration", QUIET, .config = "pr: {draft: true}\nmax-turns: 5",
      .warning = ".wm/config.yml: line 2: max-turns is not a key kedge reads (did you mean "
                 "\"max_turns\"?); ignored\n" },
    { "an inner key of the configuration", QUIET, .config = "workflow:\n  instal: none",
      .warning = ".wm/config.yml: line 2: workflow.instal is not a key kedge reads (did you mean "
                 "\"install\"?); ignored\n" },
    { "all keys of the configuration", QUIET,
      .config =
          "version: 1\nengine: kedge\nmodel: m\nmax_turns: 3\nclaude_output_format: json\n"
          "context: {files: [.wm/config.yml], event: none}\npr: {draft: true, reviewers: []}\n"
          "limits: {cost_usd: 1}\ngates: {roles: [write]}\ncompat: {gh_aw_expressions: warn, "
          "gh_aw_expand: true, gh_aw_workflows: false}\nworkflow: {runs_on: x, pre_steps: [], "
          "install_steps: [], install: none, install_claude_code: false, kedge_version: v1, "
          "gh_wm_extension_version: v1, reusable_repo: a/b, reusable_ref: v1, secrets: []}" },
    { "a word of the configuration", QUIET, .config = "compat: {gh_aw_expressions: never}",
      .warning = ".wm/config.yml: line 1: compat.gh_aw_expressions: expected one of error, warn, "
                 "off, not \"never\"; read as error\n" },
    { "a file that is not there", QUIET, .config = "context: {files: [no.md]}",
      .warning = ".wm/config.yml: line 1: context.files: there is no file \"no.md\"" },
    { "a role of the configuration", QUIET, .config = "gates: {roles: [admins]}",
      .warning = ".wm/config.yml: line 1: gates.roles: \"admins\" is not a role of GitHub\n" },
    { "the engine of the configuration", QUIET, .config = "engine: cluade",
      .problem = ".wm/config.yml: line 1: unknown engine \"cluade\"" },
    { "an engine that is not used", QUIET "engine: kedge", .config = "engine: cluade" },
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
    repo_put(&repo, ".wm/tasks/b.md", "---\nengine: x\non: {push: , reaction: ''}\n---\nx");
    repo_put(&repo, ".wm/tasks/quo\"te.md", "---\non: push\n---\n"); // task-C18
    g_autoptr(GPtrArray) problems = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GPtrArray) warnings = g_ptr_array_new_with_free_func(g_free);
    wm_project_validate(repo.root, problems, warnings);
    assert_int_equal(problems->len, 4);
    assert_string_equal(problems->pdata[0], "a.md: missing opening ---");
    assert_true(str_has_prefix(problems->pdata[1], ".wm/tasks/quo\"te.md: not a task name"));
}

// The message, not the file, is what is bounded: a YAML that would be too much has no lines.
static void test_no_lines(void **state G_GNUC_UNUSED)
{
    g_auto(RepoFixture) repo = repo_new();
    g_autoptr(GString) deep = g_string_new(NULL);
    for (int i = 0; i < 100000; i++)
        g_string_append(deep, "{a: ");
    repo_put(&repo, WM_CONFIG_PATH, deep->str);
    repo_put(&repo, ".wm/tasks/x.md", "---\non: push\n---\nx");
    g_autoptr(GPtrArray) problems = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GPtrArray) warnings = g_ptr_array_new_with_free_func(g_free);
    wm_project_validate(repo.root, problems, warnings);
    assert_int_equal(problems->len, 1);
    assert_true(str_has_prefix(problems->pdata[0], ".wm/config.yml: yaml: "));
}

// CRLF, a byte order mark and lines before the first key are lines of the file, too.
static void test_lines_of_file(void **state G_GNUC_UNUSED)
{
    g_auto(RepoFixture) repo = repo_new();
    repo_put(
        &repo, ".wm/tasks/x.md",
        "\xef\xbb\xbf---\r\n# what it is for\r\n\r\non: push\r\nengin: x\r\n---\r\n\r\ntext\r\n"
        "${{ secrets.A }}\r\n");
    g_autoptr(GPtrArray) problems = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GPtrArray) warnings = g_ptr_array_new_with_free_func(g_free);
    wm_project_validate(repo.root, problems, warnings);
    assert_int_equal(problems->len, 1);
    assert_int_equal(warnings->len, 1);
    assert_true(str_has_prefix(problems->pdata[0], X "line 9: expression"));
    assert_true(str_has_prefix(warnings->pdata[0], X "line 5: engin is not"));
}

// The same words twice, and those of an import: each has its own place.
static void test_lines_of_expressions(void **state G_GNUC_UNUSED)
{
    g_auto(RepoFixture) repo = repo_new();
    repo_put(&repo, ".wm/tasks/shared/a.md", "${{ secrets.B }}");
    repo_put(&repo, ".wm/tasks/x.md",
             "---\non: {push: }\nimports: [shared/a.md]\n---\n"
             "A: secrets.A\n${{ secrets.A }}\n```\n${{ secrets.C }}\n```\n${{ secrets.C }}\n");
    g_autoptr(GPtrArray) problems = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GPtrArray) warnings = g_ptr_array_new_with_free_func(g_free);
    wm_project_validate(repo.root, problems, warnings);
    assert_int_equal(problems->len, 3);
    assert_true(str_has_prefix(problems->pdata[0], X "expression \"secrets.B\""));
    assert_true(str_has_prefix(problems->pdata[1], X "line 6: expression \"secrets.A\""));
    assert_true(str_has_prefix(problems->pdata[2], X "line 10: expression \"secrets.C\""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_several),
        cmocka_unit_test(test_no_lines),
        cmocka_unit_test(test_lines_of_file),
        cmocka_unit_test(test_lines_of_expressions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
