/*
 * The general gh tool where gh itself matters: which program runs, and what --raw keeps.
 */
#include "unit.h"

#include "git_fixture.h"

#include "base/file.h"
#include "github/github.h"
#include "github/safe/gh_audit.h"
#include "github/safe/gh_call.h"
#include "github/safe/gh_record.h"
#include "tool/context.h"

#include <sys/stat.h>

static GhFixture *fixture_new(const char *settings)
{
    GhFixture *fixture = gh_fixture_new_with(settings);
    fixture->tool = &tool_gh;
    return fixture;
}

static void test_programs(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture = fixture_new(NULL);
    gh_fixture_set_version(fixture, "2.40.1");
    g_auto(ToolResult) old =
        gh_fixture_call(fixture, "{\"args\":[\"pr\",\"merge\",\"5\",\"-R\",\"o/r\"]}");
    gh_expect_error(
        "gh-13-1", &old,
        "[gh github.com/o/r pr write version]\n"
        "Error: gh 2.40.1 is older than the required 2.46.0; upgrade gh.\n"
        "Reproduce: GH_PROMPT_DISABLED=1 GH_PAGER=cat GH_HOST=github.com gh pr merge 5 -R o/r");

    g_autoptr(GhFixture) second = fixture_new("{\"gh\":{\"executable\":\"/nonexistent-gh\"}}");
    g_auto(ToolResult) missing =
        gh_fixture_call(second, "{\"args\":[\"pr\",\"list\",\"-R\",\"o/r\"]}");
    g_autofree char *text = tool_result_text(&missing);
    if (!g_str_has_prefix(text, "[gh github.com/o/r pr read no-executable]\n"
                                "Error: gh not found at /nonexistent-gh; install via '"))
        fail_msg("got %s", text);
}

static void test_raw(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture = fixture_new(NULL);
    gh_fixture_reply_out(fixture, "\x1b[1mghp_0123456789abcdef0123\x1b[0m\n");
    g_autoptr(ToolContext) context = tool_context_new(fixture->cwd, fixture->settings, NULL);
    g_autoptr(json_t) arguments = json_pack("{s:[s]}", "args", "status");
    const ToolDoor door = { .kind = DOOR_DIRECT, .via = "cli" };
    const ToolCallSpec spec = {
        .tool = &tool_gh, .arguments = arguments, .context = context, .door = &door
    };
    gh_call_keep_raw(context);
    g_auto(ToolResult) result = { 0 };
    tool_call(&spec, &result);
    gh_expect_text("masked", &result, "[gh github.com read ok 0.0KB]\n[REDACTED]\n");
    size_t size = 0;
    g_autofree char *raw = gh_call_take_raw(context, &size);
    assert_int_equal(size, strlen("\x1b[1mghp_0123456789abcdef0123\x1b[0m\n"));
    assert_string_equal(raw, "\x1b[1mghp_0123456789abcdef0123\x1b[0m\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_programs),
        cmocka_unit_test(test_raw),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
