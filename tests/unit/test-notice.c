/*
 * Notices and spill (agent-tools §1.4).
 */
#include "base/str.h"
#include "tool_fixture.h"

#include "tool/notice.h"

static void test_notice_text(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *meta, *want; // NULL: nothing to say
    } cases[] = {
        { "nothing", "{}", NULL },
        { "a source is no news", "{'source':{'type':'path','value':'x'}}", NULL },
        { "tools-T9",
          "{'truncation':{'direction':'head','truncatedBy':'lines','totalLines':4211,'outputLines':"
          "3000,"
          "'shownRange':{'start':1,'end':3000},'nextOffset':3001}}",
          "[Showing lines 1-3000 of 4211. Use :3001 to continue]" },
        { "tail by bytes with an artifact",
          "{'truncation':{'direction':'tail','truncatedBy':'bytes','totalLines':9800,'outputLines':"
          "610,"
          "'maxBytes':51200,'outputBytes':51180,'shownRange':{'start':9191,'end':9800},"
          "'artifactId':'3'}}",
          "[Showing lines 9191-9800 of 9800 (50.0KB limit). Read artifact://3 for full output]" },
        { "no valid range",
          "{'truncation':{'truncatedBy':'bytes','totalLines':7,'outputLines':0,'outputBytes':2048,"
          "'shownRange':{'start':1,'end':0}}}",
          "[Showing 0 of 7 lines (2.0KB limit)]" },
        { "tools-T12", "{'limits':{'matchLimit':{'reached':20,'suggestion':40}}}",
          "[20 matches limit reached. Use limit=40 for more]" },
        { "results and columns",
          "{'limits':{'resultLimit':{'reached':5,'suggestion':10},'columnTruncated':{'maxColumn':"
          "1024}}}",
          "[5 results limit reached. Use limit=10 for more. Some lines truncated to 1024 chars]" },
        { "everything at once",
          "{'truncation':{'truncatedBy':'lines','totalLines':9,'shownRange':{'start':1,'end':2},"
          "'nextOffset':3},'limits':{'headLimit':{'reached':2,'suggestion':4}}}",
          "[Showing lines 1-2 of 9. Use :3 to continue. 2 results limit reached. Use limit=4 for "
          "more]" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(json_t) meta = json_of(cases[i].meta);
        g_autofree char *got = notice_text(meta);
        assert_text(cases[i].name, got ? got : "(none)", cases[i].want ? cases[i].want : "(none)");
    }
}

static void test_added_once_to_the_last_text(void **state G_GNUC_UNUSED)
{
    g_auto(ToolResult) result = { 0 };
    tool_result_add_text(&result, "a");
    tool_result_add_text(&result, "b");
    tool_result_add_image(&result, "QQ==", "image/png");
    tool_result_set_limit(&result, "matchLimit", 20);
    result_add_notice(&result);
    result_add_notice(&result); // tools-T10: wrapping twice appends it once
    assert_string_equal(json_get_text(json_array_get(result.content, 0), "text"), "a");
    assert_string_equal(json_get_text(json_array_get(result.content, 1), "text"),
                        "b\n\n[20 matches limit reached. Use limit=40 for more]");
    assert_non_null(json_get_path(result.details, "meta.limits.matchLimit"));
}

static void test_added_as_a_block_of_its_own(void **state G_GNUC_UNUSED)
{
    g_auto(ToolResult) result = { 0 };
    tool_result_add_image(&result, "QQ==", "image/png");
    tool_result_set_limit(&result, "resultLimit", 1);
    result_add_notice(&result);
    assert_int_equal(json_array_size(result.content), 2);
    assert_string_equal(json_get_text(json_array_get(result.content, 1), "text"),
                        "[1 results limit reached. Use limit=2 for more]");
}

static char *numbered_lines(int count)
{
    GString *text = g_string_new(NULL);
    for (int i = 1; i <= count; i++)
        g_string_append_printf(text, "%sline %05d of text", i > 1 ? "\n" : "", i);
    return g_string_free(text, FALSE);
}

static void test_spill_with_artifacts(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, true);
    g_autofree char *text = numbered_lines(3000); // 18 bytes a line and a newline: 57 KB
    g_auto(ToolResult) result = { 0 };
    tool_result_add_text(&result, text);
    tool_result_add_image(&result, "QQ==", "image/png");
    result_spill(&result, "probe", tool_context_settings(fixture->context),
                 tool_context_artifacts(fixture->context));
    result_add_notice(&result);

    g_autofree char *path = g_build_filename(fixture->root, "session", "0.probe.log", NULL);
    g_autofree char *saved = NULL;
    assert_true(file_read(path, 1 << 20, &saved, NULL, NULL));
    assert_string_equal(saved, text);
    assert_string_equal(json_get_text(json_array_get(result.content, 0), "type"), "image");
    const char *shown = json_get_text(json_array_get(result.content, 1), "text");
    assert_true(str_has_prefix(shown, "line 02501 of text\n"));
    assert_true(g_str_has_suffix(shown, "line 03000 of text\n\n[Showing lines 2501-3000 of 3000. "
                                        "Read artifact://0 for full output]"));
}

static void test_spill_without_artifacts(void **state G_GNUC_UNUSED)
{
    g_autoptr(Settings) settings = settings_new(NULL);
    g_autofree char *text = g_strnfill(60 * 1024, 'x');
    g_auto(ToolResult) result = { 0 };
    tool_result_add_text(&result, text);
    result_spill(&result, "probe", settings, NULL);
    result_add_notice(&result);
    g_autofree char *shown = tool_result_text(&result);
    assert_int_equal(strspn(shown, "x"), 20 * 1024);
    assert_string_equal(shown + 20 * 1024, "\n\n[Showing lines 1-1 of 1 (20.0KB limit)]");
}

static void test_no_spill(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, true);
    const Settings *settings = tool_context_settings(fixture->context);
    Artifacts *artifacts = tool_context_artifacts(fixture->context);
    g_autofree char *at_threshold = g_strnfill(50 * 1024, 'x');
    g_auto(ToolResult) small = { 0 };
    tool_result_add_text(&small, at_threshold);
    result_spill(&small, "probe", settings, artifacts);
    assert_null(small.meta);

    g_autofree char *over = g_strnfill(60 * 1024, 'x');
    g_auto(ToolResult) own = { 0 };
    tool_result_add_text(&own, over);
    const ResultCounts counts = { true, 2, 90000, 1, 61440, 0 };
    tool_result_set_truncation_counts(&own, &counts, RESULT_TAIL, 1, 0, "7");
    result_spill(&own, "probe", settings, artifacts);
    g_autofree char *kept = tool_result_text(&own);
    assert_int_equal(strlen(kept), 60 * 1024);

    g_autofree char *dir = g_build_filename(fixture->root, "session", NULL);
    assert_false(file_exists(dir));
}

static void test_threshold_is_a_setting(void **state G_GNUC_UNUSED)
{
    g_autoptr(json_t) overrides =
        json_of("{'tools':{'artifactSpillThreshold':1,'artifactTailBytes':1,"
                "'artifactTailLines':2}}");
    g_autoptr(Settings) settings = settings_new(overrides);
    g_autofree char *text = numbered_lines(100);
    g_auto(ToolResult) result = { 0 };
    tool_result_add_text(&result, text);
    result_spill(&result, "probe", settings, NULL);
    g_autofree char *shown = tool_result_text(&result);
    assert_string_equal(shown, "line 00099 of text\nline 00100 of text");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_notice_text),
        cmocka_unit_test(test_added_once_to_the_last_text),
        cmocka_unit_test(test_added_as_a_block_of_its_own),
        cmocka_unit_test(test_spill_with_artifacts),
        cmocka_unit_test(test_spill_without_artifacts),
        cmocka_unit_test(test_no_spill),
        cmocka_unit_test(test_threshold_is_a_setting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
