/*
 * The branch of a run, with real git: when one is made, and how it is called.
 */
#include "base/str.h"
#include "unit.h"

#include "base/file.h"
#include "base/path.h"
#include "wm/workspace/feature_branch.h"

#include <stdarg.h>

typedef struct Place {
    char *root;
    WmGit git;
} Place;

static char *git(const Place *place, const char *first, ...) G_GNUC_NULL_TERMINATED;

/* Trimmed output; caller frees. */
static char *git(const Place *place, const char *first, ...)
{
    g_autoptr(GPtrArray) args = g_ptr_array_new();
    va_list rest;
    va_start(rest, first);
    for (const char *arg = first; arg; arg = va_arg(rest, const char *))
        g_ptr_array_add(args, (char *)arg);
    va_end(rest);
    g_ptr_array_add(args, NULL);
    char *output = NULL;
    g_autoptr(GError) error = NULL;
    if (!wm_git(&place->git, (const char *const *)args->pdata, 0, NULL, &output, &error))
        fail_msg("%s", error->message);
    return output;
}

#define GIT(...) g_free(git(__VA_ARGS__, NULL))

static int set_up(void **state)
{
    g_autofree char *made = g_dir_make_tmp("kedge-branch-XXXXXX", NULL);
    Place *self = g_new0(Place, 1);
    self->root = path_real(made);
    self->git.root = self->root;
    g_setenv("GIT_CONFIG_GLOBAL", "/dev/null", TRUE);
    g_setenv("GIT_CONFIG_NOSYSTEM", "1", TRUE);
    GIT(self, "init", "-q", "-b", "main");
    GIT(self, "config", "user.name", "a");
    GIT(self, "config", "user.email", "a@example.com");
    GIT(self, "commit", "-q", "--allow-empty", "-m", "first");
    *state = self;
    return 0;
}

static int tear_down(void **state)
{
    Place *self = *state;
    file_remove_tree(self->root, NULL);
    g_free(self->root);
    g_free(self);
    return 0;
}

#define AT 1776679567000 // 2026-04-20T10:06:07Z

typedef struct Prepared {
    char *name, *previous;
} Prepared;

static void prepared_clear(Prepared *self)
{
    g_free(self->name);
    g_free(self->previous);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Prepared, prepared_clear)

static void prepare(const Place *place, const WmBranchWish *wish, Prepared *ret)
{
    g_autoptr(GError) error = NULL;
    if (!wm_branch_prepare(&place->git, wish, NULL, &ret->name, &ret->previous, &error))
        fail_msg("%s", error->message);
}

static void test_new_one(void **state) // task-R12, task-R30
{
    const Place *place = *state;
    const WmBranchWish wish = { .task_name = "My Task", .at_ms = AT };
    static const char *const names[] = { "wm/my-task-20260420-100607",
                                         "wm/my-task-20260420-100607-2",
                                         "wm/my-task-20260420-100607-3" };
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        g_auto(Prepared) branch = { 0 };
        prepare(place, &wish, &branch);
        assert_string_equal(branch.name, names[i]);
        assert_string_equal(branch.previous, "main");
        g_autofree char *current = git(place, "symbolic-ref", "--short", "HEAD", NULL);
        assert_string_equal(current, names[i]);
        GIT(place, "checkout", "-q", "main");
    }
}

/* Ten runs of one second get a branch each, and so do many more. */
static void test_many_of_one_second(void **state)
{
    const Place *place = *state;
    g_autofree char *commit = git(place, "rev-parse", "HEAD", NULL);
    g_autoptr(GString) refs = g_string_new("# pack-refs with: peeled fully-peeled sorted \n");
    static const int counts[] = { 10, 98, 99 };
    for (size_t i = 0; i < G_N_ELEMENTS(counts); i++) {
        g_string_truncate(refs, 0);
        g_string_append_printf(refs, "%s refs/heads/wm/x-20260420-100607\n", commit);
        for (int n = 2; n <= counts[i]; n++)
            g_string_append_printf(refs, "%s refs/heads/wm/x-20260420-100607-%d\n", commit, n);
        g_autofree char *path = g_build_filename(place->root, ".git/packed-refs", NULL);
        assert_true(g_file_set_contents(path, refs->str, -1, NULL));
        g_autoptr(GError) error = NULL;
        g_autofree char *name = NULL;
        g_autofree char *want = g_strdup_printf("wm/x-20260420-100607-%d", counts[i] + 1);
        if (wm_branch_make(&place->git, "x", AT, commit, NULL, &name, &error)) {
            assert_string_equal(name, want);
            GIT(place, "update-ref", "-d", "refs/heads/wm/x-20260420-100607-11");
        } else {
            assert_int_equal(counts[i], 99);
            assert_true(str_has_prefix(error->message, "git branch wm/x-20260420-100607: "));
        }
    }
    g_autofree char *current = git(place, "symbolic-ref", "--short", "HEAD", NULL);
    assert_string_equal(current, "main"); // nothing was checked out
}

static void test_which_are_kept(void **state) // task-R13
{
    const Place *place = *state;
    GIT(place, "branch", "feat/x");
    GIT(place, "branch", "develop");
    static const struct {
        const char *current, *of_payload, *base;
        bool is_new;
    } cases[] = {
        { "feat/x", NULL, NULL, false },      { "main", NULL, NULL, true },
        { "main", "develop", NULL, false }, // whoever says what the default is decides
        { "develop", "develop", NULL, true }, { "develop", NULL, "develop", true },
        { "main", NULL, "develop", true }, // the default branch is not worked on either
        { "main", "-bad", NULL, true },    // no name: the next source counts
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        GIT(place, "checkout", "-q", cases[i].current);
        const WmBranchWish wish = { .task_name = "x",
                                    .of_payload = cases[i].of_payload,
                                    .base = cases[i].base,
                                    .at_ms = AT + (gint64)i * 1000 };
        g_auto(Prepared) branch = { 0 };
        prepare(place, &wish, &branch);
        if ((strcmp(branch.name, branch.previous) != 0) != cases[i].is_new)
            fail_msg("case %zu: on %s", i, branch.name);
        assert_string_equal(branch.previous, cases[i].current);
    }
}

static void test_detached(void **state)
{
    const Place *place = *state;
    GIT(place, "checkout", "-q", "--detach");
    const WmBranchWish wish = { .task_name = "x", .at_ms = AT };
    g_auto(Prepared) branch = { 0 };
    prepare(place, &wish, &branch);
    assert_string_equal(branch.name, "wm/x-20260420-100607");
    assert_string_equal(branch.previous, "HEAD");
}

static void test_what_fails(void **state)
{
    const Place *place = *state;
    g_autoptr(GError) error = NULL;
    Prepared branch = { 0 };
    const WmBranchWish bad = { .task_name = "x", .base = "a..b", .at_ms = AT };
    assert_false(
        wm_branch_prepare(&place->git, &bad, NULL, &branch.name, &branch.previous, &error));
    assert_non_null(strstr(error->message, "\"a..b\" is no name of a branch"));
    g_clear_error(&error);

    const WmGit nowhere = { .root = "/" };
    const WmBranchWish wish = { .task_name = "x", .at_ms = AT };
    assert_false(wm_branch_prepare(&nowhere, &wish, NULL, &branch.name, &branch.previous, &error));
    assert_true(str_has_prefix(error->message, "git current branch: "));
    g_clear_error(&error);

    g_autoptr(Cancel) cancel = cancel_new(NULL);
    cancel_fire(cancel);
    assert_false(
        wm_branch_prepare(&place->git, &wish, cancel, &branch.name, &branch.previous, &error));
    assert_true(error_is(error, KEDGE_ERROR_CANCELLED));
    assert_null(branch.name);
}

#define PLACED(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        PLACED(test_new_one),  PLACED(test_many_of_one_second), PLACED(test_which_are_kept),
        PLACED(test_detached), PLACED(test_what_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
