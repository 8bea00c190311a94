/*
 * gh.policy and gh.hostPolicy hold for requests without gh, whoever sends them (common §4.2).
 */
#include "rest_fixture.h"

#include "tool/settings.h"

static Settings *settings_of(const char *json)
{
    g_autoptr(json_t) overrides = NULL;
    assert_true(json_parse_text(json, &overrides, NULL));
    return settings_new(overrides);
}

static Rest *open_with(const Settings *settings, const char *host, const char *repo)
{
    const RestOptions options = {
        .host = host,
        .honours_api_url = true,
        .repo = repo,
        .max_wait_s = -1,
        .settings = settings,
    };
    Rest *rest = NULL;
    assert_true(rest_new(&options, NULL, &rest, NULL));
    return rest;
}

#define ACME  "{\"gh\":{\"hostPolicy\":{\"github.com/acme/*\":\"deny\"}}}"
#define READS "{\"gh\":{\"hostPolicy\":{\"github.com\":\"read-only\"}}}"

static void test_requests(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *settings, *method, *path, *repo;
        const char *refusal; // NULL: it is sent
    } cases[] = {
        { "{}", "GET", "/repos/acme/vault/pulls/1", NULL, NULL },
        { ACME, "GET", "/repos/acme/vault/pulls/1", NULL,
          "for github.com/acme/vault by gh.policy" },
        { ACME, "GET", "/repos/ACME/Vault?x=1", NULL, "reads are disabled" },
        { ACME, "GET", "/repos/%61cme/vault/pulls/1", NULL, "reads are disabled" },
        { ACME, "GET", "/repos/o/r/pulls/1", "acme/vault", NULL },
        { ACME, "GET", "/user", NULL, "for github.com without a repository by" },
        { ACME, "GET", "/user", "o/r", NULL },
        { ACME, "GET", "/user", "acme/vault", "for github.com/acme/vault by" },
        { READS, "GET", "/repos/o/r/pulls/1", NULL, NULL },
        { READS, "POST", "/repos/o/r/issues", NULL, "writes are disabled for github.com by" },
        { READS, "DELETE", "/repos/o/r/issues/1", NULL, "writes are disabled" },
        { "{\"gh\":{\"policy\":{\"write\":\"block\"}}}", "PATCH", "/repos/o/r/issues/1", NULL,
          "writes are disabled" },
        { "{\"gh\":{\"policy\":{\"write\":\"confirm\"}}}", "PATCH", "/repos/o/r/issues/1", NULL,
          NULL }, // who asks is the gate
        { "{\"gh\":{\"hostPolicy\":{\"ghe.example.com\":\"deny\"}}}", "GET", "/repos/o/r", NULL,
          NULL },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        const CannedAnswer answers[] = { { .body = "{}" } };
        g_autoptr(RestFixture) fixture = rest_fixture_new(answers, 1);
        g_autoptr(Settings) settings = settings_of(cases[i].settings);
        g_autoptr(Rest) rest = open_with(settings, "github.com", cases[i].repo);
        const RestCall call = { cases[i].method, cases[i].path, NULL, "test", NULL, false };
        g_auto(RestAnswer) answer = { 0 };
        g_autoptr(GError) error = NULL;
        bool is_sent = rest_call(rest, &call, NULL, &answer, &error);
        if (is_sent != !cases[i].refusal || (error && !error_is(error, KEDGE_ERROR_DENIED)))
            fail_msg("%s: %s", cases[i].path, error ? error->message : "was sent");
        if (error && !strstr(error->message, cases[i].refusal))
            fail_msg("%s: %s", cases[i].path, error->message);
        assert_int_equal(rest_fixture_count(fixture), is_sent ? 1 : 0);
    }
}

/* Lists, queries, mutations and downloads pass the same place. */
static void test_every_kind(void **state G_GNUC_UNUSED)
{
    static const CannedAnswer answers[] = { { .body = "{\"data\":{}}" } };
    g_autoptr(RestFixture) fixture = rest_fixture_new(answers, G_N_ELEMENTS(answers));
    g_autoptr(Settings) denied = settings_of(ACME);
    g_autoptr(Settings) reads = settings_of(READS);
    g_autoptr(Rest) none = open_with(denied, "github.com", "acme/vault");
    g_autoptr(Rest) reader = open_with(reads, "github.com", "acme/vault");
    const RestCall call = { "GET", "/repos/acme/vault/pulls/1/files", NULL, "test", NULL, false };
    const RestFetch fetch = { .path = "/repos/acme/vault/zipball", .operation = "test" };
    g_autoptr(json_t) data = NULL;
    json_t *items = NULL, *other = NULL;
    assert_false(rest_list(none, &call, NULL, NULL, &items, NULL, NULL));
    assert_false(
        rest_graphql(none, "query { viewer { login } }", NULL, "test", NULL, &other, NULL));
    assert_false(rest_fetch(none, &fetch, NULL, NULL));
    assert_false(rest_graphql(reader, "mutation { x }", NULL, "test", NULL, &other, NULL));
    assert_int_equal(rest_fixture_count(fixture), 0);
    assert_true(
        rest_graphql(reader, "query { viewer { login } }", NULL, "test", NULL, &data, NULL));
}

/* A base URL in an argument is judged by the host that it leads to. */
static void test_base_urls(void **state G_GNUC_UNUSED)
{
    static const CannedAnswer answers[] = { { .body = "{}" } };
    g_autoptr(RestFixture) fixture = rest_fixture_new(answers, G_N_ELEMENTS(answers));
    g_autoptr(Settings) settings =
        settings_of("{\"gh\":{\"hostPolicy\":{\"127.0.0.1\":\"deny\"}}}");
    const RestOptions options = { .api_url = fixture->url, .max_wait_s = -1, .settings = settings };
    g_autoptr(Rest) rest = NULL;
    Rest *made = NULL;
    assert_true(rest_new(&options, NULL, &made, NULL));
    rest = made;
    const RestCall call = { "GET", "/repos/o/r", NULL, "test", NULL, false };
    RestAnswer answer = { 0 };
    assert_false(rest_call(rest, &call, NULL, &answer, NULL));
    assert_int_equal(rest_fixture_count(fixture), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_requests),
        cmocka_unit_test(test_every_kind),
        cmocka_unit_test(test_base_urls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
