/*
 * workflow/gates*.c: who may start a task, and when it is held back (task-engine §10.1 to §10.3,
 * §10.13), against a server in this process.
 */
#include "rest_fixture.h"

#include "base/timefmt.h"
#include "wm/task/gate_date.h"
#include "wm/trigger/match.h"

static const WmRepo test_repo = { .owner = (char *)"o",
                                  .name = (char *)"r",
                                  .slug = (char *)"o/r" };

static bool open_api(void *fixture, Cancel *cancel, WmApi **ret_api, GError **error)
{
    g_autoptr(Settings) settings = settings_new(NULL);
    const RestOptions options = {
        .uses_login = true,
        .user_agent_part = "wm",
        .max_wait_s = -1,
        .settings = settings,
        .sleep = rest_fixture_sleep,
        .user_data = fixture,
    };
    return wm_api_open(&test_repo, &options, cancel, ret_api, error);
}

static WmTask *task_of(const char *on, const char *path)
{
    g_autofree char *text =
        g_strdup_printf("---\non: {issues: , workflow_dispatch: , %s}\n---\n", on);
    WmTask *task = NULL;
    g_autoptr(GError) error = NULL;
    if (!wm_task_parse(text, strlen(text), path, NULL, &task, &error))
        fail_msg("%s: %s", on, error->message);
    return task;
}

static void free_task(void *task)
{
    wm_task_free(task);
}

/* Two tasks with the same gates, so that what is asked twice is seen. `dir` has .wm/. */
static WmProject *project_of(const char *on, const char *dir)
{
    WmProject *project = g_new0(WmProject, 1);
    project->root = g_strdup(dir);
    project->tasks = g_ptr_array_new_with_free_func(free_task);
    project->bad = g_ptr_array_new();
    g_assert_true(wm_config_read(dir, NULL, &project->config, NULL));
    g_ptr_array_add(project->tasks, task_of(on, ".wm/tasks/a.md"));
    g_ptr_array_add(project->tasks, task_of(on, ".wm/tasks/b.md"));
    return project;
}

// Resolves with a sender of that login; the names as JSON.
static char *resolve(WmProject *project, RestFixture *fixture, const char *event_name,
                     const char *login)
{
    g_auto(WmEvent) event = { .name = g_strdup(event_name) };
    event.payload = login ? json_pack("{s:{s:s, s:s}}", "sender", "login", login, "type", "User")
                          : json_object();
    const WmResolve resolve = {
        .project = project,
        .event = &event,
        .open_api = fixture ? open_api : NULL,
        .user_data = fixture,
    };
    g_autoptr(json_t) names = NULL;
    assert_true(wm_resolve(&resolve, NULL, &names, NULL));
    return json_to_text(names);
}

#define PERMISSION "GET /repos/o/r/collaborators/alice/permission "
#define BOTH       "[\"a\",\"b\"]"

static void test_roles(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *on, *event, *login, *want;
        int status; // 0: no request is expected
        const char *body;
    } rows[] = {
        { "no gate", "push: ", "issues", "alice", BOTH, 0, NULL },
        { "all", "roles: all", "issues", "alice", BOTH, 0, NULL },
        { "role", "roles: [admin, write]", "issues", "alice", BOTH, 200,
          "{\"permission\":\"write\",\"role_name\":\"write\"}" },
        { "exact, not a minimum", "roles: [write]", "issues", "alice", "[]", 200,
          "{\"permission\":\"admin\",\"role_name\":\"admin\"}" },
        { "synonym", "roles: maintainer", "issues", "alice", BOTH, 200,
          "{\"permission\":\"write\",\"role_name\":\"maintain\"}" },
        { "a role of the organization", "roles: write", "issues", "alice", BOTH, 200,
          "{\"permission\":\"write\",\"role_name\":\"engineer\"}" },
        { "stranger", "roles: [write]", "issues", "alice", "[]", 404, "{\"message\":\"x\"}" },
        { "closed on an error", "roles: [write]", "issues", "alice", "[]", 403,
          "{\"message\":\"x\"}" },
        { "closed on nonsense", "roles: [write]", "issues", "alice", "[]", 200, "{}" },
        { "nobody", "roles: [3]", "issues", "alice", "[]", 200, "{\"permission\":\"admin\"}" },
        { "no sender", "roles: [write]", "issues", NULL, "[]", 0, NULL },
        { "no login", "roles: [write]", "issues", "../../x", "[]", 0, NULL },
        { "by hand", "roles: [write]", "workflow_dispatch", "alice", BOTH, 0, NULL },
        { "skip-roles", "skip-roles: [admin]", "issues", "alice", "[]", 200,
          "{\"permission\":\"admin\"}" },
        { "skip-roles of others", "skip-roles: [admin]", "issues", "alice", BOTH, 200,
          "{\"permission\":\"read\"}" },
        { "bots pass the role gate", "roles: [write], bots: alice", "issues", "Alice[bot]", BOTH, 0,
          NULL },
        { "nobody else of that name does", "roles: [write], bots: alice", "issues", "alice", "[]",
          404, "{\"message\":\"x\"}" },
        { "with brackets neither", "roles: [write], bots: ['alice[bot]']", "issues", "alice", "[]",
          404, "{\"message\":\"x\"}" },
        { "skip-bots", "skip-bots: ['Alice[bot]']", "issues", "alice", "[]", 0, NULL },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        const CannedAnswer answer = { .request = PERMISSION,
                                      .status = rows[i].status,
                                      .body = rows[i].body };
        g_autoptr(RestFixture) fixture = rest_fixture_new(&answer, rows[i].status ? 1 : 0);
        g_autoptr(WmProject) project = project_of(rows[i].on, fixture->dir);
        g_autofree char *got = resolve(project, fixture, rows[i].event, rows[i].login);
        g_autofree char *log = rest_fixture_log(fixture); // one question for both tasks
        if (strcmp(got, rows[i].want) != 0 ||
            strcmp(log, rows[i].status ? "GET /repos/o/r/collaborators/alice/permission\n" : ""))
            fail_msg("%s: got %s, asked %s", rows[i].name, got, log);
    }
}

/* A mark that a person wrote stops no task, and one of a task's does, whatever GitHub calls him. */
static void test_marks(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *association, *type;
        int status; // 0: no request is expected
        const char *body, *want;
    } rows[] = {
        { "a stranger", "NONE", "User", 200, "{\"permission\":\"read\"}", BOTH },
        { "for the first time", "FIRST_TIME_CONTRIBUTOR", "User", 404, "{\"message\":\"x\"}",
          BOTH },
        { "a private member", "NONE", "User", 200, "{\"permission\":\"write\"}", "[]" },
        { "not known", "NONE", "User", 403, "{\"message\":\"x\"}", "[]" },
        { "a member", "MEMBER", "User", 0, NULL, "[]" },
        { "a bot that may start it", "NONE", "Bot", 0, NULL, "[]" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        const CannedAnswer answer = { .request = PERMISSION,
                                      .status = rows[i].status,
                                      .body = rows[i].body };
        g_autoptr(RestFixture) fixture = rest_fixture_new(&answer, rows[i].status ? 1 : 0);
        g_autoptr(WmProject) project = project_of("bots: alice", fixture->dir);
        g_auto(WmEvent) event = { .name = g_strdup("issues") };
        event.payload = json_pack("{s:s, s:{s:s, s:s}, s:{s:s, s:s, s:{s:s}}}", "action", "opened",
                                  "sender", "login", "alice", "type", rows[i].type, "issue", "body",
                                  "x <!-- wm-agent:a -->", "author_association",
                                  rows[i].association, "user", "type", rows[i].type);
        const WmResolve resolve = {
            .project = project, .event = &event, .open_api = open_api, .user_data = fixture
        };
        g_autoptr(json_t) names = NULL;
        assert_true(wm_resolve(&resolve, NULL, &names, NULL));
        g_autofree char *got = json_to_text(names);
        if (strcmp(got, rows[i].want) != 0)
            fail_msg("%s: got %s", rows[i].name, got);
    }
}

static void test_no_network(void **state G_GNUC_UNUSED)
{
    g_autoptr(RestFixture) fixture = rest_fixture_new(NULL, 0);
    g_autoptr(WmProject) closed = project_of("roles: [write]", fixture->dir);
    g_autoptr(WmProject) open = project_of("skip-if-match: is:open", fixture->dir);
    g_autofree char *none = resolve(closed, NULL, "issues", "alice");
    g_autofree char *both = resolve(open, NULL, "issues", "alice");
    assert_string_equal(none, "[]");
    assert_string_equal(both, BOTH);
    g_unsetenv("GITHUB_TOKEN");
    g_autofree char *no_token = resolve(closed, fixture, "issues", "alice");
    assert_string_equal(no_token, "[]");
}

static void test_config_roles(void **state G_GNUC_UNUSED)
{
    static const CannedAnswer answer = { .request = PERMISSION,
                                         .body = "{\"permission\":\"read\"}" };
    g_autoptr(RestFixture) fixture = rest_fixture_new(&answer, 1);
    g_autofree char *dir = g_build_filename(fixture->dir, ".wm", NULL);
    g_autofree char *path = g_build_filename(fixture->dir, WM_CONFIG_PATH, NULL);
    static const char config[] = "gates: {roles: [admin, maintain, write]}\n";
    assert_true(file_make_dirs(dir, 0700, NULL));
    assert_true(file_write_atomic(path, config, strlen(config), 0600, NULL));
    g_autoptr(WmProject) project = project_of("push: ", fixture->dir);
    g_autoptr(WmProject) own = project_of("roles: all", fixture->dir);
    g_autofree char *got = resolve(project, fixture, "issues", "alice");
    g_autofree char *all = resolve(own, fixture, "issues", "alice");
    assert_string_equal(got, "[]");
    assert_string_equal(all, BOTH);
}

#define SEARCH "GET /search/issues?q="

static void test_searches(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *on, *request, *want;
        int status;
        const char *body;
    } rows[] = {
        { "match", "skip-if-match: 'is:open a b'",
          SEARCH "is%3Aopen%20a%20b%20repo%3Ao%2Fr&per_page=1 ", "[]", 200, "{\"total_count\":1}" },
        { "no match", "skip-if-match: is:open", SEARCH, BOTH, 200, "{\"total_count\":0}" },
        { "fewer than max", "skip-if-match: {query: x, max: 3}", SEARCH, BOTH, 200,
          "{\"total_count\":2}" },
        { "scope", "skip-if-match: {query: x, scope: none}", SEARCH "x&per_page=1 ", "[]", 200,
          "{\"total_count\":9}" },
        { "none found", "skip-if-no-match: x", SEARCH, "[]", 200, "{\"total_count\":0}" },
        { "enough", "skip-if-no-match: {query: x, min: 2}", SEARCH, BOTH, 200,
          "{\"total_count\":2}" },
        { "too few", "skip-if-no-match: {query: x, min: 2}", SEARCH, "[]", 200,
          "{\"total_count\":1}" },
        { "open on an error", "skip-if-match: x", SEARCH, BOTH, 422, "{\"message\":\"x\"}" },
        { "open on nonsense", "skip-if-match: x", SEARCH, BOTH, 200, "[]" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        const CannedAnswer answer = {
            .request = rows[i].request, .status = rows[i].status, .body = rows[i].body, .times = 2
        };
        g_autoptr(RestFixture) fixture = rest_fixture_new(&answer, 1);
        g_autoptr(WmProject) project = project_of(rows[i].on, fixture->dir);
        // also without a sender: schedules are held back, too
        g_autofree char *got = resolve(project, fixture, "issues", NULL);
        if (strcmp(got, rows[i].want) != 0)
            fail_msg("%s: got %s", rows[i].name, got);
    }
}

static void test_deadlines(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *on, *stored, *want;
    } rows[] = {
        { "past", "stop-after: 2020-01-31", "{}", "[]" },
        { "to come", "stop-after: 2999-01-31", "{}", BOTH },
        { "stored, past", "stop-after: +7d",
          "{\"a\":{\"expr\":\"+7d\",\"deadline\":\"2020-05-01T00:00:00Z\"}}", "[\"b\"]" },
        { "stored for another", "stop-after: +7d",
          "{\"a\":{\"expr\":\"+8d\",\"deadline\":\"2020-05-01T00:00:00Z\"}}", BOTH },
        { "bad file", "stop-after: +7d", "[", BOTH },
        { "no date", "stop-after: soon", "{}", BOTH },
        { "no text", "stop-after: [1]", "{}", BOTH },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(RestFixture) fixture = rest_fixture_new(NULL, 0);
        g_autofree char *dir = g_build_filename(fixture->dir, ".wm", NULL);
        g_autofree char *path = g_build_filename(dir, "stop-after.json", NULL);
        assert_true(file_make_dirs(dir, 0700, NULL));
        assert_true(file_write_atomic(path, rows[i].stored, strlen(rows[i].stored), 0600, NULL));
        g_autoptr(WmProject) project = project_of(rows[i].on, fixture->dir);
        g_autofree char *got = resolve(project, fixture, "issues", NULL);
        if (strcmp(got, rows[i].want) != 0)
            fail_msg("%s: got %s", rows[i].name, got);
    }
}

static void test_dates(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *text;
        int64_t at_s; // 0: no date
    } rows[] = {
        { "2026-05-01", 1777593600 },
        { "2026-05-01T12:00Z", 1777636800 },
        { "2026-05-01T12:00:01Z", 1777636801 },
        { "2026-13-01", 0 },
        { "2026-05-01T12:00", 0 },
        { "2026-05-01T12:00:00+01:00", 0 },
        { "+7d", 0 },
        { "", 0 },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        int64_t at_ms = 0;
        bool is_date = wm_gate_parse_date(rows[i].text, &at_ms);
        if (is_date != (rows[i].at_s != 0) || at_ms != rows[i].at_s * 1000)
            fail_msg("%s: %" G_GINT64_FORMAT, rows[i].text, at_ms);
    }
    static const struct {
        const char *text;
        bool is_relative;
    } spans[] = { { "+7d", true },   { "+1d12h", true },   { "+2mo", true },
                  { "+30m", false }, { "+", false },       { "7d", false },
                  { "+d", false },   { "+99999d", false }, { "+1d x", false } };
    for (size_t i = 0; i < G_N_ELEMENTS(spans); i++)
        if (wm_gate_is_relative_date(spans[i].text) != spans[i].is_relative)
            fail_msg("%s", spans[i].text);
}

#define RUNS "GET /repos/o/r/actions/workflows/wm-agent.yml/runs?"

static void test_cooldown(void **state G_GNUC_UNUSED)
{
    g_autofree char *now = time_format_iso_seconds(time_now_ms());
    g_autofree char *runs = g_strdup_printf("{\"workflow_runs\":[{\"id\":5,\"updated_at\":\"%s\"},"
                                            "{\"id\":4,\"updated_at\":\"2020-01-01T00:00:00Z\"}]}",
                                            now);
    g_autofree char *jobs =
        g_strdup_printf("{\"jobs\":[{\"name\":\"run (a) / agent\",\"conclusion\":\"success\","
                        "\"completed_at\":\"%s\"},{\"name\":\"run (b)\",\"conclusion\":\"skipped\","
                        "\"completed_at\":\"%s\"}]}",
                        now, now);
    const CannedAnswer answers[] = {
        { .request = RUNS "status=completed&per_page=31 ", .body = runs, .times = 2 },
        { .request = "GET /repos/o/r/actions/runs/5/jobs?per_page=100 ", .body = jobs, .times = 2 },
    };
    g_autoptr(RestFixture) fixture = rest_fixture_new(answers, G_N_ELEMENTS(answers));
    g_autoptr(WmProject) project = project_of("cooldown: 4h", fixture->dir);
    g_autofree char *got = resolve(project, fixture, "issues", NULL);
    assert_string_equal(got, "[\"b\"]"); // the job of a ended just now

    const CannedAnswer broken[] = { { .request = RUNS, .status = 404, .body = "{}", .times = 2 } };
    g_autoptr(RestFixture) other = rest_fixture_new(broken, 1);
    g_autoptr(WmProject) same = project_of("cooldown: 240", other->dir);
    g_autofree char *all = resolve(same, other, "issues", NULL);
    assert_string_equal(all, BOTH);
}

static void test_rate(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *on, *body, *want;
        int status; // 0: no request
    } rows[] = {
        { "within", "user-rate-limit: {max-runs-per-window: 2, window: 60}", "{\"total_count\":2}",
          BOTH, 200 },
        { "over", "user-rate-limit: {max-runs-per-window: 2, window: 1h}", "{\"total_count\":3}",
          "[]", 200 },
        { "closed on an error", "user-rate-limit: {max-runs-per-window: 2}", "{}", "[]", 404 },
        { "no map", "user-rate-limit: 5", NULL, "[]", 0 },
        { "no window", "user-rate-limit: {window: soon}", NULL, "[]", 0 },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        const CannedAnswer answer = { .request = RUNS "actor=alice&created=%3E%3D",
                                      .status = rows[i].status,
                                      .body = rows[i].body,
                                      .times = 2 };
        g_autoptr(RestFixture) fixture = rest_fixture_new(&answer, rows[i].status ? 1 : 0);
        g_autoptr(WmProject) project = project_of(rows[i].on, fixture->dir);
        g_autofree char *got = resolve(project, fixture, "issues", "alice");
        if (strcmp(got, rows[i].want) != 0)
            fail_msg("%s: got %s", rows[i].name, got);
    }
}

/* A comment that is no command runs the workflow, too: only runs that started a task count. */
static void test_rate_counts_tasks(void **state G_GNUC_UNUSED)
{
    static const char runs[] =
        "{\"total_count\":3,\"workflow_runs\":[{\"id\":9},{\"id\":8},{\"id\":7}]}";
    static const char none[] = "{\"jobs\":[{\"name\":\"resolve / resolve\"},"
                               "{\"name\":\"run\",\"conclusion\":\"skipped\"}]}";
    static const char task[] = "{\"jobs\":[{\"name\":\"run (a) / agent\"}]}";
    static const struct {
        const char *job_8, *job_7, *want;
    } rows[] = { { none, none, BOTH }, { none, task, BOTH }, { task, task, "[]" } };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        const CannedAnswer answers[] = {
            { .request = RUNS "actor=alice&created=%3E%3D", .body = runs, .times = 2 },
            { .request = "GET /repos/o/r/actions/runs/9/jobs", .body = none, .times = 2 },
            { .request = "GET /repos/o/r/actions/runs/8/jobs", .body = rows[i].job_8, .times = 2 },
            { .request = "GET /repos/o/r/actions/runs/7/jobs", .body = rows[i].job_7, .times = 2 },
        };
        g_autoptr(RestFixture) fixture = rest_fixture_new(answers, G_N_ELEMENTS(answers));
        g_autoptr(WmProject) project =
            project_of("user-rate-limit: {max-runs-per-window: 2}", fixture->dir);
        g_autofree char *got = resolve(project, fixture, "issues", "alice");
        if (strcmp(got, rows[i].want) != 0)
            fail_msg("row %zu: got %s", i, got);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_roles),      cmocka_unit_test(test_marks),
        cmocka_unit_test(test_no_network), cmocka_unit_test(test_config_roles),
        cmocka_unit_test(test_searches),   cmocka_unit_test(test_deadlines),
        cmocka_unit_test(test_dates),      cmocka_unit_test(test_cooldown),
        cmocka_unit_test(test_rate),       cmocka_unit_test(test_rate_counts_tasks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
