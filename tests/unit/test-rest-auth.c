/*
 * github/rest/rest_place.c, rest_auth.c, rest_login.c: where requests go, and which token goes
 * there.
 */
#include "rest_fixture.h"

#include "github/rest/rest_private.h"

#include <sys/stat.h>

static Settings *settings_of(const char *known_host)
{
    g_autofree char *text =
        g_strdup_printf("{\"gh\":{\"knownHosts\":[\"%s\"],\"trustGhLogins\":false}}", known_host);
    g_autoptr(json_t) overrides = NULL;
    assert_true(json_parse_text(text, &overrides, NULL));
    return settings_new(overrides);
}

/* Only what the case says. */
static RestFixture *bare_fixture(void)
{
    RestFixture *fixture = rest_fixture_new(NULL, 0);
    g_unsetenv("GITHUB_API_URL");
    g_unsetenv("GITHUB_TOKEN");
    return fixture;
}

static void set_variable(const char *name, const char *value)
{
    if (value)
        g_setenv(name, value, true);
    else
        g_unsetenv(name);
}

typedef struct PlaceCase {
    const char *name;
    const char *api_url, *host; // arguments
    const char *env_url, *env_host, *env_graphql;
    const char *base, *graphql, *token_host; // NULL: refused with text
    const char *text;
    bool is_from_model;
} PlaceCase;

#define NOBODY_NAMED(address)                                                                      \
    "\"" address                                                                                   \
    "\" is an address of this machine that no one named; set GITHUB_API_URL to it, or "            \
    "add it with its port to gh.knownHosts"

/* cli-B-33 and common §8.1. */
static const PlaceCase place_cases[] = {
    { "default", .base = "https://api.github.com", .graphql = "https://api.github.com/graphql",
      .token_host = "github.com" },
    { "cli-B-33 enterprise", .env_host = "git.corp.example",
      .base = "https://git.corp.example/api/v3", .graphql = "https://git.corp.example/api/graphql",
      .token_host = "git.corp.example" },
    { "cli-B-33 tenant", .env_host = "acme.ghe.com", .base = "https://api.acme.ghe.com",
      .graphql = "https://api.acme.ghe.com/graphql", .token_host = "acme.ghe.com" },
    { "cli-B-33 URL", .env_url = "https://git.corp.example/api/v3/",
      .base = "https://git.corp.example/api/v3", .graphql = "https://git.corp.example/api/graphql",
      .token_host = "git.corp.example" },
    { "github.com by name", .env_host = "GitHub.com", .base = "https://api.github.com",
      .graphql = "https://api.github.com/graphql", .token_host = "github.com" },
    { "URL before host", .env_url = "https://api.github.com", .env_host = "git.corp.example",
      .base = "https://api.github.com", .graphql = "https://api.github.com/graphql",
      .token_host = "github.com" },
    { "arguments first", .api_url = "https://api.github.com",
      .env_url = "https://git.corp.example/api/v3", .base = "https://api.github.com",
      .graphql = "https://api.github.com/graphql", .token_host = "github.com" },
    { "a host argument before GITHUB_API_URL", .host = "known.example",
      .env_url = "https://api.github.com", .base = "https://known.example/api/v3",
      .graphql = "https://known.example/api/graphql", .token_host = "known.example" },
    { "case and port", .api_url = "https://Known.Example:8443/api/v3//",
      .base = "https://known.example:8443/api/v3",
      .graphql = "https://known.example:8443/api/graphql", .token_host = "known.example" },
    { "GraphQL of its own", .env_url = "https://api.github.com",
      .env_graphql = "https://api.github.com/other", .base = "https://api.github.com",
      .graphql = "https://api.github.com/other", .token_host = "github.com" },
    { "GraphQL of another host does not count", .host = "known.example",
      .env_graphql = "https://api.github.com/graphql", .base = "https://known.example/api/v3",
      .graphql = "https://known.example/api/graphql", .token_host = "known.example" },
    { "http to loopback", .api_url = "http://127.0.0.1:8080", .base = "http://127.0.0.1:8080",
      .graphql = "http://127.0.0.1:8080/graphql", .token_host = "127.0.0.1" },
    { "IPv6 loopback", .api_url = "http://[::1]:8080/", .base = "http://[::1]:8080",
      .graphql = "http://[::1]:8080/graphql", .token_host = "::1" },
    { "localhost", .api_url = "http://localhost", .base = "http://localhost",
      .graphql = "http://localhost/graphql", .token_host = "localhost" },
    { "http elsewhere", .env_url = "http://git.corp.example/api/v3",
      .text = "refusing to send a token over http" },
    { "not quite loopback", .env_url = "http://127.0.0.1.example/",
      .text = "refusing to send a token over http" },
    { "an unknown host", .host = "evil.example",
      .text = "host \"evil.example\" is not a known host; add it to gh.knownHosts" },
    { "an unknown URL", .api_url = "https://api.evil.ghe.com/",
      .text = "host \"evil.ghe.com\" is not a known host; add it to gh.knownHosts" },
    { "what the environment names is not known for that", .host = "git.corp.example",
      .env_host = "git.corp.example",
      .text = "host \"git.corp.example\" is not a known host; add it to gh.knownHosts" },
    { "user information", .api_url = "https://api.github.com@evil.example/",
      .text = "api_url must be a plain http or https address, or a host name" },
    { "a backslash", .api_url = "https://evil.example\\@api.github.com/",
      .text = "api_url must be a plain http or https address, or a host name" },
    { "a query", .env_url = "https://api.github.com/?x=1",
      .text = "GITHUB_API_URL must be a plain http or https address, or a host name" },
    { "another scheme", .env_url = "file:///etc/passwd",
      .text = "GITHUB_API_URL must be a plain http or https address, or a host name" },
    { "common-S10 a model names a port", .api_url = "http://127.0.0.1:9/",
      .text = NOBODY_NAMED("127.0.0.1:9"), .is_from_model = true },
    { "common-S10 the environment names another", .api_url = "http://127.0.0.1:9/",
      .env_url = "http://127.0.0.1:8080", .text = NOBODY_NAMED("127.0.0.1:9"),
      .is_from_model = true },
    { "common-S10 the environment names it", .api_url = "http://127.0.0.1:9/",
      .env_url = "http://127.0.0.1:9", .base = "http://127.0.0.1:9",
      .graphql = "http://127.0.0.1:9/graphql", .token_host = "127.0.0.1", .is_from_model = true },
    { "common-S10 GH_HOST names it", .host = "localhost:9", .env_host = "localhost:9",
      .base = "https://localhost:9/api/v3", .graphql = "https://localhost:9/api/graphql",
      .token_host = "localhost", .is_from_model = true },
    { "common-S10 the settings name it", .api_url = "http://[::1]:7000",
      .base = "http://[::1]:7000", .graphql = "http://[::1]:7000/graphql", .token_host = "::1",
      .is_from_model = true },
    { "common-S10 the settings name another port", .api_url = "http://[::1]:7001",
      .text = NOBODY_NAMED("[::1]:7001"), .is_from_model = true },
    { "common-S10 a model names a known host", .host = "known.example",
      .base = "https://known.example/api/v3", .graphql = "https://known.example/api/graphql",
      .token_host = "known.example", .is_from_model = true },
    { "a path for a host", .host = "github.com/x",
      .text = "host must be a plain http or https address, or a host name" },
};

static void test_places(void **state G_GNUC_UNUSED)
{
    g_autoptr(RestFixture) fixture G_GNUC_UNUSED = bare_fixture();
    g_autoptr(Settings) settings = settings_of("known.example\", \"[::1]:7000");
    for (size_t i = 0; i < G_N_ELEMENTS(place_cases); i++) {
        const PlaceCase *wanted = &place_cases[i];
        set_variable("GITHUB_API_URL", wanted->env_url);
        set_variable("GH_HOST", wanted->env_host);
        set_variable("GITHUB_GRAPHQL_URL", wanted->env_graphql);
        const RestOptions options = {
            .api_url = wanted->api_url,
            .host = wanted->host,
            .is_from_argument = wanted->api_url || wanted->host,
            .is_from_model = wanted->is_from_model,
            .settings = settings,
        };
        g_auto(RestPlace) place = { 0 };
        g_autoptr(GError) error = NULL;
        bool is_found = rest_place_find(&options, &place, &error);
        const char *text = error ? error->message : NULL;
        if (is_found != (wanted->base != NULL) || g_strcmp0(text, wanted->text) != 0)
            fail_msg("%s: %s", wanted->name, text ? text : place.base_url);
        assert_true(is_found || g_error_matches(error, REST_ERROR, REST_ERROR_USAGE));
        if (g_strcmp0(place.base_url, wanted->base) != 0 ||
            g_strcmp0(place.graphql_url, wanted->graphql) != 0 ||
            g_strcmp0(place.token_host, wanted->token_host) != 0)
            fail_msg("%s: %s, %s, %s", wanted->name, place.base_url, place.graphql_url,
                     place.token_host);
    }
}

typedef struct TokenCase {
    const char *name;
    const char *api_url; // argument
    const char *env_url;
    bool is_agent_tools;
    const char *actions;
    const char *gh, *github, *enterprise, *github_enterprise;
    const char *want; // NULL: none
} TokenCase;

#define GHES "https://known.example/api/v3"
#define DOT  "https://api.github.com"

static const TokenCase token_cases[] = {
    { "gh first", NULL, DOT, false, NULL, "a", "b", "c", NULL, "a" },
    { "agent-tools: the other way round", NULL, DOT, true, NULL, "a", "b", "c", NULL, "b" },
    { "agent-tools: the second", NULL, DOT, true, NULL, "a", NULL, NULL, NULL, "a" },
    { "blank counts as unset, others are trimmed", NULL, DOT, true, NULL, " a\n", " \t", NULL, NULL,
      "a" },
    { "never an enterprise token for GitHub", NULL, DOT, true, NULL, NULL, NULL, "c", "d", NULL },
    { "tenant", "https://api.acme.ghe.com", NULL, false, NULL, "a", NULL, "c", NULL, "a" },
    { "loopback", "http://127.0.0.1:9", NULL, true, NULL, NULL, "b", "c", NULL, "b" },
    { "enterprise", NULL, GHES, true, NULL, "a", "b", "c", "d", "c" },
    { "enterprise, the second", NULL, GHES, true, NULL, "a", "b", NULL, "d", "d" },
    { "agent-tools: the environment names the host", NULL, GHES, true, NULL, "a", "b", NULL, NULL,
      "b" },
    { "agent-tools: so it does", GHES, GHES, true, NULL, "a", "b", NULL, NULL, "b" },
    { "agent-tools: an argument names it", GHES, DOT, true, NULL, "a", "b", NULL, NULL, NULL },
    { "another port is another server", "https://known.example:8443/api/v3", GHES, true, NULL, "a",
      "b", NULL, NULL, NULL },
    { "others never", NULL, GHES, false, NULL, "a", "b", NULL, NULL, NULL },
    { "but in Actions", NULL, GHES, false, "true", "a", "b", NULL, NULL, "a" },
    { "Actions says exactly true", NULL, GHES, false, "1", "a", "b", NULL, NULL, NULL },
    { "none", NULL, DOT, true, NULL, NULL, NULL, NULL, NULL, NULL },
};

static void test_tokens(void **state G_GNUC_UNUSED)
{
    g_autoptr(RestFixture) fixture G_GNUC_UNUSED = bare_fixture();
    g_autoptr(Settings) settings = settings_of("known.example");
    for (size_t i = 0; i < G_N_ELEMENTS(token_cases); i++) {
        const TokenCase *wanted = &token_cases[i];
        set_variable("GITHUB_API_URL", wanted->env_url);
        set_variable("GITHUB_ACTIONS", wanted->actions);
        set_variable("GH_TOKEN", wanted->gh);
        set_variable("GITHUB_TOKEN", wanted->github);
        set_variable("GH_ENTERPRISE_TOKEN", wanted->enterprise);
        set_variable("GITHUB_ENTERPRISE_TOKEN", wanted->github_enterprise);
        const RestOptions options = {
            .api_url = wanted->api_url,
            .prefers_github_token = wanted->is_agent_tools,
            .settings = settings,
        };
        g_autoptr(Rest) rest = NULL;
        g_autoptr(GError) error = NULL;
        bool is_found = rest_new(&options, NULL, &rest, &error);
        if (is_found != (wanted->want != NULL) ||
            (is_found && strcmp(rest->token, wanted->want) != 0))
            fail_msg("%s: %s", wanted->name, is_found ? rest->token : error->message);
        assert_true(is_found || g_error_matches(error, REST_ERROR, REST_ERROR_AUTH));
    }
}

/* A gh that knows github.com's token and notes how it was called. */
static void put_gh(const RestFixture *fixture, const char *script)
{
    g_autofree char *path = g_build_filename(fixture->dir, "gh", NULL);
    assert_true(file_write_atomic(path, script, strlen(script), 0700, NULL));
}

static char *login_token(const RestOptions *options)
{
    g_autoptr(Rest) rest = NULL;
    return rest_new(options, NULL, &rest, NULL) ? g_strdup(rest->token) : g_strdup("none");
}

/* common §8.2, step 3. */
static void test_login(void **state G_GNUC_UNUSED)
{
    static const char hosts[] = "github.com:\n  oauth_token: \" from-file \"\n  user: x\n"
                                "other.example:\n  user: y\n";
    static const char gh[] = "#!/bin/sh\necho \"$@\" > \"$HOME/called\"\n"
                             "[ \"$4\" = github.com ] || exit 1\necho ' from-gh '\n";
    g_autoptr(RestFixture) fixture = bare_fixture();
    g_autoptr(Settings) settings = settings_of("known.example");
    g_setenv("GITHUB_API_URL", DOT, true);
    RestOptions options = { .settings = settings, .cwd = "/" };
    g_autofree char *unasked = login_token(&options);
    assert_string_equal(unasked, "none");

    options.uses_login = true;
    g_autofree char *nothing = login_token(&options);
    assert_string_equal(nothing, "none");

    g_autofree char *config = g_build_filename(fixture->dir, "config", NULL);
    g_autofree char *file = g_build_filename(config, "hosts.yml", NULL);
    assert_true(file_make_dirs(config, 0700, NULL));
    assert_true(file_write_atomic(file, hosts, strlen(hosts), 0600, NULL));
    g_setenv("GH_CONFIG_DIR", config, true);
    g_autofree char *stored = login_token(&options);
    assert_string_equal(stored, "from-file");

    put_gh(fixture, gh);
    g_autofree char *told = login_token(&options);
    assert_string_equal(told, "from-gh");
    g_autofree char *noted = g_build_filename(fixture->dir, "called", NULL);
    g_autofree char *called = NULL;
    assert_true(file_read(noted, 1000, &called, NULL, NULL));
    assert_string_equal(called, "auth token --hostname github.com\n");

    g_setenv("GH_TOKEN", "from-environment", true);
    g_autofree char *first = login_token(&options);
    assert_string_equal(first, "from-environment");

    g_setenv("GITHUB_API_URL", GHES, true); // gh fails, and the file has no such host
    g_autofree char *other = login_token(&options);
    assert_string_equal(other, "none");
}

/* A gh that the repository brings along is not asked. */
static void test_planted_gh(void **state G_GNUC_UNUSED)
{
    g_autoptr(RestFixture) fixture = bare_fixture();
    g_autoptr(Settings) settings = settings_of("known.example");
    g_autofree char *mark = g_build_filename(fixture->dir, ".git", NULL);
    assert_true(file_make_dirs(mark, 0700, NULL));
    put_gh(fixture, "#!/bin/sh\necho planted\n");
    g_setenv("HOME", "/", true);
    const RestOptions options = { .settings = settings, .cwd = fixture->dir, .uses_login = true };
    g_autofree char *token = login_token(&options);
    assert_string_equal(token, "none");
}

static void test_cancelled_login(void **state G_GNUC_UNUSED)
{
    g_autoptr(RestFixture) fixture = bare_fixture();
    g_autoptr(Settings) settings = settings_of("known.example");
    put_gh(fixture, "#!/bin/sh\necho late\n");
    g_autoptr(Cancel) cancel = cancel_new(NULL);
    cancel_fire(cancel);
    const RestOptions options = { .settings = settings, .cwd = "/", .uses_login = true };
    g_autoptr(Rest) rest = NULL;
    g_autoptr(GError) error = NULL;
    assert_false(rest_new(&options, cancel, &rest, &error));
    assert_true(error_is(error, KEDGE_ERROR_CANCELLED));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places),          cmocka_unit_test(test_tokens),
        cmocka_unit_test(test_login),           cmocka_unit_test(test_planted_gh),
        cmocka_unit_test(test_cancelled_login),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
