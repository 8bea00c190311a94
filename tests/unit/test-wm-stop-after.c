/*
 * When a task ends by itself (task-engine §10.3).
 */
#include "unit.h"

#include "wm/trigger/stop_after.h"

#include "base/timefmt.h"

#include "wm_repo_fixture.h"

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
        { "+9999mo9999mo", "3692-10-20T10:06:07Z" },
        { "+9999mo9999mo9999mo9999mo9999mo9999mo9999mo9999mo9999mo9999mo", NULL },
        { "+1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d", NULL },
        { "2026-02-30", NULL },
        { "2026-13-01", NULL },
        { "2026-5-1", NULL },
        { "2026-05-01T24:00Z", NULL },
        { "2026-05-01T10:30", NULL },
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

/* What is stored for a task x, as JSON. */
static char *settle(const char *stop_after, const char *stored_text, bool refreshes)
{
    g_auto(RepoFixture) repo = repo_new();
    g_autofree char *task =
        g_strdup_printf("---\non: {issues: , stop-after: %s}\n---\n", stop_after);
    repo_put(&repo, ".wm/tasks/x.md", task);
    repo_put(&repo, WM_STOP_AFTER_PATH, stored_text);
    g_autoptr(WmProject) project = NULL;
    g_autoptr(json_t) stored = NULL, settled = NULL;
    assert_true(wm_project_load(repo.root, NULL, NULL, &project, NULL));
    if (!wm_stop_after_read(repo.root, &stored, NULL) ||
        !wm_stop_after_settle(project, stored, refreshes, NOW_MS, &settled, NULL))
        return NULL;
    return json_to_text(settled);
}

static void test_settle(void **state G_GNUC_UNUSED)
{
#define STORED "{\"x\":{\"expr\":\"+7d\",\"deadline\":\"2031-05-01T00:00:00Z\"}}"
#define FRESH  "{\"x\":{\"expr\":\"+7d\",\"deadline\":\"2026-04-27T10:06:07Z\"}}"
    static const struct {
        const char *stop_after, *stored, *want; // NULL: an error
        bool refreshes;
    } cases[] = {
        { "+7d", STORED, STORED, false },
        { "+7d", STORED, FRESH, true },
        { "+7d", "{}", FRESH, false },
        { "+7d", "{\"x\":{\"expr\":\"+7d\",\"deadline\":\"soon\"}}", FRESH, false },
        { "+7d", "{\"x\":7,\"y\":8}", FRESH, false },
        { "+7d", "{\"x\":{\"expr\":\"+8d\",\"deadline\":\"2031-05-01T00:00:00Z\"}}", FRESH, false },
        { "2026-05-01", STORED, "{}", false },
        { "~", STORED, "{}", false },
        { "soon", STORED, NULL, false },
        { "5", STORED, NULL, false },
        { "+7d", "[]", NULL, false },
        { "+7d", "{", NULL, false },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got = settle(cases[i].stop_after, cases[i].stored, cases[i].refreshes);
        if (g_strcmp0(got, cases[i].want) != 0)
            fail_msg("%s: got %s", cases[i].stop_after, got);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parse),
        cmocka_unit_test(test_settle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
