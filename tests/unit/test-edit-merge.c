/* Three-way merges, and the names of lines that conflict. */
#include "feedback_fixture.h"

#include "agenttools/feedback/edit_merge.h"

#define NINE "1\n2\n3\n4\n5\n6\n7\n8\n9\n"

static void test_merge(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *ours, *base, *theirs, *want, *conflicts;
    } cases[] = {
        { "ours is the base", "a\n", "a\n", "b\n", "b\n", NULL },
        { "theirs is the base", "b\n", "a\n", "a\n", "b\n", NULL },
        { "both the same", "b\n", "a\n", "b\n", "b\n", NULL },
        { "apart", "1\nX\n3\n4\n5\n6\n7\n8\n9\n", NINE, "1\n2\n3\n4\n5\n6\n7\nY\n9\n",
          "1\nX\n3\n4\n5\n6\n7\nY\n9\n", NULL },
        { "no last newline", "1\nX\n3\n4\n5", "1\n2\n3\n4\n5", "1\n2\n3\n4\n5\n6",
          "1\nX\n3\n4\n5\n6", NULL },
        { "the same lines", "1\nX\n3\n4\n5\n6\n7\n8\n9\n", NINE, "1\nY\n3\n4\n5\n6\n7\n8\n9\n",
          NULL, "2" },
        { "several", "1\nX\nXX\n4\n5\n6\n7\nX\n9\n", NINE, "1\nY\nYY\n4\n5\n6\n7\nY\n9\n", NULL,
          "2-3, 8" },
        { "lines are those of ours", "0\n0\n0\n1\n2\n3\n4\n5\n6\n7\nX\n9\n", NINE,
          "1\n2\n3\n4\n5\n6\n7\nY\n9\n", NULL, "11" },
        { "behind what merges well", "1\n2\n3\n4\n5\n6\n7\nX\n9\n", NINE,
          "a\nb\nc\n1\n2\n3\n4\n5\n6\n7\nY\n9\n", NULL, "8" },
        { "ours deleted it", "1\n2\n3\n4\n5\n6\n9\n", NINE, "1\n2\n3\n4\n5\n6\n7\nY\n9\n", NULL,
          "6" },
        { "theirs deleted it", "1\n2\n3\n4\n5\n6\n7\nX\n9\n", NINE, "1\n2\n3\n4\n5\n6\n9\n", NULL,
          "7-8" },
        { "deleted at the start", "3\n4\n5\n6\n7\n8\n9\n", NINE, "1\nY\n3\n4\n5\n6\n7\n8\n9\n",
          NULL, "1" },
        { "neighbours", "1\nX\n3\n4\n5\n6\n7\n8\n9\n", NINE, "1\n2\nY\n4\n5\n6\n7\n8\n9\n", NULL,
          "2-3" },
        { "one unchanged line between them", "1\nX\n3\n4\n5\n6\n7\n8\n9\n", NINE,
          "1\n2\n3\nY\n5\n6\n7\n8\n9\n", "1\nX\n3\nY\n5\n6\n7\n8\n9\n", NULL },
        { "put in before a change", "1\nnew\n2\n3\n4\n5\n6\n7\n8\n9\n", NINE,
          "1\nY\n3\n4\n5\n6\n7\n8\n9\n", NULL, "2-3" },
        { "put in at one place", "1\na\n2\n", "1\n2\n", "1\nb\n2\n", NULL, "2" },
        { "an equal change beside others", "1\nX\n3\n4\nA\n6\n7\n8\n9\n", NINE,
          "1\nX\n3\n4\n5\n6\n7\nB\n9\n", "1\nX\n3\n4\nA\n6\n7\nB\n9\n", NULL },
        { "both empty the file", "", NINE, "", "", NULL },
        { "ours emptied it", "", NINE, "1\nY\n3\n4\n5\n6\n7\n8\n9\n", NULL, "1" },
        { "both ends", "0\n1\n2\n", "1\n2\n", "1\n2\n3\n", "0\n1\n2\n3\n", NULL },
        { "texts that look like conflicts",
          "<<<<<<< ours\n1\n=======\n2\n>>>>>>> theirs\n3\n4\n5\nX\n",
          "<<<<<<< ours\n1\n=======\n2\n>>>>>>> theirs\n3\n4\n5\n6\n",
          "<<<<<<< ours\n1\n=======\n2\n>>>>>>> theirs\n3\n4\n5\nY\n", NULL, "9" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *text = NULL;
        g_autoptr(GArray) ranges = NULL;
        edit_merge(cases[i].ours, cases[i].base, cases[i].theirs, &text, &ranges);
        assert_true((text == NULL) != (ranges == NULL));
        g_autofree char *conflicts = ranges ? line_ranges_text(ranges) : NULL;
        if (cases[i].want)
            assert_text(cases[i].name, text ? text : conflicts, cases[i].want);
        if (cases[i].conflicts)
            assert_text(cases[i].name, conflicts ? conflicts : text, cases[i].conflicts);
    }
}

/* Which lines of the second text the first does not have. */
static void test_changed(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *before, *after, *want;
    } cases[] = {
        { NINE, NINE, "" },
        { NINE, "1\n2\nX\nY\n5\n6\n7\n8\n9\n10\n", "3-4, 10" },
        { NINE, "1\n2\n6\n7\n8\n9\n", "2" },
        { NINE, "2\n3\n4\n5\n6\n7\n8\n9\n", "1" },
        { "", "a\n", "1" },
        { "a\n", "", "1" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GArray) ranges = edit_merge_changed(cases[i].before, cases[i].after);
        g_autofree char *text = line_ranges_text(ranges);
        assert_text(cases[i].after, text, cases[i].want);
    }
    g_autoptr(GArray) ranges = edit_merge_changed(NINE, "1\n2\nX\nY\n5\n6\n7\n8\n9\n10\n");
    g_autoptr(json_t) json = line_ranges_json(ranges);
    assert_json("as JSON", json, "[[3,4],[10,10]]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_merge),
        cmocka_unit_test(test_changed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
