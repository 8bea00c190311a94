/* Three-way merges, and the names of lines that conflict. */
#include "tool_fixture.h"

#include "agenttools/answer.h"
#include "agenttools/feedback/edit_merge.h"

#include <sys/stat.h>

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
        { "texts that look like conflicts",
          "<<<<<<< ours\n1\n=======\n2\n>>>>>>> theirs\n3\n4\n5\nX\n",
          "<<<<<<< ours\n1\n=======\n2\n>>>>>>> theirs\n3\n4\n5\n6\n",
          "<<<<<<< ours\n1\n=======\n2\n>>>>>>> theirs\n3\n4\n5\nY\n", NULL, "9" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *text = NULL;
        g_autofree char *conflicts = NULL;
        g_autoptr(GError) error = NULL;
        if (!edit_merge(cases[i].ours, cases[i].base, cases[i].theirs, NULL, &text, &conflicts,
                        &error))
            fail_msg("%s: %s", cases[i].name, error->message);
        if (cases[i].want)
            assert_text(cases[i].name, text ? text : conflicts, cases[i].want);
        if (cases[i].conflicts)
            assert_text(cases[i].name, conflicts ? conflicts : text, cases[i].conflicts);
    }
}

static size_t count_entries(const char *dir)
{
    g_autoptr(GDir) entries = g_dir_open(dir, 0, NULL);
    size_t count = 0;
    while (g_dir_read_name(entries))
        count++;
    return count;
}

/* Nothing is left behind, neither after a merge nor without git nor when stopped. */
static void test_failures(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    g_autofree char *old_path = g_strdup(g_getenv("PATH"));
    g_setenv("TMPDIR", fixture->cwd, TRUE);
    g_autofree char *text = NULL;
    g_autofree char *conflicts = NULL;
    g_autoptr(GError) error = NULL;

    g_autoptr(Cancel) cancel = cancel_new(NULL);
    cancel_fire(cancel);
    assert_false(edit_merge("a\n", "b\n", "c\n", cancel, &text, &conflicts, &error));
    assert_true(error_is(error, KEDGE_ERROR_CANCELLED));
    g_clear_error(&error);

    g_setenv("PATH", fixture->cwd, TRUE);
    assert_false(edit_merge("a\n", "b\n", "c\n", NULL, &text, &conflicts, &error));
    assert_true(answer_error_is(error, ANSWER_GIT));
    assert_text("no git", error->message,
                "Git command failed: git is not installed or not on PATH");
    assert_null(text);
    assert_null(conflicts);
    g_setenv("PATH", old_path, TRUE);

    assert_true(edit_merge("a\n", "b\n", "c\n", NULL, &text, &conflicts, NULL));
    assert_string_equal(conflicts, "1");
    assert_int_equal(count_entries(fixture->cwd), 0);
    g_unsetenv("TMPDIR");
}

/* The user's own configuration does not change what a conflict looks like. */
static void test_configuration(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    tool_fixture_put(fixture, "gitconfig", "[merge]\n\tconflictStyle = diff3\n");
    g_autofree char *config = g_build_filename(fixture->cwd, "gitconfig", NULL);
    g_setenv("GIT_CONFIG_GLOBAL", config, TRUE);
    g_autofree char *text = NULL;
    g_autofree char *conflicts = NULL;
    assert_true(
        edit_merge("1\nX\n3\nX\n", "1\n2\n3\n4\n", "1\nY\n3\nY\n", NULL, &text, &conflicts, NULL));
    g_unsetenv("GIT_CONFIG_GLOBAL");
    assert_string_equal(conflicts, "2-4");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_merge),
        cmocka_unit_test(test_failures),
        cmocka_unit_test(test_configuration),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
