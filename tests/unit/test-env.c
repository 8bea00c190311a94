/* Environment variables: names, empty values, and what children do not get. */
#include "unit.h"

#include "base/env.h"
#include "base/secret_names.h"

static void test_get_prefers_kedge(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *kedge, *pi, *want;
    } cases[] = {
        { "neither", NULL, NULL, NULL },           { "own name", "a", NULL, "a" },
        { "own name wins", "a", "b", "a" },        { "older name", NULL, "b", "b" },
        { "empty counts as unset", "", "b", "b" }, { "both empty", "", "", NULL },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_unsetenv("KEDGE_UNIT_X");
        g_unsetenv("PI_UNIT_X");
        if (cases[i].kedge)
            g_setenv("KEDGE_UNIT_X", cases[i].kedge, TRUE);
        if (cases[i].pi)
            g_setenv("PI_UNIT_X", cases[i].pi, TRUE);
        const char *got = env_get("UNIT_X");
        if (g_strcmp0(got, cases[i].want) != 0)
            fail_msg("%s: got %s", cases[i].name, got);
    }
    g_unsetenv("KEDGE_UNIT_X");
    g_unsetenv("PI_UNIT_X");
}

static void test_get_raw(void **state G_GNUC_UNUSED)
{
    g_setenv("UNIT_RAW", "", TRUE);
    assert_null(env_get_raw("UNIT_RAW"));
    g_setenv("UNIT_RAW", "x", TRUE);
    assert_string_equal(env_get_raw("UNIT_RAW"), "x");
    g_unsetenv("UNIT_RAW");
    assert_null(env_get_raw("UNIT_RAW"));
}

static void test_names(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name;
        bool want;
    } cases[] = {
        { "PATH", true }, { "_", true },    { "a1_b", true }, { "", false },
        { "1a", false },  { "A-B", false }, { "A=", false },  { "A B", false },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        if (env_is_name(cases[i].name) != cases[i].want)
            fail_msg("%s: got %d", cases[i].name, !cases[i].want);
}

static void test_flag_and_int(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *value;
        bool flag;
        gint64 number; // fallback is 42
    } cases[] = {
        { "1", true, 1 },
        { "y", true, 42 },
        { "YES", true, 42 },
        { "True", true, 42 },
        { "on", true, 42 },
        { "", false, 42 },
        { "0", false, 0 },
        { "no", false, 42 },
        { "2", false, 2 },
        { "-5", false, 42 },
        { "+5", false, 42 },
        { "12ms", false, 42 },
        { " 7", false, 42 },
        { "9223372036854775807", false, G_MAXINT64 },
        { "9223372036854775808", false, 42 },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_setenv("KEDGE_UNIT_X", cases[i].value, TRUE);
        if (env_flag("UNIT_X") != cases[i].flag)
            fail_msg("flag of '%s'", cases[i].value);
        if (env_int("UNIT_X", 42) != cases[i].number)
            fail_msg("number of '%s'", cases[i].value);
    }
    g_unsetenv("KEDGE_UNIT_X");
    assert_false(env_flag("UNIT_X"));
    assert_int_equal(env_int("UNIT_X", 42), 42);
}

static void test_child_environment(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name;
        bool is_kept;
    } cases[] = {
        { "ANTHROPIC_API_KEY", false },
        { "ANTHROPIC_OAUTH_TOKEN", false },
        { "HF_TOKEN", false },
        { "KEDGE_API_KEY", false },
        { "PERPLEXITY_COOKIES", false },
        { "TAVILY_API_KEY", false },
        { "KEDGE_UNIT_TOKEN", false },
        { "KEDGE_UNIT_SECRET", false },
        { "PI_UNIT_KEY", false },
        { "OPENAI_API_KEY", true }, // named in `pass` below
        { "KEDGE_PASSED_TOKEN", true },
        { "KEDGE_UNIT_KEYS", true },
        { "GH_TOKEN", true },
        { "UNIT_API_KEY", true },
        { "MY_PI_UNIT_KEY", true },
    };
    static const char *const pass[] = { "OPENAI_API_KEY", "KEDGE_PASSED_TOKEN", NULL };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        g_setenv(cases[i].name, "value=with=signs", TRUE);
    g_auto(GStrv) child = env_for_child(pass);
    g_auto(GStrv) strict = env_for_child(NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        const char *got = g_environ_getenv(child, cases[i].name);
        if (g_strcmp0(got, cases[i].is_kept ? "value=with=signs" : NULL) != 0)
            fail_msg("%s: got %s", cases[i].name, got);
    }
    assert_null(g_environ_getenv(strict, "OPENAI_API_KEY"));
    assert_null(g_environ_getenv(strict, "KEDGE_PASSED_TOKEN"));
    assert_non_null(g_environ_getenv(strict, "PATH"));
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        g_unsetenv(cases[i].name);
}

static void test_provider_keys(void **state G_GNUC_UNUSED)
{
    assert_true(secret_is_provider_key("GEMINI_API_KEY"));
    assert_true(secret_is_provider_key("KEDGE_API_KEY"));
    assert_false(secret_is_provider_key("GITHUB_TOKEN"));
    assert_false(secret_is_provider_key("OPENAI_BASE_URL"));
    assert_false(secret_is_provider_key(""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_get_prefers_kedge), cmocka_unit_test(test_get_raw),
        cmocka_unit_test(test_flag_and_int),      cmocka_unit_test(test_child_environment),
        cmocka_unit_test(test_provider_keys),     cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
