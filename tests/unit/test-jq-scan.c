/*
 * jq expressions that read the environment (gh-policy §3.3).
 */
#include "long_text.h"
#include "unit.h"

#include "github/classify/jq_scan.h"

static void test_expressions(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *expression;
        bool reads;
    } cases[] = {
        // gh-14-8
        { "env", true },
        { "$ENV", true },
        { "env.GH_TOKEN", true },
        { "$ENV.GH_TOKEN", true },
        { ".[]|env|keys", true },
        { "{env: 1}", true },
        { "{env}", true },
        { "{$ENV}", true },
        { "[env]", true },
        { "(env)", true },
        { "..|env", true },
        { "..env", true },
        { "1env", true },
        { "1.env", true },
        { "1e5 env", true },
        { "foo::env", true },
        { "def f: env; f", true },
        { "@base64 \"\\(env)\"", true },
        // not the environment
        { "", false },
        { ".env", false },
        { ".a.env", false },
        { ".[].env", false },
        { ".[1].env", false },
        { "..|.env", false },
        { "...env", false },
        { ".a?.env", false },
        { "\"env\"", false },
        { ".[\"env\"]", false },
        { ".\"env\"", false },
        { "environment", false },
        { "my_env", false },
        { "env2", false },
        { "_env", false },
        { "$env", false },
        { "$ENVIRON", false },
        { "$MY_ENV", false },
        { "ENV", false },
        { "Env", false },
        { "1.5e-3 + .5 | .env", false },
        // strings, with code inside
        { "\"\\(env)\"", true },
        { "\"a\\(.b + env)c\"", true },
        { "\"\\(\"\\(env)\")\"", true },
        { "\"\\((1)+(env))\"", true },
        { "\"\\(1)\" + env", true },
        { "\"\\((1))env\"", false },
        { "\"\\(1) env\"", false },
        { "\"\\(\"env\")env\"", false },
        { "\"\\(\"(\") env \\(1)\"", false },
        { "\"\\(\")\" | env)\"", true },
        { "\"\\\\\" | env", true },
        { "\"\\\" | env\"", false },
        { "\"\\\\(env)\"", false },
        { "\"\\\\\\(env)\"", true },
        { "\"\\u0041env\"", false },
        { ")))env", true },
        // comments
        { "# env", false },
        { ". # env\n", false },
        { "# x\nenv", true },
        { "# x\renv", true },
        { "# x\r\n.env", false },
        { ". # plain", false },
        // to a newer jq a comment goes on behind a backslash, and strings begin elsewhere
        { "# \\\n\"\nenv #\"", true },
        { "# \\\\\n\"\nenv #\"", true },
        { "# \r\"\nenv #\"", true },
        { "\"#\" | env", true },
        { "# \"\nenv # \"", true },
        { "\"\\( # )\n env)\"", true },
        // unterminated
        { "\"env", false },
        { "\"\\(env", true },
        { "\"\\(1", false },
        { "\"\\", false },
        { "\"\\(\"env", false },
        { "$", false },
        { ".", false },
        { "\xc3\xa9 env", true },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        if (jq_reads_environment(cases[i].expression) != cases[i].reads)
            fail_msg("%s", cases[i].expression);
    }
}

static void test_large_expressions(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *repeated, *behind;
        bool reads;
    } cases[] = {
        { ".env|", ".", false },  { ".env|", "env", true },  { "\"\\(", "env", true },
        { "\"\\(", "", false },   { "\"\\((", "x", false },  { "\"\\(1)\"+", "env", true },
        { "\\\"", "env", false }, { "#env\n", "env", true }, { "1.5e3.", "env", false },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GString) expression = g_string_new(NULL);
        while (expression->len < OF_LONG_TEXT(200 * 1000))
            g_string_append(expression, cases[i].repeated);
        g_string_append(expression, cases[i].behind);
        if (jq_reads_environment(expression->str) != cases[i].reads)
            fail_msg("%s… %s", cases[i].repeated, cases[i].behind);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_expressions),
        cmocka_unit_test(test_large_expressions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
