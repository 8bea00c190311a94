/*
 * wm/apply/apply_files.c, apply_threats.c: files and secrets that are held back from a push, and
 * what an agent's .git cannot hide (task-engine §10.7, §10.8).
 */
#include "apply_pull_fixture.h"

static const PullCase guard_cases[] = {
    { .name = "blocked",
      .policy = "{\"create-pull-request\":{\"protected-files\":\"blocked\"}}",
      .item = ITEM,
      .file = ".github/workflows/ci.yml",
      .answers = { NONE },
      .calls = LIST,
      .error = "create_pull_request: protected files changed: .github/workflows/ci.yml" },
    { .name = "not one of them",
      .policy = "{\"create-pull-request\":{\"protected-files\":\"blocked\"}}",
      .item = ITEM,
      .file = "src/github/a.c",
      .answers = { NONE, OPENED },
      .calls = LIST POST("false"),
      .is_pushed = true },
    { .name = "one that is let through",
      .policy =
          "{\"create-pull-request\":{\"protected-files\":{\"policy\":\"blocked\",\"exclude\":["
          "\"package.json\"]}}}",
      .item = ITEM,
      .file = "web/package.json",
      .answers = { NONE, OPENED },
      .calls = LIST POST("false"),
      .is_pushed = true },
    { .name = "an issue",
      .policy = "{\"create-pull-request\":{\"protected-files\":\"fallback-to-issue\"}}",
      .item = ITEM,
      .file = "web/package.json",
      .answers = { NONE, { .request = "POST /repos/o/r/issues ", .body = "{\"number\":4}" } },
      .calls = LIST "POST /repos/o/r/issues {\"title\":\"T\",\"body\":\"Task `x` wanted to push "
                    "commits that change protected files. Nothing was pushed.\\n\\n- "
                    "web/package.json\\n\\n<!-- wm-agent:x -->\"}\n",
      .outputs = "create_pull_request applied #4" },
    { .name = "a review, which is a comment when the pull request is our own",
      .policy = "{\"create-pull-request\":{\"protected-files\":\"request-review\"}}",
      .item = ITEM,
      .file = "AGENTS.md",
      .answers = { NONE,
                   OPENED,
                   { .request = "POST /repos/o/r/pulls/9/reviews ", .status = 422, .body = "{}" },
                   { .request = "POST /repos/o/r/pulls/9/reviews ", .body = "{}" } },
      .calls = LIST POST("false") "POST /repos/o/r/pulls/9/reviews "
                                  "{\"event\":\"REQUEST_CHANGES\",\"body\":\"Protected "
                                  "files have changed. A person should look at them:\\n\\n- "
                                  "AGENTS.md\\n\\n<!-- wm-agent:x "
                                  "-->\"}\n"
                                  "POST /repos/o/r/pulls/9/reviews "
                                  "{\"event\":\"COMMENT\",\"body\":\"Protected files have "
                                  "changed. A person should look at them:\\n\\n- "
                                  "AGENTS.md\\n\\n<!-- wm-agent:x -->\"}\n",
      .outputs = APPLIED_9,
      .is_pushed = true },
    { .name = "all of it is allowed",
      .policy = "{\"create-pull-request\":{\"allowed-files\":[\"src/**\",\"*.c\"],"
                "\"excluded-files\":[\"*.lock\"]}}",
      .item = ITEM,
      .file = "a.c",
      .answers = { NONE, OPENED },
      .calls = LIST POST("false"),
      .outputs = APPLIED_9,
      .is_pushed = true },
    { .name = "a file beside what is allowed",
      .policy = "{\"create-pull-request\":{\"allowed-files\":[\"src/**\",\"*.c\"]}}",
      .item = ITEM,
      .file = "docs/a.c",
      .answers = { NONE },
      .calls = LIST,
      .error = "create_pull_request: files changed that allowed-files or excluded-files rule out: "
               "docs/a.c" },
    { .name = "one that is excluded, by its name",
      .policy = "{\"create-pull-request\":{\"excluded-files\":\"*.lock\"}}",
      .item = ITEM,
      .file = "docs/a.lock",
      .answers = { NONE },
      .calls = LIST,
      .error = "create_pull_request: files changed that allowed-files or excluded-files rule out: "
               "docs/a.lock" },
    { .name = "what is allowed cannot be read",
      .policy = "{\"create-pull-request\":{\"allowed-files\":{\"src\":true}}}",
      .item = ITEM,
      .file = "a.c",
      .answers = { NONE },
      .calls = LIST,
      .error = "create_pull_request: allowed-files: a list of globs is expected" },
    { .name = "what is excluded is no glob",
      .policy = "{\"create-pull-request\":{\"excluded-files\":[\"{a\"]}}",
      .item = ITEM,
      .file = "a.c",
      .answers = { NONE },
      .calls = LIST,
      .error = "create_pull_request: excluded-files: " },
    { .name = "a list of nothing rules nothing out",
      .policy = "{\"create-pull-request\":{\"allowed-files\":[],\"excluded-files\":null}}",
      .item = ITEM,
      .file = "a.c",
      .answers = { NONE, OPENED },
      .calls = LIST POST("false"),
      .outputs = APPLIED_9,
      .is_pushed = true },
    { .name = "a word that is none",
      .policy = "{\"create-pull-request\":{\"protected-files\":\"block\"}}",
      .item = ITEM,
      .file = "a.c",
      .answers = { NONE },
      .calls = LIST,
      .error = "create_pull_request: protected-files: \"block\" is not known" },
};

static void test_protected(void **state G_GNUC_UNUSED)
{
    RUN_CASES(guard_cases);
}

/* What the agent's .git says of the base does not hide a change: it is asked for. */
static void test_forged_base(void **state G_GNUC_UNUSED)
{
    static const CannedAnswer answers[] = { NONE };
    g_auto(PullFixture) fixture =
        pull_fixture("{\"create-pull-request\":{\"protected-files\":\"blocked\"}}",
                     ".wm/config.yml", answers, 1);
    const char *work = fixture.git->work;
    git_do(work, "update-ref", "refs/remotes/origin/main", "HEAD", NULL);
    pull_write_file(work, "b.c", "b\n");
    git_do(work, "add", "b.c", NULL);
    git_do(work, "commit", "--quiet", "-m", "more", NULL);
    pull_quarantine(&fixture, work);
    g_autoptr(GError) error = NULL;
    assert_false(apply_fixture_run(fixture.apply, ITEM, &error));
    assert_string_equal(error->message,
                        "create_pull_request: protected files changed: .wm/config.yml");
}

static char *object_path(const char *work, const char *name)
{
    g_autofree char *id = git_out(work, "rev-parse", name, NULL);
    g_autofree char *rest = g_strdup_printf(".git/objects/%.2s/%s", id, id + 2);
    return g_build_filename(work, rest, NULL);
}

/* Nor does an object under the name of another one, by which the base would have the change, too.
 */
static void test_forged_object(void **state G_GNUC_UNUSED)
{
    static const CannedAnswer answers[] = { NONE };
    g_auto(PullFixture) fixture = pull_fixture(
        "{\"create-pull-request\":{\"protected-files\":\"blocked\"}}", NULL, answers, 1);
    const char *work = fixture.git->work;
    pull_write_file(work, ".github/ci.yml", "old\n");
    git_do(work, "add", ".github", NULL);
    git_do(work, "commit", "--quiet", "-m", "base", NULL);
    git_do(work, "push", "--quiet", "origin", "HEAD:refs/heads/main", NULL);
    pull_write_file(work, ".github/ci.yml", "new\n");
    git_do(work, "commit", "--quiet", "--all", "-m", "change", NULL);
    g_autofree char *before = object_path(work, "HEAD~1:.github");
    g_autofree char *after = object_path(work, "HEAD:.github");
    g_autofree char *data = NULL;
    gsize size = 0;
    assert_true(g_file_get_contents(after, &data, &size, NULL));
    assert_int_equal(unlink(before), 0);
    assert_true(g_file_set_contents(before, data, (gssize)size, NULL));
    g_autofree char *changed = git_out(work, "diff", "--name-only", "HEAD~1", "HEAD", NULL);
    assert_string_equal(changed, ""); // that is what git believes

    pull_quarantine(&fixture, work);
    g_autoptr(GError) error = NULL;
    assert_false(apply_fixture_run(fixture.apply, ITEM, &error));
    assert_non_null(strstr(error->message, "the objects of this repository cannot be believed"));
    g_autofree char *sha = pull_pushed(&fixture, BRANCH);
    assert_string_equal(sha, "");
}

/* A secret in the lines that a commit adds. */
static void test_threat(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *text, *attributes;
    } cases[] = {
        { "a line", "x\nkey = AKIAIOSFODNN7EXAMPLE\n", "" },
        { "a line that looks like a header", "x\n++ AKIAIOSFODNN7EXAMPLE\n", "" },
        { "behind a line that looks like one", "++ b/other\n@@ -1 +1 @@\nAKIAIOSFODNN7EXAMPLE",
          "" },
        { "a text that is called binary", "AKIAIOSFODNN7EXAMPLE\n", "* -diff\n" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(PullFixture) fixture = pull_fixture(
            "{\"create-pull-request\":null,\"threat-detection\":true}", "a.c", NULL, 0);
        const char *work = fixture.git->work;
        pull_write_file(work, "key.txt", cases[i].text);
        pull_write_file(work, ".gitattributes", cases[i].attributes);
        git_do(work, "add", "key.txt", ".gitattributes", NULL);
        git_do(work, "commit", "--quiet", "-m", "key", NULL);
        pull_quarantine(&fixture, work);
        g_autoptr(GError) error = NULL;
        if (apply_fixture_run(fixture.apply, ITEM, &error))
            fail_msg("%s: it was not seen", cases[i].name);
        assert_string_equal(error->message, "threat detection: an AWS access key in b/key.txt");
        g_autofree char *sha = pull_pushed(&fixture, BRANCH);
        assert_string_equal(sha, "");
    }
}

/* A NUL makes a file binary for git, or, where it comes late, would end a text in C. */
static void test_threat_behind_nul(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name;
        size_t lines; // before the NUL
        const char *error;
    } cases[] = {
        { "at once", 0,
          "threat detection: an AWS access key in a commit (a binary file, or what "
          "a later one changes)" },
        { "late", 9000, "threat detection: an AWS access key in b/key.txt" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(PullFixture) fixture = pull_fixture(
            "{\"create-pull-request\":null,\"threat-detection\":true}", "a.c", NULL, 0);
        const char *work = fixture.git->work;
        g_autofree char *path = g_build_filename(work, "key.txt", NULL);
        g_autoptr(GString) text = g_string_new(NULL);
        for (size_t line = 0; line < cases[i].lines; line++)
            g_string_append(text, "x\n");
        g_string_append_len(text, "\0\nAKIAIOSFODNN7EXAMPLE\n", 23);
        assert_true(g_file_set_contents(path, text->str, (gssize)text->len, NULL));
        git_do(work, "add", "key.txt", NULL);
        git_do(work, "commit", "--quiet", "-m", "key", NULL);
        pull_quarantine(&fixture, work);
        g_autoptr(GError) error = NULL;
        if (apply_fixture_run(fixture.apply, ITEM, &error))
            fail_msg("%s: it was not seen", cases[i].name);
        assert_string_equal(error->message, cases[i].error);
        g_autofree char *sha = pull_pushed(&fixture, BRANCH);
        assert_string_equal(sha, "");
    }
}

/* One that is not in what the branch comes to, but in what is pushed. */
static void test_threat_in_history(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *text, *message, *author; // of a commit
        const char *error;                          // NULL: nothing is found
    } cases[] = {
        { "taken away again", "AKIAIOSFODNN7EXAMPLE\n", "more", "me",
          "threat detection: an AWS access key in a commit (a binary file, or what "
          "a later one changes)" },
        { "a message", "x\n", "more\n\n- AKIAIOSFODNN7EXAMPLE", "me",
          "threat detection: an AWS access key in the message of a commit" },
        { "hidden in a message", "x\n",
          "mo\xe2\x80\x8b"
          "re",
          "me", "threat detection: hidden characters in the message of a commit" },
        { "a name", "x\n", "more", "AKIAIOSFODNN7EXAMPLE",
          "threat detection: an AWS access key in the message of a commit" },
        { "hidden, and taken away again",
          "a\xe2\x80\x8b"
          "b\n",
          "more", "me", NULL },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        static const CannedAnswer answers[] = { NONE, OPENED };
        g_auto(PullFixture) fixture = pull_fixture(
            "{\"create-pull-request\":null,\"threat-detection\":true}", "a.c", answers, 2);
        const char *work = fixture.git->work;
        g_autofree char *author = g_strdup_printf("--author=%s <me@h>", cases[i].author);
        pull_write_file(work, "key.txt", cases[i].text);
        git_do(work, "add", "key.txt", NULL);
        git_do(work, "commit", "--quiet", author, "-m", cases[i].message, NULL);
        git_do(work, "rm", "--quiet", "key.txt", NULL);
        git_do(work, "commit", "--quiet", "-m", "less", NULL);
        pull_quarantine(&fixture, work);
        g_autoptr(GError) error = NULL;
        bool is_done = apply_fixture_run(fixture.apply, ITEM, &error);
        if (is_done != !cases[i].error || (error && strcmp(error->message, cases[i].error) != 0))
            fail_msg("%s: '%s'", cases[i].name, error ? error->message : "it succeeds");
        g_autofree char *sha = pull_pushed(&fixture, BRANCH);
        assert_int_equal(*sha == '\0', cases[i].error != NULL);
    }
}

/* What a merge adds that neither side has; what it brings from the base is none of the agent's. */
static void test_threat_in_merge(void **state G_GNUC_UNUSED)
{
    for (int is_theirs = 0; is_theirs < 2; is_theirs++) {
        static const CannedAnswer answers[] = { NONE, OPENED };
        g_auto(PullFixture) fixture = pull_fixture(
            "{\"create-pull-request\":null,\"threat-detection\":true}", "a.c", answers, 2);
        const char *work = fixture.git->work;
        git_do(work, "checkout", "--quiet", "main", NULL);
        pull_write_file(work, "b.c", is_theirs ? "AKIAIOSFODNN7EXAMPLE\n" : "b\n");
        git_do(work, "add", "b.c", NULL);
        git_do(work, "commit", "--quiet", "-m", "base", NULL);
        git_do(work, "push", "--quiet", "origin", "HEAD:refs/heads/main", NULL);
        git_do(work, "checkout", "--quiet", BRANCH, NULL);
        git_do(work, "merge", "--quiet", "--no-commit", "main", NULL);
        if (!is_theirs) {
            pull_write_file(work, "key.txt", "AKIAIOSFODNN7EXAMPLE\n");
            git_do(work, "add", "key.txt", NULL);
        }
        git_do(work, "commit", "--quiet", "-m", "merge", NULL);
        if (!is_theirs) {
            git_do(work, "rm", "--quiet", "key.txt", NULL);
            git_do(work, "commit", "--quiet", "-m", "less", NULL);
        }
        pull_quarantine(&fixture, work);
        g_autoptr(GError) error = NULL;
        bool is_done = apply_fixture_run(fixture.apply, ITEM, &error);
        if (is_done != (is_theirs == 1))
            fail_msg("%d: '%s'", is_theirs, error ? error->message : "it succeeds");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_protected),         cmocka_unit_test(test_forged_base),
        cmocka_unit_test(test_forged_object),     cmocka_unit_test(test_threat),
        cmocka_unit_test(test_threat_in_history), cmocka_unit_test(test_threat_in_merge),
        cmocka_unit_test(test_threat_behind_nul),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
