/*
 * When a task ends by itself (task-engine §10.3).
 */
#include "unit.h"

#include "workflow/stop_after.h"

#include "base/timefmt.h"

#define NOW_MS ((int64_t)1776679567000) // 2026-04-20T10:06:07Z

static void test_parse(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *text, *want; // NULL: refused
    } cases[] = {
        { "2026-05-01", "2026-05-01T00:00:00Z" },
        { "2026-05-01T10:30Z", "2026-05-01T10:30:00Z" },
        { "2026-05-01T10:30:59Z", "2026-05-01T10:30:59Z" },
        { "+1h", "2026-04-20T11:06:07Z" },
        { "+1d12h", "2026-04-21T22:06:07Z" },
        { "+2w", "2026-05-04T10:06:07Z" },
        { "+1mo", "2026-05-20T10:06:07Z" },
        { "+10mo11d", "2027-03-03T10:06:07Z" },
        { "+30m", NULL },
        { "+", NULL },
        { "", NULL },
        { "+d", NULL },
        { "+1", NULL },
        { "+99999d", NULL },
        { "+1d ", NULL },
        { "+1d+1h", NULL },
        { "+9999mo9999mo9999mo9999mo9999mo9999mo9999mo9999mo9999mo", NULL },
        { "+9999mo9999mo9999mo9999mo9999mo9999mo9999mo9999mo", "8692-04-20T10:06:07Z" },
        { "2026-02-30", NULL },
        { "2026-13-01", NULL },
        { "2026-5-1", NULL },
        { "2026-05-01T24:00Z", NULL },
        { "2026-05-01T10:30", NULL },
        { "2026-05-01 10:30Z", NULL },
        { "2026-05-01T10:30Zx", NULL },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        bool is_relative = false;
        int64_t deadline_ms = 0;
        g_autoptr(GError) error = NULL;
        bool is_good =
            wm_stop_after_parse(cases[i].text, NOW_MS, &is_relative, &deadline_ms, &error);
        g_autofree char *got = is_good ? time_format_iso_seconds(deadline_ms) : NULL;
        if (g_strcmp0(got, cases[i].want) != 0)
            fail_msg("%s: got %s, want %s", cases[i].text, got, cases[i].want);
        assert_true(!is_good || is_relative == (cases[i].text[0] == '+'));
        assert_true(is_good == !error);
    }
}

static WmTask *make_task(const char *stop_after)
{
    g_autofree char *text =
        g_strdup_printf("---\non: {issues: , stop-after: %s}\n---\n", stop_after);
    WmTask *task = NULL;
    assert_true(wm_task_parse(text, strlen(text), ".wm/tasks/x.md", NULL, &task, NULL));
    return task;
}

static void test_deadline(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *stop_after, *stored, *want; // NULL: none
        bool warns;
    } cases[] = {
        { "2026-05-01", "{}", "2026-05-01T00:00:00Z", false },
        { "+7d", "{\"x\":{\"expr\":\"+7d\",\"deadline\":\"2026-05-01T00:00:00Z\"}}",
          "2026-05-01T00:00:00Z", false },
        { "+8d", "{\"x\":{\"expr\":\"+7d\",\"deadline\":\"2026-05-01T00:00:00Z\"}}", NULL, true },
        { "+7d", "{\"x\":{\"expr\":\"+7d\",\"deadline\":\"soon\"}}", NULL, true },
        { "+7d", "{\"x\":7}", NULL, true },
        { "+7d", "{}", NULL, true },
        { "soon", "{}", NULL, true },
        { "~", "{}", NULL, false },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(WmTask) task = make_task(cases[i].stop_after);
        g_autoptr(GPtrArray) warnings = g_ptr_array_new_with_free_func(g_free);
        g_autoptr(json_t) stored = NULL;
        int64_t deadline_ms = 0;
        assert_true(json_parse_text(cases[i].stored, &stored, NULL));
        bool has = wm_stop_after_deadline(task, stored, warnings, &deadline_ms);
        g_autofree char *got = has ? time_format_iso_seconds(deadline_ms) : NULL;
        if (g_strcmp0(got, cases[i].want) != 0 || (warnings->len > 0) != cases[i].warns)
            fail_msg("%s: got %s with %u warnings", cases[i].stop_after, got, warnings->len);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parse),
        cmocka_unit_test(test_deadline),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
