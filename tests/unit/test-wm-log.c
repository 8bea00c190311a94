/*
 * What the task engine says: nothing that a runner would read as a command.
 */
#include "unit.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_command_of_a_runner),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
