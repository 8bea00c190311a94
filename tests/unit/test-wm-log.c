/*
 * What the task engine says: nothing that a runner would read as a command.
 */
#include "unit.h"

#include "base/log.h"
#include "wm/task/wm_log.h"

static void test_no_command_of_a_runner(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *text, *expected;
    } cases[] = {
        { "plain", "plain" },
        { "two\nlines\r\n", "two lines  " },
        { "::set-env name=a::b", ": :set-env name=a::b" },
        { "  ::error::x", "  : :error::x" },
        { "##[group]x", "# #[group]x" },
        { "a ::error::x", "a ::error::x" },
        { "a ##[add-mask]e ##[x]", "a # #[add-mask]e # #[x]" },
        { "###[group]x", "## #[group]x" },
        { "\xc2\xa0\xe2\x80\x83::error::x", "\xc2\xa0\xe2\x80\x83: :error::x" },
        { "\xff::x", "\xff::x" },
        { "", "" },
        { NULL, "" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *safe = wm_log_safe(cases[i].text);
        assert_string_equal(safe, cases[i].expected);
    }
}

static GString *lines;

static void keep_line(const char *line)
{
    g_string_append_printf(lines, "%s\n", line);
}

/* What is wrong is shown by GitHub where people look; nothing of the text is more than text. */
static void test_annotations(void **state G_GNUC_UNUSED)
{
    lines = g_string_new(NULL);
    log_set_writer(keep_line);
    g_unsetenv("WM_LOG_FORMAT");
    wm_log(WM_WARN, "wm: elsewhere", NULL);
    g_setenv("GITHUB_ACTIONS", "true", TRUE);
    wm_log(WM_INFO, "wm: as ever", NULL);
    wm_log(WM_WARN, "wm: odd", "reason", "100% a\nb", NULL);
    wm_say_as(WM_WARN, "warning: %s", "::set-env name=a::b");
    wm_say_as(WM_ERROR, "error: %s", "no\r\nway");
    g_unsetenv("GITHUB_ACTIONS");
    log_set_writer(NULL);
    assert_string_equal(lines->str, "wm: elsewhere\n"
                                    "wm: as ever\n"
                                    "wm: odd reason=\"100% a b\"\n"
                                    "::warning::odd reason=\"100%25 a b\"\n"
                                    "warning: ::set-env name=a::b\n"
                                    "::warning::::set-env name=a::b\n"
                                    "error: no  way\n"
                                    "::error::no  way\n");
    g_string_free(lines, TRUE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_command_of_a_runner),
        cmocka_unit_test(test_annotations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
