/*
 * A diff taken apart into what can be committed apart, and hunks put into the old text.
 */
#include "changes/commit_parts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define A            "1111111111111111111111111111111111111111"
#define B            "2222222222222222222222222222222222222222"
#define C            "3333333333333333333333333333333333333333"
#define NONE         "0000000000000000000000000000000000000000"
#define RAW(text)    (text), sizeof(text) - 1
#define ONE_OF_A     ":100644 100644 " A " " B " M\0a.c\0"
#define HEAD_OF_A    "diff --git a/a.c b/a.c\nindex " A ".." B " 100644\n--- a/a.c\n+++ b/a.c\n"
#define FIRST_HUNK   "@@ -1,2 +1,2 @@\n-one\n+ONE\n two\n"
#define SECOND_HUNK  "@@ -8,2 +8,3 @@ seven\n eight\n+eight and a half\n nine\n"
#define OLD_TEXT     "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n"
#define BEFORE_EIGHT "two\nthree\nfour\nfive\nsix\nseven\n"

static CommitParts *read_parts(const char *raw, size_t raw_size, const char *patch)
{
    CommitParts *parts = NULL;
    g_autoptr(GError) error = NULL;
    bool is_read = commit_parts_read(raw, raw_size, patch, strlen(patch), &parts, &error);
    assert_null(error ? error->message : NULL);
    assert_true(is_read);
    return parts;
}

/* "file:hunk" of every part. */
static void assert_parts(const CommitParts *parts, const char *expected)
{
    g_autoptr(GString) text = g_string_new(NULL);
    for (unsigned i = 0; i < parts->parts->len; i++) {
        const CommitPart *part = &g_array_index(parts->parts, CommitPart, i);
        g_string_append_printf(text, "%s%u:%d", i > 0 ? " " : "", part->file, part->hunk);
    }
    assert_string_equal(text->str, expected);
}

static void test_what_is_a_part(void **state)
{
    static const struct {
        const char *raw;
        size_t size;
        const char *patch, *parts;
    } cases[] = {
        { RAW(""), "", "" },
        { RAW(ONE_OF_A), HEAD_OF_A FIRST_HUNK SECOND_HUNK, "0:0 0:1" },
        { RAW(ONE_OF_A), HEAD_OF_A FIRST_HUNK, "0:-1" },
        // a patch that says nothing of it: binary, or too large
        { RAW(ONE_OF_A), "", "0:-1" },
        { RAW(ONE_OF_A), HEAD_OF_A "Binary files a/a.c and b/a.c differ\n", "0:-1" },
        // renamed, of another mode, a link
        { RAW(":100644 100644 " A " " B " R090\0old.c\0a.c\0"), HEAD_OF_A FIRST_HUNK SECOND_HUNK,
          "0:-1" },
        { RAW(":100644 100755 " A " " B " M\0a.c\0"), HEAD_OF_A FIRST_HUNK SECOND_HUNK, "0:-1" },
        { RAW(":120000 120000 " A " " B " M\0a.c\0"), HEAD_OF_A FIRST_HUNK SECOND_HUNK, "0:-1" },
        { RAW(":000000 100644 " NONE " " B " A\0a.c\0"),
          "diff --git a/a.c b/a.c\nnew file mode 100644\nindex " NONE ".." B "\n" FIRST_HUNK,
          "0:-1" },
        // the patch's order does not matter, nor do the names in it
        { RAW(":100644 100644 " B " " C " M\0first\0" ONE_OF_A),
          HEAD_OF_A FIRST_HUNK SECOND_HUNK "diff --git \"a/\\303\" \"b/\\303\"\nindex " B ".." C
                                           " 100644\n" FIRST_HUNK,
          "0:-1 1:0 1:1" },
        // two files of one content: whose part it is cannot be known, and the first part is taken
        { RAW(ONE_OF_A ":100644 100644 " A " " B " M\0b.c\0"),
          HEAD_OF_A FIRST_HUNK SECOND_HUNK HEAD_OF_A FIRST_HUNK SECOND_HUNK, "0:-1 1:0 1:1" },
        // a line of the file that looks like a heading is one of the hunk
        { RAW(ONE_OF_A), HEAD_OF_A "@@ -1,2 +1 @@\n one\n-diff --git a/x b/x\n" SECOND_HUNK,
          "0:0 0:1" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(CommitParts) parts = read_parts(cases[i].raw, cases[i].size, cases[i].patch);
        assert_parts(parts, cases[i].parts);
    }
}

static void test_what_is_no_diff(void **state)
{
    static const struct {
        const char *raw;
        size_t size;
        const char *patch;
    } cases[] = {
        { RAW("a.c"), "" },
        { RAW(":100644 100644 " A " " B "\0a.c\0"), "" },
        { RAW(":100644 100644 " A " " B " M\0"), "" },
        { RAW(":100644 100644 " A " " B " R090\0only one\0"), "" },
        { RAW(ONE_OF_A), HEAD_OF_A "@@ -1,2 +1,2 @@\n one\n" },
        { RAW(ONE_OF_A), HEAD_OF_A "@@ -x +1 @@\n" },
        { RAW(ONE_OF_A), HEAD_OF_A "@@ -1 +1, @@\n-a\n+b\n" },
        { RAW(ONE_OF_A), HEAD_OF_A "@@ -1,99999999999999999999 +1 @@\n-a\n+b\n" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        CommitParts *parts = NULL;
        g_autoptr(GError) error = NULL;
        assert_false(commit_parts_read(cases[i].raw, cases[i].size, cases[i].patch,
                                       strlen(cases[i].patch), &parts, &error));
        assert_true(error_is(error, KEDGE_ERROR_PROTOCOL));
        assert_null(parts);
    }
}

static void test_too_many(void **state)
{
    g_autoptr(GString) raw = g_string_new(NULL);
    for (int i = 0; i < COMMIT_MAX_PARTS; i++)
        g_string_append_len(raw, ONE_OF_A, sizeof(ONE_OF_A) - 1);
    g_autoptr(CommitParts) parts = read_parts(raw->str, raw->len, "");
    assert_int_equal(parts->parts->len, COMMIT_MAX_PARTS);
    g_string_append_len(raw, ONE_OF_A, sizeof(ONE_OF_A) - 1);
    CommitParts *more = NULL;
    g_autoptr(GError) error = NULL;
    assert_false(commit_parts_read(raw->str, raw->len, "", 0, &more, &error));
    assert_true(error_is(error, KEDGE_ERROR_LIMIT));

    // of too many hunks the first files become whole
    g_autoptr(GString) patch = g_string_new(HEAD_OF_A);
    for (int i = 0; i <= COMMIT_MAX_PARTS; i++)
        g_string_append(patch, FIRST_HUNK);
    g_autoptr(CommitParts) whole = read_parts(RAW(ONE_OF_A), patch->str);
    assert_parts(whole, "0:-1");
}

static void test_apply(void **state)
{
    static const struct {
        const char *patch; // two hunks
        bool chosen[2];
        const char *old, *expected;
    } cases[] = {
        { FIRST_HUNK SECOND_HUNK, { false, false }, OLD_TEXT, OLD_TEXT },
        { FIRST_HUNK SECOND_HUNK, { true, false }, OLD_TEXT, "ONE\n" BEFORE_EIGHT "eight\nnine\n" },
        { FIRST_HUNK SECOND_HUNK,
          { false, true },
          OLD_TEXT,
          "one\n" BEFORE_EIGHT "eight\neight and a half\nnine\n" },
        { FIRST_HUNK SECOND_HUNK,
          { true, true },
          OLD_TEXT,
          "ONE\n" BEFORE_EIGHT "eight\neight and a half\nnine\n" },
        // without context: 0 lines stand behind the one that is named
        { "@@ -0,0 +1 @@\n+zero\n@@ -2,0 +4 @@\n+two and a half\n",
          { true, true },
          "one\ntwo\nthree\n",
          "zero\none\ntwo\ntwo and a half\nthree\n" },
        // the newline at the end goes, comes, and stays away
        { "@@ -1 +1 @@\n-a\n+A\n@@ -3 +3 @@\n-c\n+C\n\\ No newline at end of file\n",
          { false, true },
          "a\nb\nc\n",
          "a\nb\nC" },
        { "@@ -1 +1 @@\n-a\n+A\n@@ -3 +3 @@\n-c\n\\ No newline at end of file\n+C\n",
          { false, true },
          "a\nb\nc",
          "a\nb\nC\n" },
        { "@@ -1 +1 @@\n-a\n+A\n@@ -3 +3 @@\n-c\n\\ No newline at end of file\n+C\n"
          "\\ No newline at end of file\n",
          { true, false },
          "a\nb\nc",
          "A\nb\nc" },
        // an empty line of context that has lost its blank; carriage returns are bytes like others
        { "@@ -1,3 +1,3 @@\n-a\r\n+A\r\n\n b\n@@ -5 +5 @@\n-d\n+D\n",
          { true, false },
          "a\r\n\nb\nc\nd\n",
          "A\r\n\nb\nc\nd\n" },
        // an old text that is shorter than the hunks say
        { FIRST_HUNK SECOND_HUNK,
          { false, true },
          "one\n",
          "one\neight\neight and a half\nnine\n" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *patch = g_strconcat(HEAD_OF_A, cases[i].patch, NULL);
        g_autoptr(CommitParts) parts = read_parts(RAW(ONE_OF_A), patch);
        assert_parts(parts, "0:0 0:1");
        g_autoptr(GString) text = commit_parts_apply(commit_parts_file(parts, 0), cases[i].chosen,
                                                     cases[i].old, strlen(cases[i].old));
        assert_string_equal(text->str, cases[i].expected);
    }
}

static void test_texts(void **state)
{
    g_autoptr(CommitParts) parts =
        read_parts(RAW(ONE_OF_A ":000000 100644 " NONE " " C " A\0new \xff\0"
                                ":100644 100644 " C " " C " R100\0from\0to\0"),
                   HEAD_OF_A FIRST_HUNK SECOND_HUNK);
    assert_parts(parts, "0:0 0:1 1:-1 2:-1");
    g_autofree char *text = commit_parts_text(parts);
    assert_string_equal(text,
                        "diff --git a/a.c b/a.c\npart 1: hunk 1 of 2 of this file\n" FIRST_HUNK
                        "diff --git a/a.c b/a.c\npart 2: hunk 2 of 2 of this file\n" SECOND_HUNK
                        "diff --git a/new \xef\xbf\xbd b/new \xef\xbf\xbd\n"
                        "part 3: the whole file, new file\n"
                        "diff --git a/from b/to\npart 4: the whole file, renamed\n");

    static const unsigned numbers[] = { 1, 2, 3 };
    static const char *const described[] = { "a.c (1 of 2 hunks)", "new \xef\xbf\xbd (new file)",
                                             "from => to" };
    g_autoptr(GArray) chosen = g_array_new(FALSE, FALSE, sizeof(unsigned));
    for (unsigned i = 0; i < G_N_ELEMENTS(described); i++) {
        assert_null(commit_parts_describe(parts, i, chosen));
        g_array_append_val(chosen, numbers[i]);
        g_autofree char *one = commit_parts_describe(parts, i, chosen);
        assert_string_equal(one, described[i]);
    }
    commit_parts_join(parts, 0);
    assert_parts(parts, "0:-1 1:-1 2:-1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_a_part), cmocka_unit_test(test_what_is_no_diff),
        cmocka_unit_test(test_too_many),       cmocka_unit_test(test_apply),
        cmocka_unit_test(test_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
