/*
 * Diffs of pull requests and their files (github-tool §7.6, rows T142 to T146).
 */
#include "base/str.h"
#include "unit.h"

#include "item_fixture.h"

#include "github/urls/pr_diff.h"

static void test_views(void **state G_GNUC_UNUSED) // github-T142 to T145
{
    g_autofree char *diff = item_fixture_data("pr-90.diff");
    g_autofree char *list = item_fixture_data("pr-90-diff.md");
    g_autofree char *second = g_strndup(diff + 168, 271 - 168);
    g_autofree char *first = g_strndup(diff, 168);
    const struct {
        const char *name, *url, *want, *notes;
    } cases[] = {
        { "github-T145", "pr://90/diff/all", diff,
          "Fetched live|Full diff for pr://harbor/tidepool/90 (5 files)" },
        { "github-T142", "pr://90/diff", list,
          "Cached: 0s ago|File listing for pr://harbor/tidepool/90" },
        { "github-T143", "pr://90/diff/2", second,
          "Cached: 0s ago|Showing file 2/5: doc/new.md|Read all: "
          "pr://harbor/tidepool/90/diff/all" },
        { "the first", "pr://harbor/tidepool/90/diff/1", first,
          "Cached: 0s ago|Showing file 1/5: src/clock.c|Read all: "
          "pr://harbor/tidepool/90/diff/all" },
    };
    g_autoptr(GhFixture) fixture = item_fixture_new("abc");
    gh_fixture_converse(fixture);
    gh_fixture_reply_out(fixture, diff);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(ToolResult) result = item_fixture_read(fixture, cases[i].url);
        gh_expect_text(cases[i].name, &result, cases[i].want);
        item_expect_notes(cases[i].name, &result, cases[i].notes);
    }
    g_auto(ToolResult) none = item_fixture_read(fixture, "pr://90/diff/6");
    gh_expect_error("github-T144", &none,
                    "pr:// diff resolution failed: pr://harbor/tidepool/90/diff/6 is out of "
                    "range; PR has 5 files. Use pr://harbor/tidepool/90/diff to list available "
                    "indices.");
    gh_expect_calls("github-T145: one diff", fixture, 1);
    gh_expect_argv("github-T145", fixture, 0, "pr|diff|90|--color|never|--repo|harbor/tidepool");
}

static void test_too_large(void **state G_GNUC_UNUSED) // github-T146
{
    g_autoptr(GhFixture) fixture = item_fixture_new("abc");
    gh_fixture_reply(fixture, &(GhReply) { .match = "pr diff *",
                                           .err = "HTTP 406: Sorry, the diff exceeded the "
                                                  "maximum number of lines (20000)",
                                           .status = 1,
                                           .is_repeated = true });
    gh_fixture_reply(fixture, &(GhReply) { .match = "*pulls/90", .out = "{\"changed_files\":2}" });
    gh_fixture_reply(
        fixture,
        &(GhReply) { .match = "*pulls/90/files *",
                     .out = "[{\"filename\":\"n w.c\",\"previous_filename\":\"old.c\",\"status\":"
                            "\"renamed\",\"patch\":\"@@ -1 +1 @@\\n-a\\n+b\"},{\"filename\":"
                            "\"b.png\",\"status\":\"added\",\"additions\":0,\"deletions\":0}]" });
    g_auto(ToolResult) all = item_fixture_read(fixture, "pr://harbor/tidepool/90/diff/all");
    gh_expect_text("github-T146", &all,
                   "diff --git a/old.c \"b/n w.c\"\nrename from old.c\nrename to \"n w.c\"\n--- "
                   "a/old.c\n+++ \"b/n w.c\"\n@@ -1 +1 @@\n-a\n+b\ndiff --git a/b.png "
                   "b/b.png\nnew file mode 100644\n* patch unavailable (binary or too large); "
                   "additions 0, deletions 0\n");
    g_auto(ToolResult) list = item_fixture_read(fixture, "pr://harbor/tidepool/90/diff");
    g_autofree char *text = tool_result_text(&list);
    assert_non_null(strstr(text, "1. n w.c  +1 -1  [renamed]  (renamed from old.c)\n"));
    assert_non_null(strstr(text, "2. b.png  +0 -0  [added]\n"));

    gh_fixture_reply(fixture,
                     &(GhReply) { .match = "*pulls/91", .out = "{\"changed_files\":3001}" });
    g_auto(ToolResult) wide = item_fixture_read(fixture, "pr://harbor/tidepool/91/diff");
    gh_expect_error("E38", &wide,
                    "pr:// diff resolution failed: Pull request changes 3001 files, exceeding "
                    "GitHub's 3000-file limit for the per-file diff API.");
}

static void test_names(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *diff, *path, *old;
    } cases[] = {
        { "same on both sides", "diff --git a/x y b/x y\nold mode 100644\nnew mode 100755\n", "x y",
          NULL },
        { "a name with b/ in it", "diff --git a/x b/y b/x b/y\nindex 1..2\n", "x b/y", NULL },
        { "quoted", "diff --git \"a/caf\\303\\251\" \"b/caf\\303\\251\"\nindex 1..2\n",
          "caf\xc3\xa9", NULL },
        { "tab behind a name", "diff --git a/a b b/a b\n--- a/a b\t\n+++ b/a b\t\n@@ -1 +1 @@\n",
          "a b", NULL },
        { "copied", "diff --git a/x b/y\ncopy from x\ncopy to y\n", "y", "x" },
        { "a deleted file",
          "diff --git a/x b/x\ndeleted file mode 100644\n--- a/x\n+++ "
          "/dev/null\n@@ -1 +0,0 @@\n-x\n",
          "x", NULL },
        { "nothing to go by", "diff --git nonsense\n", "(unknown)", NULL },
        { "an open quote", "diff --git \"a/x b/x\n", "x", "\"a/x" },
        { "lines that look like names in a hunk",
          "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n--- y\n+++ z\nrename from q\n", "x",
          NULL },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(json_t) index = pr_diff_index(cases[i].diff);
        assert_true(pr_diff_index_fits(index, cases[i].diff));
        const json_t *file = json_array_get(json_get_array(index, "files"), 0);
        if (g_strcmp0(json_get_text(file, "path"), cases[i].path) != 0 ||
            g_strcmp0(json_get_text(file, "oldPath"), cases[i].old) != 0)
            fail_msg("%s: %s (from %s)", cases[i].name, json_get_text(file, "path"),
                     json_get_text(file, "oldPath") ?: "nothing");
    }
}

static void test_empty(void **state G_GNUC_UNUSED)
{
    g_autoptr(json_t) index = pr_diff_index("");
    g_autofree char *text = pr_diff_list(index, "o/r", 1);
    assert_true(str_has_prefix(text, "# Pull Request Diff: o/r#1 (0 files)\n\n_No file "
                                     "changes._\n\n---\n"));
    g_autoptr(json_t) before = pr_diff_index("a preamble\ndiff --git a/x b/x\n");
    const json_t *file = json_array_get(json_get_array(before, "files"), 0);
    assert_int_equal(json_get_int(file, "startOffset", 0), 11);
    assert_int_equal(json_get_int(file, "endOffset", 0), 30);
}

static void test_foreign_index(void **state G_GNUC_UNUSED)
{
    static const char *const cases[] = {
        "{}",
        "{\"files\":3}",
        "{\"files\":[{\"path\":\"x\",\"startOffset\":0,\"endOffset\":9}]}",
        "{\"files\":[{\"path\":\"x\",\"startOffset\":-1,\"endOffset\":1}]}",
        "{\"files\":[{\"path\":\"x\",\"startOffset\":2,\"endOffset\":1}]}",
        "{\"files\":[{\"startOffset\":0,\"endOffset\":1}]}",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(json_t) index = NULL;
        assert_true(json_parse_text(cases[i], &index, NULL));
        if (pr_diff_index_fits(index, "abcd"))
            fail_msg("fits: %s", cases[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_views),         cmocka_unit_test(test_too_large),
        cmocka_unit_test(test_names),         cmocka_unit_test(test_empty),
        cmocka_unit_test(test_foreign_index),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
