/*
 * The scopes of comment-extract in real repositories: rows G-02 to G-08 of agent-tools-cli §10.
 */
#include "unit.h"

#include "git_fixture.h"
#include "operation_fixture.h"

#include "agenttools/agenttools.h"
#include "agenttools/comments/comment_text.h"
#include "base/path.h"

typedef struct Repo {
    char *parent; // holds the user's git configuration and all else; real path
    char *dir;    // a repository on main, empty
} Repo;

static int setup(void **state)
{
    Repo *repo = g_new0(Repo, 1);
    g_autofree char *made = g_dir_make_tmp("kedge-scope-XXXXXX", NULL);
    repo->parent = path_real(made);
    repo->dir = g_build_filename(repo->parent, "repo", NULL);
    g_autofree char *config = g_build_filename(repo->parent, "gitconfig", NULL);
    assert_true(g_file_set_contents(config,
                                    "[user]\n\tname = Test\n\temail = test@example.com\n"
                                    "[init]\n\tdefaultBranch = main\n[gc]\n\tauto = 0\n",
                                    -1, NULL));
    g_setenv("GIT_CONFIG_GLOBAL", config, TRUE);
    g_setenv("GIT_CONFIG_NOSYSTEM", "1", TRUE);
    git_do(repo->parent, "init", "--quiet", repo->dir, NULL);
    *state = repo;
    return 0;
}

static int teardown(void **state)
{
    Repo *repo = *state;
    g_unsetenv("GIT_CONFIG_GLOBAL");
    g_unsetenv("GIT_CONFIG_NOSYSTEM");
    assert_true(file_remove_tree(repo->parent, NULL));
    g_free(repo->parent);
    g_free(repo->dir);
    g_free(repo);
    return 0;
}

static void put_bytes(const Repo *repo, const char *name, const char *data, size_t size)
{
    g_autofree char *path = g_build_filename(repo->dir, name, NULL);
    g_autofree char *dir = g_path_get_dirname(path);
    assert_true(file_make_dirs(dir, 0700, NULL));
    FILE *file = fopen(path, "wb"); // without the fsync of file_write_atomic()
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static void put(const Repo *repo, const char *name, const char *text)
{
    put_bytes(repo, name, text, strlen(text));
}

/* Everything there is, as a commit; its id. Caller frees. */
static char *commit_all(const Repo *repo, const char *message)
{
    git_do(repo->dir, "add", "--all", NULL);
    return git_commit(repo->dir, message);
}

/* The envelope of a call in `dir`; `arguments` as json_of(). New reference. */
static json_t *call_in(const char *dir, const char *arguments)
{
    g_autoptr(Settings) settings = settings_new(NULL);
    g_autoptr(ToolContext) context = tool_context_new(dir, settings, NULL);
    const ToolFixture fixture = { .cwd = (char *)dir, .context = context };
    return operation_call(&fixture, &operation_comment_extract, json_of(arguments));
}

/* "file:line content", then "-file reason", each with a LF; of a failure "! text". Caller frees. */
static char *describe(const json_t *envelope)
{
    GString *out = g_string_new(NULL);
    const json_t *data = json_object_get(envelope, "data");
    size_t i;
    const json_t *item;
    json_array_foreach (json_get_array(envelope, "errors"), i, item)
        g_string_append_printf(out, "! %s\n", json_string_value(item));
    json_array_foreach (json_get_array(data, "comments"), i, item)
        g_string_append_printf(out, "%s:%d %s\n", json_get_text(item, "file"),
                               (int)json_get_int(item, "line", -1), json_get_text(item, "content"));
    json_array_foreach (json_get_array(data, "filesSkipped"), i, item)
        g_string_append_printf(out, "-%s %s\n", json_get_text(item, "file"),
                               json_get_text(item, "reason"));
    return g_string_free(out, FALSE);
}

static void expect_in(const char *row, const char *dir, const char *arguments, const char *want)
{
    g_autoptr(json_t) envelope = call_in(dir, arguments);
    g_autofree char *got = describe(envelope);
    if (strcmp(got, want) != 0)
        fail_msg("%s %s:\n--- got\n%s--- want\n%s", row, arguments, got, want);
}

static void expect(const char *row, const Repo *repo, const char *arguments, const char *want)
{
    expect_in(row, repo->dir, arguments, want);
}

static void expect_counts(const char *row, const Repo *repo, const char *arguments,
                          int64_t files_scanned, int64_t lines_added)
{
    g_autoptr(json_t) envelope = call_in(repo->dir, arguments);
    const json_t *data = json_object_get(envelope, "data");
    if (json_get_int(data, "filesScanned", -1) != files_scanned ||
        json_get_int(data, "linesAdded", -1) != lines_added)
        fail_msg("%s %s: %d files, %d lines", row, arguments,
                 (int)json_get_int(data, "filesScanned", -1),
                 (int)json_get_int(data, "linesAdded", -1));
}

// ---- work tree ----

/* main has a.c, b.c, c.c, d.c; the branch changes three of them in three ways. */
static void make_branch(const Repo *repo)
{
    put(repo, "a.c", "int a;\n");
    put(repo, "sub/b.c", "int b; // old\n");
    put(repo, "c.c", "int c;\n");
    put(repo, "d.c", "// not touched\n");
    g_free(commit_all(repo, "first"));
    git_do(repo->dir, "checkout", "--quiet", "-b", "work", NULL);
    put(repo, "a.c", "// committed\nint a;\n");
    g_free(commit_all(repo, "second"));
    put(repo, "sub/b.c", "int b; // old\n// staged\n");
    git_do(repo->dir, "add", "--all", NULL);
    put(repo, "c.c", "int c; // unstaged\n");
    put(repo, "new.py", "# untracked\n");
}

static void test_branch(void **state)
{
    const Repo *repo = *state;
    make_branch(repo);
    g_autofree char *sub = g_build_filename(repo->dir, "sub", NULL);
    static const char want[] = "a.c:1 // committed\n"
                               "c.c:1 // unstaged\n"
                               "sub/b.c:1 // old\n"
                               "sub/b.c:2 // staged\n";
    static const char call[] = "{'scope':'branch','base':'main'}";
    expect_in("cli-G-02", sub, call, want);
    expect("cli-G-02", repo, call, want);
    expect_counts("cli-G-02", repo, call, 3, 3);
    expect("cli-G-02", repo, "{'scope':'branch','base':'main','lineScoped':true}",
           "a.c:1 // committed\nc.c:1 // unstaged\nsub/b.c:2 // staged\n");
    expect("cli-G-02", repo, "{'scope':'branch','base':'main','lineScoped':true,'untracked':true}",
           "a.c:1 // committed\nc.c:1 // unstaged\nnew.py:1 # untracked\nsub/b.c:2 // staged\n");
    expect_counts("cli-G-02", repo, "{'scope':'branch','base':'main','untracked':true}", 4, 4);
}

static void test_unstaged_staged_files(void **state)
{
    const Repo *repo = *state;
    make_branch(repo);
    expect("cli-G-05", repo, "{'scope':'unstaged'}", "c.c:1 // unstaged\n");
    expect("cli-G-05", repo, "{'scope':'unstaged','untracked':true}",
           "c.c:1 // unstaged\nnew.py:1 # untracked\n");
    put(repo, "sub/b.c", "// later\n");
    expect("cli-G-05", repo, "{'scope':'staged'}", "sub/b.c:1 // old\nsub/b.c:2 // staged\n");
    expect("cli-G-05", repo, "{'scope':'staged','lineScoped':true}", "sub/b.c:2 // staged\n");
    expect("cli-G-05", repo, "{'scope':'all','include':['*.c','!no']}",
           "a.c:1 // committed\nc.c:1 // unstaged\nd.c:1 // not touched\nsub/b.c:1 // later\n");

    put(repo, "e.c", "// 1\n// 2\n/* 3\n*/\n// 5\n");
    expect("cli-G-05", repo, "{'scope':'files','files':['e.c'],'lines':'2-3'}",
           "e.c:2 // 2\ne.c:3 /* 3\n*/\n");
    expect("cli-G-05", repo, "{'scope':'files','files':['e.c'],'lines':'5, 1'}",
           "e.c:1 // 1\ne.c:5 // 5\n");
    g_autofree char *sub = g_build_filename(repo->dir, "sub", NULL);
    expect_in("cli-G-05", sub, "{'scope':'files','base':'../d.c','files':['b.c','../none.c','.']}",
              "d.c:1 // not touched\nsub/b.c:1 // later\n-none.c deleted\n-sub directory\n");
    expect("cli-G-05", repo, "{'scope':'files','files':['e.c','d.c'],'lines':'1'}",
           "! Validation failed: lines needs exactly one file\n");
    expect("cli-G-05", repo, "{'scope':'files','files':['e.c'],'lines':'3-1'}",
           "! Validation failed: lines must be line numbers such as 10-40,55\n");
    expect("cli-G-05", repo, "{'scope':'files','files':['../x.c']}",
           "! Validation failed: files[0] must be a path inside the repository\n");
    expect("cli-G-05", repo, "{'scope':'files'}",
           "! Validation failed: files is required and must name a file\n");
    expect("cli-G-05", repo, "{'scope':'all','lineScoped':true}",
           "! --line-scoped needs a scope with a diff\n");
}

/* A file with conflicts is read once, and compared with our side. */
static void test_conflict(void **state)
{
    const Repo *repo = *state;
    put(repo, "a.c", "int a;\n");
    g_free(commit_all(repo, "first"));
    git_do(repo->dir, "checkout", "--quiet", "-b", "other", NULL);
    put(repo, "a.c", "int other; // theirs\n");
    g_free(commit_all(repo, "theirs"));
    git_do(repo->dir, "checkout", "--quiet", "main", NULL);
    put(repo, "a.c", "int mine; // ours\n");
    g_free(commit_all(repo, "ours"));
    assert_false(git_ok(repo->dir, "merge", "--quiet", "other", NULL));
    expect("conflict", repo, "{'scope':'unstaged'}", "a.c:2 // ours\na.c:4 // theirs\n");
    expect("conflict", repo, "{'scope':'unstaged','lineScoped':true}", "a.c:4 // theirs\n");
    expect("conflict", repo, "{'scope':'all'}", "a.c:2 // ours\na.c:4 // theirs\n");
}

static void test_unborn(void **state)
{
    const Repo *repo = *state;
    put(repo, "a.c", "// first\n");
    git_do(repo->dir, "add", "--all", NULL);
    expect("no commit yet", repo, "{'scope':'staged','lineScoped':true}", "a.c:1 // first\n");
    expect("no commit yet", repo, "{'scope':'branch','base':'HEAD'}", "! Unknown base \"HEAD\"\n");
}

// ---- ranges ----

static void test_range(void **state)
{
    const Repo *repo = *state;
    put(repo, "a.c", "/* one\n   two\n */\nint a;\n// kept\n");
    put(repo, "b.c", "// same in both\n");
    g_autofree char *first = commit_all(repo, "first");
    put(repo, "a.c", "/* one\n   two\n   three */\nint a;\n// kept\n");
    g_autofree char *second = commit_all(repo, "second");
    put(repo, "a.c", "// of HEAD\n");
    g_free(commit_all(repo, "third"));
    put(repo, "a.c", "// of the work tree\n");

    g_autofree char *range = g_strdup_printf("{'scope':'%s..%s','lineScoped':true}", first, second);
    expect("cli-G-03", repo, range, "a.c:1 /* one\n   two\n   three */\n");
    g_autofree char *whole = g_strdup_printf("{'scope':'%s..%.7s'}", first, second);
    expect("cli-G-04", repo, whole, "a.c:1 /* one\n   two\n   three */\na.c:5 // kept\n");
    g_autofree char *to_head = g_strdup_printf("{'scope':'%s..'}", second);
    expect("cli-G-04", repo, to_head, "a.c:1 // of HEAD\n");
    g_autoptr(json_t) envelope = call_in(repo->dir, to_head);
    assert_string_equal(json_get_text(json_object_get(envelope, "data"), "base"), second);
}

static void test_symmetric_range(void **state)
{
    const Repo *repo = *state;
    put(repo, "a.c", "// a\n");
    g_free(commit_all(repo, "first"));
    git_do(repo->dir, "checkout", "--quiet", "-b", "work", NULL);
    put(repo, "b.c", "// b\n");
    g_free(commit_all(repo, "second"));
    git_do(repo->dir, "checkout", "--quiet", "main", NULL);
    put(repo, "c.c", "// c\n");
    g_free(commit_all(repo, "third"));
    expect("A...B", repo, "{'scope':'main...work'}", "b.c:1 // b\n");
    expect("A..B", repo, "{'scope':'main..work'}", "b.c:1 // b\n-c.c deleted\n");

    git_do(repo->dir, "checkout", "--quiet", "--orphan", "island", NULL);
    g_free(commit_all(repo, "alone"));
    expect("cli-G-07", repo, "{'scope':'branch','base':'main'}",
           "! No common ancestor of HEAD and main\n");
    expect("cli-G-07", repo, "{'scope':'work...island'}",
           "! No common ancestor of work and island\n");

    g_autofree char *bare = g_strconcat(repo->dir, ".git", NULL);
    git_do(repo->dir, "clone", "--quiet", "--bare", repo->dir, bare, NULL);
    expect_in("bare", bare, "{'scope':'main...work','lineScoped':true}", "b.c:1 // b\n");
    expect_in("bare", bare, "{'scope':'unstaged'}",
              "! Scope \"unstaged\" needs a work tree, and this repository has none here\n");
}

/* Settings and variables that change what git diff prints. */
static void test_rename_and_settings(void **state)
{
    const Repo *repo = *state;
    put(repo, "old name.c", "// 1\nint a;\nint b;\nint c;\nint d;\n");
    g_free(commit_all(repo, "first"));
    git_do(repo->dir, "mv", "old name.c", "new name.c", NULL);
    put(repo, "new name.c", "// 1\nint a;\nint b;\nint c; // changed\nint d;\n");
    git_do(repo->dir, "config", "diff.noprefix", "true", NULL);
    git_do(repo->dir, "config", "diff.renames", "false", NULL);
    git_do(repo->dir, "config", "diff.external", "false", NULL);
    git_do(repo->dir, "config", "color.diff", "always", NULL);
    git_do(repo->dir, "config", "diff.relative", "true", NULL);
    g_setenv("GIT_DIFF_OPTS", "--unified=9", TRUE);
    expect("rename", repo, "{'scope':'branch','base':'main','lineScoped':true}",
           "new name.c:4 // changed\n");
    expect_counts("rename", repo, "{'scope':'branch','base':'main'}", 1, 1);
    g_unsetenv("GIT_DIFF_OPTS");
}

// ---- files ----

static void test_skipped(void **state)
{
    const Repo *repo = *state;
    put(repo, "deleted.c", "// gone\n");
    put(repo, "sub/keep.c", "int a;\n");
    g_free(commit_all(repo, "first"));
    git_do(repo->dir, "checkout", "--quiet", "-b", "work", NULL);

    git_do(repo->dir, "rm", "--quiet", "deleted.c", NULL);
    put_bytes(repo, "binary.c", "// a\0b\n", 7);
    g_autofree char *large = g_strnfill(3 * 1024 * 1024, 'x');
    put(repo, "large.c", large);
    put_bytes(repo, "large.bin", "\0", 1);
    g_autofree char *lines = g_strnfill(COMMENT_FILE_MAX_LINES + 1, '\n');
    put(repo, "lines.c", lines);
    put(repo, "data.json", "{} // no\n");
    put(repo, "node_modules/x/a.js", "// no\n");
    put(repo, "sub/dist/a.js", "// no\n");
    put(repo, "README", "no\n");
    g_autofree char *link = g_build_filename(repo->dir, "link.c", NULL);
    assert_int_equal(symlink("sub/keep.c", link), 0);
    git_do(repo->dir, "clone", "--quiet", repo->dir, "module", NULL);
    g_free(commit_all(repo, "second"));

    static const char want[] = "-README unsupported\n"
                               "-binary.c binary\n"
                               "-data.json unsupported\n"
                               "-deleted.c deleted\n"
                               "-large.bin binary\n"
                               "-large.c too large\n"
                               "-lines.c too many lines\n"
                               "-link.c symlink\n"
                               "-module submodule\n"
                               "-node_modules/x/a.js excluded directory\n"
                               "-sub/dist/a.js excluded directory\n";
    expect("cli-G-06", repo, "{'scope':'branch','base':'main'}", want);
    expect("cli-G-06", repo, "{'scope':'main..work'}", want);
    expect("cli-G-06", repo, "{'scope':'branch','base':'main','lineScoped':true}", want);
    static const char all[] = "{'scope':'all','exclude':['*.json','README','/sub/']}";
    expect("cli-G-06", repo, all,
           "-binary.c binary\n-large.bin binary\n-large.c too large\n-lines.c too many lines\n"
           "-link.c symlink\n-module submodule\n-node_modules/x/a.js excluded directory\n");
    expect_counts("cli-G-06", repo, "{'scope':'main..work'}", 0,
                  (int64_t)COMMENT_FILE_MAX_LINES + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1);
    expect("cli-G-06", repo,
           "{'scope':'files','files':['node_modules/x/a.js','link.c','deleted.c']}",
           "node_modules/x/a.js:1 // no\n-deleted.c deleted\n-link.c symlink\n");
}

/* What git tracks in a directory that is now a link is not read through it. */
static void test_directory_became_link(void **state)
{
    const Repo *repo = *state;
    put(repo, "sub/a.c", "// mine\n");
    g_free(commit_all(repo, "first"));
    g_autofree char *sub = g_build_filename(repo->dir, "sub", NULL);
    g_autofree char *outside = g_build_filename(repo->parent, "outside", NULL);
    g_autofree char *secret = g_build_filename(outside, "a.c", NULL);
    assert_true(file_make_dirs(outside, 0700, NULL));
    assert_true(file_write_atomic(secret, "// secret\n", 10, 0600, NULL));
    assert_true(file_remove_tree(sub, NULL));
    assert_int_equal(symlink(outside, sub), 0);
    expect("link", repo, "{'scope':'all'}", "-sub/a.c symlink\n");
    expect("link", repo, "{'scope':'files','files':['sub/a.c']}",
           "! Validation failed: files[0] must be a path inside the repository\n");
}

static void test_names(void **state)
{
    static const char *const names[] = {
        "-leading.c",    "new\nline.c", "quote\"s.c", "back\\slash.c", "tab\there.c",  "blank .c",
        "non\377utf8.c", "\xc3\xa9.c",  "*.c",        ":(top)x.c",     "bell\a\x1b.c",
    };
    const Repo *repo = *state;
    put(repo, "start.c", "int a;\n");
    g_free(commit_all(repo, "first"));
    git_do(repo->dir, "checkout", "--quiet", "-b", "work", NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
        put(repo, names[i], "int a;\n");
    g_free(commit_all(repo, "second"));
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autofree char *text = g_strdup_printf("int a;\n// c%zu\n", i);
        put(repo, names[i], text);
    }
    g_free(commit_all(repo, "third"));
    static const char *const calls[] = {
        "{'scope':'branch','base':'main'}",
        "{'scope':'branch','base':'work~1','lineScoped':true}",
        "{'scope':'work~1..work','lineScoped':true}",
        "{'scope':'all'}",
    };
    static const char want[] = "*.c:2 // c8\n"
                               "-leading.c:2 // c0\n"
                               ":(top)x.c:2 // c9\n"
                               "back\\slash.c:2 // c3\n"
                               "bell\a\x1b.c:2 // c10\n"
                               "blank .c:2 // c5\n"
                               "new\nline.c:2 // c1\n"
                               "non\xef\xbf\xbdutf8.c:2 // c6\n"
                               "quote\"s.c:2 // c2\n"
                               "tab\there.c:2 // c4\n"
                               "\xc3\xa9.c:2 // c7\n";
    for (size_t i = 0; i < G_N_ELEMENTS(calls); i++)
        expect("cli-G-08", repo, calls[i], want);
}

/* More diff than one git command may print: it is asked for in parts. */
static void test_large_diff(void **state)
{
    const Repo *repo = *state;
    g_autofree char *before = g_strnfill(1900 * 1024, 'a');
    g_autofree char *after = g_strnfill(1900 * 1024, 'b');
    GString *want = g_string_new(NULL);
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned i = 0; i < 5; i++) {
            g_autofree char *name = g_strdup_printf("%u.c", i);
            g_autofree char *text = g_strconcat("// kept\n", round ? after : before, "\n// ",
                                                round ? "new" : "old", "\n", NULL);
            put(repo, name, text);
            if (round == 1)
                g_string_append_printf(want, "%u.c:3 // new\n", i);
        }
        g_free(commit_all(repo, "again"));
    }
    expect("large diff", repo, "{'scope':'HEAD~1..HEAD','lineScoped':true}", want->str);
    g_string_free(want, TRUE);
}

// ---- what is refused ----

static void test_refused(void **state)
{
    const Repo *repo = *state;
    put(repo, "a.c", "int a;\n");
    g_free(commit_all(repo, "first"));
    static const struct {
        const char *call, *want;
    } cases[] = {
        { "{'scope':'branch','base':'mian'}", "! Unknown base \"mian\"; did you mean \"main\"?\n" },
        { "{'scope':'branch','base':'nothing-like-it'}", "! Unknown base \"nothing-like-it\"\n" },
        { "{'scope':'branch','base':'^main'}",
          "! Unknown base \"^main\"; did you mean \"main\"?\n" },
        { "{'scope':'mian..main'}", "! Unknown base \"mian\"; did you mean \"main\"?\n" },
        { "{'scope':'main..mian'}", "! Unknown revision \"mian\"; did you mean \"main\"?\n" },
        { "{'scope':'foo'}",
          "! Invalid scope \"foo\": expected branch, unstaged, staged, all, files or a commit "
          "range A..B\n" },
        { "{'scope':'..'}",
          "! Invalid scope \"..\": expected branch, unstaged, staged, all, files or a commit range "
          "A..B\n" },
        { "{'scope':'branch'}",
          "! Validation failed: base is required and must be a non-empty string\n" },
        { "{'scope':'branch','base':'--output=x'}",
          "! Invalid base \"--output=x\": a revision cannot begin with \"-\"\n" },
        { "{'scope':'--output=x..main'}",
          "! Invalid base \"--output=x\": a revision cannot begin with \"-\"\n" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        expect("cli-G-07", repo, cases[i].call, cases[i].want);
    g_autofree char *written = g_build_filename(repo->dir, "x", NULL);
    assert_false(file_exists(written));

    git_do(repo->dir, "update-ref", "refs/remotes/origin/release-2026", "main", NULL);
    expect("cli-G-07", repo, "{'scope':'branch','base':'release-2026'}",
           "! Unknown base \"release-2026\"; did you mean \"origin/release-2026\"?\n");

    g_autoptr(json_t) none = call_in(repo->parent, "{'scope':'branch','base':'main'}");
    g_autofree char *text = json_to_text(none);
    assert_string_equal(
        text, "{\"success\":false,\"tool\":\"comment-extract\",\"data\":{\"scope\":\"branch\","
              "\"base\":\"main\",\"filesScanned\":0,\"linesAdded\":0,\"lineScoped\":false,"
              "\"comments\":[],\"filesSkipped\":[]},\"errors\":[\"Not a git repository\"],"
              "\"error_details\":[{\"code\":\"git\",\"message\":\"Not a git repository\"}]}");
}

static void test_no_git(void **state)
{
    const Repo *repo = *state;
    g_autofree char *path = g_strdup(g_getenv("PATH"));
    g_setenv("PATH", "/nonexistent", TRUE);
    g_autoptr(json_t) envelope = call_in(repo->dir, "{'scope':'all'}");
    g_setenv("PATH", path, TRUE);
    g_autofree char *got = describe(envelope);
    assert_string_equal(got, "! Git command failed: git is not installed or not on PATH\n");
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_branch),
        TEST(test_unstaged_staged_files),
        TEST(test_conflict),
        TEST(test_unborn),
        TEST(test_range),
        TEST(test_symmetric_range),
        TEST(test_rename_and_settings),
        TEST(test_skipped),
        TEST(test_directory_became_link),
        TEST(test_names),
        TEST(test_large_diff),
        TEST(test_refused),
        TEST(test_no_git),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
