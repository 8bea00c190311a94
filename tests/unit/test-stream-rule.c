/*
 * agent/stream_rule.c: which files are rules, where they look, and what they find.
 */
#include "unit.h"

#include "agent/stream_rule.h"
#include "agent/stream_rules.h"
#include "agent_fixture.h"
#include "base/file.h"

#include <glib/gstdio.h>

static StreamRule *parse(const char *matter, GPtrArray *warnings)
{
    g_autofree char *text = g_strdup_printf("---\n%s\n---\nBody.\n", matter);
    return stream_rule_parse("/rules/r.md", text, warnings);
}

/* agent-tools §6.8: conditions. */
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

/* tools-T105 and agent-tools §6.8: scopes and globs. */
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
        g_autoptr(GString) text = g_string_new(cases[i].text);
        int64_t budget_ns = G_MAXINT64;
        bool is_ok = stream_rule_matches(rule, text, 0, text->len, &budget_ns, &is_match, &error);
        if (is_ok != (cases[i].want >= 0) || is_match != (cases[i].want > 0))
            fail_msg("%s: %s", cases[i].condition, error ? error->message : "no error");
    }
}

static void test_budget(void **state G_GNUC_UNUSED)
{
    g_autoptr(GPtrArray) warnings = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(StreamRule) rule = parse("condition: [no, other]", warnings);
    g_autoptr(GString) text = g_string_new("others");
    int64_t budget_ns = 1; // the first condition takes it
    bool is_match = true;
    g_autoptr(GError) error = NULL;
    assert_false(stream_rule_matches(rule, text, 0, text->len, &budget_ns, &is_match, &error));
    assert_true(error_is(error, KEDGE_ERROR_LIMIT));
    assert_false(is_match);
    assert_true(budget_ns <= 0);
}

// ---- an answer in pieces ----

typedef struct Answer {
    const char *condition;
    const char *unit; // of which it is made
    size_t size, piece;
    bool is_cancelled;
} Answer;

static void tell(StreamRules *rules, const char *type, const char *delta, Cancel *cancel)
{
    g_autoptr(json_t) event = json_pack("{s:s, s:i}", "type", type, "contentIndex", 0);
    if (delta)
        json_set_text(event, "delta", delta);
    stream_rules_see(rules, event, NULL, cancel);
}

static void stream_answer(StreamRules *rules, const Answer *answer)
{
    g_autoptr(Cancel) cancel = cancel_new(NULL);
    g_autoptr(GString) text = g_string_new(NULL);
    while (text->len < answer->size)
        g_string_append(text, answer->unit);
    if (answer->is_cancelled)
        cancel_fire(cancel);
    stream_rules_begin(rules);
    tell(rules, "text_start", NULL, cancel);
    for (size_t at = 0; at < text->len && !stream_rules_have_stopped(rules); at += answer->piece) {
        g_autofree char *piece = g_strndup(text->str + at, answer->piece);
        tell(rules, "text_delta", piece, cancel);
    }
    tell(rules, "text_end", NULL, cancel);
}

/* What becomes of the rule: "off", "stopped" or "on". */
static const char *fate_of(const Answer *answer)
{
    AgentFixture *self = agent_fixture_new(NULL);
    g_autofree char *dir = g_build_filename(self->root, "rules", NULL);
    g_autofree char *path = g_build_filename(dir, "r.md", NULL);
    g_autofree char *text = g_strdup_printf("---\ncondition: '%s'\n---\nNo.\n", answer->condition);
    assert_int_equal(g_mkdir(dir, 0700), 0);
    assert_true(file_write_atomic(path, text, strlen(text), 0600, NULL));
    g_autoptr(Settings) settings = settings_new(NULL);
    Conversation conversation;
    conversation_init(&conversation, self->session, &self->options.events);
    StreamRules *rules = stream_rules_load(self->root, NULL, settings, &conversation);
    assert_non_null(rules);
    stream_answer(rules, answer);
    const char *fate = stream_rules_have_stopped(rules) ? "stopped" : "on";
    const json_t *notice = agent_fixture_event(self, "notice", 0);
    if (notice && strstr(json_get_text(notice, "message"), "is off"))
        fate = "off";
    stream_rules_free(rules);
    conversation_clear(&conversation);
    agent_fixture_free(self);
    return fate;
}

static void test_answers(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name;
        Answer answer;
        const char *want;
    } cases[] = {
        { "a harmless rule in many small pieces",
          { "[A-Za-z_]+Manager\\b", "conversation_forget_answer_and_everything_behind_it ", 33000,
            4, false },
          "on" },
        { "steps are those of a window", { ".*[ZQ]", "a", 900000, 300000, false }, "on" },
        { "windows end between words", { "bcd\\b", "abcde ", 60000, 60000, false }, "on" },
        { "or else between characters",
          { "x$", "\xe6\xbd\xae\xe4\xbd\x8e", 60000, 60000, false },
          "on" },
        { "a rule that goes astray everywhere",
          { "(?:a?){11}[ZQ]", "a", 900000, 100000, false },
          "off" },
        { "nothing is looked at when it is cancelled",
          { "(?:a?){11}[ZQ]", "a", 900000, 300000, true },
          "on" },
        { "over the border of two windows", { "0 {3000}1", NULL, 0, 0, false }, "stopped" },
        { "at once in a short text", { "goto", "so goto ", 8, 1, false }, "stopped" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        Answer answer = cases[i].answer;
        if (answer.piece < 10)
            answer.size = (size_t)rounds_of((int)answer.size);
        g_autofree char *unit = g_strdup_printf("%4000s0%3000s1%4000s", "", "", "");
        if (!answer.unit) {
            answer.unit = unit;
            answer.size = answer.piece = strlen(unit);
        }
        const char *fate = fate_of(&answer);
        if (strcmp(fate, cases[i].want) != 0)
            fail_msg("%s: %s", cases[i].name, fate);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_conditions), cmocka_unit_test(test_scopes),
        cmocka_unit_test(test_matches),    cmocka_unit_test(test_budget),
        cmocka_unit_test(test_answers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
