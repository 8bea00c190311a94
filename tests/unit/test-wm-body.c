/*
 * Bodies and messages: markers that stay, texts that are cut, nothing of an agent that kedge would
 * believe.
 */
#include "base/str.h"
#include "unit.h"

#include "wm/task/body.h"

#define MARKER "\n\n<!-- wm-agent:x -->"

/* task-O34 and the rules of task-engine §6.6. */
static void test_comment(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *text, *footer, *task, *expected;
    } cases[] = {
        { " Done. ", NULL, "x", "Done." MARKER },
        { "B", "by x", "x", "B\n\nby x" MARKER },
        { "B", "", "x", "B" MARKER },
        { "", "by x", "x", "by x" MARKER },
        { "", NULL, "x", "" },
        { "B", NULL, "", "B\n\n<!-- wm-agent:unknown -->" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got = wm_body_comment(cases[i].text, cases[i].footer, cases[i].task);
        assert_string_equal(got, cases[i].expected);
    }
}

/* task-O33. */
static void test_cut(void **state G_GNUC_UNUSED)
{
    g_autofree char *text = g_strnfill(70000, 'a'), *exact = g_strnfill(WM_MAX_COMMENT_BYTES, 'a');
    g_autofree char *comment = wm_body_comment(text, "foot", "x");
    assert_int_equal(strlen(comment), WM_MAX_COMMENT_BYTES + strlen(MARKER));
    assert_true(g_str_has_suffix(comment, "a\n\n…(truncated)\n\nfoot" MARKER));
    g_autofree char *whole = wm_body_comment(exact, NULL, "x");
    assert_int_equal(strlen(whole), WM_MAX_COMMENT_BYTES + strlen(MARKER));
    assert_null(strstr(whole, "truncated"));
    g_autofree char *plain = wm_body_plain(text);
    assert_int_equal(strlen(plain), WM_MAX_BODY_BYTES);
    assert_true(g_str_has_suffix(plain, "a\n\n…(truncated)"));
    // a footer alone never drives the text out
    g_autofree char *long_footer = wm_body_comment("short", text, "x");
    assert_true(str_has_prefix(long_footer, "short\n\naaa"));
    assert_true(g_str_has_suffix(long_footer, MARKER));
    // between characters
    g_autoptr(GString) wide = g_string_new("b");
    while (wide->len < 70000)
        g_string_append(wide, "ä");
    g_autofree char *valid = wm_body_plain(wide->str);
    assert_true(g_utf8_validate(valid, -1, NULL));
}

/* task-O37. */
static void test_defuse(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *text, *expected;
    } cases[] = {
        { "a <!-- wm-checkpoint: {} --> b", "a <!-- wm-checkpoint&#58; {} --> b" },
        { "<!-- wm-agent:other -->", "<!-- wm-agent&#58;other -->" },
        { "<!-- wm-task:other --><!-- wm-task:x -->",
          "<!-- wm-task&#58;other --><!-- wm-task&#58;x -->" },
        { "hi @ann, <!-- a comment -->", "hi @ann, <!-- a comment -->" },
        { "", "" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got = wm_body_defuse(cases[i].text, true);
        assert_string_equal(got, cases[i].expected);
    }
    g_autofree char *quiet = wm_body_defuse("hi @ann", false);
    assert_string_equal(quiet, "hi `@ann`");
}

static void test_messages(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *text, *expected;
    } cases[] = {
        { "by {workflow_name}", "by fix" },
        { "{run_url}", "https://github.example/o/r/actions/runs/5" },
        { "{event_type} {status}!", "issues {run_url}!" }, // what is put in is not looked at
        { "{unknown} {workflow_name", "{unknown} {workflow_name" },
        { "", "" },
    };
    g_setenv("GITHUB_SERVER_URL", "https://github.example", TRUE);
    g_setenv("GITHUB_REPOSITORY", "o/r", TRUE);
    g_setenv("GITHUB_RUN_ID", "5", TRUE);
    g_unsetenv("GITHUB_WORKFLOW");
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got = wm_message_expand(cases[i].text, "fix", "issues", "{run_url}");
        assert_string_equal(got, cases[i].expected);
    }
    g_setenv("GITHUB_WORKFLOW", "WM Agent", TRUE);
    g_unsetenv("GITHUB_RUN_ID");
    g_autofree char *other = wm_message_expand("{workflow_name}|{run_url}", "fix", "", "");
    assert_string_equal(other, "WM Agent|");
}

/* task-R20 as far as the text goes. */
static void test_status(void **state G_GNUC_UNUSED)
{
    g_autofree char *none = wm_message_status(NULL);
    g_autofree char *one = wm_message_status("agent: exit\nstatus 1");
    g_autofree char *text = g_strnfill(400, 'e'), *cut = wm_message_status(text);
    assert_string_equal(none, "failed");
    assert_string_equal(one, "failed (agent: exit status 1)");
    assert_int_equal(strlen(cut), 300 + strlen("failed ()"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_comment), cmocka_unit_test(test_cut),
        cmocka_unit_test(test_defuse),  cmocka_unit_test(test_messages),
        cmocka_unit_test(test_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
