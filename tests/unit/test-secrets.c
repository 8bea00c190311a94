/* The store of secrets: taken, wiped, had from the store only, and what children get (common §10).
 */
#include "base/str.h"
#include "unit.h"

#include "base/env.h"
#include "base/secrets.h"

#include <sys/prctl.h>

static const char *child_value(char **env, const char *name)
{
    return g_environ_getenv(env, name);
}

static bool is_known(const char *value)
{
    for (unsigned i = 0; i < secrets_count_known(); i++)
        if (strcmp(secrets_known(i), value) == 0)
            return true;
    return false;
}

static void test_environment(void **state G_GNUC_UNUSED)
{
    g_setenv("ANTHROPIC_API_KEY", "value-of-a-provider", TRUE);
    g_setenv("GH_TOKEN", "value-of-github", TRUE);
    g_setenv("KEDGE_UNIT_TOKEN", "value-of-our-own", TRUE);
    g_setenv("GROQ_API_KEY", "", TRUE);
    g_setenv("UNIT_OTHER", "stays", TRUE);
    char *entry = NULL; // what /proc/PID/environ shows
    for (char **each = environ; *each; each++)
        if (str_has_prefix(*each, "ANTHROPIC_API_KEY="))
            entry = *each;
    secrets_take_environment();
    for (size_t i = 0; i < strlen("ANTHROPIC_API_KEY=value-of-a-provider"); i++)
        assert_int_equal(entry[i], 0);
    assert_null(g_getenv("ANTHROPIC_API_KEY"));
    assert_null(g_getenv("GH_TOKEN"));
    assert_null(g_getenv("KEDGE_UNIT_TOKEN"));
    assert_string_equal(g_getenv("UNIT_OTHER"), "stays");
    assert_string_equal(secrets_get("ANTHROPIC_API_KEY"), "value-of-a-provider");
    assert_string_equal(secrets_get("GH_TOKEN"), "value-of-github");
    assert_null(secrets_get("GROQ_API_KEY"));
    assert_null(secrets_get("OPENAI_API_KEY"));
    assert_true(is_known("value-of-our-own"));
}

static void test_children(void **state G_GNUC_UNUSED)
{
    g_setenv("LAB_KEY", "value-of-the-lab", TRUE);
    secrets_take_variable("LAB_KEY");
    secrets_take_variable("LAB_KEY_THAT_IS_NOT_SET");
    static const char *const pass[] = { "LAB_KEY", "ANTHROPIC_API_KEY", NULL };
    g_auto(GStrv) plain = env_for_child(NULL);
    g_auto(GStrv) passing = env_for_child(pass);
    g_auto(GStrv) safe = env_for_safe_child(NULL);
    assert_null(child_value(plain, "LAB_KEY"));
    assert_null(child_value(plain, "ANTHROPIC_API_KEY"));
    assert_null(child_value(plain, "KEDGE_UNIT_TOKEN"));
    assert_string_equal(child_value(plain, "GH_TOKEN"), "value-of-github");
    assert_string_equal(child_value(plain, "UNIT_OTHER"), "stays");
    assert_string_equal(child_value(passing, "LAB_KEY"), "value-of-the-lab");
    assert_string_equal(child_value(passing, "ANTHROPIC_API_KEY"), "value-of-a-provider");
    assert_null(child_value(safe, "GH_TOKEN"));
    assert_null(child_value(safe, "UNIT_OTHER"));
    assert_non_null(child_value(safe, "PATH"));
    assert_string_equal(secrets_get("LAB_KEY"), "value-of-the-lab");
    // an agent program asks models itself
    g_auto(GStrv) agent = env_for_agent();
    assert_string_equal(child_value(agent, "LAB_KEY"), "value-of-the-lab");
    assert_string_equal(child_value(agent, "ANTHROPIC_API_KEY"), "value-of-a-provider");
    assert_string_equal(child_value(agent, "GH_TOKEN"), "value-of-github");
    assert_string_equal(child_value(agent, "UNIT_OTHER"), "stays");
}

/* common-S05 */
static void test_learning(void **state G_GNUC_UNUSED)
{
    g_setenv("MISTRAL_API_KEY", "value-that-was-learnt", TRUE);
    g_setenv("UNIT_LEARNT", "value-of-a-models-file", TRUE);
    for (int i = 0; i < 2; i++) {
        secrets_learn_environment();
        secrets_learn_variable("UNIT_LEARNT");
        secrets_learn_variable("UNIT_NOT_SET");
    }
    assert_string_equal(g_getenv("MISTRAL_API_KEY"), "value-that-was-learnt");
    assert_string_equal(g_getenv("UNIT_LEARNT"), "value-of-a-models-file");
    assert_string_equal(secrets_get("MISTRAL_API_KEY"), "value-that-was-learnt");
    assert_true(is_known("value-that-was-learnt") && is_known("value-of-a-models-file"));
    assert_true(secrets_holds("UNIT_LEARNT") && !secrets_holds("UNIT_NOT_SET"));
    static const char *const pass[] = { "UNIT_LEARNT", NULL };
    g_auto(GStrv) plain = env_for_child(NULL);
    g_auto(GStrv) passing = env_for_child(pass);
    assert_null(child_value(plain, "MISTRAL_API_KEY"));
    assert_null(child_value(plain, "UNIT_LEARNT"));
    unsigned count = 0;
    for (char **each = passing; *each; each++)
        count += str_has_prefix(*each, "UNIT_LEARNT=");
    assert_int_equal(count, 1);
}

static void test_actions(void **state G_GNUC_UNUSED)
{
    static const char *const names[] = {
        "ACTIONS_RUNTIME_TOKEN",          "ACTIONS_RESULTS_URL",
        "ACTIONS_ID_TOKEN_REQUEST_TOKEN", "ACTIONS_ID_TOKEN_REQUEST_URL",
        "ACTIONS_ID_TOKEN_REQUEST_OTHER", NULL,
    };
    for (size_t i = 0; names[i]; i++)
        g_setenv(names[i], "value-of-the-runner", TRUE);
    g_auto(GStrv) outside = env_for_child(NULL);
    assert_non_null(child_value(outside, "ACTIONS_RUNTIME_TOKEN")); // some other program's variable
    g_setenv("GITHUB_ACTIONS", "true", TRUE);
    g_auto(GStrv) before = env_for_child(names);
    secrets_take_environment();
    g_auto(GStrv) after = env_for_child(names);
    for (size_t i = 0; names[i]; i++) {
        assert_null(child_value(before, names[i]));
        assert_null(child_value(after, names[i]));
        assert_null(g_getenv(names[i]));
    }
    g_unsetenv("GITHUB_ACTIONS");
}

static void test_arguments(void **state G_GNUC_UNUSED)
{
    char first[] = "--api-key", second[] = "typed-key-1", third[] = "--api-key=typed-key-2";
    char end[] = "--", fourth[] = "--api-key=typed-key-3", program[] = "kedge";
    char *argv[] = { program, first, second, third, end, fourth, NULL };
    secrets_take_arguments(6, argv);
    assert_string_equal(argv[2], "typed-key-1");
    assert_string_equal(argv[3], "--api-key=typed-key-2");
    assert_string_equal(argv[5], "--api-key=typed-key-3");
    assert_string_equal(second, "");
    assert_string_equal(third, "--api-key=");
    assert_string_equal(fourth, "--api-key=typed-key-3"); // a prompt's word
    assert_true(is_known("typed-key-1") && is_known("typed-key-2"));
    char *alone[] = { program, first, NULL };
    secrets_take_arguments(2, alone); // without a value: the decoder complains
}

static void test_what_is_known(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *value, *part;
        bool want;
    } cases[] = {
        { "1234567", "1234567", false },
        { "12345678", "12345678", true },
        { "Example", "Example", false },
        { "CHANGEME", "CHANGEME", false },
        { "password", "password", false },
        { "xxxxxxxxxxxxxxxx", "xxxxxxxxxxxxxxxx", false },
        { "  trimmed-value\n", "trimmed-value", true },
        { "short line\nline of sixteen bytes\n", "line of sixteen bytes", true },
        { "short line\nline of seventeen bytes\n", "short line", false },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        secrets_register(cases[i].value);
        if (is_known(cases[i].part) != cases[i].want)
            fail_msg("%s", cases[i].value);
    }
    unsigned before = secrets_count_known();
    secrets_register("12345678"); // once is enough
    assert_int_equal(secrets_count_known(), before);
}

static void test_later_value_counts(void **state G_GNUC_UNUSED)
{
    secrets_set("XAI_API_KEY", "first-value");
    secrets_set("XAI_API_KEY", "second-value");
    assert_string_equal(secrets_get("XAI_API_KEY"), "second-value");
    assert_true(is_known("first-value"));
}

/* A program that has libkedge in it says which account's key is used. */
static void test_given_value_counts_over_the_environment(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *before;
    } cases[] = {
        { "CEREBRAS_API_KEY", "value-of-the-environment" },
        { "UNIT_GIVEN", "value-of-the-environment" },
        { "FIREWORKS_API_KEY", "value-of-the-program" }, // learnt first, and the same
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_setenv(cases[i].name, cases[i].before, TRUE);
        secrets_learn_variable(cases[i].name);
        secrets_set(cases[i].name, "value-of-the-program");
        g_autofree char *later = g_strconcat("value-later-of-", cases[i].name, NULL);
        g_setenv(cases[i].name, later, TRUE);
        secrets_learn_environment();
        secrets_learn_variable(cases[i].name);
        assert_string_equal(secrets_get(cases[i].name), "value-of-the-program");
        assert_true(is_known(cases[i].before) && is_known(later));
        secrets_take_variable(cases[i].name);
        assert_null(g_getenv(cases[i].name));
        assert_string_equal(secrets_get(cases[i].name), "value-of-the-program");
    }
}

static void test_process_is_closed(void **state G_GNUC_UNUSED)
{
    g_setenv("KEDGE_ALLOW_DEBUG", "1", TRUE);
    assert_false(secrets_close_process());
    assert_int_equal(prctl(PR_GET_DUMPABLE), 1);
    g_unsetenv("KEDGE_ALLOW_DEBUG");
    assert_true(secrets_close_process());
    assert_int_equal(prctl(PR_GET_DUMPABLE), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_environment),
        cmocka_unit_test(test_children),
        cmocka_unit_test(test_actions),
        cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_what_is_known),
        cmocka_unit_test(test_later_value_counts),
        cmocka_unit_test(test_given_value_counts_over_the_environment),
        cmocka_unit_test(test_process_is_closed),
        cmocka_unit_test(test_learning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
