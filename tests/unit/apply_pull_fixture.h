/*
 * Scaffolding for tests of items that push: a checkout with an origin on this machine, on a branch
 * of its own, and an ApplyFixture as GitHub. Real git.
 */
#pragma once

#include "apply_fixture.h"
#include "base/str.h"
#include "git_fixture.h"

#include "wm/workspace/quarantine.h"

#define BRANCH "wm/x-1"
#define LIST   "GET /repos/o/r/pulls?state=open&head=o:wm%2Fx-1\n"
#define PULL                                                                                       \
    "{\"id\":9,\"number\":9,\"html_url\":\"https://h/pull/9\",\"title\":\"T\",\"created_at\":"     \
    "\"2999-01-01T00:00:00Z\",\"head\":{\"ref\":\"" BRANCH "\"},\"user\":{\"login\":\"me\"}}"
#define PULL_WITH_COMMITS                                                                          \
    "{\"number\":9,\"html_url\":\"https://h/pull/9\",\"title\":\"T\",\"head\":{\"ref\":\"" BRANCH  \
    "\",\"sha\":\"@HEAD@\"}}"
#define ITEM "{\"type\":\"create_pull_request\",\"title\":\"T\",\"body\":\"B\"}\n"
#define POST(draft)                                                                                \
    "POST /repos/o/r/pulls {\"title\":\"T\",\"body\":\"B\\n\\n<!-- wm-agent:x "                    \
    "-->\",\"head\":\"" BRANCH "\",\"base\":\"main\",\"draft\":" draft "}\n"
#define NONE                                                                                       \
    {                                                                                              \
        .request = "GET /repos/o/r/pulls?", .body = "[]"                                           \
    }
#define OPENED                                                                                     \
    {                                                                                              \
        .request = "POST /repos/o/r/pulls ", .status = 201, .body = PULL                           \
    }
#define APPLIED_9 "create_pull_request applied #9 https://h/pull/9"

typedef struct PullFixture {
    GitFixture *git;
    ApplyFixture *apply;
    char *head; // of the branch
    CannedAnswer *answers;
} PullFixture;

static inline void pull_fixture_clear(PullFixture *self)
{
    apply_fixture_free(self->apply);
    git_fixture_free(self->git);
    g_free(self->head);
    g_free(self->answers);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(PullFixture, pull_fixture_clear)

static inline void pull_write_file(const char *dir, const char *name, const char *text)
{
    g_autofree char *path = g_build_filename(dir, name, NULL);
    g_autofree char *parent = g_path_get_dirname(path);
    assert_int_equal(g_mkdir_with_parents(parent, 0700), 0);
    assert_true(g_file_set_contents(path, text, -1, NULL));
}

static inline void pull_make_branch(const char *work, const void *file)
{
    git_do(work, "checkout", "--quiet", "-b", BRANCH, NULL);
    if (file) {
        pull_write_file(work, file, "new\n");
        git_do(work, "add", "--force", ".", NULL);
        git_do(work, "commit", "--quiet", "-m", "work", NULL);
    }
}

/* A checkout on the branch, with a commit of this file (NULL: none). */
static inline PullFixture pull_fixture(const char *policy, const char *file,
                                       const CannedAnswer *answers, size_t count)
{
    g_autofree char *path = g_strdup(g_getenv("PATH"));
    g_autofree char *what = g_strconcat("branch ", file, NULL);
    PullFixture self = { .git = git_fixture_new_with(what, pull_make_branch, file) };
    const char *work = self.git->work;
    self.head = git_out(work, "rev-parse", "HEAD", NULL);
    self.answers = g_new0(CannedAnswer, count + 1);
    for (size_t i = 0; i < count; i++) { // @HEAD@ is that commit
        self.answers[i] = answers[i];
        g_autoptr(GString) body = g_string_new(answers[i].body);
        g_string_replace(body, "@HEAD@", self.head, 0);
        self.answers[i].body = answers[i].body ? g_intern_string(body->str) : NULL;
    }
    self.apply = apply_fixture_new(policy, self.answers, count);
    g_setenv("PATH", path, true);
    self.apply->apply.root = work;
    pull_write_file(self.apply->run_dir, "meta.json",
                    "{\"task_name\":\"x\",\"started_at\":\"2026-04-20T10:06:07Z\"}");
    return self;
}

/* As in the outputs job, where the event says what the default branch is. */
static inline void pull_quarantine(PullFixture *self, const char *work)
{
    g_autofree char *url = g_strconcat("file://", self->git->origin, NULL);
    json_t *repository = json_pack("{s:s}", "default_branch", "main");
    json_object_set_new(self->apply->event.payload, "repository", repository);
    self->apply->apply.is_quarantined = true;
    assert_true(wm_quarantine(work, url, NULL));
}

/* The branch on origin; "" when it is not there. Caller frees. */
static inline char *pull_pushed(const PullFixture *self, const char *branch)
{
    g_autofree char *ref = g_strconcat("refs/heads/", branch, NULL);
    return git_ok(self->git->origin, "rev-parse", "--verify", "--quiet", ref, NULL)
               ? git_out(self->git->origin, "rev-parse", ref, NULL)
               : g_strdup("");
}

typedef struct PullCase {
    const char *name, *policy, *item;
    const char *file;   // that is committed; NULL: nothing is
    const char *branch; // that is checked out instead; "" detached; NULL: the usual one
    CannedAnswer answers[7];
    const char *calls, *outputs, *error;
    bool is_pushed;
} PullCase;

static inline void pull_check(const PullCase *wanted)
{
    size_t count = 0;
    while (count < G_N_ELEMENTS(wanted->answers) && wanted->answers[count].request)
        count++;
    g_auto(PullFixture) fixture =
        pull_fixture(wanted->policy, wanted->file, wanted->answers, count);
    if (wanted->branch)
        git_do(fixture.git->work, "checkout", "--quiet",
               *wanted->branch != '\0' ? wanted->branch : "--detach", NULL);
    g_autoptr(GError) error = NULL;
    bool is_done = apply_fixture_run(fixture.apply, wanted->item, &error);
    g_autofree char *calls = apply_fixture_calls(fixture.apply);
    g_autofree char *outputs = apply_fixture_outputs(fixture.apply);
    g_autofree char *sha = pull_pushed(&fixture, BRANCH);
    if (is_done != (wanted->error == NULL) ||
        (error && !str_has_prefix(error->message, wanted->error)))
        fail_msg("%s: '%s'", wanted->name, error ? error->message : "it succeeds");
    if (strcmp(calls, wanted->calls) != 0)
        fail_msg("%s:\n%swant\n%s", wanted->name, calls, wanted->calls);
    if (wanted->outputs && strcmp(outputs, wanted->outputs) != 0)
        fail_msg("%s: '%s', want '%s'", wanted->name, outputs, wanted->outputs);
    if (strcmp(sha, wanted->is_pushed ? fixture.head : "") != 0)
        fail_msg("%s: pushed is '%s'", wanted->name, sha);
}

/* All cases of a table. */
#define RUN_CASES(cases)                                                                           \
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)                                               \
    pull_check(&(cases)[i])
