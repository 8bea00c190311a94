/*
 * Checkpoints: what is written is read back, whatever it holds, and strangers leave none.
 */
#include "unit.h"

#include "wm/workspace/checkpoint.h"

static void test_text(void **state G_GNUC_UNUSED) // task-R17
{
    const WmCheckpoint checkpoint = {
        .branch = "wm/fix-20260420-100607",
        .sha = "9f1c",
        .summary = "  done --> <b> & \"q\"\n\xc3\xa9 ",
        .at_ms = 1776679579000,
    };
    g_autofree char *text = wm_checkpoint_text(&checkpoint);
    assert_string_equal(
        text, "<!-- wm-checkpoint: {\"branch\":\"wm/fix-20260420-100607\",\"sha\":\"9f1c\","
              "\"step\":\"\",\"files_changed\":null,"
              "\"summary\":\"  done --\\u003e \\u003cb\\u003e \\u0026 \\\"q\\\"\\n"
              "\xc3\xa9 \",\"timestamp\":\"2026-04-20T10:06:19Z\"} -->");
    g_autofree char *body = g_strconcat("hi\n", text, "\n\n<!-- wm-agent:fix -->", NULL);
    g_autofree char *summary = wm_checkpoint_parse(body);
    assert_string_equal(summary, "done --> <b> & \"q\"\n\xc3\xa9");
}

static void test_parse(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *body, *summary;
    } cases[] = {
        { "plain", NULL },
        { "<!-- wm-checkpoint: {\"summary\":\"a\"}", NULL }, // without an end
        { "<!-- wm-checkpoint: {\"summary\":\"a\" -->", NULL },
        { "<!-- wm-checkpoint: [1] -->", NULL },
        { "<!-- wm-checkpoint: {\"summary\":3} -->", NULL },
        { "<!-- wm-checkpoint: {} -->", "" },
        { "<!-- wm-checkpoint: {\"summary\":null} -->", "" },
        { "<!-- wm-checkpoint:{\"summary\":\" a \"}--> <!-- wm-checkpoint:{\"summary\":\"b\"}-->",
          "a" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *summary = wm_checkpoint_parse(cases[i].body);
        if (g_strcmp0(summary, cases[i].summary) != 0)
            fail_msg("%s: got %s", cases[i].body, summary ? summary : "nothing");
    }
}

static json_t *comment(const char *association, const char *type, const char *summary)
{
    const WmCheckpoint checkpoint = { .summary = summary };
    g_autofree char *text = wm_checkpoint_text(&checkpoint);
    return json_pack("{s:s, s:{s:s}, s:s}", "author_association", association, "user", "type", type,
                     "body", text);
}

static void test_authors(void **state G_GNUC_UNUSED) // task-S11
{
    static const struct {
        const char *association, *type;
        bool is_trusted;
    } cases[] = {
        { "OWNER", "User", true },        { "MEMBER", "User", true },
        { "COLLABORATOR", "User", true }, { "NONE", "Bot", true },
        { "CONTRIBUTOR", "User", false }, { "NONE", "User", false },
        { "FIRST_TIMER", "User", false }, { "owner", "User", false },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(json_t) comments = json_array();
        json_append_take(comments, comment("OWNER", "User", "old"));
        json_append_take(comments, comment(cases[i].association, cases[i].type, "new"));
        g_autofree char *hint = wm_checkpoint_of_comments(comments);
        assert_string_equal(hint, cases[i].is_trusted ? "new" : "old");
    }
    g_autoptr(json_t) none = json_pack("[{s:s}, {s:i}, i, n]", "body", "x", "body", 3, 7);
    assert_null(wm_checkpoint_of_comments(none));
    g_autoptr(json_t) emptied = json_array();
    json_append_take(emptied, comment("OWNER", "User", "old"));
    json_append_take(emptied, comment("OWNER", "User", "  "));
    assert_null(wm_checkpoint_of_comments(emptied));
}

static void test_summary(void **state G_GNUC_UNUSED)
{
    g_autofree char *said = wm_checkpoint_summary(" All done. ", "tail");
    assert_string_equal(said, "All done.");
    g_autofree char *tail = wm_checkpoint_summary(" \n", " tail ");
    assert_string_equal(tail, "tail");
    g_autofree char *nothing = wm_checkpoint_summary(NULL, NULL);
    assert_string_equal(nothing, "");
    g_autofree char *many = g_strnfill(1999, 'a'), *text = g_strconcat(many, "\xc3\xa9", NULL);
    g_autofree char *cut = wm_checkpoint_summary(text, NULL);
    g_autofree char *want = g_strconcat(many, "…", NULL);
    assert_string_equal(cut, want);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_parse),
        cmocka_unit_test(test_authors),
        cmocka_unit_test(test_summary),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
