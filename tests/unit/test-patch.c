/* Hunks: how they are read, where they are placed, and what is refused rather than guessed. */
#include "long_text.h"
#include "unit.h"

#include "tools/edit/patch_apply.h"
#include "tools/edit/patch_envelope.h"
#include "tools/edit/patch_text.h"

#define TEN "line 1\nline 2\nline 3\nline 4\nline 5\nline 6\nline 7\nline 8\nline 9\nline 10\n"
#define CLASSES                                                                                    \
    "class A:\n    def run(self):\n        x = 1\n        return x\n\n    def stop(self):\n"       \
    "        x = 1\n        return x\n\n\nclass B:\n    def run(self):\n        x = 1\n"           \
    "        return x\n"
#define RULE                                                                                       \
    "Letters, digits and operators must be right; only white space, quotes, dashes and Unicode "   \
    "forms may differ."

typedef struct Case {
    const char *name, *file, *diff;
    const char *want;  // the text, or NULL
    const char *error; // the message, or how it begins when it ends in "…"
} Case;

static bool apply(const char *file, const char *diff, bool is_fuzzy, char **ret_text,
                  GError **error)
{
    size_t steps = PATCH_MAX_STEPS;
    return patch_apply(file, diff, "f.c", is_fuzzy, &steps, ret_text, NULL, error);
}

static void check(const Case *one)
{
    g_autofree char *got = NULL;
    g_autoptr(GError) error = NULL;
    if (apply(one->file, one->diff, true, &got, &error)) {
        if (!one->want || strcmp(got, one->want) != 0)
            fail_msg("%s: got\n%s", one->name, got);
        return;
    }
    size_t size = one->error ? strlen(one->error) : 0;
    bool is_part = size > 0 && g_str_has_suffix(one->error, "…");
    bool is_right = is_part ? strncmp(error->message, one->error, size - strlen("…")) == 0
                            : g_strcmp0(error->message, one->error) == 0;
    if (!is_right)
        fail_msg("%s: error\n%s", one->name, error->message);
}

static void check_all(const Case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++)
        check(&cases[i]);
}

static void test_headers(void **state G_GNUC_UNUSED)
{
    static const Case cases[] = {
        { "none", "a\nb\n", " a\n-b\n+B", "a\nB\n", NULL },
        { "empty", "a\nb\n", "@@\n-b\n+B", "a\nB\n", NULL },
        { "empty twice", "a\nb\n", "@@ @@\n-b\n+B", "a\nB\n", NULL },
        { "a gap", "a\nb\n", "@@ ... @@\n-b\n+B", "a\nB\n", NULL },
        { "ranges", "a\nb\n", "@@ -2 +2 @@\n-b\n+B\n", "a\nB\n", NULL },
        { "ranges and a context", CLASSES,
          "@@ -13,1 +13,1 @@ def run(self):\n-        x = 1\n+        x = 2",
          "class A:\n    def run(self):\n        x = 1\n        return x\n\n    def stop(self):\n"
          "        x = 1\n        return x\n\n\nclass B:\n    def run(self):\n        x = 2\n"
          "        return x\n",
          NULL },
        { "line", CLASSES, "@@ line 7\n-        x = 1\n+        x = 2",
          "class A:\n    def run(self):\n        x = 1\n        return x\n\n    def stop(self):\n"
          "        x = 2\n        return x\n\n\nclass B:\n    def run(self):\n        x = 1\n"
          "        return x\n",
          NULL },
        { "lines", "x\nx\nx\n", "@@ lines 2-3 @@\n-x\n+y", "x\ny\nx\n", NULL },
        { "top of file", "a\n", "@@ top of file\n+zero", "zero\na\n", NULL },
        { "beginning of the file", "a\n", "@@ Beginning of the file @@\n+zero", "zero\na\n", NULL },
        { "zero", "a\n", "@@ -0,0 +0,0 @@\n+x", NULL,
          "Line 1: Line numbers in @@ header must be >= 1" },
        { "line zero", "a\n", "@@ line 0\n+x", NULL,
          "Line 1: Line numbers in @@ header must be >= 1" },
        { "too large", "a\n", "@@ -99999999999999999999,1 +1 @@\n-a", NULL,
          "Line 1: Line numbers in @@ header are too large" },
        { "nothing", "a\n", "", NULL, "Diff contains no hunks" },
        { "a lone header", "a\n", "@@\n", NULL, "Diff contains no hunks" },
        { "no lines", "a\n", "@@ a\n", NULL, "Line 1: Hunk does not contain any lines" },
        { "no lines behind others", "a\nb\n", "@@\n-a\n+A\n@@ b\n", NULL,
          "Line 4: Hunk does not contain any lines" },
        { "an ellipsis alone", "a\n", "@@ a\n...\n", NULL,
          "Line 1: Hunk does not contain any lines" },
        { "a context that ends in marks", "a\nb\nc\n", "@@ b @@\n+x", "a\nb\nx\nc\n", NULL },
    };
    check_all(cases, G_N_ELEMENTS(cases));
}

static void test_metadata(void **state G_GNUC_UNUSED)
{
    static const Case cases[] = {
        { "of git", "a\nb\n",
          "diff --git a/f.c b/f.c\nindex 0123abc..4567def 100644\n--- a/f.c\n+++ b/f.c\n"
          "@@ -1,2 +1,2 @@\n a\n-b\n+B\n",
          "a\nB\n", NULL },
        { "an envelope", "a\n",
          "*** Begin Patch\n*** Update File: f.c\n@@\n-a\n+b\n*** End Patch\n", "b\n", NULL },
        { "a kept line that looks like the end", "*** End Patch\nb\n", "@@\n+a\n *** End Patch",
          "a\n*** End Patch\nb\n", NULL },
        { "stars", "a\n", "***\n@@\n-a\n+b\n***\n\n", "b\n", NULL },
        { "the same file again", "a\nb\nc\n",
          "--- a/f.c\n+++ b/f.c\n@@ -1 +1 @@\n-a\n+A\n--- a/f.c\n+++ b/f.c\n@@ -3 +3 @@\n-c\n+C\n",
          "A\nb\nC\n", NULL },
        { "two files", "a\nb\n",
          "--- a/f.c\n+++ b/f.c\n@@ -1 +1 @@\n-a\n+A\n--- a/g.c\n+++ b/g.c\n@@ -2 +2 @@\n-b\n+B\n",
          NULL,
          "Diff contains 2 file markers. Single-file patches cannot contain multi-file markers." },
        { "two files of git", "a\n",
          "diff --git a/f.c b/f.c\n@@\n-a\n+A\ndiff --git a/g.c b/g.c\n@@\n-b\n+B\n", NULL,
          "Diff contains 2 file markers. Single-file patches cannot contain multi-file markers." },
        { "a removed line that looks like a header", "x\n-- old\ny\n",
          "@@\n x\n--- old\n+-- new\n y", "x\n-- new\ny\n", NULL },
        { "the same without a hunk header", "-- old\ny\n", "--- old\n+-- new\n y", "-- new\ny\n",
          NULL },
        { "lines that look like a pair", "x\n-- a\ny\n", "@@\n x\n--- a\n+++ b\n y", "x\n++ b\ny\n",
          NULL },
        { "a pair in front of a hunk, without a header before", "-- a\nx\ny\n",
          "@@ -1 +1 @@\n--- a\n+++ b\n@@ -3 +3 @@\n-y\n+z\n", "++ b\nx\nz\n", NULL },
        { "a kept line that looks like an index", "index = 3\nx\n", "index = 3\n-x\n+y",
          "index = 3\ny\n", NULL },
        { "a marker within the text", "*** End Patch\n*** Update File: z\nb\n",
          "@@\n *** End Patch\n *** Update File: z\n-b\n+*** End of File\n",
          "*** End Patch\n*** Update File: z\n*** End of File\n", NULL },
        { "no newline at the end", "a\nb",
          "@@\n a\n-b\n\\ No newline at end of file\n+c\n"
          "\\ No newline at end of file\n",
          "a\nc", NULL },
        { "CRLF in the diff", "a\nb\n", "@@\r\n a\r\n-b\r\n+c\r\n", "a\nc\n", NULL },
    };
    check_all(cases, G_N_ELEMENTS(cases));
}

static void test_places(void **state G_GNUC_UNUSED)
{
    static const Case cases[] = {
        { "tools-T53", "fn foo\nb\na\nfn bar\na\n", "@@ fn foo\n-a\n+b",
          "fn foo\nb\nb\nfn bar\na\n", NULL },
        { "tools-T53: the other", "fn foo\nb\na\nfn bar\na\n", "@@ fn bar\n-a\n+b",
          "fn foo\nb\na\nfn bar\nb\n", NULL },
        { "tools-T167: alike in white space", "int  a = 1;\nint b = 2;\n",
          "@@\n-int a = 1;\n+int a = 3;\n int b = 2;", "int a = 3;\nint b = 2;\n", NULL },
        { "tools-T167: alike but for a word", "int a = 1;\nint b = 2;\n",
          "@@\n-int a = 7;\n+int a = 3;\n int b = 2;", NULL,
          "Failed to find expected lines in f.c:\nint a = 7;\nint b = 2;\n\n"
          "Closest place, lines 1-2 (95% similar):\n*    1 | int a = 1;\n  you: | int a = 7;\n"
          "     2 | int b = 2;\n" RULE },
        { "tools-T167: a context that is not there", "foo(int a)\nx\n", "@@ foo()\n-x\n+y", NULL,
          "Failed to find context 'foo()' in f.c" },
        { "nested contexts", CLASSES,
          "@@ class B\n@@     def run(self):\n-        x = 1\n+        x = 2",
          "class A:\n    def run(self):\n        x = 1\n        return x\n\n    def stop(self):\n"
          "        x = 1\n        return x\n\n\nclass B:\n    def run(self):\n        x = 2\n"
          "        return x\n",
          NULL },
        { "nested, and not there", CLASSES,
          "@@ class B\n@@ def stop(self):\n-        x = 1\n+        x = 2", NULL,
          "Failed to find context 'class B > def stop(self):' in f.c" },
        { "outer and inner in one line", CLASSES, "@@ class B: stop\n+        y = 2", NULL,
          "Failed to find context 'class B: stop' in f.c" },
        { "outer and inner words", "class A x\nhigh tide\nclass B x\nhigh tide\n",
          "@@ class B x high\n-high tide\n+low tide", "class A x\nhigh tide\nclass B x\nlow tide\n",
          NULL },
        { "an ambiguous context", CLASSES, "@@ def run(self):\n-        x = 1\n+        x = 2",
          NULL,
          "Found 2 matches for context 'def run(self):' in f.c. Matching strategy: trim.\n\n"
          "  1 | class A:\n  2 |     def run(self):\n  3 |         x = 1\n  4 |         return "
          "x\n\n"
          "  10 | \n  11 | class B:\n  12 |     def run(self):\n  13 |         x = 1\n"
          "  14 |         return x\n\n"
          "Add more surrounding context or additional @@ anchors to make it unique." },
        { "a part of a line, twice", "foo_bar 1\nfoo_bar 2\n", "@@ oo_bar\n+x", NULL,
          "Found 2 matches for context 'oo_bar' in f.c. Matching strategy: substring.…" },
        { "a short part", "foo_bar 1\n", "@@ o_bar\n+x", NULL,
          "Failed to find context 'o_bar' in f.c" },
        { "the context is the first line of the hunk", "a\nfoo\nb\n", "@@ foo\n foo\n-b\n+B",
          "a\nfoo\nB\n", NULL },
        { "the context within the hunk", "a\nfoo\nb\n", "@@ foo\n a\n foo\n-b\n+B", "a\nfoo\nB\n",
          NULL },
        { "two places", "a\nx\na\nx\n", "@@\n-a\n+b\n x", NULL,
          "Found 2 occurrences in f.c:\n\n  1 | a\n  2 | x\n  3 | a\n  4 | x\n  5 | \n\n"
          "  1 | a\n  2 | x\n  3 | a\n  4 | x\n  5 | \n\nAdd more context lines to disambiguate." },
        { "two places that are alike", "a  b\nx\na   b\nx\n", "@@\n-a b\n+b\n x", NULL,
          "Found 2 matches for the text in f.c.\n\n…" },
        { "two places, settled by a line number", "a\nx\nb\nx\na\nx\n",
          "@@ -5,2 +5,2 @@\n-a\n+b\n x", "a\nx\nb\nx\nb\nx\n", NULL },
        { "two places as near", "a\nx\nb\nx\na\nx\n", "@@ -3,2 +3,2 @@\n-a\n+b\n x", NULL,
          "Found 2 occurrences in f.c:…" },
        { "a line number that is off", TEN, "@@ -90,2 +90,2 @@\n line 3\n-line 4\n+FOUR",
          "line 1\nline 2\nline 3\nFOUR\nline 5\nline 6\nline 7\nline 8\nline 9\nline 10\n", NULL },
        { "order decides", "x\na\nx\nb\nx\n", "@@\n-a\n+A\n x\n@@\n-b\n+B\n x", "x\nA\nx\nB\nx\n",
          NULL },
        { "out of order", TEN, "@@\n-line 9\n+NINE\n@@\n-line 2\n+TWO\n line 3",
          "line 1\nTWO\nline 3\nline 4\nline 5\nline 6\nline 7\nline 8\nNINE\nline 10\n", NULL },
        { "the same line kept by two hunks", "a\nb\nc\n", "@@\n-a\n+A\n b\n@@\n b\n-c\n+C\n",
          "A\nb\nC\n", NULL },
        { "overlapping", "a\nb\nc\n", "@@ -1 +1 @@\n-a\n-b\n+A\n@@ -2 +2 @@\n-b\n+B\n c", NULL,
          "Overlapping hunks detected in f.c at lines 1-2 and 2-2. Split hunks or add more context "
          "to avoid overlap." },
        { "added twice", "a\nb\n", "@@\n a\n+x\n@@\n a\n+x\n", NULL,
          "Overlapping hunks detected in f.c at lines 2-2 and 2-2. Split hunks or add more context "
          "to avoid overlap." },
        { "a whole line before a part of one", "ab\nb\n", "@@\n-b\n+c", "ab\nc\n", NULL },
        { "a part of a line", "ab cd\n", "@@\n-cd\n+ef", "ab ef\n", NULL },
        { "a part of a line is not removed", "ab cd\n", "@@\n-cd", NULL,
          "Failed to find expected lines in f.c:\ncd…" },
        { "a part of a line and an empty one", "ab cd\nef\n", "@@\n-cd\n-\n+x", NULL,
          "Failed to find expected lines in f.c:\ncd…" },
        { "a line is removed", "a\nb\nc\n", "@@\n-b", "a\nc\n", NULL },
        { "all lines are removed", "a\nb\n", "@@\n-a\n-b", "", NULL },
        { "unicode", "say(“é”)\nx\n", "@@\n-say(\"é\")\n+say(1)\n x", "say(1)\nx\n", NULL },
    };
    check_all(cases, G_N_ELEMENTS(cases));
}

static void test_insertions(void **state G_GNUC_UNUSED)
{
    static const Case cases[] = {
        { "at the end", "a\nb\n", "@@\n+c", "a\nb\nc\n", NULL },
        { "at the end, without a newline", "a\nb", "@@\n+c", "a\nb\nc", NULL },
        { "into nothing", "", "@@\n+c", "c\n", NULL },
        { "behind a context", "a\nb\n", "@@ a\n+x\n+y", "a\nx\ny\nb\n", NULL },
        { "in front of a line", "a\nb\n", "@@ -2,2 +2,3 @@\n+x", "a\nx\nb\n", NULL },
        { "behind the line that a count of 0 names", "a\nb\n", "@@ -1,0 +2,1 @@\n+x", "a\nx\nb\n",
          NULL },
        { "behind the last line", "a\nb\n", "@@ line 3\n+x", "a\nb\nx\n", NULL },
        { "out of range", "a\nb\n", "@@ line 4\n+x", NULL,
          "Line hint 4 is out of range for insertion in f.c (file has 2 lines)" },
        { "at the end of the file", "x\na\nx\n", "@@\n x\n+y\n*** End of File", "x\na\nx\ny\n",
          NULL },
        { "not at the end of the file", "x\na\nb\n", "@@\n x\n+y\n*** End of File", "x\ny\na\nb\n",
          NULL },
        { "only added, at the end of the file", "a\n", "@@ a\n+b\n*** End of File\n\n@@\n-a\n+c",
          "c\nb\n", NULL },
        { "between kept lines", "a\nb\n", " a\n+x\n b", "a\nx\nb\n", NULL },
        { "two at one place", "a\n", "@@\n+x\n@@\n+y", "a\nx\ny\n", NULL },
    };
    check_all(cases, G_N_ELEMENTS(cases));
}

/* What a hunk keeps stays as the file has it; what it adds is indented as the file is. */
static void test_kept_lines(void **state G_GNUC_UNUSED)
{
    static const Case cases[] = {
        { "white space at the end", "a  \nb\nc\t\n", "@@\n a\n-b\n+B\n c", "a  \nB\nc\t\n", NULL },
        { "quotes", "say(“a”)\nb\n", "@@\n say(\"a\")\n-b\n+B", "say(“a”)\nB\n", NULL },
        { "deeper in the file", CLASSES, "@@ class B\n-x = 1\n-return x\n+x = 2\n+return x + 1",
          "class A:\n    def run(self):\n        x = 1\n        return x\n\n    def stop(self):\n"
          "        x = 1\n        return x\n\n\nclass B:\n    def run(self):\n        x = 2\n"
          "        return x + 1\n",
          NULL },
        { "a line wrapped and indented further", "def f():\n    a = 1\n    b = 2\n",
          "@@\n a = 1\n-b = 2\n+if a:\n+    b = 2\n",
          "def f():\n    a = 1\n    if a:\n        b = 2\n", NULL },
        { "tabs in the file", "{\n\tone();\n\ttwo();\n}\n",
          "@@\n {\n     one();\n-    two();\n+    if (x)\n+        three();\n }",
          "{\n\tone();\n\tif (x)\n\t\tthree();\n}\n", NULL },
        { "an empty kept line at the end", "a\nb\n", "@@\n a\n-b\n+c\n ", "a\nc\n", NULL },
        { "wrong context, one place", "x\ny\nold line\nz\n", "@@\n other\n-old line\n+new line\n w",
          "x\ny\nnew line\nz\n", NULL },
        { "wrong context, two places", "old\ny\nold\nz\n", "@@\n other\n-old\n+new\n w", NULL,
          "Found 2 occurrences in f.c:…" },
        { "wrong context, nothing removed", "a\n", "@@\n other\n+new\n", NULL,
          "Failed to find expected lines in f.c:\nother" },
        { "repeated kept lines", "a\n}\nb\n", "@@\n a\n }\n }\n-b\n+c", "a\n}\nc\n", NULL },
        { "line numbers in front", "alpha\nbeta\ngamma\n",
          "@@\n  1 alpha\n- 2 beta\n+ 2 BETA\n  3 gamma", "alpha\nBETA\ngamma\n", NULL },
        { "numbers that belong to the text", "1 alpha\n2 beta\n", "@@\n 1 alpha\n-2 beta\n+2 BETA",
          "1 alpha\n2 BETA\n", NULL },
        { "an ellipsis", TEN, "@@\n line 2\n...\n-line 8\n+EIGHT",
          "line 1\nline 2\nline 3\nline 4\nline 5\nline 6\nline 7\nEIGHT\nline 9\nline 10\n",
          NULL },
        { "an ellipsis of Python stays a line", "def f():\n    ...\n",
          "@@\n def f():\n-    ...\n+    pass", "def f():\n    pass\n", NULL },
        { "a forgotten blank", "int a;\nint b;\n", "int a;\n-int b;\n+int c;", "int a;\nint c;\n",
          NULL },
        { "nothing changes", "a\nb\n", "@@\n a\n b", "a\nb\n", NULL },
        { "a line is replaced by itself", "a\nb\n", "@@\n-a\n+a", "a\nb\n", NULL },
        { "a lone CR is a character", "a\rb\nc\n", "@@\n a\rb\n-c\n+d", "a\rb\nd\n", NULL },
    };
    check_all(cases, G_N_ELEMENTS(cases));
}

static void test_not_fuzzy(void **state G_GNUC_UNUSED)
{
    g_autofree char *got = NULL;
    g_autoptr(GError) error = NULL;
    assert_false(apply("a  b\nc\n", "@@\n-a b\n+x\n c", false, &got, &error));
    assert_string_equal(error->message,
                        "Failed to find expected lines in f.c:\na b\nc\n\nClosest place, lines 1-2 "
                        "(100% similar):\n*    1 | a  b\n  you: | a b\n     2 | c");
    g_clear_error(&error);
    assert_false(apply("f  (x)\nc\n", "@@ f (x)\n-c\n+d", false, &got, &error));
    assert_string_equal(error->message, "Failed to find context 'f (x)' in f.c");
}

/* What an outsider chooses has a limit, and takes no time. */
static void test_limits(void **state G_GNUC_UNUSED)
{
    g_autoptr(GString) diff = g_string_new(NULL);
    for (int i = 0; i < 1001; i++)
        g_string_append(diff, "@@\n+x\n");
    g_autofree char *got = NULL;
    g_autoptr(GError) error = NULL;
    assert_false(apply("a\n", diff->str, true, &got, &error));
    assert_true(error_is(error, KEDGE_ERROR_LIMIT));
    g_clear_error(&error);

    g_string_truncate(diff, 0);
    for (int i = 0; i < 11; i++)
        g_string_append(diff, "@@ a\n");
    g_string_append(diff, "+x\n");
    assert_false(apply("a\n", diff->str, true, &got, &error));
    assert_string_equal(error->message, "Line 11: Too many @@ lines for one hunk");
    g_clear_error(&error);

    g_autoptr(GString) file = g_string_new(NULL);
    g_string_assign(diff, "@@\n");
    for (int i = 0; i < OF_LONG_TEXT(100000); i++) {
        g_string_append(file, "a\n");
        g_string_append(diff, " a\n");
    }
    g_string_append(file, "b\na\n");
    g_string_append(diff, "-c\n");
    assert_false(apply(file->str, diff->str, true, &got, &error));
    assert_true(strlen(error->message) < 10000);
}

/* All diffs of a call have one budget. */
static void test_budget(void **state G_GNUC_UNUSED)
{
    size_t steps = 10, calls = 0;
    g_autoptr(GError) error = NULL;
    for (; calls < 10 && !error; calls++) {
        g_autofree char *got = NULL;
        patch_apply("a\nb\n", "@@\n-b\n+c", "f.c", true, &steps, &got, NULL, &error);
    }
    assert_int_equal(steps, 0);
    assert_in_range(calls, 2, 9);
    assert_true(error_is(error, KEDGE_ERROR_LIMIT));
    assert_string_equal(error->message, "finding the hunks in f.c takes too long: make several "
                                        "calls with fewer hunks and files each");
}

static void test_envelopes(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *input, *want; // "op path[>rename] text|…", or the error
    } cases[] = {
        { "tools-T55", "*** Begin Patch\n*** Update File: f.c\n@@\n-a\n+b",
          "The last line of the patch must be '*** End Patch'" },
        { "no beginning", "*** Update File: f.c\n@@\n-a\n+b\n*** End Patch",
          "The first line of the patch must be '*** Begin Patch'" },
        { "empty", "", "The first line of the patch must be '*** Begin Patch'" },
        { "only a beginning", "*** Begin Patch",
          "The last line of the patch must be '*** End Patch'" },
        { "no files", "*** Begin Patch\n\n*** End Patch", "No files were modified." },
        { "no header", "*** Begin Patch\n*** Change File: f\n*** End Patch",
          "Line 2: '*** Change File: f' is not a valid hunk header. Valid hunk headers: '*** Add "
          "File: {path}', '*** Delete File: {path}', '*** Update File: {path}'" },
        { "a header without a path", "*** Begin Patch\n*** Delete File: \n*** End Patch",
          "Line 2: '*** Delete File: ' is not a valid hunk header. Valid hunk headers: '*** Add "
          "File: {path}', '*** Delete File: {path}', '*** Update File: {path}'" },
        { "an empty update", "*** Begin Patch\n*** Update File: f\n*** End Patch",
          "Line 3: Update file hunk for path 'f' is empty" },
        { "an empty move", "*** Begin Patch\n*** Update File: f\n*** Move to: g\n\n*** End Patch",
          "Line 4: Update file hunk for path 'f' is empty" },
        { "all kinds",
          "*** Begin Patch\n*** Add File: n\n+x\n+\n++y\n*** Delete File: d e\n*** Update File: u\n"
          "*** Move to: v\n@@\n-a\n+b\n*** End Patch",
          "1 n x\n\n+y\n|2 d e -|0 u>v @@\n-a\n+b\n|" },
        { "an empty file", "*** Begin Patch\n*** Add File: n\n*** End Patch", "1 n |" },
        { "a heredoc", "<<'EOF'\n*** Begin Patch\n*** Delete File: d\n*** End Patch\nEOF\n",
          "2 d -|" },
        { "a heredoc, quoted twice",
          "<<\"EOF\"\n*** Begin Patch\n*** Delete File: d\n*** End Patch\nEOF", "2 d -|" },
        { "blanks around", " \n  *** Begin Patch \n\n*** Delete File: d  \n\n *** End Patch \n\n",
          "2 d -|" },
        { "markers within the text",
          "*** Begin Patch\n*** Add File: n\n+*** End Patch\n+*** Delete File: x\n*** Update File: "
          "u\n"
          " *** Delete File: y\n-a\n+*** Add File: z\n*** End Patch",
          "1 n *** End Patch\n*** Delete File: x\n|0 u  *** Delete File: y\n-a\n+*** Add File: "
          "z\n|" },
        { "a line of a new file without its mark",
          "*** Begin Patch\n*** Add File: n\n+a\nb\n*** End Patch",
          "Line 4: 'b' is not a valid hunk header. Valid hunk headers: '*** Add File: {path}', "
          "'*** "
          "Delete File: {path}', '*** Update File: {path}'" },
        { "CRLF", "*** Begin Patch\r\n*** Add File: n\r\n+a\r\n*** End Patch\r\n", "1 n a\n|" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GPtrArray) entries = NULL;
        g_autoptr(GError) error = NULL;
        g_autoptr(GString) got = g_string_new(NULL);
        if (!patch_envelope_parse(cases[i].input, &entries, &error))
            g_string_assign(got, error->message);
        for (guint j = 0; entries && j < entries->len; j++) {
            const PatchEntry *entry = entries->pdata[j];
            g_string_append_printf(got, "%d %s%s%s %s|", entry->op, entry->path,
                                   entry->rename ? ">" : "", entry->rename ? entry->rename : "",
                                   entry->text ? entry->text : "-");
        }
        if (strcmp(got->str, cases[i].want) != 0)
            fail_msg("%s: got\n%s", cases[i].name, got->str);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_headers),    cmocka_unit_test(test_metadata),
        cmocka_unit_test(test_places),     cmocka_unit_test(test_insertions),
        cmocka_unit_test(test_kept_lines), cmocka_unit_test(test_not_fuzzy),
        cmocka_unit_test(test_limits),     cmocka_unit_test(test_budget),
        cmocka_unit_test(test_envelopes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
