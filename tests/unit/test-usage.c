/*
 * model/usage.c, and the thinking levels of model/model.c.
 */
#include "model_fixture.h"

static void assert_near(const json_t *object, const char *key, double want)
{
    double got = json_get_number(object, key, -1);
    if (got < want - 1e-12 || got > want + 1e-12)
        fail_msg("%s: got %.12f, want %.12f", key, got, want);
}

static void test_cost(void **state G_GNUC_UNUSED)
{
    // the example of agent-core §2.1
    const ModelCost cost = { 3, 15, 0.3, 3.75 };
    const Usage usage = { .input = 812, .output = 44, .cache_read = 15000 };
    g_autoptr(json_t) json = usage_to_json(&usage, &cost);
    assert_int_equal(json_get_int(json, "totalTokens", 0), 15856);
    assert_int_equal(json_get_int(json, "cacheWrite", -1), 0);
    assert_null(json_object_get(json, "reasoningTokens"));
    const json_t *prices = json_get_object(json, "cost");
    assert_near(prices, "input", 0.002436);
    assert_near(prices, "output", 0.00066);
    assert_near(prices, "cacheRead", 0.0045);
    assert_near(prices, "cacheWrite", 0);
    assert_near(prices, "total", 0.007596);

    const Usage told = { .input = 10, .output = 5, .reasoning = 3, .total = 16 };
    g_autoptr(json_t) other = usage_to_json(&told, &cost);
    assert_int_equal(json_get_int(other, "totalTokens", 0), 16);
    assert_int_equal(json_get_int(other, "reasoningTokens", 0), 3);
}

static void test_counts(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *json;
        int64_t want;
    } cases[] = {
        { "{'n':5}", 5 },    { "{'n':0}", 0 },   { "{'n':-1}", 7 },  { "{}", 7 },
        { "{'n':null}", 7 }, { "{'n':'5'}", 7 }, { "{'n':5.0}", 5 }, { "{'n':9e18}", 7 },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(json_t) json = json_of(cases[i].json);
        if (usage_count(json, "n", 7) != cases[i].want)
            fail_msg("%s", cases[i].json);
    }
}

static void test_thinking_levels(void **state G_GNUC_UNUSED)
{
    static const struct {
        bool is_reasoning;
        ThinkingLevel min, max, asked, want;
    } cases[] = {
        { false, THINKING_MINIMAL, THINKING_XHIGH, THINKING_HIGH, THINKING_OFF },
        { true, THINKING_LOW, THINKING_HIGH, THINKING_OFF, THINKING_OFF },
        { true, THINKING_LOW, THINKING_HIGH, THINKING_MINIMAL, THINKING_LOW },
        { true, THINKING_LOW, THINKING_HIGH, THINKING_MEDIUM, THINKING_MEDIUM },
        { true, THINKING_LOW, THINKING_HIGH, THINKING_XHIGH, THINKING_HIGH },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        const Model model = { .is_reasoning = cases[i].is_reasoning,
                              .min_thinking = cases[i].min,
                              .max_thinking = cases[i].max };
        assert_int_equal(model_clamp_thinking(&model, cases[i].asked), cases[i].want);
    }
    for (ThinkingLevel level = THINKING_OFF; level <= THINKING_XHIGH; level++) {
        ThinkingLevel parsed;
        assert_true(thinking_level_parse(thinking_level_name(level), &parsed));
        assert_int_equal(parsed, level);
    }
    ThinkingLevel untouched = THINKING_LOW;
    assert_false(thinking_level_parse("banana", &untouched));
    assert_false(thinking_level_parse(NULL, &untouched));
    assert_int_equal(untouched, THINKING_LOW);

    g_autoptr(json_t) budgets = json_of("{'low':5000,'high':0}");
    assert_int_equal(wire_thinking_budget(budgets, THINKING_LOW), 5000);
    assert_int_equal(wire_thinking_budget(budgets, THINKING_HIGH), 16384);
    assert_int_equal(wire_thinking_budget(NULL, THINKING_XHIGH), 32768);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cost),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_thinking_levels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
