/*
 * buildSessionContext: which messages, models and thinking level a path stands for.
 */
#include "unit.h"

#include "session/session.h"

/* A compact picture of a context: roles with a word of text, then level and default model. */
static char *picture(const SessionContext *context)
{
    GString *text = g_string_new(NULL);
    size_t i;
    json_t *message;
    json_array_foreach (context->messages, i, message) {
        const char *word = json_get_text(message, "content");
        word = word ? word : json_get_text(message, "summary");
        g_string_append_printf(text, "%s:%s ", json_get_text(message, "role"), word ? word : "?");
    }
    const char *model = json_get_text(context->models, "default");
    g_string_append_printf(text, "| %s %s", context->thinking_level, model ? model : "-");
    return g_string_free(text, FALSE);
}

#define USER(id, parent, word)                                                                     \
    "{\"type\":\"message\",\"id\":\"" id "\",\"parentId\":" parent                                 \
    ",\"message\":{\"role\":\"user\",\"content\":\"" word "\"}}"
#define ANSWER(id, parent, word)                                                                   \
    "{\"type\":\"message\",\"id\":\"" id "\",\"parentId\":" parent                                 \
    ",\"message\":{\"role\":\"assistant\",\"content\":\"" word                                     \
    "\",\"provider\":\"p\",\"model\":\"" word "\"}}"
#define COMPACTION(id, parent, kept)                                                               \
    "{\"type\":\"compaction\",\"id\":\"" id "\",\"parentId\":" parent                              \
    ",\"summary\":\"S\",\"firstKeptEntryId\":\"" kept "\",\"tokensBefore\":9}"
#define CHAIN                                                                                      \
    USER("u1", "null", "a")                                                                        \
    "," ANSWER("a1", "\"u1\"", "m1") "," USER("u2", "\"a1\"", "b") "," ANSWER("a2", "\"u2\"", "m2")

static void test_build(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *entries, *leaf, *want;
    } cases[] = {
        { "no entries", "[]", NULL, "| off -" },
        { "no leaf", "[" CHAIN "]", "", "| off -" },
        { "a chain", "[" CHAIN "]", NULL, "user:a assistant:m1 user:b assistant:m2 | off p/m2" },
        { "another leaf", "[" CHAIN "]", "u2", "user:a assistant:m1 user:b | off p/m1" },
        { "an unknown leaf is the last entry", "[" CHAIN "]", "zz",
          "user:a assistant:m1 user:b assistant:m2 | off p/m2" },
        { "only the branch of the leaf", "[" CHAIN "," USER("u3", "\"a1\"", "c") "]", NULL,
          "user:a assistant:m1 user:c | off p/m1" },
        { "compaction, kept from u2",
          "[" CHAIN "," COMPACTION("c1", "\"a2\"", "u2") "," USER("u3", "\"c1\"", "c") "]", NULL,
          "compactionSummary:S user:b assistant:m2 user:c | off p/m2" },
        { "core-66: the kept id is not on the path",
          "[" CHAIN "," COMPACTION("c1", "\"a2\"", "nowhere") "," USER("u3", "\"c1\"", "c") "]",
          NULL, "compactionSummary:S user:c | off p/m2" },
        { "the last compaction wins",
          "[" CHAIN "," COMPACTION("c1", "\"a2\"", "u1") "," USER(
              "u3", "\"c1\"", "c") "," COMPACTION("c2", "\"u3\"", "u3") "]",
          NULL, "compactionSummary:S user:c | off p/m2" },
        { "a missing parent is a root", "[" CHAIN "," USER("u3", "\"gone\"", "c") "]", NULL,
          "user:c | off -" },
        { "a self-parent is a root", "[" USER("u1", "\"u1\"", "a") "]", NULL, "user:a | off -" },
        { "a cycle ends", "[" USER("u1", "\"u2\"", "a") "," USER("u2", "\"u1\"", "b") "]", NULL,
          "user:a user:b | off -" },
        { "a model change beats what messages say",
          "[{\"type\":\"model_change\",\"id\":\"m\",\"parentId\":null,\"model\":\"q/x\"}," USER(
              "u1", "\"m\"", "a") "," ANSWER("a1", "\"u1\"", "m1") "]",
          NULL, "user:a assistant:m1 | off q/x" },
        { "levels and roles",
          "[{\"type\":\"model_change\",\"id\":\"m\",\"parentId\":null,\"model\":\"q/x\","
          "\"role\":\"smol\"},{\"type\":\"thinking_level_change\",\"id\":\"t\",\"parentId\":\"m\","
          "\"thinkingLevel\":\"high\"}," ANSWER("a1", "\"t\"", "m1") "]",
          NULL, "assistant:m1 | high p/m1" },
        { "custom messages, summaries of branches, and types nobody knows",
          "[{\"type\":\"custom_message\",\"id\":\"c\",\"parentId\":null,\"content\":\"note\"},"
          "{\"type\":\"branch_summary\",\"id\":\"b\",\"parentId\":\"c\",\"summary\":\"B\"},"
          "{\"type\":\"branch_summary\",\"id\":\"e\",\"parentId\":\"b\",\"summary\":\"\"},"
          "{\"type\":\"whatever\",\"id\":\"w\",\"parentId\":\"e\"}," USER("u1", "\"w\"", "a") "]",
          NULL, "custom:note branchSummary:B user:a | off -" },
        { "damaged entries",
          "[{\"type\":\"message\",\"id\":\"x\",\"parentId\":null,\"message\":7},7,"
          "{\"type\":\"message\",\"id\":\"y\",\"parentId\":\"x\"},"
          "{\"type\":\"thinking_level_change\",\"id\":\"t\",\"parentId\":\"y\"},"
          "{\"type\":\"compaction\",\"id\":\"k\",\"parentId\":\"t\"}]",
          NULL, "| off -" }, // R22: without a summary it hides nothing
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(json_t) entries = NULL;
        assert_true(json_parse_text(cases[i].entries, &entries, NULL));
        g_auto(SessionContext) context = { 0 };
        session_context_build(entries, cases[i].leaf, &context);
        g_autofree char *got = picture(&context);
        if (!g_str_equal(got, cases[i].want))
            fail_msg("%s:\n got  %s\n want %s", cases[i].name, got, cases[i].want);
    }
}

/* safety-R22: what the walk had to repair is said of the message that comes after it. */
static void test_tree_repairs(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *entries, *want;
    } cases[] = {
        { "a chain", "[" CHAIN "]", "[]" },
        { "a cycle", "[" USER("u1", "\"u2\"", "a") "," USER("u2", "\"u1\"", "b") "]", "[0]" },
        { "a parent that is not there", "[" USER("u1", "\"zz\"", "a") "]", "[0]" },
        { "an id twice", "[" USER("u1", "null", "a") "," USER("u1", "null", "b") "]", "[0]" },
        { "the kept id is not on the path", "[" CHAIN "," COMPACTION("c1", "\"a2\"", "nowhere") "]",
          "[0]" },
        { "nothing is to be kept", "[" CHAIN "," COMPACTION("c1", "\"a2\"", "") "]", "[]" },
        { "a compaction without a summary",
          "[" CHAIN ",{\"type\":\"compaction\",\"id\":\"k\",\"parentId\":\"a2\"}]", "[0]" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(json_t) entries = NULL;
        assert_true(json_parse_text(cases[i].entries, &entries, NULL));
        g_auto(SessionContext) context = { 0 };
        session_context_build(entries, NULL, &context);
        g_autofree char *got = json_to_text(context.tree_repairs);
        if (!g_str_equal(got, cases[i].want))
            fail_msg("%s: got %s, want %s", cases[i].name, got, cases[i].want);
    }
}

static void test_summary_message(void **state G_GNUC_UNUSED)
{
    g_autoptr(json_t) entries = NULL;
    assert_true(json_parse_text("[{\"type\":\"compaction\",\"id\":\"c\",\"parentId\":null,"
                                "\"timestamp\":\"2026-03-04T05:06:07.089Z\",\"summary\":\"S\","
                                "\"shortSummary\":\"s\",\"tokensBefore\":171000}]",
                                &entries, NULL));
    g_auto(SessionContext) context = { 0 };
    session_context_build(entries, NULL, &context);
    g_autofree char *got = json_to_text(json_array_get(context.messages, 0));
    assert_string_equal(got,
                        "{\"role\":\"compactionSummary\",\"summary\":\"S\",\"shortSummary\":\"s\","
                        "\"tokensBefore\":171000,\"timestamp\":1772600767089}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_build),
        cmocka_unit_test(test_tree_repairs),
        cmocka_unit_test(test_summary_message),
    };
    return cmocka_run_group_tests_name("context", tests, NULL, NULL);
}
