/*
 * cmd/wm/wm_options.c: flags and words of `kedge wm`, with the wording of task-engine §3.1.
 */
#include "unit.h"

#include "cmd/wm/wm.h"

#include <string.h>

typedef struct Options {
    const char *task, *kind;
    int64_t target;
    double cost;
    bool is_json, is_staged;
    const json_t *labels;
} Options;

static const char *const kinds[] = { "a", "b", NULL };

static const FieldDef fields[] = {
    { "task", FIELD_STRING, offsetof(Options, task), .is_required = true, .help = "x" },
    { "kind", FIELD_ENUM, offsetof(Options, kind), .values = kinds, .help = "x" },
    { "target", FIELD_INTEGER, offsetof(Options, target), .min = 0, .max = 9, .help = "x" },
    { "cost", FIELD_NUMBER, offsetof(Options, cost), .help = "x" },
    { "json", FIELD_BOOLEAN, offsetof(Options, is_json), .default_text = "true", .help = "x" },
    { "isStaged", FIELD_BOOLEAN, offsetof(Options, is_staged), .help = "x" },
    { "labels", FIELD_STRING_LIST, offsetof(Options, labels), .help = "x" },
    { 0 },
};

static const Command command = { .name = "wm test", .options = fields };

// The error, or the options as text. Words are split at "|".
static char *decode(const char *line, size_t min_words, size_t max_words)
{
    g_auto(GStrv) argv = g_strsplit(line, "|", -1);
    if (*line == '\0')
        g_clear_pointer(&argv[0], g_free);
    Options options = { 0 };
    g_autoptr(json_t) kept = NULL;
    g_autoptr(GPtrArray) words = g_ptr_array_new();
    g_autoptr(GError) error = NULL;
    if (!wm_decode(&command, (int)g_strv_length(argv), argv, &options, &kept, words, min_words,
                   max_words, &error)) {
        assert_true(error_is(error, KEDGE_ERROR_USAGE));
        return g_strdup(error->message);
    }
    g_autofree char *labels = options.labels ? json_to_text(options.labels) : g_strdup("-");
    g_ptr_array_add(words, NULL);
    g_autofree char *rest = g_strjoinv(" ", (char **)words->pdata);
    return g_strdup_printf("%s %s %d %.1f %d%d %s [%s]", options.task,
                           options.kind ? options.kind : "-", (int)options.target, options.cost,
                           options.is_json, options.is_staged, labels, rest);
}

static void test_lines(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *line, *want;
        size_t min, max;
    } rows[] = {
        { "--task|fix", "fix - 0 0.0 10 - []", 0, 0 },
        { "--task=fix|--json=false|--is-staged", "fix - 0 0.0 01 - []", 0, 0 },
        { "w|--task=fix|--is-staged=true|v", "fix - 0 0.0 11 - [w v]", 1, 2 },
        { "--task=fix|--|--x", "fix - 0 0.0 10 - [--x]", 0, 1 },
        { "--task=f|--kind=b|--target=7|--cost|0.5", "f b 7 0.5 10 - []", 0, 0 },
        { "--task=f|--labels|a,b|--labels=c", "f - 0 0.0 10 [\"a\",\"b\",\"c\"] []", 0, 0 },
        { "--task=f|--labels|\"a,b\", c d ,,\"say \"\"x\"\"\"",
          "f - 0 0.0 10 [\"a,b\",\"c d\",\"say \\\"x\\\"\"] []", 0, 0 },
        { "--task=f|--labels|", "f - 0 0.0 10 [] []", 0, 0 },
        { "--task=f|--labels|\"a",
          "invalid argument \"\"a\" for \"--labels\" flag: quotes do not fit", 0, 0 },
        { "--task=f|--labels|\"a\"b",
          "invalid argument \"\"a\"b\" for \"--labels\" flag: quotes do not fit", 0, 0 },
        { "--task|--- a list", "--- a list - 0 0.0 10 - []", 0, 0 },
        { "--task|--kind=b", "--task needs a value", 0, 0 },
        { "--is-staged|--nope", "unknown flag: --nope", 0, 0 },
        { "--nope", "unknown flag: --nope", 0, 0 },
        { "--nope=3", "unknown flag: --nope", 0, 0 },
        { "-z", "unknown shorthand flag: -z", 0, 0 },
        { "", "required flag(s) \"task\" not set", 0, 0 },
        { "--task=f", "accepts 1 arg(s), received 0", 1, 1 },
        { "--task=f|a|b", "accepts 1 arg(s), received 2", 1, 1 },
        { "--task=f|a", "accepts 0 arg(s), received 1", 0, 0 },
        { "--task=f|--target=x", "invalid argument \"x\" for \"--target\" flag: not an integer", 0,
          0 },
        { "--task=f|--target=1.5", "invalid argument \"1.5\" for \"--target\" flag: not an integer",
          0, 0 },
        { "--task=f|--cost=inf", "invalid argument \"inf\" for \"--cost\" flag: not a number", 0,
          0 },
        { "--task=f|--json=maybe",
          "invalid argument \"maybe\" for \"--json\" flag: not true or "
          "false",
          0, 0 },
        { "--task=f|--kind=c", "invalid argument \"c\" for \"--kind\" flag: not one of a, b", 0,
          0 },
        { "--task", "--task needs a value", 0, 0 },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *got = decode(rows[i].line, rows[i].min, rows[i].max);
        if (strcmp(got, rows[i].want) != 0)
            fail_msg("%s: got %s, want %s", rows[i].line, got, rows[i].want);
    }
    g_autofree char *out = decode("--task=f|--target=10", 0, 0);
    assert_non_null(strstr(out, "target"));
}

static void test_without_options(void **state G_GNUC_UNUSED)
{
    static const Command bare = { .name = "wm bare" };
    char *const argv[] = { (char *)"--x", NULL };
    int options = 0;
    g_autoptr(json_t) kept = NULL;
    g_autoptr(GError) error = NULL;
    assert_false(wm_decode(&bare, 1, argv, &options, &kept, NULL, 0, 0, &error));
    assert_string_equal(error->message, "unknown flag: --x");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_without_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
