/*
 * Where tasks come from, and how that is recorded (task-engine §3.7, §3.8).
 */
#include "unit.h"

#include "wm/task/task_source.h"

static void test_arguments(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *argument;
        WmSourceKind kind;
        const char *name; // NULL: none
        const char *path, *ref;
    } cases[] = {
        { "githubnext/agentics/daily-doc-updater", WM_FROM_REPOSITORY, "daily-doc-updater.md",
          "daily-doc-updater", NULL },
        { " o/r/sub/x.md@v1 ", WM_FROM_REPOSITORY, "x.md", "sub/x.md", "v1" },
        { "o/r/x@feat/y", WM_FROM_REPOSITORY, "x.md", "x", "feat/y" },
        { "https://example.org/t/triage.md?x=1", WM_FROM_URL, "triage.md", NULL, NULL },
        { "https://example.org/t/my%20task#top", WM_FROM_URL, "my task.md", NULL, NULL },
        { "https://example.org/t/Big.MD", WM_FROM_URL, "Big.md", NULL, NULL },
        { "https://example.org/t/..%2f..%2fx", WM_FROM_URL, NULL, NULL, NULL },
        { "https://example.org/t/%2e%2e", WM_FROM_URL, NULL, NULL, NULL },
        { "https://example.org/t/", WM_FROM_URL, NULL, NULL, NULL },
        { "https://example.org", WM_FROM_URL, NULL, NULL, NULL },
        { "https://example.org/a%00b", WM_FROM_URL, NULL, NULL, NULL },
        { "https://example.org/a%0ab", WM_FROM_URL, NULL, NULL, NULL },
        { "https://[::1", WM_FROM_URL, NULL, NULL, NULL },
        { "./drafts/triage.md", WM_FROM_FILE, "triage.md", NULL, NULL },
        { "/srv/x/y", WM_FROM_FILE, "y.md", NULL, NULL },
        { "x.md", WM_FROM_FILE, "x.md", NULL, NULL },
        { "a/b", WM_FROM_FILE, "b.md", NULL, NULL },
        { "o/r/", WM_FROM_FILE, NULL, NULL, NULL },
        { "o//x", WM_FROM_FILE, "x.md", NULL, NULL },
        { "o/r/../x", WM_FROM_FILE, "x.md", NULL, NULL },
        { "o/../x", WM_FROM_FILE, "x.md", NULL, NULL },
        { "o/..//x", WM_FROM_FILE, "x.md", NULL, NULL },
        { "o/./x", WM_FROM_FILE, "x.md", NULL, NULL },
        { "o/r/x@../../p/q/main", WM_FROM_FILE, "main.md", NULL, NULL },
        { "o/r/x/..@v1", WM_FROM_FILE, NULL, NULL, NULL },
        { "o/r/x@", WM_FROM_FILE, "x@.md", NULL, NULL },
        { "./-x", WM_FROM_FILE, NULL, NULL, NULL },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(WmSource) source = { 0 };
        g_autofree char *name = NULL;
        assert_true(wm_source_of_argument(cases[i].argument, &source, NULL));
        wm_source_file_name(&source, &name, NULL);
        if (source.kind != cases[i].kind || g_strcmp0(name, cases[i].name) != 0 ||
            g_strcmp0(source.path, cases[i].path) != 0 || g_strcmp0(source.ref, cases[i].ref) != 0)
            fail_msg("%s: kind %d, name %s, path %s, ref %s", cases[i].argument, source.kind, name,
                     source.path, source.ref);
    }
}

static void test_urls(void **state G_GNUC_UNUSED)
{
    g_auto(WmSource) source = { 0 };
    assert_true(wm_source_of_task("o/r/workflows/a b.md@v1/x", &source));
    g_autofree char *url = wm_source_raw_url(&source, source.path);
    g_autofree char *record = wm_source_record(&source, source.path);
    assert_string_equal(url, "https://raw.githubusercontent.com/o/r/v1/x/workflows/a%20b.md");
    assert_string_equal(record, "o/r/workflows/a b.md@v1/x");
    assert_false(wm_source_of_task("bad", &source));
    assert_false(wm_source_of_task("o/r/../x", &source));
    assert_false(wm_source_of_task("o/../x", &source));
    assert_false(wm_source_of_task("o/r/x@../../p/q/main", &source));
}

static void test_insert(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *text, *want; // NULL: an error
    } cases[] = {
        { "---\non: issues\n---\nB\n", "---\nsource: \"o/r/\\\"x\\\"\"\non: issues\n---\nB\n" },
        { "---\r\na: 1\r\n---\r\n", "---\r\nsource: \"o/r/\\\"x\\\"\"\r\na: 1\r\n---\r\n" },
        { "\xef\xbb\xbf---\n---\n", "\xef\xbb\xbf---\nsource: \"o/r/\\\"x\\\"\"\n---\n" },
        { "---\nsource: here\n---\n", "---\nsource: here\n---\n" },
        { "---\n{a: 1}\n---\n", NULL },
        { "---\n  a: 1\n---\n", NULL },
        { "nothing", NULL },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got = NULL;
        g_autoptr(GError) error = NULL;
        bool is_good = wm_source_insert(cases[i].text, "o/r/\"x\"", &got, &error);
        assert_true(is_good == !error);
        if (g_strcmp0(got, cases[i].want) != 0)
            fail_msg("%s: got %s", cases[i].text, got);
    }
}

static void test_check(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *text;
        size_t size; // 0: its length
        const char *error;
        bool is_split;
    } cases[] = {
        { "---\na: 1\n---\n", 0, NULL, true },
        { "hello", 0, "missing opening ---", false },
        { "---\na: 1", 0, "unclosed frontmatter", false },
        { "---\n- a\n---\n", 0, "expected a map", true },
        { "---\n---\n\0x", 10, "not a text", false },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        size_t size = cases[i].size ? cases[i].size : strlen(cases[i].text);
        bool is_split = false;
        g_autoptr(GError) error = NULL;
        wm_source_check(cases[i].text, size, &is_split, NULL, &error);
        assert_int_equal(is_split, cases[i].is_split);
        if (g_strcmp0(error ? error->message : NULL, cases[i].error) != 0)
            fail_msg("%s: %s", cases[i].text, error ? error->message : "good");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_urls),
        cmocka_unit_test(test_insert),
        cmocka_unit_test(test_check),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
