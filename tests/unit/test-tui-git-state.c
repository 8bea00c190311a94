/*
 * What the status line says of git: the parser, real repositories of every kind, what a hostile one
 * cannot do, and that it is looked at again when HEAD changes.
 */
#include "unit.h"

#include "git_fixture.h"

#include "base/fd.h"
#include "base/file.h"
#include "tui/view/git_state.h"

#include <sys/stat.h>

#define GUARD_MS (60 * 1000)

// ---- the parser ----

#define OID "1234567890abcdef1234567890abcdef12345678"

static void test_parse(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *output; // "|" stands for NUL
        const char *branch, *head;
        int staged, unstaged, untracked;
    } cases[] = {
        { "clean", "# branch.oid " OID "|# branch.head main|", "main", OID, 0, 0, 0 },
        { "unborn", "# branch.oid (initial)|# branch.head main|? a|", "main", NULL, 0, 0, 1 },
        { "detached", "# branch.oid " OID "|# branch.head (detached)|", "(1234567)", OID, 0, 0, 0 },
        { "detached, no commit", "# branch.oid (initial)|# branch.head (detached)|", NULL, NULL, 0,
          0, 0 },
        { "each kind",
          "# branch.head m|1 M. N... 100644 100644 100644 a b c.c|1 .M N... x|1 MM N... x|? new|"
          "? dir/|! ignored|u UU N... x|",
          "m", NULL, 2, 3, 2 },
        { "a renamed file has its old name behind it",
          "# branch.head m|2 R. N... 100644 R100 new|? old|? real|", "m", NULL, 1, 0, 1 },
        { "cut", "# branch.head m|1 M", "m", NULL, 0, 0, 0 },
        { "cut in a rename", "# branch.head m|2 R. N... new", "m", NULL, 1, 0, 0 },
        { "nothing", "", NULL, NULL, 0, 0, 0 },
        { "empty fields", "||||", NULL, NULL, 0, 0, 0 },
        { "no id", "# branch.oid 12;rm|# branch.head m|", "m", NULL, 0, 0, 0 },
        { "control characters", "# branch.head a\x1b[2Jb\nc|", "ab c", NULL, 0, 0, 0 },
        { "the last one counts", "# branch.head a|# branch.head b|", "b", NULL, 0, 0, 0 },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *output = g_strdup(cases[i].output);
        size_t size = strlen(output);
        g_strdelimit(output, "|", '\0');
        g_auto(GitFacts) facts = { 0 };
        git_facts_parse(output, size, &facts);
        if (g_strcmp0(facts.branch, cases[i].branch) != 0 ||
            g_strcmp0(facts.head, cases[i].head) != 0 || facts.staged != cases[i].staged ||
            facts.unstaged != cases[i].unstaged || facts.untracked != cases[i].untracked)
            fail_msg("%s: %s %s +%d *%d ?%d", cases[i].name, facts.branch, facts.head, facts.staged,
                     facts.unstaged, facts.untracked);
    }
}

// ---- repositories ----

typedef struct Watcher {
    Loop *loop;
    GitState *state;
    const char *wanted; // the loop ends when it says this
    bool has_come;
} Watcher;

static char *said(const GitState *state)
{
    const GitFacts *facts = git_state_facts(state);
    return g_strdup_printf("%s +%d *%d ?%d", facts->branch ? facts->branch : "none", facts->staged,
                           facts->unstaged, facts->untracked);
}

static void on_change(void *self_)
{
    Watcher *self = self_;
    g_autofree char *text = said(self->state);
    self->has_come = g_strcmp0(text, self->wanted) == 0;
    if (self->has_come)
        loop_quit(self->loop);
}

static void on_guard(void *loop)
{
    loop_quit(loop);
}

/* Runs the loop until the state says so. */
static void expect_said(Watcher *self, const char *name, const char *wanted)
{
    self->wanted = wanted;
    on_change(self);
    LoopSource *guard = loop_add_timer(self->loop, GUARD_MS, on_guard, self->loop);
    loop_run(self->loop);
    loop_remove(self->loop, guard);
    if (self->has_come)
        return;
    g_autofree char *text = said(self->state);
    fail_msg("%s: '%s' is wanted, got '%s'", name, wanted, text);
}

static void watcher_init(Watcher *self, const char *cwd)
{
    *self = (Watcher) { .loop = loop_new() };
    self->state = git_state_new(self->loop, cwd, on_change, self);
}

static void watcher_clear(Watcher *self)
{
    git_state_free(self->state);
    loop_free(self->loop);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Watcher, watcher_clear)

static void write_file(const char *dir, const char *name, const char *text)
{
    g_autofree char *path = g_build_filename(dir, name, NULL);
    assert_true(g_file_set_contents(path, text, -1, NULL));
}

static void test_counts(void **state G_GNUC_UNUSED)
{
    g_autoptr(GitFixture) fixture = git_fixture_new();
    write_file(fixture->work, "a.c", "one\n");
    write_file(fixture->work, "b.c", "one\n");
    git_do(fixture->work, "add", "a.c", "b.c", NULL);
    git_do(fixture->work, "commit", "--quiet", "-m", "files", NULL);
    g_autofree char *below = g_build_filename(fixture->work, "below", NULL);
    assert_int_equal(mkdir(below, 0700), 0);

    g_auto(Watcher) watcher;
    watcher_init(&watcher, below);
    expect_said(&watcher, "clean", "main +0 *0 ?0");
    write_file(fixture->work, "a.c", "two, longer\n");
    write_file(fixture->work, "c d.c", "new\n");
    git_do(fixture->work, "mv", "b.c", "e.c", NULL);
    git_state_refresh(watcher.state);
    git_state_refresh(watcher.state); // merged
    expect_said(&watcher, "after a tool", "main +1 *1 ?1");
}

static void test_head_changes(void **state G_GNUC_UNUSED)
{
    g_autoptr(GitFixture) fixture = git_fixture_new();
    g_auto(Watcher) watcher;
    watcher_init(&watcher, fixture->work);
    expect_said(&watcher, "at first", "main +0 *0 ?0");
    git_do(fixture->work, "checkout", "--quiet", "-b", "fix/login", NULL);
    expect_said(&watcher, "another branch", "fix/login +0 *0 ?0");
    git_do(fixture->work, "checkout", "--quiet", "--detach", NULL);
    g_autofree char *detached = g_strdup_printf("(%.7s) +0 *0 ?0", fixture->main_sha);
    expect_said(&watcher, "detached", detached);
    git_do(fixture->work, "checkout", "--quiet", "--orphan", "fresh", NULL);
    expect_said(&watcher, "unborn", "fresh +0 *0 ?0");
    assert_null(git_state_facts(watcher.state)->head);
}

/* HEAD of a work tree is not in its directory. */
static void test_work_tree(void **state G_GNUC_UNUSED)
{
    g_autoptr(GitFixture) fixture = git_fixture_new();
    g_autofree char *tree = g_build_filename(fixture->gh->dir, "tree", NULL);
    git_do(fixture->work, "worktree", "add", "--quiet", "-b", "side", tree, NULL);
    g_auto(Watcher) watcher;
    watcher_init(&watcher, tree);
    expect_said(&watcher, "at first", "side +0 *0 ?0");
    git_do(tree, "checkout", "--quiet", "-b", "other", NULL);
    expect_said(&watcher, "another branch", "other +0 *0 ?0");
}

/* A directory becomes a repository, and another one in its place. */
static void test_no_repository(void **state G_GNUC_UNUSED)
{
    g_autoptr(GitFixture) fixture = git_fixture_new();
    g_autofree char *dir = g_build_filename(fixture->gh->dir, "plain", NULL);
    g_autofree char *git = g_build_filename(dir, ".git", NULL);
    g_autofree char *old = g_build_filename(fixture->gh->dir, "old", NULL);
    assert_int_equal(mkdir(dir, 0700), 0);
    g_auto(Watcher) watcher;
    watcher_init(&watcher, dir);
    git_do(dir, "init", "--quiet", "-b", "young", NULL);
    git_state_refresh(watcher.state);
    expect_said(&watcher, "made", "young +0 *0 ?0");
    assert_int_equal(rename(git, old), 0);
    expect_said(&watcher, "gone", "none +-1 *-1 ?-1");
    git_do(dir, "init", "--quiet", "-b", "second", NULL);
    git_state_refresh(watcher.state);
    expect_said(&watcher, "made again", "second +0 *0 ?0");
    git_do(dir, "checkout", "--quiet", "--orphan", "third", NULL);
    expect_said(&watcher, "watched again", "third +0 *0 ?0");
}

/* More than can be counted: the branch is shown all the same. */
static void test_too_much(void **state G_GNUC_UNUSED)
{
    g_autoptr(GitFixture) fixture = git_fixture_new();
    git_fixture_wrap(fixture, "[ \"$sub\" != status ] || exec head -c 5000000 /dev/zero\n");
    g_auto(Watcher) watcher;
    watcher_init(&watcher, fixture->work);
    expect_said(&watcher, "too much", "main +-1 *-1 ?-1");
    assert_string_equal(git_state_facts(watcher.state)->head, fixture->main_sha);
    git_do(fixture->work, "checkout", "--quiet", "--detach", NULL);
    g_autofree char *detached = g_strdup_printf("(%.7s) +-1 *-1 ?-1", fixture->main_sha);
    expect_said(&watcher, "detached", detached);
}

/* A repository that names programs for everything that git does (common-S08). */
static void test_hostile(void **state G_GNUC_UNUSED)
{
    g_autoptr(GitFixture) fixture = git_fixture_new();
    g_autofree char *trap = g_build_filename(fixture->gh->dir, "trap", NULL);
    g_autofree char *log = g_build_filename(fixture->gh->dir, "sprung", NULL);
    g_autofree char *script = g_strdup_printf("#!/bin/sh\necho \"$0\" >>'%s'\nexec cat\n", log);
    write_file(fixture->work, "a.txt", "one\n");
    write_file(fixture->work, ".gitattributes", "*.txt filter=x\n");
    git_do(fixture->work, "add", ".", NULL);
    git_do(fixture->work, "commit", "--quiet", "-m", "files", NULL);
    write_file(fixture->work, "a.txt", "two\n");
    write_file(fixture->gh->dir, "trap", script);
    assert_int_equal(chmod(trap, 0755), 0);
    static const char *const keys[] = { "core.fsmonitor", "filter.x.clean", "filter.x.process",
                                        "core.pager", "core.hooksPath" };
    for (size_t i = 0; i < G_N_ELEMENTS(keys); i++)
        git_do(fixture->work, "config", keys[i], trap, NULL);
    git_ok(fixture->work, "status", NULL);
    assert_int_equal(access(log, F_OK), 0); // the traps work
    assert_int_equal(unlink(log), 0);
    write_file(fixture->work, "a.txt", "six\n");

    g_auto(Watcher) watcher;
    watcher_init(&watcher, fixture->work);
    expect_said(&watcher, "hostile", "main +0 *1 ?0");
    assert_int_not_equal(access(log, F_OK), 0);
}

/* It ends while a look is on. */
static void test_free_early(void **state G_GNUC_UNUSED)
{
    g_autoptr(GitFixture) fixture = git_fixture_new();
    git_fixture_wrap(fixture, "[ \"$sub\" != status ] || exec sleep 1000\n");
    g_auto(Watcher) watcher;
    watcher_init(&watcher, fixture->work);
    git_state_refresh(watcher.state);
    assert_null(git_state_facts(watcher.state)->branch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parse),         cmocka_unit_test(test_counts),
        cmocka_unit_test(test_head_changes),  cmocka_unit_test(test_work_tree),
        cmocka_unit_test(test_no_repository), cmocka_unit_test(test_too_much),
        cmocka_unit_test(test_hostile),       cmocka_unit_test(test_free_early),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
