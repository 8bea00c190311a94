/*
 * Scaffolding for tests that need real git: a GhFixture with a bare repository `origin`, a checkout
 * of it on branch main, and a bare `fork`. origin has the branch fix/dst (the head of pull request
 * 90), the fork has the branch moon (the head of 93). The user's git configuration is a private
 * file.
 */
#pragma once

#include "gh_fixture.h"

#define CHECKOUT_CREATED                                                                           \
    "Created a dedicated worktree for this PR and configured the local branch to push back to "    \
    "the PR head branch."

#define SSH_ORIGIN "git@github.com:harbor/tidepool.git"
#define SSH_FORK   "git@github.com:lindq/tidepool.git"
#define WEB_ORIGIN "https://github.com/harbor/tidepool.git"
#define WEB_FORK   "https://github.com/lindq/tidepool"

typedef struct GitFixture {
    GhFixture *gh;
    char *origin; // bare
    char *fork;   // bare
    char *work;   // checkout of origin, on main
    char *main_sha, *dst_sha, *moon_sha;
} GitFixture;

GitFixture *git_fixture_new(void);

/* Changes the checkout `work`, which is as after git_fixture_new(). */
typedef void GitPrepare(const char *work, const void *data);
/* With that change, which is made once in a program for each `what`, and copied. */
GitFixture *git_fixture_new_with(const char *what, GitPrepare *prepare, const void *data);
void git_fixture_free(GitFixture *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(GitFixture, git_fixture_free)

/* Runs git in `dir`; the words end with NULL. Must succeed. Trimmed stdout; caller frees. */
char *git_out(const char *dir, ...) G_GNUC_NULL_TERMINATED;
/* The same without an answer. */
void git_do(const char *dir, ...) G_GNUC_NULL_TERMINATED;
bool git_ok(const char *dir, ...) G_GNUC_NULL_TERMINATED;
/* An empty commit on the checked-out branch; returns its id. Caller frees. */
char *git_commit(const char *dir, const char *message);

/* Makes git take `url` for the repository at `path`. */
void git_fixture_alias(const char *url, const char *path);
/* <home>/.kedge/wt/<enc(work)>/pr-<number>. Caller frees. */
char *git_fixture_worktree(const GitFixture *self, int number);

/* gh's answer to `pr view`. `head_repository` is JSON text of the key's value. Caller frees. */
char *git_fixture_pr(int number, const char *head_ref, const char *head_oid, bool is_cross,
                     const char *head_owner, const char *head_repository);
/* One answer each, for pull requests 90 and 93 as above, and for the fork's `repo view`. */
void git_fixture_reply_90(GitFixture *self);
void git_fixture_reply_93(GitFixture *self);
void git_fixture_reply_fork(GitFixture *self, const char *ssh_url, const char *url);

/* Puts a wrapper first on PATH that runs `script` (shell text; "$sub" is the subcommand, "$log" a
   file) and then the real git. */
void git_fixture_wrap(GitFixture *self, const char *script);
/* What the wrapper wrote to "$log"; "" when nothing. Caller frees. */
char *git_fixture_log(const GitFixture *self);

/* origin gets `url`, which leads to the same repository. */
void git_fixture_use_origin(GitFixture *self, const char *url);

/* The texts of github-tool §3.4 for the two pull requests. Callers free. */
char *checkout_text_90(const GitFixture *fixture, bool is_reused);
char *checkout_text_93(const GitFixture *fixture, const char *remote, const char *url,
                       bool is_reused);

/* These fail the test, naming the case. */
void checkout_expect(const char *name, GitFixture *fixture, const char *arguments,
                     const char *want);
void checkout_expect_failure(const char *name, GitFixture *fixture, const char *arguments,
                             const char *want);
void git_expect_config(const char *name, const char *dir, const char *key, const char *want);
void git_expect_head(const char *name, const char *dir, const char *want);
