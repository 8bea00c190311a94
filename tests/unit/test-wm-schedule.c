/*
 * wm/task/schedule.c: words become the cron that gh-wm makes of them for the same path
 * (task-engine §2.5, rows F of task-engine §11.2).
 */
#include "unit.h"

#include "wm/task/schedule.h"

#include <string.h>

#define TASK(name) ".wm/tasks/" name ".md"

static void test_hash(void **state G_GNUC_UNUSED)
{
    assert_int_equal(wm_schedule_hash(""), 0x811c9dc5);
    assert_int_equal(wm_schedule_hash("a"), 0xe40c292c);
    assert_int_equal(wm_schedule_hash("foobar"), 0xbf9cf968);
    assert_int_equal(wm_schedule_hash(TASK("nightly")), 2591153413U);
    assert_int_equal(wm_schedule_hash(".github/workflows/issue-triage.md"), 432114185U);
}

static void check(const char *name, const char *id, const char *text, const char *want)
{
    g_autofree char *got = wm_schedule_normalize(text, id);
    if (strcmp(got, want) != 0)
        fail_msg("%s: %s '%s': got '%s', want '%s'", name, id, text, got, want);
}

static void test_worked_values(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *id, *daily, *weekly, *hourly, *monday, *hours;
    } rows[] = {
        { TASK("nightly"), "24 12 * * *", "24 12 * * 2", "18 */1 * * *", "24 12 * * 1",
          "18 */3 * * *" },
        { TASK("report"), "15 21 * * *", "15 21 * * 1", "31 */1 * * *", "15 21 * * 1",
          "31 */3 * * *" },
        { TASK("triage"), "45 22 * * *", "45 22 * * 6", "31 */1 * * *", "45 22 * * 1",
          "31 */3 * * *" },
        { TASK("doc"), "13 22 * * *", "13 22 * * 2", "11 */1 * * *", "13 22 * * 1",
          "11 */3 * * *" },
        { TASK("a"), "37 11 * * *", "37 11 * * 0", "36 */1 * * *", "37 11 * * 1", "36 */3 * * *" },
        { TASK("perf"), "53 3 * * *", "53 3 * * 4", "10 */1 * * *", "53 3 * * 1", "10 */3 * * *" },
        { ".github/workflows/issue-triage.md", "24 11 * * *", "24 11 * * 6", "40 */1 * * *",
          "24 11 * * 1", "40 */3 * * *" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        check("worked", rows[i].id, "daily", rows[i].daily);
        check("worked", rows[i].id, "weekly", rows[i].weekly);
        check("worked", rows[i].id, "hourly", rows[i].hourly);
        check("worked", rows[i].id, "weekly on monday", rows[i].monday);
        check("worked", rows[i].id, "every 3 hours", rows[i].hours);
    }
}

static void test_rows(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *id, *text, *want; // want NULL: unchanged
    } rows[] = {
        { "task-F01", TASK("implement"), "daily", "50 21 * * *" },
        { "task-F02", TASK("answer"), "weekly", "35 12 * * 0" },
        { "task-F03", TASK("code-review"), "hourly", "19 */1 * * *" },
        { "task-F04", TASK("changelog"), "every 6 hours", "37 */6 * * *" },
        { "task-F05", TASK("docs-sync"), "EVERY  3  HOURS", "20 */3 * * *" },
        { "task-F06", TASK("security-scan"), "every 1 hour", "25 */1 * * *" },
        { "task-F07", TASK("lint-fix"), "every 24 hours", "34 23 * * *" },
        { "task-F08", TASK("a"), "every 0 hours", NULL },
        { "task-F08", TASK("a"), "every 25 hours", NULL },
        { "task-F09", TASK("weekly-digest"), "weekly on Monday", "31 21 * * 1" },
        { "task-F10", TASK("weekly-digest"), "weekly  on  thurs", "31 21 * * 4" },
        { "task-F11", TASK("a"), "weekly on someday", NULL },
        { "task-F12", TASK("a"), "0  0   * * *", "0 0 * * *" },
        { "task-F13", TASK("a"), "custom", NULL },
        { "task-F14", TASK("a"), "every 10 minutes", "*/10 * * * *" },
        { "task-F14", TASK("a"), "every 3 minutes", NULL },
        { "task-F15", TASK("a"), "every 2 days", "0 0 */2 * *" },
        { "task-F15", TASK("a"), "every 1 week", "0 0 * * 0" },
        { "task-F15", TASK("a"), "every 2w", "0 0 */14 * *" },
        { "task-F16", TASK("nightly"), "daily around 14:00 utc+9", "13 4 * * *" },
        { "task-F17", TASK("flaky-tests"), "daily between 9am and 5pm utc-5", "41 20 * * *" },
        { "task-F18", TASK("report"), "bi-weekly", "15 21 */14 * *" },
        { "task-F19", TASK("triage"), "daily on weekdays", "45 22 * * 1-5" },
        { "task-F21", TASK("a"), "0 9 * * MON", NULL },
        { "around", TASK("nightly"), "daily around 14:00", "13 13 * * *" },
        { "around", TASK("sched"), "daily around 2pm", "19 14 * * *" },
        { "around", TASK("a"), "daily around 8am on weekdays", "34 7 * * 1-5" },
        { "around", TASK("b"), "weekly on friday around 15:00", "49 15 * * 5" },
        { "between", TASK("report"), "daily between 9:00 and 17:00", "46 11 * * *" },
        { "between", TASK("triage"), "daily between 22:00 and 02:00", "36 0 * * *" },
        { "offset on both", TASK("report"), "daily between 9:00 utc+0 and 17:00 utc+0",
          "46 11 * * *" },
        { "half an hour's offset", TASK("nightly"), "daily around 14:00 utc-00:30", "43 13 * * *" },
        { "tri-weekly", TASK("report"), "Tri-Weekly", "15 21 */21 * *" },
        { "hourly on weekdays", TASK("report"), "hourly on weekdays", "31 */1 * * 1-5" },
        { "hours on weekdays", TASK("report"), "every 3h on weekdays", "31 */3 * * 1-5" },
        { "one day", TASK("a"), "every 1 day", "0 0 * * *" },
        { "twelve", TASK("nightly"), "daily around 12am", "13 23 * * *" },
        { "midnight", TASK("nightly"), "daily around midnight", "13 23 * * *" },
        { "noon", TASK("nightly"), "daily around noon", "13 11 * * *" },
        { "empty", TASK("a"), "  ", "" },
        { "no time", TASK("a"), "daily around 25:00", NULL },
        { "no time", TASK("a"), "daily around 13pm", NULL },
        { "no time", TASK("a"), "daily around 9", NULL },
        { "no time", TASK("a"), "daily around", NULL },
        { "no end", TASK("a"), "daily between 9:00 and", NULL },
        { "no offset", TASK("a"), "daily around 9:00 utc+15", NULL },
        { "more words", TASK("a"), "daily at noon", NULL },
        { "more words", TASK("a"), "weekly on monday morning", NULL },
        { "a step no field has", TASK("a"), "every 90 minutes", NULL },
        { "a step no field has", TASK("a"), "every 40 days", NULL },
        { "a step no field has", TASK("a"), "every 5 weeks", NULL },
        { "large", TASK("a"), "every 99999999999999999999 hours", NULL },
        { "no unit", TASK("a"), "every 5", NULL },
        { "no number", TASK("a"), "every hours", NULL },
        { "day 0", TASK("a"), "every 0 days", NULL },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
        check(rows[i].name, rows[i].id, rows[i].text, rows[i].want ? rows[i].want : rows[i].text);
}

static void test_cron(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *text;
        bool is_cron;
    } rows[] = {
        { "0 9 * * MON", true },
        { "0  9 * * *", true },
        { "*/15 0-6/2 1,15 JAN-MAR sun,7", true },
        { "5 4 * * 1-5", true },
        { "custom", false },
        { "weekly on someday at noon", false },
        { "99 9 * * *", false },
        { "0 24 * * *", false },
        { "0 0 0 * *", false },
        { "0 0 * 13 *", false },
        { "0 0 * * 8", false },
        { "0 0 * * foo", false },
        { "0 0 * * mo", false },
        { "0 0 * * *\n  push:", false },
        { "0 0 * * *, ", false },
        { "0 0 * * 1,,2", false },
        { "*/0 0 * * *", false },
        { "1- 0 * * *", false },
        { "0 0 * *", false },
        { "", false },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
        if (wm_schedule_is_cron(rows[i].text) != rows[i].is_cron)
            fail_msg("'%s'", rows[i].text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hash),
        cmocka_unit_test(test_worked_values),
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_cron),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
