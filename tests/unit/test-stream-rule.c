/*
 * agent/stream_rule.c: which files are rules, where they look, and what they find.
 */
#include "unit.h"

#include "agent/stream_rule.h"

static StreamRule *parse(const char *matter, GPtrArray *warnings)
{
    g_autofree char *text = g_strdup_printf("---\n%s\n---\nBody.\n", matter);
    return stream_rule_parse("/rules/r.md", text, warnings);
}

/* tools §6.8: conditions. */
static void test_conditions(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *matter;
        bool is_rule;
        guint conditions, warnings;
    } cases[] = {
        { "condition: goto", true, 1, 0 },
        { "condition: [goto, ' goto ', longjmp]", true, 2, 0 },
        { "ttsr_trigger: goto", true, 1, 0 },
        { "ttsrTrigger: goto", true, 1, 0 },
        { "condition: '*.c'", true, 1, 0 },
        { "condition: ['*.c', 'src/*.h', goto]", true, 1, 0 },
        { "condition: ['(', goto]", true, 1, 1 },
        { "condition: '('", false, 0, 1 },
        { "condition: ''", false, 0, 0 },
        { "condition: 7", false, 0, 0 },
        { "description: no condition", false, 0, 0 },
        { "condition: a\nscope: '?!'", false, 0, 1 },
        { "condition: a\nscope: ['?!', text]", true, 1, 1 },
        { "[1", false, 0, 1 },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GPtrArray) warnings = g_ptr_array_new_with_free_func(g_free);
        g_autoptr(StreamRule) rule = parse(cases[i].matter, warnings);
        if ((rule != NULL) != cases[i].is_rule || warnings->len != cases[i].warnings ||
            (rule && rule->conditions->len != cases[i].conditions))
            fail_msg("%s: %s, %u warnings", cases[i].matter, rule ? "a rule" : "none",
                     warnings->len);
    }
    g_autoptr(GPtrArray) warnings = g_ptr_array_new_with_free_func(g_free);
    assert_null(stream_rule_parse("r.md", "condition: goto\nno front matter", warnings));
    assert_null(stream_rule_parse("r.md", "---\ncondition: goto\n---\n \n", warnings)); // no text
    assert_null(stream_rule_parse("r.md", "---\ncondition: goto", warnings));
    assert_null(stream_rule_parse("r.md", "---\n---", warnings));
    assert_int_equal(warnings->len, 0);
}

/* tools-T105 and tools §6.8: scopes and globs. */
static void test_scopes(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *matter;
        StreamKind kind;
        const char *tool, *path;
        bool is_covered;
    } cases[] = {
        { "condition: x", STREAM_TEXT, NULL, NULL, true },
        { "condition: x", STREAM_TOOL, "bash", NULL, true },
        { "condition: x", STREAM_THINKING, NULL, NULL, false },
        { "condition: x\nscope: thinking", STREAM_THINKING, NULL, NULL, true },
        { "condition: x\nscope: thinking", STREAM_TEXT, NULL, NULL, false },
        { "condition: x\nscope: tool", STREAM_TOOL, "bash", NULL, true },
        { "condition: x\nscope: toolcall", STREAM_TOOL, "read", NULL, true },
        { "condition: x\nscope: tool", STREAM_TEXT, NULL, NULL, false },
        { "condition: x\nscope: bash", STREAM_TOOL, "bash", NULL, true },
        { "condition: x\nscope: tool:bash", STREAM_TOOL, "read", NULL, false },
        { "condition: x\nscope: 'tool:edit(*.c)'", STREAM_TOOL, "edit", "src/a.c", true },
        { "condition: x\nscope: 'tool:edit(*.c)'", STREAM_TOOL, "edit", "src/a.h", false },
        { "condition: x\nscope: 'tool:edit(*.c)'", STREAM_TOOL, "edit", NULL, false },
        { "condition: x\nscope: 'edit({a,b}.c), text'", STREAM_TOOL, "edit", "b.c", true },
        { "condition: x\nscope: 'edit({a,b}.c), text'", STREAM_TEXT, NULL, NULL, true },
        { "condition: x\nscope: 'tool(src/*)'", STREAM_TOOL, "read", "src/a", true },
        { "condition: '*.c'", STREAM_TOOL, "write", "a.c", true },
        { "condition: '*.c'", STREAM_TOOL, "bash", "a.c", false },
        { "condition: '*.c'", STREAM_TEXT, NULL, NULL, false },
        { "condition: x\nglobs: '*.c, *.h'", STREAM_TOOL, "read", "a.h", true },
        { "condition: x\nglobs: '*.c, *.h'", STREAM_TOOL, "read", "a.py", false },
        { "condition: x\nglobs: '*.c'", STREAM_TEXT, NULL, NULL, false },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GPtrArray) warnings = g_ptr_array_new_with_free_func(g_free);
        g_autoptr(StreamRule) rule = parse(cases[i].matter, warnings);
        g_autoptr(GPtrArray) paths = g_ptr_array_new();
        if (cases[i].path)
            g_ptr_array_add(paths, (char *)cases[i].path);
        assert_non_null(rule);
        bool is_covered = stream_rule_looks_at(rule, cases[i].kind, cases[i].tool) &&
                          stream_rule_covers(rule, cases[i].kind, cases[i].tool, paths);
        if (is_covered != cases[i].is_covered)
            fail_msg("%s: %d, %s", cases[i].matter, (int)cases[i].kind, cases[i].path);
    }
}

static void test_matches(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *condition, *text;
        int want; // 1: it does, 0: it does not, -1: too much
    } cases[] = {
        { "\\bgoto\\b", "a goto b", 1 },
        { "\\bgoto\\b", "gotos", 0 },
        { "^b$", "a\nb\nc", 1 },
        { "gr\u00fc\u00df", "gr\u00fc\u00dfe", 1 },
        { "(?i)GOTO", "goto", 1 },
        { "(a+)+[bc]", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", -1 },
        { "(*LIMIT_MATCH=4000000000)(a|a|aa)+[bc]", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", -1 },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GPtrArray) warnings = g_ptr_array_new_with_free_func(g_free);
        g_autofree char *matter = g_strdup_printf("condition: '%s'", cases[i].condition);
        g_autoptr(StreamRule) rule = parse(matter, warnings);
        assert_non_null(rule);
        g_autoptr(GError) error = NULL;
        bool is_match = false;
        bool is_ok = stream_rule_matches(rule, cases[i].text, &is_match, &error);
        if (is_ok != (cases[i].want >= 0) || is_match != (cases[i].want > 0))
            fail_msg("%s: %s", cases[i].condition, error ? error->message : "no error");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_conditions),
        cmocka_unit_test(test_scopes),
        cmocka_unit_test(test_matches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
