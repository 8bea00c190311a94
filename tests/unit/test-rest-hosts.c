/*
 * github/rest/rest_hosts.c, and how the REST client uses it: what the calls of one ToolContext
 * share, and two contexts do not.
 */
#include "github/rest/rest_hosts.h"
#include "rest_fixture.h"
#include "tool_fixture.h"

static const RestCall get_call = {
    .method = "GET",
    .path = "/repos/o/r/pulls/1",
    .operation = "look",
};

static Rest *open_in(RestFixture *fixture, const ToolFixture *tool)
{
    const RestOptions options = {
        .uses_login = true,
        .max_wait_s = 60,
        .settings = tool_context_settings(tool->context),
        .context = tool->context,
        .sleep = rest_fixture_sleep,
        .user_data = fixture,
    };
    g_autoptr(GError) error = NULL;
    Rest *rest = NULL;
    if (!rest_new(&options, NULL, &rest, &error))
        fail_msg("rest_new: %s", error->message);
    return rest;
}

/* One operation: a Rest of its own, as each has. */
static void expect_answer(const char *name, RestFixture *fixture, const ToolFixture *tool,
                          const RestCall *call)
{
    g_autoptr(Rest) rest = open_in(fixture, tool);
    g_auto(RestAnswer) answer = { 0 };
    g_autoptr(GError) error = NULL;
    if (!rest_call(rest, call, NULL, &answer, &error))
        fail_msg("%s: %s", name, error->message);
}

static void expect_limit(const char *name, RestFixture *fixture, const ToolFixture *tool,
                         const RestCall *call)
{
    g_autoptr(Rest) rest = open_in(fixture, tool);
    g_autoptr(GError) error = rest_fixture_error(name, rest, call, REST_ERROR_RATE_LIMIT, NULL);
    int64_t retry_after_s = rest_error_failure(error)->retry_after_s;
    if (retry_after_s < 3000 || retry_after_s > 3600)
        fail_msg("%s: %s", name, error->message);
}

static void test_connection(void **state G_GNUC_UNUSED)
{
    static const CannedAnswer answers[] = { { .body = "{}", .times = 100 } };
    g_autoptr(RestFixture) fixture = rest_fixture_new(answers, G_N_ELEMENTS(answers));
    g_autoptr(ToolFixture) tool = tool_fixture_new(NULL, false);
    g_autoptr(ToolFixture) other = tool_fixture_new(NULL, false);
    for (int i = 0; i < 3; i++)
        expect_answer("one context", fixture, tool, &get_call);
    assert_int_equal(test_server_count(fixture->server, &fixture->server->connections), 1);
    expect_answer("another context", fixture, other, &get_call);
    assert_int_equal(test_server_count(fixture->server, &fixture->server->connections), 2);

    // both are part of a larger whole
    g_autoptr(HttpClient) http = http_client_new();
    for (int i = 0; i < 2; i++) {
        g_autoptr(ToolFixture) part = tool_fixture_new(NULL, false);
        tool_context_set_parts(part->context, &(ConversationParts) { .http = http });
        expect_answer("a client for both", fixture, part, &get_call);
    }
    assert_int_equal(test_server_count(fixture->server, &fixture->server->connections), 3);
}

/* A limit holds for the token and for what GitHub counts together, whichever call met it. */
static void test_limits(void **state G_GNUC_UNUSED)
{
    static const CannedAnswer answers[] = {
        { .request = "GET /repos/o/r/pulls/1 ", .status = 403, .headers = "Retry-After: 3600\r\n" },
        { .body = "{\"data\":{}}", .times = 100 },
    };
    static const RestCall search = { .method = "GET", .path = "/search/issues?q=x" };
    static const RestCall post = { .method = "POST", .path = "/repos/o/r/pulls", .operation = "x" };
    g_autoptr(RestFixture) fixture = rest_fixture_new(answers, G_N_ELEMENTS(answers));
    g_autoptr(ToolFixture) tool = tool_fixture_new(NULL, false);
    g_autoptr(ToolFixture) other = tool_fixture_new(NULL, false);
    expect_limit("met", fixture, tool, &get_call);
    expect_limit("known", fixture, tool, &get_call);
    expect_limit("another method", fixture, tool, &post);
    assert_int_equal(rest_fixture_count(fixture), 1);

    expect_answer("search has its own", fixture, tool, &search);
    g_autoptr(Rest) rest = open_in(fixture, tool);
    g_autoptr(json_t) data = NULL;
    assert_true(rest_graphql(rest, "query{x}", NULL, "look", NULL, &data, NULL));
    expect_answer("another context", fixture, other, &get_call);
    g_setenv("GITHUB_TOKEN", REST_TOKEN "2", true);
    expect_answer("another token", fixture, tool, &get_call);
    assert_int_equal(rest_fixture_count(fixture), 5);
    assert_int_equal(fixture->sleeps->len, 0);
}

/* A short one is waited for; once a request has come through it is over. */
static void test_short_limit(void **state G_GNUC_UNUSED)
{
    static const CannedAnswer answers[] = { { .body = "{}", .times = 100 } };
    g_autoptr(RestFixture) fixture = rest_fixture_new(answers, G_N_ELEMENTS(answers));
    g_autoptr(ToolFixture) tool = tool_fixture_new(NULL, false);
    g_autofree char *sum = g_compute_checksum_for_string(G_CHECKSUM_SHA256, REST_TOKEN, -1);
    g_autofree char *scope = g_strconcat(fixture->url, " ", sum, " core", NULL);
    rest_hosts_set_limit(rest_hosts_of(tool->context), scope, 50 * 1000);
    for (int i = 0; i < 2; i++)
        expect_answer("short", fixture, tool, &get_call);
    g_autofree char *waits = rest_fixture_waits(fixture);
    assert_string_equal(waits, "50");
}

static void test_limit_ends(void **state G_GNUC_UNUSED)
{
    g_autoptr(RestHosts) hosts = rest_hosts_new();
    assert_int_equal(rest_hosts_limit_ms(hosts, "s"), 0);
    rest_hosts_set_limit(hosts, "s", 1000 * 1000);
    assert_in_range(rest_hosts_limit_ms(hosts, "s"), 1, 1000 * 1000);
    assert_int_equal(rest_hosts_limit_ms(hosts, "t"), 0);
    rest_hosts_set_limit(hosts, "s", 366 * INT64_C(86400) * 1000); // nonsense of a server
    assert_in_range(rest_hosts_limit_ms(hosts, "s"), 1, 60 * 60 * 1000);
    rest_hosts_set_limit(hosts, "s", 1);
    while (rest_hosts_limit_ms(hosts, "s") > 0) // by itself
        g_usleep(1000);
    rest_hosts_set_limit(hosts, "s", 1000 * 1000);
    rest_hosts_set_limit(hosts, "s", 0);
    assert_int_equal(rest_hosts_limit_ms(hosts, "s"), 0);
}

static unsigned gh_starts(const RestFixture *fixture)
{
    g_autofree char *path = g_build_filename(fixture->dir, "starts", NULL);
    g_autofree char *text = NULL;
    return file_read(path, 1000, &text, NULL, NULL) ? (unsigned)strlen(text) : 0;
}

/* common §8.2: gh is asked for its token once, and again when the server refuses that one. */
static void test_login(void **state G_GNUC_UNUSED)
{
    static const char gh[] = "#!/bin/sh\nprintf x >>\"$HOME/starts\"\necho from-gh\n";
    static const CannedAnswer answers[] = {
        { .body = "{}", .times = 3 },
        { .status = 401, .body = "{\"message\":\"Bad credentials\"}" },
        { .body = "{}", .times = 100 },
    };
    g_autoptr(RestFixture) fixture = rest_fixture_new(answers, G_N_ELEMENTS(answers));
    g_autoptr(ToolFixture) tool = tool_fixture_new(NULL, false);
    g_autoptr(ToolFixture) other = tool_fixture_new(NULL, false);
    g_unsetenv("GITHUB_TOKEN");
    g_autofree char *path = g_build_filename(fixture->dir, "gh", NULL);
    assert_true(file_write_atomic(path, gh, strlen(gh), 0700, NULL));

    expect_answer("asks", fixture, tool, &get_call);
    expect_answer("knows", fixture, tool, &get_call);
    assert_int_equal(gh_starts(fixture), 1);
    expect_answer("another context", fixture, other, &get_call);
    assert_int_equal(gh_starts(fixture), 2);

    g_autoptr(Rest) rest = open_in(fixture, tool);
    g_autoptr(GError) error G_GNUC_UNUSED =
        rest_fixture_error("refused", rest, &get_call, REST_ERROR_AUTH, NULL);
    assert_int_equal(gh_starts(fixture), 2);
    expect_answer("asks again", fixture, tool, &get_call);
    assert_int_equal(gh_starts(fixture), 3);
}

static void write_login(const RestFixture *fixture, const char *user)
{
    g_autofree char *text = g_strdup_printf("127.0.0.1:\n    user: %s\n", user);
    g_autofree char *path = g_build_filename(fixture->dir, "hosts.yml", NULL);
    assert_true(file_write_atomic(path, text, strlen(text), 0600, NULL));
}

/* The token of a login goes with it, whatever the server would still take. */
static void test_login_changes(void **state G_GNUC_UNUSED)
{
    static const char gh[] = "#!/bin/sh\nprintf x >>\"$HOME/starts\"\necho from-gh\n";
    static const CannedAnswer answers[] = { { .body = "{}", .times = 100 } };
    g_autoptr(RestFixture) fixture = rest_fixture_new(answers, G_N_ELEMENTS(answers));
    g_autoptr(ToolFixture) tool = tool_fixture_new(NULL, false);
    g_unsetenv("GITHUB_TOKEN");
    g_setenv("GH_CONFIG_DIR", fixture->dir, true);
    g_autofree char *path = g_build_filename(fixture->dir, "gh", NULL);
    assert_true(file_write_atomic(path, gh, strlen(gh), 0700, NULL));

    write_login(fixture, "mara-v");
    expect_answer("asks", fixture, tool, &get_call);
    expect_answer("knows", fixture, tool, &get_call);
    assert_int_equal(gh_starts(fixture), 1);
    write_login(fixture, "okoro");
    expect_answer("another login", fixture, tool, &get_call);
    assert_int_equal(gh_starts(fixture), 2);
    expect_answer("knows that one", fixture, tool, &get_call);
    assert_int_equal(gh_starts(fixture), 2);
}

/* A download that GitHub refuses makes the next call ask gh again; what another server refuses says
   nothing about the token. */
static void test_fetch_refused(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *path;
        unsigned starts; // of gh, with the call behind it
    } cases[] = {
        { "GitHub", "/own", 2 },
        { "another server", "/away", 1 },
    };
    static const char gh[] = "#!/bin/sh\nprintf x >>\"$HOME/starts\"\necho from-gh\n";
    CannedAnswer answers[] = {
        { .request = "GET /own ", .status = 401, .body = "{}" },
        { .request = "GET /away ", .status = 302 },
        { .request = "GET /x ", .status = 401, .body = "{}" },
        { .body = "{}", .times = 100 },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(RestFixture) fixture = rest_fixture_new(answers, G_N_ELEMENTS(answers));
        g_autoptr(ToolFixture) tool = tool_fixture_new(NULL, false);
        g_autofree char *away =
            g_strdup_printf("Location: http://localhost:%u/x\r\n", fixture->server->port);
        answers[1].headers = away;
        g_unsetenv("GITHUB_TOKEN");
        g_setenv("no_proxy", "127.0.0.1,localhost", true);
        g_autofree char *path = g_build_filename(fixture->dir, "gh", NULL);
        assert_true(file_write_atomic(path, gh, strlen(gh), 0700, NULL));
        g_autoptr(Rest) rest = open_in(fixture, tool);
        const RestFetch fetch = { .path = cases[i].path, .operation = "download" };
        assert_false(rest_fetch(rest, &fetch, NULL, NULL));
        expect_answer(cases[i].name, fixture, tool, &get_call);
        if (gh_starts(fixture) != cases[i].starts)
            fail_msg("%s: gh was started %u times", cases[i].name, gh_starts(fixture));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_connection),    cmocka_unit_test(test_limits),
        cmocka_unit_test(test_short_limit),   cmocka_unit_test(test_limit_ends),
        cmocka_unit_test(test_login),         cmocka_unit_test(test_login_changes),
        cmocka_unit_test(test_fetch_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
