/*
 * wm/task/event.c: the event as it is given, and the numbers in it (task-engine §4.1, §5.1).
 */
#include "base/str.h"
#include "wm_repo_fixture.h"

#include "wm/task/event.h"

static void test_numbers(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *payload;
        int64_t given;
        WmNumbers want;
    } rows[] = {
        { "issue", "{\"issue\":{\"number\":7}}", 0, { .issue = 7 } },
        { "pull request", "{\"pull_request\":{\"number\":2}}", 0, { .issue = 2, .pull = 2 } },
        { "comment on a pull request",
          "{\"issue\":{\"number\":3,\"pull_request\":{}},\"comment\":{\"id\":492700400}}",
          0,
          { .issue = 3, .pull = 3, .comment = 492700400 } },
        { "both",
          "{\"issue\":{\"number\":3},\"pull_request\":{\"number\":4}}",
          0,
          { .issue = 3, .pull = 4 } },
        { "input as text", "{\"inputs\":{\"issue_number\":\" #12 \"}}", 5, { .issue = 12 } },
        { "input as number", "{\"inputs\":{\"issue_number\":12}}", 0, { .issue = 12 } },
        { "input is none", "{\"inputs\":{\"issue_number\":\"twelve\"}}", 5, { .issue = 5 } },
        { "given", "{}", 5, { .issue = 5 } },
        { "a double",
          "{\"issue\":{\"number\":7.9},\"comment\":{\"id\":9007199254740993}}",
          0,
          { .issue = 7, .comment = 9007199254740993 } },
        { "no numbers",
          "{\"issue\":{\"number\":\"7\"},\"comment\":{\"id\":-4},\"pull_request\":3}",
          0,
          { 0 } },
        { "beyond", "{\"issue\":{\"number\":1e300}}", 0, { 0 } },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_auto(WmEvent) event = { .name = g_strdup("x") };
        assert_true(json_parse_text(rows[i].payload, &event.payload, NULL));
        WmNumbers got = wm_event_numbers(&event, rows[i].given), want = rows[i].want;
        if (got.issue != want.issue || got.pull != want.pull || got.comment != want.comment)
            fail_msg("%s: %d %d", rows[i].name, (int)got.issue, (int)got.pull);
    }
}

static void test_read(void **state G_GNUC_UNUSED)
{
    g_auto(RepoFixture) repo = repo_new();
    repo_put(&repo, "good.json", "{\"repository\":{\"default_branch\":\"master\"}}");
    repo_put(&repo, "null.json", " null\n");
    repo_put(&repo, "bad.json", "{bad");
    repo_put(&repo, "list.json", "[]");
    g_autoptr(GString) deep = g_string_new("{\"a\":");
    for (int i = 0; i < 10000; i++)
        g_string_append_c(deep, '[');
    repo_put(&repo, "deep.json", deep->str);
    static const struct {
        const char *file, *error; // error NULL: it is read
    } rows[] = {
        { "good.json", NULL },
        { "null.json", NULL },                 // task-M45
        { "bad.json", "parse event json: " },  // task-M46
        { "deep.json", "parse event json: " }, // task-S12
        { "list.json", "parse event json: top level must be an object" },
        { "none.json", "cannot read " },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *path = g_build_filename(repo.root, rows[i].file, NULL);
        g_auto(WmEvent) event = { 0 };
        g_autoptr(GError) error = NULL;
        bool is_read = wm_event_read(" issues ", path, &event, &error);
        if (is_read != (rows[i].error == NULL) ||
            (error && !str_has_prefix(error->message, rows[i].error)))
            fail_msg("%s: %s", rows[i].file, error ? error->message : "read");
        if (is_read)
            assert_string_equal(event.name, "issues");
    }
}

static void test_environment(void **state G_GNUC_UNUSED)
{
    g_auto(RepoFixture) repo = repo_new();
    repo_put(&repo, "e.json", "{\"repository\":{\"default_branch\":\"master\"}}");
    g_autofree char *path = g_build_filename(repo.root, "e.json", NULL);
    g_unsetenv("GITHUB_EVENT_NAME");
    g_unsetenv("GITHUB_EVENT_PATH");
    g_auto(WmEvent) none = { 0 }, some = { 0 };
    assert_true(wm_event_read(NULL, "  ", &none, NULL));
    assert_string_equal(none.name, "unknown");
    assert_int_equal(json_object_size(none.payload), 0);
    assert_null(wm_event_default_branch(&none));
    g_setenv("GITHUB_EVENT_NAME", "push", true);
    g_setenv("GITHUB_EVENT_PATH", path, true);
    assert_true(wm_event_read(NULL, NULL, &some, NULL));
    assert_string_equal(some.name, "push");
    assert_string_equal(wm_event_default_branch(&some), "master");
}

static void test_large(void **state G_GNUC_UNUSED)
{
    g_auto(RepoFixture) repo = repo_new();
    g_autofree char *filler = g_strnfill(5 * 1024 * 1024, 'x');
    g_autofree char *large = g_strdup_printf("{\"issue\":{\"number\":7,\"body\":\"%s\"}}", filler);
    repo_put(&repo, "large.json", large);
    g_autofree char *path = g_build_filename(repo.root, "large.json", NULL);
    g_auto(WmEvent) event = { 0 };
    assert_true(wm_event_read("issues", path, &event, NULL)); // task-S08
    assert_int_equal(wm_event_numbers(&event, 0).issue, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_read),
        cmocka_unit_test(test_environment),
        cmocka_unit_test(test_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
