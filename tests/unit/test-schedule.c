/*
 * Which calls run at once (tool/schedule.h).
 */
#include "unit.h"

#include "tool/schedule.h"

static const ToolDef shared = { .name = "shared" };
static const ToolDef alone = { .name = "alone", .flags = TOOL_EXCLUSIVE };

/* Small letters are shared calls, capitals exclusive ones, `?` one of an unknown tool. */
static const ToolDef *tool_of(char call)
{
    return call == '?' ? NULL : g_ascii_isupper(call) ? &alone : &shared;
}

static void add_all(ToolSchedule *schedule, const char *calls)
{
    for (; *calls; calls++)
        tool_schedule_add(schedule, tool_of(*calls), (void *)calls);
}

static void start_all(ToolSchedule *schedule, GString *running, GString *out)
{
    const char *call = NULL;
    while ((call = tool_schedule_next(schedule))) {
        g_string_append_c(running, *call);
        g_string_append_c(out, *call);
    }
}

/* What starts at once, then, after a `|`, when the call that runs longest has ended. */
static void test_order(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name;
        ScheduleOrder order;
        const char *calls, *want;
    } cases[] = {
        { "shared ones side by side, up to the number", SCHEDULE_IN_ORDER, "abcde", "abc|d|e|||" },
        { "core-46: an exclusive one waits, and holds up", SCHEDULE_IN_ORDER, "abCDe",
          "ab||C|D|e|" },
        { "exclusive first", SCHEDULE_IN_ORDER, "Aab", "A|ab||" },
        { "an unknown one is shared", SCHEDULE_IN_ORDER, "a?b", "a?b|||" },
        { "nothing", SCHEDULE_IN_ORDER, "", "" },
        { "independent: only exclusive ones wait for one another", SCHEDULE_INDEPENDENT, "ABcDe",
          "Ace|B|||D|" },
        { "independent: up to the number", SCHEDULE_INDEPENDENT, "abcDe", "abc|D|e|||" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        ToolSchedule schedule;
        tool_schedule_init(&schedule, cases[i].order, 3);
        g_autoptr(GString) got = g_string_new(NULL);
        g_autoptr(GString) running = g_string_new(NULL);
        add_all(&schedule, cases[i].calls);
        start_all(&schedule, running, got);
        while (running->len > 0) {
            tool_schedule_end(&schedule, tool_of(running->str[0]));
            g_string_erase(running, 0, 1);
            g_string_append_c(got, '|');
            start_all(&schedule, running, got);
        }
        if (strcmp(got->str, cases[i].want) != 0)
            fail_msg("%s: %s", cases[i].name, got->str);
        assert_true(tool_schedule_is_idle(&schedule));
        tool_schedule_clear(&schedule);
    }
}

static void test_remove(void **state G_GNUC_UNUSED)
{
    const char *calls = "aBc";
    ToolSchedule schedule;
    tool_schedule_init(&schedule, SCHEDULE_IN_ORDER, 3);
    add_all(&schedule, calls);
    assert_ptr_equal(tool_schedule_next(&schedule), calls);
    assert_null(tool_schedule_next(&schedule));
    assert_false(tool_schedule_remove(&schedule, calls)); // runs already
    assert_true(tool_schedule_remove(&schedule, calls + 1));
    assert_ptr_equal(tool_schedule_next(&schedule), calls + 2); // nothing holds it up any more
    assert_false(tool_schedule_is_idle(&schedule));
    tool_schedule_clear(&schedule);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
