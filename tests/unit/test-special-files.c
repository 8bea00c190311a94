/* Special files that a repository may bring: which count, where they are found, and that a program
   that reads the tree is ended because of them. */
#include "unit.h"

#include "base/file.h"
#include "base/proc.h"
#include "base/special_files.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *root;

static int make_root(void **state G_GNUC_UNUSED)
{
    root = g_dir_make_tmp("kedge-special-XXXXXX", NULL);
    return root ? 0 : -1;
}

static int remove_root(void **state G_GNUC_UNUSED)
{
    bool is_removed = file_remove_tree(root, NULL);
    g_free(root);
    return is_removed ? 0 : -1;
}

/* Below root; its folders are made. "FIFO", "file", or what it is a link to. Caller frees. */
static char *make(const char *name, const char *kind)
{
    char *path = g_build_filename(root, name, NULL);
    g_autofree char *dir = g_path_get_dirname(path);
    assert_true(file_make_dirs(dir, 0755, NULL));
    if (strcmp(kind, "FIFO") == 0)
        assert_int_equal(mkfifo(path, 0600), 0);
    else if (strcmp(kind, "file") == 0)
        assert_true(g_file_set_contents(path, "x\n", -1, NULL));
    else
        assert_int_equal(symlink(kind, path), 0);
    return path;
}

/* What is found in `tree`, below root; in steps of nearly no time. Caller frees. */
static char *search(const char *tree)
{
    g_autofree char *dir = g_build_filename(root, tree, NULL);
    g_autoptr(SpecialSearch) self = special_search_new((const char *const[]) { dir, NULL }, NULL);
    char *found = NULL;
    while (!special_search_step(self, 1, &found))
        continue;
    return found;
}

static void test_what_is_found(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *kind;
        bool is_found; // from "repo/sub"
    } cases[] = {
        { "repo/sub/.gitignore", "FIFO", true },
        { "repo/sub/.gitignore", "/dev/zero", true },
        { "repo/sub/a/b/.ignore", "/dev/zero", true },
        { "repo/sub/a/b/.rgignore", "FIFO", true },
        { "repo/sub/.gitattributes", "FIFO", true },
        { "repo/.gitignore", "FIFO", true }, // above
        { ".ignore", "FIFO", true },
        { "repo/.git/HEAD", "FIFO", true },
        { "repo/.git/info/exclude", "FIFO", true },
        { "repo/.git/refs/heads/main", "/dev/zero", true },
        { "repo/sub/inner/.git/config", "FIFO", true },
        { "repo/other/.gitignore", "FIFO", false }, // beside
        { "repo/sub/pipe", "FIFO", false },         // no one opens it unasked
        { "repo/sub/.gitignore", "/dev/null", false },
        { "repo/sub/.gitignore", "nowhere", false },
        { "repo/sub/.gitignore", "file", false },
        { "repo/sub/.gitignore", "../keep", false },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *keep G_GNUC_UNUSED = make("repo/keep", "file");
        g_autofree char *head G_GNUC_UNUSED = make("repo/.git/ORIG_HEAD", "file");
        g_autofree char *sub G_GNUC_UNUSED = make("repo/sub/keep", "file");
        g_autofree char *path = make(cases[i].name, cases[i].kind);
        g_autofree char *found = search("repo/sub");
        g_autofree char *repo = g_build_filename(root, "repo", NULL);
        unlink(path);
        assert_true(file_remove_tree(repo, NULL));
        if (g_strcmp0(found, cases[i].is_found ? path : NULL) != 0)
            fail_msg("%s -> %s: found %s", cases[i].name, cases[i].kind, found ? found : "nothing");
    }
}

/* What the repository's configuration tells git to open, however far it is included. */
static void test_named_by_config(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *config, *more; // of .git/config, .git/more
        bool is_found;
    } cases[] = {
        { "[core]\n\tbare = false\n[include]\n\tpath = ../pipe\n", NULL, true },
        { "[include] path = \"../pipe\" ; why\n", NULL, true },
        { "[includeIf \"gitdir:/\"]\n  PATH=%s/named/pipe # why\n", NULL, true },
        { "[include]\n\tpath = more\n", "[include]\npath = more\npath = ../pipe\n", true },
        { "[core]\n\texcludesFile = pipe\n", NULL, true },
        { "[mailmap]\nfile = pipe\n", NULL, true },
        { "[x]\n\tother = ../pipe\n[include]\npath = none\npath\n", NULL, false },
        { "# path = ../pipe\n", NULL, false },
    };
    g_autofree char *fifo = make("named/pipe", "FIFO");
    g_autofree char *config = make("named/.git/config", "file");
    g_autofree char *more = make("named/.git/more", "file");
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(GStrv) parts = g_strsplit(cases[i].config, "%s", -1);
        g_autofree char *text = g_strjoinv(root, parts);
        assert_true(g_file_set_contents(config, text, -1, NULL));
        assert_true(g_file_set_contents(more, cases[i].more ? cases[i].more : "", -1, NULL));
        g_autofree char *found = search("named");
        if ((found != NULL) != cases[i].is_found ||
            (found && !g_str_has_suffix(found, "named/pipe") &&
             !g_str_has_suffix(found, "../pipe")))
            fail_msg("%s: %s", cases[i].config, found ? found : "nothing");
    }
    unlink(fifo);
}

/* A linked work tree's `.git` is a file, and what it shares is elsewhere. */
static void test_linked_work_tree(void **state G_GNUC_UNUSED)
{
    g_autofree char *fifo G_GNUC_UNUSED = make("main/.git/packed-refs", "FIFO");
    g_autofree char *link = make("main/.git/worktrees/w/commondir", "file");
    g_autofree char *git = make("w/.git", "file");
    g_autofree char *text = g_strdup_printf("gitdir: %s/main/.git/worktrees/w\n", root);
    assert_true(g_file_set_contents(link, "../..\n", -1, NULL));
    assert_true(g_file_set_contents(git, text, -1, NULL));
    g_autofree char *found = search("w");
    assert_non_null(found);
    assert_true(g_str_has_suffix(found, "/packed-refs"));
}

static void test_message(void **state G_GNUC_UNUSED)
{
    g_autofree char *fifo G_GNUC_UNUSED = make("message", "FIFO");
    g_autoptr(GError) error = NULL, other = NULL;
    assert_false(special_file_fail(fifo, &error));
    assert_true(g_str_has_suffix(
        error->message, "/message is a FIFO, and what reads it waits for a writer; remove it"));
    assert_false(special_file_fail("/dev/zero", &other));
    assert_string_equal(other->message, "/dev/zero is a device, or leads to one, and what reads it "
                                        "may never come to its end; remove it");
}

/* What waits for the FIFO is ended at once, and not at its timeout. What does not wait is left. */
static void test_child_is_ended(void **state G_GNUC_UNUSED)
{
    g_autofree char *dir = g_build_filename(root, "child", NULL);
    g_autofree char *fifo G_GNUC_UNUSED = make("child/.gitignore", "FIFO");
    ProcSpec spec = {
        .argv = (const char *const[]) { "cat", fifo, NULL },
        .trees = (const char *const[]) { dir, NULL },
        .profile = PROC_PROFILE_READER,
        .timeout_ms = 60 * 1000,
        .max_output_bytes = 100,
    };
    g_auto(ProcResult) result = { 0 };
    g_autoptr(GError) error = NULL;
    assert_false(proc_run(&spec, NULL, &result, &error));
    assert_true(error_is(error, KEDGE_ERROR_PROTOCOL));
    assert_non_null(strstr(error->message, "/child/.gitignore is a FIFO"));

    spec.argv = (const char *const[]) { "true", NULL };
    assert_true(proc_run(&spec, NULL, &result, NULL));
    assert_int_equal(result.exit_status, 0);
    proc_result_clear(&result);

    // it did not wait, but died
    g_autoptr(GError) odd = NULL;
    spec.argv = (const char *const[]) { "sh", "-c", "kill -ABRT $$", NULL };
    assert_false(proc_run(&spec, NULL, &result, &odd));
    assert_non_null(strstr(odd->message, "/child/.gitignore is a FIFO"));

    // slow for a reason of its own
    unlink(fifo);
    spec.argv = (const char *const[]) { "sh", "-c", "sleep 0.5; echo done", NULL };
    assert_true(proc_run(&spec, NULL, &result, NULL));
    assert_string_equal(result.output, "done\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_found),    cmocka_unit_test(test_named_by_config),
        cmocka_unit_test(test_linked_work_tree), cmocka_unit_test(test_message),
        cmocka_unit_test(test_child_is_ended),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
