/*
 * Repositories for tests, made with the real git; see git_fixture.h.
 */
#include "unit.h"

#include "git_fixture.h"

#include "base/file.h"
#include "base/proc.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define REUSED                                                                                     \
    "Compared with PR head: up to date\nWorktree state: clean\n\n"                                 \
    "Reused the existing PR worktree."

static bool git_spawn(const char *dir, va_list words, char **ret_output)
{
    g_autoptr(GPtrArray) argv = g_ptr_array_new();
    g_ptr_array_add(argv, (char *)"git");
    for (char *word = va_arg(words, char *); word; word = va_arg(words, char *))
        g_ptr_array_add(argv, word);
    g_ptr_array_add(argv, NULL);

    const ProcSpec spec = {
        .argv = (const char *const *)argv->pdata,
        .cwd = dir,
        .timeout_ms = 30 * 1000,
        .max_output_bytes = 1024 * 1024,
        .has_own_stderr = true,
    };
    g_auto(ProcResult) result = { 0 };
    g_autoptr(GError) error = NULL;
    if (!proc_run(&spec, NULL, &result, &error))
        fail_msg("git %s: %s", (char *)argv->pdata[1], error->message);
    *ret_output =
        g_strdup(g_strstrip(result.exit_status == 0 ? result.output : result.error_output));
    return result.exit_status == 0;
}

char *git_out(const char *dir, ...)
{
    va_list words;
    va_start(words, dir);
    g_autofree char *output = NULL;
    bool is_ok = git_spawn(dir, words, &output);
    va_end(words);
    if (!is_ok)
        fail_msg("git in %s: %s", dir, output);
    return g_steal_pointer(&output);
}

void git_do(const char *dir, ...)
{
    va_list words;
    va_start(words, dir);
    g_autofree char *output = NULL;
    bool is_ok = git_spawn(dir, words, &output);
    va_end(words);
    if (!is_ok)
        fail_msg("git in %s: %s", dir, output);
}

bool git_ok(const char *dir, ...)
{
    va_list words;
    va_start(words, dir);
    g_autofree char *output = NULL;
    bool is_ok = git_spawn(dir, words, &output);
    va_end(words);
    return is_ok;
}

char *git_commit(const char *dir, const char *message)
{
    git_do(dir, "commit", "--quiet", "--allow-empty", "-m", message, NULL);
    return git_out(dir, "rev-parse", "HEAD", NULL);
}

// ---- repositories that are made once and copied ----

typedef struct Kept {
    char *dir; // of the copies that are kept
    char *main_sha, *dst_sha, *moon_sha;
} Kept;

static GHashTable *kept_repositories; // what they hold → Kept
static char *kept_root;

static void kept_remove(void)
{
    file_remove_tree(kept_root, NULL);
}

static void copy_file(const char *from, const char *to)
{
    struct stat status;
    g_autofree char *data = NULL;
    gsize size = 0;
    g_assert_cmpint(lstat(from, &status), ==, 0);
    if (S_ISLNK(status.st_mode)) {
        g_autofree char *target = g_file_read_link(from, NULL);
        g_assert_cmpint(symlink(target, to), ==, 0);
        return;
    }
    g_assert_true(g_file_get_contents(from, &data, &size, NULL));
    g_assert_true(g_file_set_contents_full(to, data, (gssize)size, G_FILE_SET_CONTENTS_NONE,
                                           (int)(status.st_mode & 0777), NULL));
}

/* With all below it. */
static void copy_tree(const char *from, const char *to)
{
    g_autoptr(GDir) dir = g_dir_open(from, 0, NULL);
    g_assert_nonnull(dir);
    g_assert_cmpint(g_mkdir_with_parents(to, 0755), ==, 0);
    for (const char *name = g_dir_read_name(dir); name; name = g_dir_read_name(dir)) {
        g_autofree char *source = g_build_filename(from, name, NULL);
        g_autofree char *target = g_build_filename(to, name, NULL);
        if (g_file_test(source, G_FILE_TEST_IS_DIR) && !g_file_test(source, G_FILE_TEST_IS_SYMLINK))
            copy_tree(source, target);
        else
            copy_file(source, target);
    }
}

/* The three repositories, from below `from` to below `to`; the checkout's origin is there, too. */
static void copy_repositories(const char *from, const char *to)
{
    static const char *const names[] = { "origin.git", "fork.git", "src" };
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autofree char *source = g_build_filename(from, names[i], NULL);
        g_autofree char *target = g_build_filename(to, names[i], NULL);
        copy_tree(source, target);
    }
    g_autofree char *path = g_build_filename(to, "src", "app", ".git", "config", NULL);
    g_autofree char *text = NULL;
    g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
    g_auto(GStrv) parts = g_strsplit(text, from, -1);
    g_autofree char *moved = g_strjoinv(to, parts);
    g_assert_true(g_file_set_contents(path, moved, -1, NULL));
}

static void keep_repositories(const GitFixture *self, const char *what)
{
    if (!kept_repositories) {
        kept_repositories = g_hash_table_new(g_str_hash, g_str_equal);
        kept_root = g_dir_make_tmp("kedge-git-XXXXXX", NULL);
        atexit(kept_remove);
    }
    Kept *kept = g_new0(Kept, 1);
    kept->dir = g_strdup_printf("%s/%u", kept_root, g_hash_table_size(kept_repositories));
    kept->main_sha = g_strdup(self->main_sha);
    kept->dst_sha = g_strdup(self->dst_sha);
    kept->moon_sha = g_strdup(self->moon_sha);
    copy_repositories(self->gh->dir, kept->dir);
    g_hash_table_insert(kept_repositories, g_strdup(what), kept);
}

static void make_repositories(GitFixture *self)
{
    const char *dir = self->gh->dir;
    git_do(dir, "init", "--quiet", "--bare", self->origin, NULL);
    git_do(dir, "init", "--quiet", "--bare", self->fork, NULL);
    git_do(dir, "init", "--quiet", self->work, NULL);
    self->main_sha = git_commit(self->work, "first");
    git_do(self->work, "checkout", "--quiet", "-b", "tmp", NULL);
    self->dst_sha = git_commit(self->work, "fix dst");
    git_do(self->work, "push", "--quiet", self->origin, "main:refs/heads/main",
           "tmp:refs/heads/fix/dst", NULL);
    self->moon_sha = git_commit(self->work, "moon phase");
    git_do(self->work, "push", "--quiet", self->fork, "tmp:refs/heads/moon", NULL);
    git_do(self->work, "checkout", "--quiet", "main", NULL);
    git_do(self->work, "branch", "--quiet", "-D", "tmp", NULL);
    git_do(self->work, "remote", "add", "origin", self->origin, NULL);
}

GitFixture *git_fixture_new(void)
{
    return git_fixture_new_with("", NULL, NULL);
}

GitFixture *git_fixture_new_with(const char *what, GitPrepare *prepare, const void *data)
{
    GitFixture *self = g_new0(GitFixture, 1);
    self->gh = gh_fixture_new();
    const char *dir = self->gh->dir;
    g_autofree char *config = g_build_filename(dir, "gitconfig", NULL);
    g_assert_true(g_file_set_contents(config,
                                      "[user]\n\tname = Test\n\temail = test@example.com\n"
                                      "[init]\n\tdefaultBranch = main\n[gc]\n\tauto = 0\n"
                                      "[maintenance]\n\tauto = false\n",
                                      -1, NULL));
    g_setenv("GIT_CONFIG_GLOBAL", config, true);
    self->origin = g_build_filename(dir, "origin.git", NULL);
    self->fork = g_build_filename(dir, "fork.git", NULL);
    self->work = g_build_filename(dir, "src", "app", NULL);

    const Kept *kept = kept_repositories ? g_hash_table_lookup(kept_repositories, what) : NULL;
    if (kept) {
        copy_repositories(kept->dir, dir);
        self->main_sha = g_strdup(kept->main_sha);
        self->dst_sha = g_strdup(kept->dst_sha);
        self->moon_sha = g_strdup(kept->moon_sha);
    } else if (!prepare) {
        make_repositories(self);
        keep_repositories(self, what);
    } else {
        git_fixture_free(self);
        self = git_fixture_new();
        prepare(self->work, data);
        keep_repositories(self, what);
    }
    g_free(self->gh->cwd);
    self->gh->cwd = g_strdup(self->work);
    return self;
}

void git_fixture_free(GitFixture *self)
{
    if (!self)
        return;
    g_unsetenv("GIT_CONFIG_GLOBAL");
    gh_fixture_free(self->gh);
    g_free(self->origin);
    g_free(self->fork);
    g_free(self->work);
    g_free(self->main_sha);
    g_free(self->dst_sha);
    g_free(self->moon_sha);
    g_free(self);
}

void git_fixture_alias(const char *url, const char *path)
{
    g_autofree char *key = g_strdup_printf("url.%s.insteadOf", path);
    git_do("/", "config", "--global", "--add", key, url, NULL);
}

char *git_fixture_worktree(const GitFixture *self, int number)
{
    g_autofree char *encoded = g_strdelimit(g_strdup(self->work + 1), "/", '-');
    return g_strdup_printf("%s/.kedge/wt/%s/pr-%d", self->gh->home, encoded, number);
}

char *git_fixture_pr(int number, const char *head_ref, const char *head_oid, bool is_cross,
                     const char *head_owner, const char *head_repository)
{
    return g_strdup_printf(
        "{\"baseRefName\":\"trunk\",\"headRefName\":\"%s\",\"headRefOid\":\"%s\","
        "\"headRepository\":%s,\"headRepositoryOwner\":%s,\"isCrossRepository\":%s,"
        "\"maintainerCanModify\":%s,\"number\":%d,\"title\":\"%s\","
        "\"url\":\"https://github.com/harbor/tidepool/pull/%d\"}",
        head_ref, head_oid, head_repository, head_owner, is_cross ? "true" : "false",
        is_cross ? "true" : "false", number, is_cross ? "Add moon phase" : "Fix DST drift", number);
}

void git_fixture_reply_90(GitFixture *self)
{
    g_autofree char *pr =
        git_fixture_pr(90, "fix/dst", self->dst_sha, false, "{\"login\":\"harbor\"}",
                       "{\"id\":\"R_1\",\"name\":\"tidepool\"}");
    gh_fixture_reply(self->gh, &(GhReply) { .match = "pr view 90 *", .out = pr });
}

void git_fixture_reply_93(GitFixture *self)
{
    g_autofree char *pr = git_fixture_pr(93, "moon", self->moon_sha, true, "{\"login\":\"lindq\"}",
                                         "{\"id\":\"R_2\",\"name\":\"tidepool\"}");
    gh_fixture_reply(self->gh, &(GhReply) { .match = "pr view 93 *", .out = pr });
}

void git_fixture_reply_fork(GitFixture *self, const char *ssh_url, const char *url)
{
    g_autofree char *out = g_strdup_printf(
        "{\"nameWithOwner\":\"lindq/tidepool\",\"sshUrl\":\"%s\",\"url\":\"%s\"}", ssh_url, url);
    gh_fixture_reply(self->gh, &(GhReply) { .match = "repo view lindq/tidepool *", .out = out });
}

void git_fixture_wrap(GitFixture *self, const char *script)
{
    g_autofree char *real = proc_find_program("git");
    g_autofree char *path = g_build_filename(self->gh->bin, "git", NULL);
    g_autofree char *log = g_build_filename(self->gh->dir, "git-log", NULL);
    g_autofree char *text = g_strdup_printf("#!/bin/sh\n"
                                            "log='%s'\n"
                                            "sub=\n"
                                            "skip=\n"
                                            "for a in \"$@\"; do\n"
                                            "  if [ -n \"$skip\" ]; then skip=; continue; fi\n"
                                            "  case $a in -c) skip=1 ;; *) sub=$a; break ;; esac\n"
                                            "done\n"
                                            "real='%s'\n"
                                            "%s\n"
                                            "exec \"$real\" \"$@\"\n",
                                            log, real, script);
    g_assert_true(g_file_set_contents(path, text, -1, NULL));
    assert_int_equal(chmod(path, 0755), 0);
}

char *git_fixture_log(const GitFixture *self)
{
    g_autofree char *path = g_build_filename(self->gh->dir, "git-log", NULL);
    char *text = NULL;
    return file_read(path, 1024 * 1024, &text, NULL, NULL) ? text : g_strdup("");
}

/* The text of github-tool §3.4 for pull request 90 of the same repository. Caller frees. */
char *checkout_text_90(const GitFixture *fixture, bool is_reused)
{
    g_autofree char *path = git_fixture_worktree(fixture, 90);
    return g_strdup_printf(
        "%s\n\nTitle: Fix DST drift\n"
        "URL: https://github.com/harbor/tidepool/pull/90\n"
        "Base: trunk\nHead: fix/dst\nLocal branch: pr-90\nWorktree: %s\n"
        "Remote: origin\nRemote URL: %s\nCross repository: false\n"
        "Maintainer can modify: false\n%s%s",
        is_reused ? "# Pull Request #90 Worktree" : "# Checked Out Pull Request #90", path,
        fixture->origin, is_reused ? "" : "\n", is_reused ? REUSED : CHECKOUT_CREATED);
}

char *checkout_text_93(const GitFixture *fixture, const char *remote, const char *url,
                       bool is_reused)
{
    g_autofree char *path = git_fixture_worktree(fixture, 93);
    return g_strdup_printf(
        "%s\n\nTitle: Add moon phase\n"
        "URL: https://github.com/harbor/tidepool/pull/93\n"
        "Base: trunk\nHead: moon\nLocal branch: pr-93\nWorktree: %s\n"
        "Remote: %s\nRemote URL: %s\nCross repository: true\n"
        "Maintainer can modify: true\n%s%s",
        is_reused ? "# Pull Request #93 Worktree" : "# Checked Out Pull Request #93", path, remote,
        url, is_reused ? "" : "\n", is_reused ? REUSED : CHECKOUT_CREATED);
}

void checkout_expect(const char *name, GitFixture *fixture, const char *arguments, const char *want)
{
    g_auto(ToolResult) result = gh_fixture_call(fixture->gh, arguments);
    gh_expect_text(name, &result, want);
}

void checkout_expect_failure(const char *name, GitFixture *fixture, const char *arguments,
                             const char *want)
{
    g_auto(ToolResult) result = gh_fixture_call(fixture->gh, arguments);
    gh_expect_error(name, &result, want);
}

void git_expect_config(const char *name, const char *dir, const char *key, const char *want)
{
    g_autofree char *got = git_out(dir, "config", "--get", key, NULL);
    if (strcmp(got, want) != 0)
        fail_msg("%s: %s is '%s', want '%s'", name, key, got, want);
}

void git_expect_head(const char *name, const char *dir, const char *want)
{
    g_autofree char *got = git_out(dir, "rev-parse", "HEAD", NULL);
    if (strcmp(got, want) != 0)
        fail_msg("%s: %s is at %s, want %s", name, dir, got, want);
}

void git_fixture_use_origin(GitFixture *self, const char *url)
{
    git_fixture_alias(url, self->origin);
    git_do(self->work, "remote", "set-url", "origin", url, NULL);
}
