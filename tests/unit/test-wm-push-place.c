/*
 * wm/workspace/push_place.c: from where a run pushes after an agent has been in its checkout
 * (task-engine §9.3 rule 8). Real git; what runs there or does not, tests/attack/agent.sh shows.
 */
#include "unit.h"

#include "git_fixture.h"

#include "base/file.h"
#include "wm/workspace/push_place.h"

/* What an agent may do: a commit on a branch of its own, and other places to push to. */
static char *let_agent_work(const GitFixture *fixture)
{
    const char *work = fixture->work;
    git_do(work, "checkout", "--quiet", "-b", "wm/x", NULL);
    char *sha = git_commit(work, "work of an agent");
    g_autofree char *instead = g_strconcat("url.", fixture->fork, ".insteadOf", NULL);
    git_do(work, "config", instead, fixture->origin, NULL);
    git_do(work, "config", "remote.origin.pushurl", fixture->fork, NULL);
    git_do(work, "update-ref", "refs/remotes/origin/main", sha, NULL);
    return sha;
}

static WmPushPlace noted(const WmGit *git)
{
    WmPushPlace place = { 0 };
    g_autoptr(GError) error = NULL;
    if (!wm_push_place_note(git, NULL, NULL, &place, &error))
        fail_msg("%s", error->message);
    return place;
}

static void make(WmPushPlace *place)
{
    g_autoptr(GError) error = NULL;
    if (!wm_push_place_make(place, NULL, &error))
        fail_msg("%s", error->message);
}

static void expect_ref(const WmPushPlace *place, const char *ref, const char *want)
{
    g_autofree char *have = git_out(place->clone, "rev-parse", ref, NULL);
    if (strcmp(have, want) != 0)
        fail_msg("%s: %s, want %s", ref, have, want);
}

static void test_clone(void **state G_GNUC_UNUSED)
{
    g_autoptr(GitFixture) fixture = git_fixture_new();
    const WmGit git = { .root = fixture->work };
    git_do(fixture->work, "fetch", "--quiet", "origin", NULL);
    g_autofree char *base = git_out(fixture->work, "rev-parse", "origin/main", NULL);
    g_autofree char *url = git_out(fixture->work, "remote", "get-url", "origin", NULL);
    g_auto(WmPushPlace) place = noted(&git);
    assert_true(place.is_short);
    assert_string_equal(place.branch, "main");
    g_autofree char *sha = let_agent_work(fixture);

    make(&place);
    expect_ref(&place, "HEAD", sha);
    expect_ref(&place, "refs/remotes/origin/main", base); // not what the agent says
    g_autofree char *branch = git_out(place.clone, "symbolic-ref", "HEAD", NULL);
    assert_string_equal(branch, "refs/heads/wm/x");
    g_autofree char *there = git_out(place.clone, "remote", "get-url", "--push", "origin", NULL);
    assert_string_equal(there, url);
    g_autofree char *hooks = g_build_filename(place.clone, ".git", "hooks", NULL);
    assert_false(file_exists(hooks));

    const WmGit ours = { .root = place.clone };
    g_autoptr(GError) error = NULL;
    if (!wm_git_push(&ours, "HEAD:refs/heads/wm/x", true, NULL, NULL, &error))
        fail_msg("%s", error->message);
    g_autofree char *pushed = git_out(fixture->origin, "rev-parse", "refs/heads/wm/x", NULL);
    assert_string_equal(pushed, sha);
    assert_false(git_ok(fixture->fork, "rev-parse", "--verify", "refs/heads/wm/x", NULL));

    wm_push_place_tell(&place, "wm/x", true, NULL);
    g_autofree char *upstream =
        git_out(fixture->work, "rev-parse", "--symbolic-full-name", "@{upstream}", NULL);
    assert_string_equal(upstream, "refs/remotes/origin/wm/x");
    g_autofree char *dir = g_strdup(place.dir);
    wm_push_place_clear(&place);
    assert_false(file_exists(dir));
}

static void test_on_no_branch(void **state G_GNUC_UNUSED)
{
    g_autoptr(GitFixture) fixture = git_fixture_new();
    const WmGit git = { .root = fixture->work };
    g_auto(WmPushPlace) place = noted(&git);
    git_do(fixture->work, "checkout", "--quiet", "--detach", NULL);
    g_autofree char *sha = git_commit(fixture->work, "on no branch");
    make(&place);
    expect_ref(&place, "HEAD", sha);
    assert_false(git_ok(place.clone, "symbolic-ref", "--quiet", "HEAD", NULL));
}

/* Local commits that origin does not have are pushed, too: the history is whole. */
static void test_older_base(void **state G_GNUC_UNUSED)
{
    g_autoptr(GitFixture) fixture = git_fixture_new();
    const char *work = fixture->work;
    g_autofree char *old = git_out(work, "rev-parse", "HEAD", NULL);
    g_autofree char *newer G_GNUC_UNUSED = git_commit(work, "newer");
    git_do(work, "push", "--quiet", "origin", "HEAD:main", NULL);
    git_do(work, "checkout", "--quiet", "-b", "older", old, NULL);
    const WmGit git = { .root = work };
    g_auto(WmPushPlace) place = noted(&git);
    assert_false(place.is_short);
    g_autofree char *sha = git_commit(work, "from an older commit");
    make(&place);
    expect_ref(&place, "HEAD", sha);
    g_autofree char *fork = git_out(place.clone, "merge-base", "origin/main", "HEAD", NULL);
    assert_string_equal(fork, old);
}

static void test_late(void **state G_GNUC_UNUSED)
{
    g_autoptr(GitFixture) fixture = git_fixture_new();
    const WmGit git = { .root = fixture->work };
    g_autofree char *url = git_out(fixture->work, "config", "remote.origin.url", NULL);
    g_autofree char *sha = let_agent_work(fixture);
    g_auto(WmPushPlace) place = { 0 };
    assert_true(wm_push_place_note_late(&git, NULL, "main", NULL, &place, NULL));
    assert_string_equal(place.url, url); // neither pushurl nor insteadOf
    assert_null(place.base);
    make(&place);
    expect_ref(&place, "HEAD", sha);
    assert_false(git_ok(place.clone, "rev-parse", "--verify", "refs/remotes/origin/main", NULL));
}

static void test_refused(void **state G_GNUC_UNUSED)
{
    g_autoptr(GitFixture) fixture = git_fixture_new();
    const WmGit git = { .root = fixture->work };
    g_auto(WmPushPlace) place = noted(&git);
    g_autofree char *head = g_build_filename(fixture->work, ".git", "HEAD", NULL);
    assert_true(g_file_set_contents(head, "ref: refs/heads/-x\n", -1, NULL));
    g_autoptr(GError) error = NULL;
    assert_false(wm_push_place_make(&place, NULL, &error));
    assert_non_null(strstr(error->message, "cannot take what the agent committed"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clone),      cmocka_unit_test(test_on_no_branch),
        cmocka_unit_test(test_older_base), cmocka_unit_test(test_late),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
