/*
 * What a command of gh makes stale (github-tool §7.9, rows T162 to T165), and that it is forgotten.
 */
#include "unit.h"

#include "item_fixture.h"

#include "github/github.h"
#include "github/urls/view_forget.h"

/* "repo#number …", `*` for what is not named. Caller frees. */
static char *describe(const GArray *items)
{
    g_autoptr(GString) out = g_string_new(NULL);
    for (guint i = 0; i < items->len; i++) {
        const ForgottenItem *item = &g_array_index(items, ForgottenItem, i);
        g_string_append_printf(out, "%s%s#%" G_GINT64_FORMAT, i > 0 ? " " : "",
                               item->repo ? item->repo : "*", item->number);
    }
    return g_strdup(out->str);
}

static void test_shell(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *command, *want;
    } cases[] = {
        { "github-T162", "gh pr merge 93 --squash -R harbor/tidepool", "harbor/tidepool#93" },
        { "github-T163", "cd x && gh pr edit --milestone 3 14", "*#14" },
        { "github-T164", "gh issue view 88", "" },
        { "github-T165", "gh pr merge --squash", "*#0" },
        { "no number", "gh pr merge --repo=Harbor/Tidepool", "harbor/tidepool#0" },
        { "started by others", "sudo X=1 gh issue close 5 # 6", "*#5" },
        { "several", "gh issue lock 1; echo hi | gh pr ready 2\ngh pr list", "*#1 *#2" },
        { "in quotes", "gh issue comment 7 -b \"closes 8; gh pr merge 9\"", "*#7" },
        { "several of one edit", "gh issue edit 3 4 --add-label 5 6", "*#3 *#4 *#6" },
        { "a URL and its repository", "gh pr close https://github.com/o/r/pull/12 -R x/y",
          "o/r#12" },
        { "another host", "gh pr close https://ghe.example.com/o/r/pull/12",
          "ghe.example.com/o/r#12" },
        { "a number behind --", "gh issue comment -b 5 6", "*#6" },
        { "an option at the end", "gh pr edit -R", "*#0" },
        { "no gh", "git push origin 5", "" },
        { "gh alone", "gh", "" },
        { "gh without a subcommand", "gh pr", "" },
        { "an API request that writes", "gh api /repos/o/r/issues/5/comments -f body=x", "o/r#0" },
        { "glued", "gh api repos/o/r/issues/5 -XPATCH", "o/r#0" },
        { "its method", "gh api repos/o/r/pulls/5 --method=PUT", "o/r#0" },
        { "one that reads", "gh api repos/o/r/issues/5 -H Accept:x", "" },
        { "a mutation", "gh api graphql -f query='mutation {x}'", "*#0" },
        { "a query", "gh api graphql -f query='query {x}'", "" },
    };
    g_autoptr(GhFixture) fixture = gh_fixture_new();
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GArray) items = view_forget_shell(cases[i].command, fixture->settings);
        g_autofree char *got = describe(items);
        if (strcmp(got, cases[i].want) != 0)
            fail_msg("%s: got '%s', want '%s'", cases[i].name, got, cases[i].want);
    }
}

static void test_words(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture = gh_fixture_new();
    static const char *const words[] = { "issue", "reopen", "88", NULL };
    g_autoptr(GArray) items =
        view_forget_words((char *const *)words, "github.com/Harbor/tidepool", fixture->settings);
    g_autofree char *got = describe(items);
    assert_string_equal(got, "harbor/tidepool#88");
}

// ---- the hook ----

static bool shell_run(ToolCall *call G_GNUC_UNUSED, const void *args G_GNUC_UNUSED,
                      ToolResult *result, GError **error G_GNUC_UNUSED)
{
    tool_result_add_text(result, "ran");
    return true;
}

static const FieldDef shell_fields[] = {
    { "command", FIELD_STRING, offsetof(ItemFixtureArgs, path), .is_required = true },
    { 0 },
};
static const ToolDef shell = {
    .name = "bash",
    .summary = "Run",
    .effect = EFFECT_READ,
    .fields = shell_fields,
    .args_size = sizeof(ItemFixtureArgs),
    .run = shell_run,
};

static void read_twice(GhFixture *fixture, const char *name, unsigned calls)
{
    g_auto(ToolResult) again = item_fixture_read(fixture, "issue://harbor/tidepool/88");
    assert_false(again.is_error);
    gh_expect_calls(name, fixture, calls);
}

static void test_hook(void **state G_GNUC_UNUSED)
{
    static const ToolHook *const hooks[] = { &gh_view_forgetter, NULL };
    g_autoptr(GhFixture) fixture = item_fixture_new("abc");
    gh_fixture_converse(fixture);
    tool_context_add_hooks(fixture->context, hooks);
    gh_fixture_reply(fixture, &(GhReply) { .out = "{\"title\":\"T\"}", .is_repeated = true });
    read_twice(fixture, "first", 1);
    read_twice(fixture, "kept", 1);

    fixture->tool = &shell;
    g_auto(ToolResult) view = gh_fixture_call(fixture, "{\"command\":\"gh issue view 88\"}");
    assert_false(view.is_error);
    fixture->tool = &item_fixture_tool;
    read_twice(fixture, "a read forgets nothing", 1);

    fixture->tool = &shell;
    g_auto(ToolResult) close = gh_fixture_call(fixture, "{\"command\":\"gh issue close 88\"}");
    assert_false(close.is_error);
    fixture->tool = &item_fixture_tool;
    read_twice(fixture, "closed, so read again", 2);

    fixture->tool = &tool_gh;
    g_auto(ToolResult) comment = gh_fixture_call(
        fixture,
        "{\"args\":[\"issue\",\"comment\",\"88\",\"--body\",\"x\",\"-R\",\"harbor/tidepool\"]}");
    assert_true(comment.is_error); // nobody can be asked; forgotten all the same
    fixture->tool = &item_fixture_tool;
    unsigned before = gh_fixture_call_count(fixture);
    read_twice(fixture, "commented with gh", before + 1);

    static const char *const other_words[] = {
        "{\"args\":[\"gh\",\"issue\",\"close\",\"88\",\"-R\",\"harbor/tidepool\"]}",
        "{\"args\":[\"issue\",\"close\",\"88\"],\"repo\":\"x/y\",\"hostname\":\"github.com\"}",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(other_words); i++) {
        before = gh_fixture_call_count(fixture);
        fixture->tool = &tool_gh;
        g_auto(ToolResult) ignored = gh_fixture_call(fixture, other_words[i]);
        assert_true(ignored.is_error);
        fixture->tool = &item_fixture_tool;
        unsigned reads = gh_fixture_call_count(fixture) + 1;
        assert_true(reads > before);
        read_twice(fixture, other_words[i], reads);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shell),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_hook),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
