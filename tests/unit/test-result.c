/*
 * Results and their metadata (agent-tools §1.3).
 */
#include "unit.h"

#include "tool/result.h"

static gint64 number(const ToolResult *result, const char *path)
{
    const json_t *value = json_get_path(result->meta, path);
    if (!json_is_integer(value))
        fail_msg("no number at %s", path);
    return json_integer_value(value);
}

static const char *word(const ToolResult *result, const char *path)
{
    return json_string_value(json_get_path(result->meta, path));
}

static void test_text_joins_blocks(void **state G_GNUC_UNUSED)
{
    g_auto(ToolResult) result = { 0 };
    g_autofree char *none = tool_result_text(&result);
    assert_string_equal(none, "");
    tool_result_add_text(&result, "");
    tool_result_add_image(&result, "QUJD", "image/png");
    tool_result_add_text(&result, "b\xff");
    g_autofree char *text = tool_result_text(&result);
    assert_string_equal(text, "\nb\xef\xbf\xbd");
    assert_int_equal(json_array_size(result.content), 3);
    assert_string_equal(json_get_text(json_array_get(result.content, 1), "mimeType"), "image/png");
}

static void test_nothing_said_leaves_nothing(void **state G_GNUC_UNUSED)
{
    // tools-T11: no meta, no details
    g_auto(ToolResult) result = { 0 };
    const Truncated whole = { .content = (char *)"a", .total_lines = 1, .output_lines = 1 };
    const ResultCounts counts = { .total_lines = 3, .output_lines = 3 };
    tool_result_set_truncation(&result, &whole, RESULT_HEAD, 1, 0, NULL);
    tool_result_set_truncation_counts(&result, &counts, RESULT_TAIL, 1, 0, "1");
    tool_result_set_limit(&result, "matchLimit", 0);
    tool_result_set_column_limit(&result, 0);
    assert_null(result.meta);
    assert_null(result.details);
}

static void test_head_truncation(void **state G_GNUC_UNUSED)
{
    g_auto(ToolResult) result = { 0 };
    const Truncated cut = {
        .is_truncated = true,
        .by_lines = true,
        .total_lines = 3000,
        .total_bytes = 900,
        .output_lines = 20,
        .output_bytes = 300,
        .max_bytes = 51200,
    };
    tool_result_set_truncation(&result, &cut, RESULT_HEAD, 11, 4211, NULL);
    assert_string_equal(word(&result, "truncation.direction"), "head");
    assert_string_equal(word(&result, "truncation.truncatedBy"), "lines");
    assert_int_equal(number(&result, "truncation.totalLines"), 4211);
    assert_int_equal(number(&result, "truncation.shownRange.start"), 11);
    assert_int_equal(number(&result, "truncation.shownRange.end"), 30);
    assert_int_equal(number(&result, "truncation.nextOffset"), 31);
    assert_int_equal(number(&result, "truncation.maxBytes"), 51200);
    assert_null(json_get_path(result.meta, "truncation.artifactId"));
}

static void test_later_truncation_replaces_the_earlier(void **state G_GNUC_UNUSED)
{
    g_auto(ToolResult) result = { 0 };
    const Truncated cut = {
        .is_truncated = true, .total_lines = 9, .output_lines = 2, .max_bytes = 7
    };
    tool_result_set_truncation(&result, &cut, RESULT_HEAD, 1, 0, NULL);
    tool_result_set_truncation(&result, &cut, RESULT_TAIL, 1, 0, "3");
    assert_null(json_get_path(result.meta, "truncation.nextOffset"));
    assert_string_equal(word(&result, "truncation.artifactId"), "3");
    assert_int_equal(number(&result, "truncation.shownRange.start"), 8);
    assert_int_equal(number(&result, "truncation.shownRange.end"), 9);
}

static void test_last_line_cut_short_has_no_next(void **state G_GNUC_UNUSED)
{
    g_auto(ToolResult) result = { 0 };
    const Truncated cut = {
        .is_truncated = true, .total_lines = 1, .output_lines = 1, .max_bytes = 7
    };
    tool_result_set_truncation(&result, &cut, RESULT_HEAD, 1, 0, NULL);
    assert_null(json_get_path(result.meta, "truncation.nextOffset"));
}

static void test_counts(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name;
        ResultCounts counts;
        const char *by;
    } cases[] = {
        { "fewer bytes", { true, 9800, 610000, 610, 51180, 51200 }, "bytes" },
        { "the bytes, fewer lines", { true, 10, 50, 4, 50, 51200 }, "lines" },
        { "neither", { true, 10, 50, 10, 50, 51200 }, "bytes" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(ToolResult) result = { 0 };
        tool_result_set_truncation_counts(&result, &cases[i].counts, RESULT_TAIL, 1, 0, NULL);
        if (strcmp(word(&result, "truncation.truncatedBy"), cases[i].by) != 0)
            fail_msg("%s", cases[i].name);
    }
    g_auto(ToolResult) result = { 0 };
    tool_result_set_truncation_counts(&result, &cases[0].counts, RESULT_TAIL, 1, 0, "3");
    assert_int_equal(number(&result, "truncation.shownRange.start"), 9191);
    assert_int_equal(number(&result, "truncation.shownRange.end"), 9800);
}

static void test_limits_and_source(void **state G_GNUC_UNUSED)
{
    g_auto(ToolResult) result = { 0 };
    tool_result_set_limit(&result, "matchLimit", 20);
    tool_result_set_column_limit(&result, 1024);
    tool_result_set_source_internal(&result, "artifact://1");
    assert_int_equal(number(&result, "limits.matchLimit.reached"), 20);
    assert_int_equal(number(&result, "limits.matchLimit.suggestion"), 40);
    assert_int_equal(number(&result, "limits.columnTruncated.maxColumn"), 1024);
    assert_string_equal(word(&result, "source.type"), "internal");
    tool_result_set_source_path(&result, "/x");
    assert_string_equal(word(&result, "source.type"), "path");
    tool_result_set_source_url(&result, "https://x");
    assert_string_equal(word(&result, "source.value"), "https://x");
}

static void test_origin(void **state G_GNUC_UNUSED)
{
    g_auto(ToolResult) result = { 0 };
    assert_int_equal(result.origin.kind, ORIGIN_UNKNOWN);
    tool_result_set_source_path(&result, "/a/b.c");
    assert_int_equal(result.origin.kind, ORIGIN_FILE);
    assert_string_equal(result.origin.url, "/a/b.c");
    tool_result_set_source_internal(&result, "docs://x");
    assert_int_equal(result.origin.kind, ORIGIN_URL);
    assert_string_equal(result.origin.url, "docs://x");

    g_autoptr(json_t) item = json_pack("{s:{s:s}}", "author", "login", "mona");
    const GithubMark mark = { "github.com", "o/r", GITHUB_ISSUE, 5 };
    origin_set_author(&result.origin, item);
    tool_result_set_github(&result, &mark); // keeps the author
    g_auto(ToolResult) other = { 0 };
    origin_copy(&other.origin, &result.origin);
    tool_result_clear(&result);
    assert_int_equal(result.origin.kind, ORIGIN_UNKNOWN);
    assert_null(result.origin.url);
    assert_int_equal(other.origin.kind, ORIGIN_GITHUB);
    assert_string_equal(other.origin.url, "https://github.com/o/r/issues/5");
    assert_string_equal(other.origin.repo, "o/r");
    assert_string_equal(other.origin.author, "mona");
    origin_set(&other.origin, ORIGIN_COMMAND, NULL);
    assert_null(other.origin.author);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text_joins_blocks),
        cmocka_unit_test(test_origin),
        cmocka_unit_test(test_nothing_said_leaves_nothing),
        cmocka_unit_test(test_head_truncation),
        cmocka_unit_test(test_later_truncation_replaces_the_earlier),
        cmocka_unit_test(test_last_line_cut_short_has_no_next),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_limits_and_source),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
