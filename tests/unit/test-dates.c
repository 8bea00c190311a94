/*
 * Date bounds of the searches (github-tool §5.1, §9.3).
 */
#include "base/str.h"
#include "unit.h"

#include "gh_fixture.h"

#include "github/ops/dates.h"

#define NOW_MS G_GINT64_CONSTANT(1780209000000) // 2026-05-31T06:30:00Z

static const struct {
    const char *name, *since, *want; // want NULL: E37
} since_cases[] = {
    { "github-T46", "3d", "created:>=2026-05-28" },
    { "github-T47", "12h", "created:>=2026-05-30" },
    { "github-T48", "90m", "created:>=2026-05-31" },
    { "github-T49", "2W", "created:>=2026-05-17" },
    { "github-T50", "3mo", "created:>=2026-03-03" },
    { "github-T51", "1y", "created:>=2025-05-31" },
    { "github-T52", "2026-05-01T10:00:00.987+02:00", "created:>=2026-05-01T08:00:00Z" },
    { "github-T53", "2026-05-01T10:00", "created:>=2026-05-01T10:00:00Z" },
    { "github-T54", "2026-02-31", "created:>=2026-02-31" },
    { "github-T55 words", "3 days", NULL },
    { "github-T55 negative", "-3d", NULL },
    { "github-T55 fraction", "3.5d", NULL },
    { "github-T55 no unit", "24", NULL },
    { "blanks around and inside", "  3 \t d ", "created:>=2026-05-28" },
    { "no time at all", "0d", "created:>=2026-05-31" },
    { "a blank for T", "2026-05-01 10:00:00Z", "created:>=2026-05-01T10:00:00Z" },
    { "offset without colon", "2026-05-01T01:00-0130", "created:>=2026-05-01T02:30:00Z" },
    { "over the year's end", "2025-12-31T23:30:00-01:00", "created:>=2026-01-01T00:30:00Z" },
    { "leap day", "2024-02-29T00:00Z", "created:>=2024-02-29T00:00:00Z" },
    { "no such day", "2026-02-29T00:00Z", NULL },
    { "no such hour", "2026-02-01T24:00Z", NULL },
    { "no such minute", "2026-02-01T23:60Z", NULL },
    { "no such second", "2026-02-01T23:59:60Z", NULL },
    { "no such offset", "2026-02-01T23:59+24:00", NULL },
    { "empty fraction", "2026-02-01T23:59:00.Z", NULL },
    { "seconds missing", "2026-02-01T23:59:Z", NULL },
    { "small letters", "2026-02-01t23:59z", NULL },
    { "date with a tail", "2026-02-01x", NULL },
    { "year zero", "0000-01-01T00:00Z", NULL },
    { "before year one, by the offset", "0001-01-01T00:00+01:00", NULL },
    { "before year one", "2026y", NULL },
    { "the first year", "2025y", "created:>=0001-05-31" },
    { "beyond all years", "99999999999999999d", NULL },
    { "beyond all numbers", "99999999999999999999999d", NULL },
    { "months beyond all years", "99999999999mo", NULL },
};

static void test_since(void **state G_GNUC_UNUSED)
{
    g_setenv("TZ", "UTC", true);
    for (size_t i = 0; i < G_N_ELEMENTS(since_cases); i++) {
        g_autoptr(GError) error = NULL;
        g_autofree char *got = NULL;
        bool is_good = dates_qualifier("created", since_cases[i].since, NULL, NOW_MS, &got, &error);
        if (is_good != (since_cases[i].want != NULL) || g_strcmp0(got, since_cases[i].want) != 0)
            fail_msg("%s: got %s", since_cases[i].name, is_good ? got : error->message);
        if (!is_good) {
            g_autofree char *start =
                g_strdup_printf("since: invalid date bound: %s. Expected", since_cases[i].since);
            assert_true(str_has_prefix(error->message, start));
            assert_true(error_is(error, KEDGE_ERROR_USAGE));
        }
    }
}

/* Days that a month does not have roll over (github-tool §5.1). */
static void test_calendar(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *now, *since, *want;
    } cases[] = {
        { "2026-05-31T06:30:00Z", "3mo", "2026-03-03" },
        { "2028-02-29T12:00:00Z", "1y", "2027-03-01" },
        { "2026-08-31T12:00:00Z", "2mo", "2026-07-01" },
        { "2026-01-15T00:00:00Z", "1mo", "2025-12-15" },
        { "2026-01-15T00:00:00Z", "13mo", "2024-12-15" },
        { "2026-01-01T00:00:01Z", "1m", "2025-12-31" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GDateTime) now = g_date_time_new_from_iso8601(cases[i].now, NULL);
        g_autofree char *got = NULL;
        assert_true(dates_parse_bound(cases[i].since, g_date_time_to_unix(now) * 1000, &got, NULL));
        assert_string_equal(got, cases[i].want);
    }
}

static void test_local_time(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *zone, *text, *want;
    } cases[] = {
        { "XYZ-5:30", "2026-05-01T10:00", "2026-05-01T04:30:00Z" },
        { "XYZ-5:30", "2026-05-01T10:00Z", "2026-05-01T10:00:00Z" },
        { "XYZ8", "2026-05-01 20:00:30", "2026-05-02T04:00:30Z" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_setenv("TZ", cases[i].zone, true);
        g_autofree char *got = NULL;
        assert_true(dates_parse_bound(cases[i].text, NOW_MS, &got, NULL));
        assert_string_equal(got, cases[i].want);
    }
    g_setenv("TZ", "UTC", true);
    tzset();
}

static void test_bounds(void **state G_GNUC_UNUSED)
{
    g_autofree char *upper = NULL;
    assert_true(dates_qualifier("created", NULL, "1d", NOW_MS, &upper, NULL));
    assert_string_equal(upper, "created:<=2026-05-30"); // github-T56
    g_autofree char *both = NULL;
    assert_true(dates_qualifier("pushed", "2026-02-01", "2026-01-01", NOW_MS, &both, NULL));
    assert_string_equal(both, "pushed:2026-02-01..2026-01-01"); // their order is not checked
    char *none = NULL;
    assert_true(dates_qualifier("created", "", NULL, NOW_MS, &none, NULL));
    assert_null(none);

    g_autoptr(GError) error = NULL;
    assert_false(dates_qualifier("created", NULL, " \t", NOW_MS, &none, &error));
    assert_string_equal(error->message, "until: date bound must not be empty");
}

/* Through the tool, with the conversation's clock. */
static void test_clock(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture = gh_fixture_new();
    gh_fixture_reply_out(fixture, "{}");
    g_auto(ToolResult) result =
        gh_fixture_call(fixture, "{\"op\":\"search_repos\",\"query\":\"x\",\"since\":\"3d\"}");
    assert_false(result.is_error);
    gh_expect_argv("github-T46", fixture, 0,
                   "api|-X|GET|/search/repositories|-f|q=x created:>=2026-05-28|-F|per_page=10");

    gh_fixture_reset(fixture);
    gh_fixture_reply_out(fixture, "{}");
    g_auto(ToolResult) until =
        gh_fixture_call(fixture, "{\"op\":\"search_repos\",\"query\":\"x\",\"until\":\"1d\"}");
    assert_false(until.is_error);
    gh_expect_argv("github-T56", fixture, 0,
                   "api|-X|GET|/search/repositories|-f|q=x created:<=2026-05-30|-F|per_page=10");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_since),      cmocka_unit_test(test_calendar),
        cmocka_unit_test(test_local_time), cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_clock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
