/* calc: JavaScript's arithmetic, its numbers, and what is refused. */
#include "tool_fixture.h"

#include "tools/tools.h"

static json_t *calculation(const char *expression)
{
    return json_pack("{s:[{s:s}]}", "calculations", "expression", expression);
}

static void test_values(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *expression, *want;
    } cases[] = {
        { "-2 ** 2", "-4" }, // tools-T86
        { "0.1+0.2", "0.30000000000000004" },
        { "1 + 2 * 3", "7" },
        { "(1 + 2) * 3", "9" },
        { "2 ** 3 ** 2", "512" },
        { "2 ** -1", "0.5" },
        { "(-2) ** 2", "4" },
        { "7 % 4 - -1", "4" },
        { "-7 % 4", "-3" },
        { "+-+3", "-3" },
        { "-0", "0" },
        { ".5 + 1.", "1.5" },
        { "1e3", "1000" },
        { "0xff + 0b101 + 0o17", "275" },
        { "1e21", "1e+21" },
        { "123456789012345680000", "123456789012345680000" },
        { "1 / 3", "0.3333333333333333" },
        { "1e-7", "1e-7" },
        { "0.000001", "0.000001" },
        { "1.5e300 * 1", "1.5e+300" },
        { "-1234.5", "-1234.5" },
        { "9007199254740993", "9007199254740992" },
        { "5e-324", "5e-324" },
    };
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got =
            tool_fixture_text(fixture, &tool_calc, calculation(cases[i].expression));
        assert_text(cases[i].expression, got, cases[i].want);
    }
    g_autofree char *lines = tool_fixture_text(
        fixture, &tool_calc,
        json_of("{'calculations':[{'expression':'1+1','prefix':'a = ','suffix':' m'},"
                "{'expression':'2*2'}]}"));
    assert_string_equal(lines, "a = 2 m\n4");
}

static void test_errors(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *expression, *want;
    } cases[] = {
        { "1 $ 2", "Invalid character \"$\" in expression" },
        { "2 × 3", "Invalid character \"×\" in expression" },
        { "0x", "Invalid character \"0\" in expression" },
        { ".", "Invalid character \".\" in expression" },
        { "1e", "Invalid character \"e\" in expression" },
        { "1 2", "Unexpected token in expression" },
        { "1.2.3", "Unexpected token in expression" },
        { "* 2", "Unexpected token in expression" },
        { "1 )", "Unexpected token in expression" },
        { "1 +", "Unexpected end of expression" },
        { "(1", "Missing closing parenthesis" },
        { " ", "Expression is empty" },
        { "1 / 0", "Expression result is not a finite number" },
        { "0 / 0", "Expression result is not a finite number" },
        { "1 ** (1e308 * 10)", "Expression result is not a finite number" },
    };
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got =
            tool_fixture_error(fixture, &tool_calc, calculation(cases[i].expression));
        assert_text(cases[i].expression, got, cases[i].want);
    }
    g_autofree char *one = tool_fixture_error(
        fixture, &tool_calc, json_of("{'calculations':[{'expression':'1'},{'expression':'x'}]}"));
    assert_string_equal(one, "Invalid character \"x\" in expression");

    static const char *const deep[] = { "(", "-", "2**" };
    for (size_t i = 0; i < G_N_ELEMENTS(deep); i++) {
        g_autoptr(GString) text = g_string_new(NULL);
        while (text->len < 9000)
            g_string_append(text, deep[i]);
        g_autofree char *got = tool_fixture_error(fixture, &tool_calc, calculation(text->str));
        assert_string_equal(got, "Expression is nested too deeply");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
