/* Libraries opened on first use: all symbols, or nothing. */
#include "unit.h"

#include "base/library.h"

#define MATH_LIBRARY "libm.so.6"

typedef struct Math {
    double (*floor)(double);
    double (*ceil)(double);
} Math;

static double untouched(double value)
{
    return value;
}

static void test_table(void **state G_GNUC_UNUSED)
{
    // not in the struct's order: the offset counts
    const LibrarySymbol symbols[] = {
        LIBRARY_SYMBOL(Math, "", ceil),
        LIBRARY_SYMBOL(Math, "", floor),
    };
    Math math = { 0 };
    assert_true(library_open(MATH_LIBRARY, symbols, G_N_ELEMENTS(symbols), &math, sizeof(math)));
    assert_true(math.floor(1.5) == 1 && math.ceil(1.5) == 2);
}

static void test_prefix(void **state G_GNUC_UNUSED)
{
    typedef struct Prefixed {
        double (*abs)(double);
    } Prefixed;
    const LibrarySymbol symbols[] = { LIBRARY_SYMBOL(Prefixed, "f", abs) };
    Prefixed math = { 0 };
    assert_true(library_open(MATH_LIBRARY, symbols, G_N_ELEMENTS(symbols), &math, sizeof(math)));
    assert_true(math.abs(-2) == 2);
}

static void test_failures_leave_the_table(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *file, *second;
    } cases[] = {
        { "no such library", "libno-such-thing.so.1", "ceil" },
        { "a library that lacks the last symbol", MATH_LIBRARY, "kedge_has_no_such_symbol" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        const LibrarySymbol symbols[] = {
            LIBRARY_SYMBOL(Math, "", floor),
            { cases[i].second, offsetof(Math, ceil) },
        };
        Math math = { untouched, untouched };
        if (library_open(cases[i].file, symbols, G_N_ELEMENTS(symbols), &math, sizeof(math)))
            fail_msg("%s: opened", cases[i].name);
        if (math.floor != untouched || math.ceil != untouched)
            fail_msg("%s: the table was touched", cases[i].name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_prefix),
        cmocka_unit_test(test_failures_leave_the_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
