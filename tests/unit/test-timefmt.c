/* Time as text, and clocks that run in the right unit. */
#include "unit.h"

#include "base/timefmt.h"

static void test_iso(void **state G_GNUC_UNUSED)
{
    static const struct {
        gint64 at_ms;
        const char *want;
    } cases[] = {
        { 0, "1970-01-01T00:00:00.000Z" },
        { 1772600767089, "2026-03-04T05:06:07.089Z" },
        { 951782400000, "2000-02-29T00:00:00.000Z" },
        { -1, "1969-12-31T23:59:59.999Z" },
        { -1000, "1969-12-31T23:59:59.000Z" },
        { 253402300799999, "9999-12-31T23:59:59.999Z" },
        { G_MAXINT64, "9999-12-31T23:59:59.999Z" },
        { G_MININT64, "0000-01-01T00:00:00.000Z" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got = time_format_iso(cases[i].at_ms);
        assert_string_equal(got, cases[i].want);
    }
}

static void test_clocks(void **state G_GNUC_UNUSED)
{
    gint64 wall = g_get_real_time() / 1000;
    assert_in_range(time_now_ms(), wall, wall + 60 * 1000);
    gint64 before = time_monotonic_ms();
    g_usleep(20 * 1000);
    assert_in_range(time_monotonic_ms() - before, 19, 60 * 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_iso),
        cmocka_unit_test(test_clocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
