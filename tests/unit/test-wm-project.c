/*
 * wm/task/project.c: which files are tasks, their order, and what a bad one spoils (task-engine
 * §1.5, §2.1).
 */
#include "base/str.h"
#include "wm_notes_fixture.h"
#include "wm_repo_fixture.h"

#include "wm/task/project.h"

#include <unistd.h>

#define TASK "---\non: issues\n---\nDo it.\n"

// Names of the tasks and warnings, each joined.
static void check(const char *row, const char *root, const char *names, const char *warnings_wanted)
{
    g_autoptr(GPtrArray) warnings = wm_notes_new();
    g_autoptr(WmProject) project = NULL;
    g_autoptr(GError) error = NULL;
    if (!wm_project_load_good(root, warnings, &project, &error))
        fail_msg("%s: %s", row, error->message);
    g_autoptr(GString) got = g_string_new(NULL), said = g_string_new(NULL);
    for (guint i = 0; i < project->tasks->len; i++)
        g_string_append_printf(got, "%s ", ((WmTask *)project->tasks->pdata[i])->name);
    for (guint i = 0; i < project->bad->len; i++)
        g_string_append_printf(got, "(%s) ", ((WmBadFile *)project->bad->pdata[i])->reason);
    for (guint i = 0; i < warnings->len; i++) {
        g_autofree char *text = wm_note_show(warnings->pdata[i], 0);
        g_string_append_printf(said, "%s\n", text);
    }
    if (strcmp(got->str, names) != 0 || strcmp(said->str, warnings_wanted) != 0)
        fail_msg("%s: got %s, said %s", row, got->str, said->str);
}

static void test_discovery(void **state G_GNUC_UNUSED)
{
    g_auto(RepoFixture) repo = repo_new();
    static const char *const files[] = { "a.md",      "a-b.md",   "B.md", "old.md.disabled",
                                         "notes.txt", "sub/y.md", "UP.MD" };
    for (size_t i = 0; i < G_N_ELEMENTS(files); i++) {
        g_autofree char *path = g_build_filename(WM_TASKS_DIR, files[i], NULL);
        repo_put(&repo, path, TASK);
    }
    g_autofree char *dir = g_build_filename(repo.root, WM_TASKS_DIR, "dir.md", NULL);
    assert_true(file_make_dirs(dir, 0700, NULL));
    check("task-C08, task-M43", repo.root, "B a-b a ", "");

    repo_put(&repo, ".wm/tasks/a\"b.md", TASK);
    check("task-C18", repo.root, "B a-b a (.wm/tasks/a\"b.md: not a task name (" WM_NAME_RULE ")) ",
          "");
}

static void test_links(void **state G_GNUC_UNUSED)
{
    g_auto(RepoFixture) repo = repo_new(), other = repo_new();
    repo_put(&repo, ".wm/tasks/a.md", TASK);
    repo_put(&repo, "common/b.md", TASK);
    repo_put(&other, "c.md", TASK);
    g_autofree char *inside = g_build_filename(repo.root, WM_TASKS_DIR, "in.md", NULL);
    g_autofree char *outside = g_build_filename(repo.root, WM_TASKS_DIR, "out.md", NULL);
    g_autofree char *nowhere = g_build_filename(repo.root, WM_TASKS_DIR, "void.md", NULL);
    g_autofree char *target = g_build_filename(other.root, "c.md", NULL);
    assert_int_equal(symlink("../../common/b.md", inside), 0);
    assert_int_equal(symlink(target, outside), 0);
    assert_int_equal(symlink("/nonexistent/x.md", nowhere), 0);
    check("links", repo.root, "a in ",
          ".wm/tasks/out.md: skipped (the link leads out of the repository)\n");
}

static void test_bad_files(void **state G_GNUC_UNUSED)
{
    g_auto(RepoFixture) repo = repo_new();
    repo_put(&repo, ".wm/tasks/a.md", TASK);
    repo_put(&repo, ".wm/tasks/bad.md", "---\non: [\n---\n");
    repo_put(&repo, ".wm/tasks/c.md", TASK);
    g_autofree char *large = g_strnfill(WM_MAX_TASK_BYTES + 1, 'x');
    repo_put(&repo, ".wm/tasks/large.md", large);
    g_autoptr(WmProject) project = NULL;
    g_autoptr(GError) strict = NULL, wanted = NULL, missing = NULL;
    assert_true(wm_project_load_good(repo.root, NULL, &project, NULL));
    assert_int_equal(project->tasks->len, 2);
    assert_int_equal(project->bad->len, 2);
    const WmBadFile *bad = project->bad->pdata[0], *larger = project->bad->pdata[1];
    assert_string_equal(bad->name, "bad");
    assert_true(str_has_prefix(bad->reason, "bad.md: yaml frontmatter: line "));
    assert_string_equal(larger->reason, "large.md: file too large");

    g_autoptr(WmProject) none = NULL;
    assert_false(wm_project_load(repo.root, NULL, NULL, &none, &strict));
    assert_true(str_has_prefix(strict->message, "bad.md: "));
    // only the task that is wanted must be good
    assert_false(wm_project_load(repo.root, "bad", NULL, &none, &wanted));
    assert_true(str_has_prefix(wanted->message, "bad.md: "));
    g_autoptr(GPtrArray) warnings = wm_notes_new();
    g_autoptr(WmProject) one = NULL;
    assert_true(wm_project_load(repo.root, "c", warnings, &one, NULL));
    assert_int_equal(warnings->len, 2);
    assert_non_null(wm_project_find(one, "c", NULL));
    assert_null(wm_project_find(one, "../c", &missing)); // task-S01
    assert_string_equal(missing->message, "task not found: ../c");
}

// Files are read by several threads; what came of them stands in their order.
static void test_many(void **state G_GNUC_UNUSED)
{
    enum { FILES = 300 };
    g_auto(RepoFixture) repo = repo_new();
    g_autoptr(GString) names = g_string_new(NULL), reasons = g_string_new(NULL);
    g_autoptr(GString) said = g_string_new(NULL);
    for (int i = 0; i < FILES; i++) {
        g_autofree char *name = g_strdup_printf("t%03d", i);
        g_autofree char *path = g_strdup_printf(".wm/tasks/%s.md", name);
        repo_put(&repo, path, i % 7 == 0 ? "no task" : i % 5 == 0 ? "---\non: x y\n---\n" : TASK);
        if (i % 7 == 0) {
            g_string_append_printf(reasons, "(%s.md: missing opening ---) ", name);
            continue;
        }
        g_string_append_printf(names, "%s ", name);
        if (i % 5 == 0)
            g_string_append_printf(said, "%s: on: \"x y\" is not a trigger kedge understands\n",
                                   path);
    }
    g_string_append(names, reasons->str);
    check("many", repo.root, names->str, said->str);
}

static bool is_odd(const WmTask *task, void *asked)
{
    g_atomic_int_inc((int *)asked);
    return (task->name[strlen(task->name) - 1] - '0') % 2 == 1;
}

// Those that nobody wants still have their names: a workflow of gh-aw with one is not taken.
static void test_wanted(void **state G_GNUC_UNUSED)
{
    enum { FILES = 100 };
    g_auto(RepoFixture) repo = repo_new();
    for (int i = 0; i < FILES; i++) {
        g_autofree char *path = g_strdup_printf(".wm/tasks/t%03d.md", i);
        repo_put(&repo, path, i == 8 ? "no task" : TASK);
    }
    repo_put(&repo, ".github/workflows/t002.md", TASK);
    repo_put(&repo, ".github/workflows/u001.md", TASK);
    repo_put(&repo, WM_CONFIG_PATH, "compat: {gh_aw_workflows: true}\n");
    int asked = 0;
    const WmWanted wanted = { .is_wanted = is_odd, .user_data = &asked };
    g_autoptr(GPtrArray) warnings = wm_notes_new();
    g_autoptr(WmProject) project = NULL;
    assert_true(wm_project_load_wanted(repo.root, &wanted, warnings, &project, NULL));
    assert_int_equal(project->tasks->len, FILES / 2 + 1);
    assert_int_equal(project->left_out, FILES / 2 - 1);
    assert_int_equal(project->bad->len, 1);
    assert_int_equal(warnings->len, 1);
    expect_note(warnings, 0, ".github/workflows/t002.md", NULL,
                "skipped (.wm/tasks has a task of that name)");
    assert_in_range(asked, FILES, FILES + 2);
    for (guint i = 0; i < project->tasks->len; i++)
        assert_true(is_odd(project->tasks->pdata[i], &asked));
}

static void test_no_directory(void **state G_GNUC_UNUSED)
{
    g_auto(RepoFixture) repo = repo_new();
    g_autoptr(WmProject) project = NULL;
    g_autoptr(GError) error = NULL;
    assert_false(wm_project_load(repo.root, NULL, NULL, &project, &error));
    assert_string_equal(error->message, ".wm/tasks: no such directory (run kedge wm init)");
}

static void test_gh_aw(void **state G_GNUC_UNUSED)
{
    g_auto(RepoFixture) repo = repo_new();
    repo_put(&repo, ".wm/tasks/a.md", TASK);
    repo_put(&repo, ".github/workflows/a.md", TASK);
    repo_put(&repo, ".github/workflows/t.md", TASK);
    repo_put(&repo, ".github/workflows/shared/s.md", TASK);
    repo_put(&repo, ".github/workflows/moved.md", "---\nredirect: x\n---\n");
    repo_put(&repo, ".github/workflows/README.md", "# Workflows\n");
    check("off by default", repo.root, "a ", "");
    repo_put(&repo, WM_CONFIG_PATH, "compat: {gh_aw_workflows: true}\n");
    check("task-C17", repo.root, "a t ",
          ".github/workflows/a.md: skipped (.wm/tasks has a task of that name)\n");
    repo_put(&repo, ".github/workflows/t.lock.yml", "on: push\n");
    check("task-C17: compiled", repo.root, "a ",
          ".github/workflows/a.md: skipped (.wm/tasks has a task of that name)\n"
          ".github/workflows/t.md: skipped (compiled gh-aw workflow t.lock.yml present)\n");
    repo_put(&repo, WM_CONFIG_PATH, "compat: {gh_aw_workflows: force}\n");
    check("task-C17: force", repo.root, "a t ",
          ".github/workflows/a.md: skipped (.wm/tasks has a task of that name)\n");
}

// The id of a schedule is the path below the root, wherever the repository is.
static void test_same_cron_everywhere(void **state G_GNUC_UNUSED)
{
    g_auto(RepoFixture) one = repo_new(), two = repo_new();
    const RepoFixture *repos[] = { &one, &two };
    g_autofree char *here = g_get_current_dir();
    for (size_t i = 0; i < G_N_ELEMENTS(repos); i++) {
        repo_put(repos[i], ".wm/tasks/nightly.md", "---\non: {schedule: daily}\n---\n");
        assert_int_equal(chdir(repos[i]->root), 0);
        const char *roots[] = { repos[i]->root, ".", "./" };
        for (size_t j = 0; j < G_N_ELEMENTS(roots); j++) {
            g_autoptr(WmProject) project = NULL;
            assert_true(wm_project_load(roots[j], NULL, NULL, &project, NULL));
            g_autoptr(GPtrArray) crons = wm_task_crons(project->tasks->pdata[0], NULL, NULL);
            if (crons->len != 1 || strcmp(crons->pdata[0], "24 12 * * *") != 0)
                fail_msg("task-F20: %s", roots[j]);
        }
    }
    assert_int_equal(chdir(here), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_discovery), cmocka_unit_test(test_links),
        cmocka_unit_test(test_wanted),    cmocka_unit_test(test_many),
        cmocka_unit_test(test_bad_files), cmocka_unit_test(test_no_directory),
        cmocka_unit_test(test_gh_aw),     cmocka_unit_test(test_same_cron_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
