/*
 * wm/trigger/match.c, resolve.c: which tasks an event starts (task-engine §4, rows M of task-engine
 * §11.1).
 */
#include "wm_repo_fixture.h"

#include "wm/task/branch_filter.h"
#include "wm/trigger/match.h"

#define DATA TEST_DATA_DIR "/workflow/"

/* A project in memory with the one task x. */
static WmProject *project_of(const char *on)
{
    g_autofree char *text = g_strdup_printf("---\n%s\n---\n", on);
    WmTask *task = NULL;
    g_autoptr(GError) error = NULL;
    if (!wm_task_parse(text, strlen(text), ".wm/tasks/x.md", NULL, &task, &error))
        fail_msg("%s: %s", on, error->message);
    WmProject *project = g_new0(WmProject, 1);
    project->root = g_strdup("/nonexistent");
    project->tasks = g_ptr_array_new();
    project->bad = g_ptr_array_new();
    g_assert_true(wm_config_read(project->root, NULL, &project->config, NULL));
    g_ptr_array_add(project->tasks, task);
    return project;
}

static void project_free(WmProject *project)
{
    wm_task_free(project->tasks->pdata[0]);
    wm_project_free(project);
}

/* `edits`: "comment.body=/deploy|action=x", a value that begins with { is JSON; NULL: none. */
static void edit(json_t *payload, const char *edits)
{
    g_auto(GStrv) all = g_strsplit(edits ? edits : "", "|", -1);
    for (char **at = all; *at; at++) {
        char *value = strchr(*at, '=');
        *value++ = '\0';
        g_auto(GStrv) keys = g_strsplit(*at, ".", 2);
        json_t *object = keys[1] ? json_object_get(payload, keys[0]) : payload;
        json_t *json = NULL;
        if (*value != '{' || !json_parse_text(value, &json, NULL))
            json = json_text(value);
        json_set_take(object, keys[1] ? keys[1] : keys[0], json);
    }
}

typedef struct Row {
    const char *name, *on, *event, *file, *edits; // file NULL: {}
    const char *cron;
    bool is_match;
} Row;

#define DEPLOY  "on: {slash_command: {name: deploy}}"
#define COMMENT "issue_comment", "issue_comment-created"
#define REVIEW  "pull_request_review_comment", "pull_request_review_comment-created"
#define GRUMPY  "on: {slash_command: {name: grumpy, events: [pull_request_review_comment]}}"
#define ON_PULL "on: {slash_command: {name: fix, events: [pull_request_comment]}}"
#define TWICE   "on: {schedule: [{cron: 0 1 * * *}, {cron: 0 2 * * *}]}"
#define LABELED "issues", "issues-labeled"

static const Row rows[] = {
    { "task-M01", "on: {issues: {types: [opened]}}", "issues", "issues-opened", .is_match = true },
    { "task-M02", "on: {issues: {types: [opened]}}", "issues", "issues-reopened" },
    { "task-M03", "on: {issues: {}}", LABELED, .is_match = true },
    { "task-M04", "on: {issues: }", LABELED, .is_match = true },
    { "runs of another workflow", "on: {workflow_run: {workflows: [CI]}}", "workflow_run",
      .edits = "workflow_run={\"name\":\"Deploy\"}" },
    { "runs of the workflow", "on: {workflow_run: {workflows: [Deploy, CI]}}", "workflow_run",
      .edits = "workflow_run={\"name\":\"CI\"}", .is_match = true },
    { "task-M05", "on: issues", "issues", "issues-opened", .is_match = true },
    { "task-M06", "on: [issues, pull_request]", "pull_request", "pull_request-opened",
      .is_match = true },
    { "task-M07", "on: {issues: {types: labeled}}", "issues", "issues-opened" },
    { "task-M08", "on: {issues: {types: [labeled], labels: [implement]}}", LABELED },
    { "task-M09", "on: {issues: {labels: [bug]}}", LABELED, .is_match = true },
    { "task-M10", "on: {issues: {types: [opened], labels: [bug]}}", LABELED },
    { "task-M11", "on: {issues: {labels: [Bug]}}", LABELED },
    { "task-M12", "on: {issues: {labels: [bug]}}", LABELED, "action=unlabeled" },
    { "task-M13", "on: {issues: {names: [bug]}}", LABELED, "action=unlabeled", .is_match = true },
    { "task-M14", "on: {issue_comment: {types: [created]}}", COMMENT, .is_match = true },
    { "task-M15", "on: {issue_comment: {types: [created]}}", "issue_comment",
      "issue_comment-deleted" },
    { "task-M16", "on: {issue_comment: {}}", COMMENT, "comment.body=hi\n\n<!-- wm-agent:y -->" },
    { "task-M17", "on: {pull_request: {types: [review_requested]}}", "pull_request",
      "pull_request-review_requested", .is_match = true },
    { "task-M18", "on: {pull_request: {types: [review_requested]}}", "pull_request_target",
      "pull_request-review_requested", .is_match = true },
    { "task-M19", "on: {pull_request_target: {}}", "pull_request", "pull_request-opened" },
    { "task-M20", "on: {pull_request_review_comment: {types: [created]}}", REVIEW,
      .is_match = true },
    { "task-M21", "on: {pull_request_review_comment: {types: [created]}}", REVIEW,
      "comment.body=x <!-- wm-agent:y -->" },
    { "task-M22", DEPLOY, COMMENT, "comment.body=/deploy prod", .is_match = true },
    { "task-M23", DEPLOY, COMMENT, "comment.body=/deployment" },
    { "task-M24", DEPLOY, COMMENT, "comment.body=\n  /deploy\n", .is_match = true },
    { "task-M25", DEPLOY, "issue_comment", "issue_comment-deleted", "comment.body=/deploy" },
    { "task-M26", GRUMPY, REVIEW, "comment.body=/grumpy look", .is_match = true },
    { "task-M27", GRUMPY, COMMENT, "comment.body=/grumpy look" },
    { "task-M28", ON_PULL, COMMENT, "comment.body=/fix" },
    { "task-M29", ON_PULL, COMMENT, "comment.body=/fix|issue.pull_request={}", .is_match = true },
    { "task-M30", "on: {slash_command: {}}", COMMENT, "comment.body=/x", .is_match = true },
    { "task-M31", "on: {slash_command: {name: ''}}", COMMENT, "comment.body=/x" },
    { "task-M32", "on: {slash_command: [sum, tldr]}", COMMENT, "comment.body=/tldr now",
      .is_match = true },
    { "task-M33", "on: {workflow_dispatch: }", "workflow_dispatch", "workflow_dispatch",
      .is_match = true },
    { "task-M34", "on: {schedule: daily}", "schedule", NULL, .is_match = true },
    { "task-M35", "on: {schedule: 0 1 * * *}", "schedule", NULL, .cron = "0  1 * * *",
      .is_match = true },
    { "task-M36", "on: {schedule: 0 1 * * *}", "schedule", NULL, .cron = "9 9 * * *" },
    { "task-M37", TWICE, "schedule", NULL, .cron = "0 2 * * *", .is_match = true },
    { "task-M38", "on: issues", "issues", "issues-opened", "sender.type=Bot" },
    { "task-M39", "on: issues", "issues", "issues-opened", "sender.login=Renovate[BOT] " },
    { "task-M40", "on: {workflow_dispatch: }", "workflow_dispatch", "workflow_dispatch",
      "sender.type=Bot", .is_match = true },
    { "task-M41", "engine: claude", "issues", "issues-opened" },
    { "task-M42", "on: {issues: {types: [closed]}, slash_command: go}", COMMENT, "comment.body=/go",
      .is_match = true },
    { "task-M44", "on: issues", "push", NULL },
    { "task-M45", "on: issues", "issues", NULL, .is_match = true },
    { "task-M47", "on: {repository_dispatch: {types: [on-demand-test]}}", "repository_dispatch",
      "repository_dispatch", .is_match = true },
    { "task-M48", "on: /deploy", COMMENT, "comment.body=/deploy", .is_match = true },
    { "task-M49", "on: {issues: {types: []}}", "issues", "issues-reopened", .is_match = true },
    // task-engine §4.4 and §4.5, as far as the rows above do not have them
    { "tab", DEPLOY, COMMENT, "comment.body=/deploy\tprod", .is_match = true },
    { "no-break space", DEPLOY, COMMENT, "comment.body=/deploy\xc2\xa0prod", .is_match = true },
    { "dash", DEPLOY, COMMENT, "comment.body=/deploy-now" },
    { "inside", DEPLOY, COMMENT, "comment.body=please /deploy" },
    { "case", DEPLOY, COMMENT, "comment.body=/Deploy" },
    { "own", DEPLOY, COMMENT, "comment.body=/deploy <!-- wm-agent:x -->" },
    { "no slash", DEPLOY, COMMENT, "comment.body=deploy" },
    { "empty", DEPLOY, COMMENT, "comment.body=" },
    { "no body", DEPLOY, COMMENT, "comment={}" },
    { "issue body", "on: {slash_command: {events: [issues]}}", "issues", "issues-opened",
      "issue.body=/x", .is_match = true },
    // what a task opened starts no task; what people do with it afterwards does
    { "an issue of a task", "on: {issues: {types: [opened]}}", "issues", "issues-opened",
      "issue.body=x\n\n<!-- wm-agent:y -->" },
    { "a stranger's mark, and no one to ask", "on: {issues: {types: [opened]}}", "issues",
      "issues-opened", "issue.author_association=NONE|issue.body=x\n\n<!-- wm-agent:y -->" },
    { "the same, changed", "on: {issues: {types: [reopened]}}", "issues", "issues-reopened",
      "issue.body=x\n\n<!-- wm-agent:x -->", .is_match = true },
    { "a comment on it", "on: {issue_comment: {}}", COMMENT, "issue.body=x\n\n<!-- wm-agent:x -->",
      .is_match = true },
    { "its command", "on: {slash_command: {events: [issues]}}", "issues", "issues-opened",
      "issue.body=/x <!-- wm-agent:y -->" },
    { "a pull request of a task", "on: pull_request", "pull_request", "pull_request-opened",
      "pull_request.body=x\n\n<!-- wm-agent:y -->" },
    { "the same, to another event", "on: pull_request", "pull_request_target",
      "pull_request-opened", "pull_request.body=x\n\n<!-- wm-agent:y -->" },
    { "commits for it", "on: pull_request", "pull_request", "pull_request-synchronize",
      "pull_request.body=x\n\n<!-- wm-agent:x -->", .is_match = true },
    { "a label that came with it", "on: issues", LABELED,
      "issue.body=x <!-- wm-agent:x -->|issue.created_at=2026-05-01T12:00:00Z|issue.updated_at="
      "2026-05-01T12:00:02Z" },
    { "the same of another task", "on: issues", LABELED,
      "issue.body=x <!-- wm-agent:y -->|issue.created_at=2026-05-01T12:00:00Z|issue.updated_at="
      "2026-05-01T12:00:02Z",
      .is_match = true },
    { "a label that came later", "on: {label_command: bug}", LABELED,
      "issue.body=x <!-- wm-agent:x -->|issue.created_at=2026-05-01T12:00:00Z|issue.updated_at="
      "2026-05-01T12:01:00Z",
      .is_match = true },
    { "the branch of a run", "on: push", "push", NULL, "ref=refs/heads/wm/x-20260501-120000-2" },
    { "the branch of another task's", "on: push", "push", NULL,
      "ref=refs/heads/wm/y-20260501-120000", .is_match = true },
    { "a branch like it", "on: push", "push", NULL, "ref=refs/heads/wm/x-docs", .is_match = true },
    // an edited text starts what it has not started before
    { "edited, a command before", DEPLOY, COMMENT,
      "comment.body=/deploy prod|action=edited|changes={\"body\":{\"from\":\"/deploy\"}}" },
    { "edited, none before", DEPLOY, COMMENT,
      "comment.body=/deploy|action=edited|changes={\"body\":{\"from\":\"/deploi\"}}",
      .is_match = true },
    { "edited, another part", "on: {slash_command: {events: [issues]}}", "issues", "issues-opened",
      "issue.body=/x|action=edited|changes={\"title\":{\"from\":\"a\"}}" },
    { "labeled issue", "on: {slash_command: {events: [issues]}}", LABELED, "issue.body=/x" },
    { "both comments", "on: {slash_command: {events: [pull_request_comment, issue_comment]}}",
      COMMENT, "comment.body=/x", .is_match = true },
    { "unknown events", "on: {slash_command: {events: [x]}}", COMMENT, "comment.body=/x" },
    { "synchronize", "on: {pull_request: {types: [opened, synchronize]}}", "pull_request",
      "pull_request-synchronize", .is_match = true },
    { "label of a pull request", "on: {pull_request: {labels: bug}}", "pull_request",
      "pull_request-labeled", .is_match = true },
    { "base branch", "on: {pull_request: {branches: [release/*]}}", "pull_request",
      "pull_request-opened" },
    { "base branch", "on: {pull_request: {branches: [main, master]}}", "pull_request",
      "pull_request-opened", .is_match = true },
    { "ignored branch", "on: {push: {branches-ignore: [dev/**]}}", "push", NULL,
      "ref=refs/heads/dev/a/b" },
    { "pushed branch", "on: {push: {branches: [dev/**]}}", "push", NULL, "ref=refs/heads/dev/a/b",
      .is_match = true },
    { "a tag is no branch", "on: {push: {branches: ['**']}}", "push", NULL, "ref=refs/tags/v1" },
    { "review of a task", "on: pull_request_review", "pull_request_review", NULL,
      "review={\"body\":\"x <!-- wm-agent:y -->\"}" },
    { "label command", "on: {label_command: bug}", LABELED, .is_match = true },
    { "label command", "on: {label_command: bug}", LABELED, "action=unlabeled" },
    { "label command", "on: {label_command: {name: bug, events: pull_request}}", LABELED },
    { "a bot that is let through", "on: {issues: , bots: [Renovate]}", "issues", "issues-opened",
      "sender.login=renovate[bot]|sender.type=Bot", .is_match = true },
    { "another bot", "on: {issues: , bots: [renovate]}", "issues", "issues-opened",
      "sender.login=dependabot[bot]" },
    { "skip-bots", "on: {issues: , skip-bots: [codertocat]}", "issues", "issues-opened" },
    { "every tick", "on: {schedule: }", "schedule", NULL, .cron = "9 9 * * *", .is_match = true },
    { "cron of another event", "on: {schedule: daily, issues: }", "issues", "issues-opened",
      .cron = "9 9 * * *", .is_match = true },
    { "past", "on: {issues: , stop-after: 2020-01-31}", "issues", "issues-opened" },
    { "to come", "on: {issues: , stop-after: '2999-01-31T12:00Z'}", "issues", "issues-opened",
      .is_match = true },
    { "relative, not compiled", "on: {issues: , stop-after: +7d}", "issues", "issues-opened",
      .is_match = true },
};

static void event_of(const Row *row, WmEvent *ret_event)
{
    ret_event->name = g_strdup(row->event);
    ret_event->payload = json_object();
    if (row->file) {
        g_autofree char *path = g_strconcat(DATA, row->file, ".json", NULL);
        json_decref(ret_event->payload);
        assert_true(json_read_file(path, &ret_event->payload, NULL));
    }
    edit(ret_event->payload, row->edits);
}

static void test_rows(void **state G_GNUC_UNUSED)
{
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        const Row *row = &rows[i];
        WmProject *project = project_of(row->on);
        g_auto(WmEvent) event = { 0 };
        event_of(row, &event);
        const WmResolve resolve = { .project = project, .event = &event, .cron = row->cron };
        g_autoptr(json_t) names = NULL;
        assert_true(wm_resolve(&resolve, NULL, &names, NULL));
        g_autofree char *got = json_to_text(names);
        if (strcmp(got, row->is_match ? "[\"x\"]" : "[]") != 0)
            fail_msg("%s: %s, %s: got %s", row->name, row->on, row->event, got);
        project_free(project);
    }
}

static void test_forced(void **state G_GNUC_UNUSED)
{
    WmProject *project = project_of("engine: claude");
    const WmResolve forced = { .project = project, .force_task = " x " };
    const WmResolve unknown = { .project = project, .force_task = "nope" };
    g_autoptr(json_t) names = NULL, none = NULL;
    g_autoptr(GError) error = NULL;
    assert_true(wm_resolve(&forced, NULL, &names, NULL)); // task-M41
    assert_string_equal(json_string_value(json_array_get(names, 0)), "x");
    assert_false(wm_resolve(&unknown, NULL, &none, &error)); // task-M50
    assert_string_equal(error->message, "task not found: nope");
    project_free(project);
}

static void test_reasons(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *on, *want;
    } cases[] = {
        { "on: {issues: {labels: [implement]}}", "issues: label \"bug\" not in [implement]" },
        { "on: {issues: {types: [opened, closed]}}",
          "issues: action \"labeled\" not in [opened, closed]" },
        { "on: push", "no trigger for event issues" },
        { "engine: x", "no triggers" },
        { "on: {push: , issues: }", "issues" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        WmProject *project = project_of(cases[i].on);
        const Row row = { .event = "issues", .file = "issues-labeled" };
        g_auto(WmEvent) event = { 0 };
        event_of(&row, &event);
        g_autofree char *reason = NULL;
        wm_match(project->tasks->pdata[0], &event, NULL, &reason);
        assert_string_equal(reason, cases[i].want);
        project_free(project);
    }
}

static void test_many(void **state G_GNUC_UNUSED)
{
    WmProject *project = project_of("on: issues");
    for (int i = 0; i < 299; i++)
        g_ptr_array_add(project->tasks, project->tasks->pdata[0]);
    g_auto(WmEvent) event = { .name = g_strdup("issues"), .payload = json_object() };
    const WmResolve resolve = { .project = project, .event = &event };
    g_autoptr(json_t) names = NULL;
    assert_true(wm_resolve(&resolve, NULL, &names, NULL));
    assert_int_equal(json_array_size(names), 256); // the maximum of a matrix
    project_free(project);
}

static void test_branches(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *patterns, *branch;
        bool is_match;
    } cases[] = {
        { "main", "main", true },
        { "main", "mainline", false },
        { "rel/*", "rel/1", true },
        { "rel/*", "rel/1/2", false },
        { "rel/**", "rel/1/2", true },
        { "**", "a/b", true },
        { "v1.2", "v1x2", false },
        { "v[0-9]", "v7", true },
        { "v[0-9]+", "v77", true },
        { "colou?r", "color", true },
        { "a*b*c", "a/b/c", false },
        { "x|rel/**|!rel/old/*", "rel/old/1", false },
        { "rel/**|!rel/old/*", "rel/1", true },
        { "!a|a", "a", true },
        { "[", "[", true },
        { "\\*", "*", true },
        { "\\*", "a", false },
        { "+", "+", true },
        { "(a", "(a", true },
        { "a\\", "a\\", true },
        { "[a]]", "a]", true },
        { "\xc3\xa9?", "\xc3\xa9", true },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(GStrv) parts = g_strsplit(cases[i].patterns, "|", -1);
        g_autoptr(json_t) patterns = json_array();
        for (char **part = parts; *part; part++)
            json_append_take(patterns, json_text(*part));
        if (wm_branch_matches(patterns, cases[i].branch) != cases[i].is_match)
            fail_msg("%s: %s", cases[i].patterns, cases[i].branch);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),     cmocka_unit_test(test_forced),
        cmocka_unit_test(test_reasons),  cmocka_unit_test(test_many),
        cmocka_unit_test(test_branches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
