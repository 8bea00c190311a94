/*
 * wm/task/triggers.c: every way to write `on:` has one normal form (task-engine §2.4).
 */
#include "wm_notes_fixture.h"

#include "base/yaml.h"
#include "wm/task/triggers.h"

#include <string.h>

#define EVENTS "[\"issue_comment\"]"

static void test_normal_form(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *yaml, *want, *warning; // warning NULL: none
    } rows[] = {
        { "~", "{}", NULL },
        { "{}", "{}", NULL },
        { "issues", "{\"issues\":{}}", NULL },
        { "[issues, pull_request]", "{\"issues\":{},\"pull_request\":{}}", NULL },
        { "[issues, {push: {branches: main}}]",
          "{\"issues\":{},\"push\":{\"branches\":[\"main\"]}}", NULL },
        { "{issues: }", "{\"issues\":{}}", NULL },
        { "{issues: true}", "{\"issues\":{}}", NULL },
        { "{issues: false, push: }", "{\"push\":{}}", NULL },
        { "/deploy",
          "{\"slash_command\":{\"name\":[\"deploy\"],\"events\":" EVENTS
          "},\"workflow_dispatch\":{}}",
          NULL },
        { "daily", "{\"schedule\":{\"entries\":[\"daily\"]},\"workflow_dispatch\":{}}", NULL },
        { "0 9 * * MON", "{\"schedule\":{\"entries\":[\"0 9 * * MON\"]},\"workflow_dispatch\":{}}",
          NULL },
        { "manual", "{\"workflow_dispatch\":{}}", NULL },
        { "issue opened", "{\"issues\":{\"types\":[\"opened\"]},\"workflow_dispatch\":{}}", NULL },
        { "issue labeled a, big bug",
          "{\"issues\":{\"types\":[\"labeled\"],\"labels\":[\"a\",\"big bug\"]},"
          "\"workflow_dispatch\":{}}",
          NULL },
        { "pull labeled a",
          "{\"pull_request\":{\"types\":[\"labeled\"],\"labels\":[\"a\"]},"
          "\"workflow_dispatch\":{}}",
          NULL },
        { "pull_request closed",
          "{\"pull_request\":{\"types\":[\"closed\"]},\"workflow_dispatch\":{}}", NULL },
        { "comment created",
          "{\"issue_comment\":{\"types\":[\"created\"]},\"workflow_dispatch\":{}}", NULL },
        { "whenever you like", "{}",
          "on: \"whenever you like\" is not a trigger kedge understands" },
        { "7", "{}", "on: expected a trigger, a list or a map" },
        { "{issues: 3}", "{}", "on.issues: expected a map; ignored" },
        { "{nonsense: }", "{}", "on.nonsense is not a trigger kedge understands" },
        { "{issues: {types: [opened, 3, '', ' closed '], labels: bug, names: []}}",
          "{\"issues\":{\"types\":[\"opened\",\"closed\"],\"labels\":[\"bug\"]}}", NULL },
        // a filter of which nothing can be used must not let everything through
        { "{issues: {labels: [2024]}}", "{}",
          "on.issues.labels: no text in it; the trigger never fires" },
        { "{slash_command: }", "{\"slash_command\":{\"events\":" EVENTS "}}", NULL },
        { "{slash_command: go}", "{\"slash_command\":{\"name\":[\"go\"],\"events\":" EVENTS "}}",
          NULL },
        { "{slash_command: [sum, / tldr, /]}",
          "{\"slash_command\":{\"name\":[\"sum\",\"tldr\"],\"events\":" EVENTS "}}", NULL },
        { "{slash_command: {name: ''}}", "{\"slash_command\":{\"name\":[],\"events\":" EVENTS "}}",
          "on.slash_command: empty name; the trigger never fires" },
        { "{slash_command: {events: [' Pull_Request_Comment ', x]}}",
          "{\"slash_command\":{\"events\":[\"pull_request_comment\"]}}",
          "on.slash_command.events: \"x\" is not an event kedge understands" },
        { "{slash_command: {events: '*'}}",
          "{\"slash_command\":{\"events\":[\"issue_comment\",\"pull_request_comment\","
          "\"pull_request_review_comment\",\"issues\",\"pull_request\",\"discussion\","
          "\"discussion_comment\"]}}",
          NULL },
        { "{label_command: {name: go, remove_label: false}}",
          "{\"label_command\":{\"name\":[\"go\"],\"events\":[\"issues\",\"pull_request\"],"
          "\"remove_label\":false}}",
          NULL },
        { "{schedule: }", "{\"schedule\":{\"entries\":[]}}", NULL },
        { "{schedule: ''}", "{\"schedule\":{\"entries\":[]}}", NULL },
        { "{schedule: [{cron: 0 1 * * *}, weekly]}",
          "{\"schedule\":{\"entries\":[\"0 1 * * *\",\"weekly\"]}}", NULL },
        { "{schedule: [3]}", "{}", "on.schedule: entry 1 is neither a text nor a map with cron" },
        { "{schedule: {every: day}}", "{}",
          "on.schedule: nothing in it is a schedule; the trigger never fires" },
        { "{schedule: [{cron: daily, timezone: Europe/Bern}]}",
          "{\"schedule\":{\"entries\":[\"daily\"]}}",
          "on.schedule: timezone is not read; the time is in UTC" },
        { "{reaction: eyes, skip_roles: [read], roles: all, push: }",
          "{\"gates\":{\"reaction\":\"eyes\",\"skip-roles\":[\"read\"],\"roles\":\"all\"},"
          "\"push\":{}}",
          NULL },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(json_t) on = NULL;
        assert_true(yaml_parse(rows[i].yaml, strlen(rows[i].yaml), NULL, &on, NULL));
        g_autoptr(GPtrArray) warnings = wm_notes_new();
        g_autoptr(json_t) normal = wm_triggers_normal(on, ".wm/tasks/x.md", warnings);
        g_autofree char *got = json_to_text(normal);
        if (strcmp(got, rows[i].want) != 0)
            fail_msg("on: %s: got %s, want %s", rows[i].yaml, got, rows[i].want);
        const char *warning = warnings->len > 0 ? text_of(warnings, 0) : NULL;
        if (g_strcmp0(warning, rows[i].warning) != 0)
            fail_msg("on: %s: warning %s", rows[i].yaml, warning ? warning : "none");
    }
}

static void test_absent(void **state G_GNUC_UNUSED)
{
    g_autoptr(json_t) normal = wm_triggers_normal(NULL, ".wm/tasks/x.md", NULL);
    assert_int_equal(json_object_size(normal), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_normal_form),
        cmocka_unit_test(test_absent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
