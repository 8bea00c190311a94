/*
 * Records of gh calls in session files (gh-policy §11.2).
 */
#include "tool_fixture.h"

#include "github/audit/gh_record.h"
#include "github/audit/gh_record_session.h"

static char *record(int number)
{
    return g_strdup_printf(
        "{\"id\":\"%08x\",\"time\":\"2026-05-16T10:00:%02d.000Z\",\"tool\":\"gh\","
        "\"classification\":\"read\"}",
        (unsigned)number, number);
}

/* As a session has them: with the result of a call, or as an entry of their own. */
static void append_entry(GString *file, int number)
{
    g_autofree char *text = record(number);
    if (number % 2 == 0)
        g_string_append_printf(file,
                               "{\"type\":\"message\",\"message\":{\"role\":\"toolResult\","
                               "\"details\":%s}}\n",
                               text);
    else
        g_string_append_printf(
            file, "{\"type\":\"custom\",\"customType\":\"gh-call\",\"data\":%s}\n", text);
}

static char *ids(const json_t *records)
{
    GString *out = g_string_new(NULL);
    size_t i;
    json_t *each;
    json_array_foreach (records, i, each)
        g_string_append_printf(out, "%s%s", i > 0 ? " " : "", json_get_text(each, "id") + 6);
    return g_string_free(out, false);
}

static json_t *load(const char *text)
{
    g_autofree char *dir = g_dir_make_tmp("kedge-records-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(dir, "s.jsonl", NULL);
    assert_true(file_write_atomic(path, text, strlen(text), 0600, NULL));
    json_t *records = NULL;
    assert_true(gh_record_load_session(path, &records, NULL));
    assert_true(file_remove_tree(dir, NULL));
    return records;
}

static void test_load(void **state G_GNUC_UNUSED)
{
    g_autoptr(GString) file = g_string_new("{\"type\":\"session\",\"version\":3}\n");
    append_entry(file, 1);
    g_string_append(file,
                    "{\"type\":\"message\",\"message\":{\"role\":\"user\",\"content\":"
                    "\"my \\\"classification\\\" of it\"}}\n"
                    "{\"type\":\"message\",\"message\":{\"details\":{\"classification\":\"x\"}}}\n"
                    "\n");
    append_entry(file, 2);
    g_string_append(
        file,
        "{\"type\":\"custom\",\"customType\":\"gh-call\",\"data\":{\"classification\""); // torn
    g_autoptr(json_t) records = load(file->str);
    g_autofree char *got = ids(records);
    assert_text("newest first", got, "02 01");

    g_autoptr(json_t) none = load("");
    assert_int_equal(json_array_size(none), 0);
}

static void test_at_most_twenty(void **state G_GNUC_UNUSED)
{
    g_autoptr(GString) file = g_string_new(NULL);
    for (int i = 1; i <= GH_RECORD_KEPT + 5; i++)
        append_entry(file, i);
    g_autoptr(json_t) records = load(file->str);
    assert_int_equal(json_array_size(records), GH_RECORD_KEPT);
    assert_string_equal(json_get_text(json_array_get(records, 0), "id"), "00000019");
}

static void test_no_file(void **state G_GNUC_UNUSED)
{
    json_t *records = NULL;
    g_autoptr(GError) error = NULL;
    assert_false(gh_record_load_session("/nowhere/s.jsonl", &records, &error));
    assert_true(error_is(error, KEDGE_ERROR_NOT_FOUND));
}

static void test_merge(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *want;
        int a[4], b[4]; // newest first, 0 ends
    } cases[] = {
        { "both empty", "", { 0 }, { 0 } },
        { "one empty", "03 01", { 3, 1 }, { 0 } },
        { "interleaved", "05 04 03 02 01", { 5, 2, 1 }, { 4, 3 } },
        { "the same time", "02 02 01", { 2, 1 }, { 2 } },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(json_t) left_list = json_array();
        g_autoptr(json_t) right_list = json_array();
        for (size_t k = 0; k < 4; k++) {
            g_autofree char *left = record(cases[i].a[k]);
            g_autofree char *right = record(cases[i].b[k]);
            if (cases[i].a[k] != 0)
                json_append_take(left_list, json_of(left));
            if (cases[i].b[k] != 0)
                json_append_take(right_list, json_of(right));
        }
        g_autoptr(json_t) merged = gh_record_merge(left_list, right_list);
        g_autofree char *got = ids(merged);
        assert_text(cases[i].name, got, cases[i].want);
    }
    g_autoptr(json_t) list = json_array();
    g_autoptr(json_t) merged = gh_record_merge(NULL, list);
    assert_int_equal(json_array_size(merged), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_load),
        cmocka_unit_test(test_at_most_twenty),
        cmocka_unit_test(test_no_file),
        cmocka_unit_test(test_merge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
