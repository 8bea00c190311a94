/*
 * How kedge starts git (base/git.h): environment and options, and that looking at a hostile
 * repository runs nothing of it and connects to nothing (common-S08, common-S09). Real git.
 */
#include "base/str.h"
#include "unit.h"

#include "git_fixture.h"
#include "http_server.h"

#include "base/file.h"
#include "base/git.h"

#include <sys/stat.h>

static void write_file(const char *dir, const char *name, const char *text, mode_t mode)
{
    g_autofree char *path = g_build_filename(dir, name, NULL);
    g_autofree char *parent = g_path_get_dirname(path);
    assert_int_equal(g_mkdir_with_parents(parent, 0700), 0);
    assert_true(g_file_set_contents(path, text, -1, NULL));
    assert_int_equal(chmod(path, mode), 0);
}

typedef struct Trap { // programs that leave their name behind
    char *dir;
    char *log;
} Trap;

static void trap_clear(Trap *self)
{
    g_free(self->dir);
    g_free(self->log);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Trap, trap_clear)

/* A program that notes `name` and passes its input on. Caller frees the path. */
static char *trap_program(const Trap *self, const char *name)
{
    g_autofree char *script =
        g_strdup_printf("#!/bin/sh\necho %s >>'%s'\nexec cat\n", name, self->log);
    write_file(self->dir, name, script, 0755);
    return g_build_filename(self->dir, name, NULL);
}

static char *trap_take(const Trap *self)
{
    char *text = NULL;
    if (!file_read(self->log, 64 * 1024, &text, NULL, NULL))
        return g_strdup("");
    unlink(self->log);
    return text;
}

static void set_program(const Trap *trap, const char *work, const char *key, const char *name)
{
    g_autofree char *program = trap_program(trap, name);
    git_do(work, "config", "--add", key, program, NULL);
}

/* A file's content has changed, but not its size: git has to look into it. */
static void touch_files(const char *work, const char *text)
{
    write_file(work, "a.txt", text, 0600);
    write_file(work, "b.odd", text, 0600);
}

/* The last commit gets a signature, which only a program can check. */
static void sign(const GitFixture *fixture)
{
    const char *work = fixture->work;
    g_autofree char *commit = git_out(work, "cat-file", "commit", "HEAD", NULL);
    char *message = strstr(commit, "\n\n");
    assert_non_null(message);
    g_autofree char *text = g_strdup_printf("%.*s\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n wsAA\n"
                                            " -----END PGP SIGNATURE-----%s\n",
                                            (int)(message - commit), commit, message);
    write_file(fixture->gh->dir, "signed", text, 0600);
    g_autofree char *path = g_build_filename(fixture->gh->dir, "signed", NULL);
    g_autofree char *hash = git_out(work, "hash-object", "-t", "commit", "-w", path, NULL);
    git_do(work, "update-ref", "HEAD", hash, NULL);
}

/* Everything in it that git would run. The files are committed before the traps are set. */
static Trap set_traps(const GitFixture *fixture)
{
    const char *work = fixture->work;
    Trap trap = { .dir = g_build_filename(fixture->gh->dir, "traps", NULL),
                  .log = g_build_filename(fixture->gh->dir, "trap-log", NULL) };
    write_file(work, ".gitattributes", "*.txt filter=x diff=x\n*.odd filter=a=b diff=y\n", 0600);
    touch_files(work, "one\n");
    git_do(work, "add", ".", NULL);
    git_do(work, "commit", "--quiet", "-m", "files", NULL);
    sign(fixture);
    touch_files(work, "two\n");

    set_program(&trap, work, "gpg.program", "gpg");
    git_do(work, "config", "log.showSignature", "true", NULL);
    git_do(work, "config", "format.pretty", "%G?", NULL);
    set_program(&trap, work, "core.fsmonitor", "fsmonitor");
    set_program(&trap, work, "filter.x.clean", "clean");
    set_program(&trap, work, "filter.x.smudge", "smudge");
    git_do(work, "config", "filter.x.required", "true", NULL);
    set_program(&trap, work, "filter.a=b.clean", "clean-odd");
    set_program(&trap, work, "filter.a=b.process", "process-odd");
    set_program(&trap, work, "diff.x.textconv", "textconv");
    set_program(&trap, work, "diff.y.command", "command");
    set_program(&trap, work, "diff.external", "external");
    git_do(work, "config", "core.hooksPath", trap.dir, NULL);
    g_autofree char *hook G_GNUC_UNUSED = trap_program(&trap, "post-index-change");
    g_autofree char *program = trap_program(&trap, "transport");
    g_autofree char *url = g_strdup_printf("ext::sh -c %s%% %%S", program);
    git_do(work, "config", "protocol.ext.allow", "always", NULL);
    git_do(work, "remote", "add", "ext", url, NULL);
    return trap;
}

/* Content of the same size has been looked at, so it is made anew before each command. */
static void run_reading(const GitFixture *fixture, const char *words)
{
    touch_files(fixture->work, "two\n");
    g_auto(GStrv) args = g_strsplit(words, " ", -1);
    const GitSpec spec = { .dir = fixture->work, .args = (const char *const *)args };
    g_auto(GitResult) result = { 0 };
    g_autoptr(GError) error = NULL;
    if (!git_start(&spec, NULL, &result, &error))
        fail_msg("%s: %s", words, error->message);
    if (result.exit_status != 0)
        fail_msg("%s: exit %d: %s", words, result.exit_status, result.error_output);
}

static void test_s08_reading_runs_nothing(void **state G_GNUC_UNUSED)
{
    g_autoptr(GitFixture) fixture = git_fixture_new();
    g_auto(Trap) trap = set_traps(fixture);
    // the traps work: without kedge git walks into them
    git_ok(fixture->work, "status", NULL);
    git_ok(fixture->work, "diff", NULL);
    git_ok(fixture->work, "log", "-p", "-1", NULL);
    git_ok(fixture->work, "diff", "--", "b.odd", NULL);
    g_autofree char *sprung = trap_take(&trap);
    static const char *const names[] = { "fsmonitor", "clean",   "smudge", "process-odd",
                                         "textconv",  "command", "gpg" };
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autofree char *line = g_strconcat(names[i], "\n", NULL);
        if (!strstr(sprung, line))
            fail_msg("git alone did not run %s, only:\n%s", names[i], sprung);
    }

    static const char *const commands[] = {
        "status --porcelain -z",
        "diff",
        "diff HEAD",
        "diff --cached",
        "diff-files -p",
        "diff-index -p HEAD",
        "log -p -1",
        "log --format=%s",
        "show HEAD",
        "ls-files -z -m",
        "ls-files --others --exclude-standard -z",
        "update-index --refresh -q",
        "cat-file blob HEAD:a.txt",
        "rev-parse --show-toplevel",
        "for-each-ref",
        "check-attr filter -- a.txt",
        "describe --always --dirty",
        "blame a.txt",
        "grep two",
        "worktree list --porcelain -z",
        "config --get-regexp ^remote",
        "remote get-url ext",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(commands); i++) {
        // an index that has to be refreshed is told by its exit status alone
        if (!str_has_prefix(commands[i], "update-index"))
            run_reading(fixture, commands[i]);
        g_autofree char *ran = trap_take(&trap);
        if (*ran != '\0')
            fail_msg("git %s ran:\n%s", commands[i], ran);
    }
}

static void test_s08_submodule(void **state G_GNUC_UNUSED)
{
    g_autoptr(GitFixture) fixture = git_fixture_new();
    g_autofree char *inner = g_build_filename(fixture->work, "inner", NULL);
    git_do("/", "init", "--quiet", inner, NULL);
    write_file(inner, ".gitattributes", "*.txt filter=x\n", 0600);
    write_file(inner, "a.txt", "one\n", 0600);
    git_do(inner, "add", ".", NULL);
    git_do(inner, "commit", "--quiet", "-m", "inner", NULL);
    git_do(fixture->work, "add", "inner", NULL);
    git_do(fixture->work, "commit", "--quiet", "-m", "outer", NULL);
    g_auto(Trap) trap = { .dir = g_build_filename(fixture->gh->dir, "traps", NULL),
                          .log = g_build_filename(fixture->gh->dir, "trap-log", NULL) };
    set_program(&trap, inner, "filter.x.clean", "inner-clean");

    write_file(inner, "a.txt", "two\n", 0600);
    git_ok(fixture->work, "status", NULL);
    g_autofree char *sprung = trap_take(&trap);
    assert_non_null(strstr(sprung, "inner-clean"));

    static const char *const commands[] = { "status --porcelain", "diff", "diff HEAD" };
    for (size_t i = 0; i < G_N_ELEMENTS(commands); i++) {
        write_file(inner, "a.txt", "two\n", 0600);
        run_reading(fixture, commands[i]);
        g_autofree char *ran = trap_take(&trap);
        if (*ran != '\0')
            fail_msg("git %s ran:\n%s", commands[i], ran);
    }
}

static bool never_asked(TestServer *server G_GNUC_UNUSED, int fd G_GNUC_UNUSED,
                        const char *request G_GNUC_UNUSED, unsigned number G_GNUC_UNUSED)
{
    return false;
}

static void test_s09_missing_object(void **state G_GNUC_UNUSED)
{
    g_autoptr(GitFixture) fixture = git_fixture_new();
    write_file(fixture->work, "a.txt", "one\n", 0600);
    git_do(fixture->work, "add", ".", NULL);
    git_do(fixture->work, "commit", "--quiet", "-m", "file", NULL);
    git_do(fixture->work, "push", "--quiet", "origin", "main", NULL);
    git_do(fixture->origin, "config", "uploadpack.allowFilter", "true", NULL);
    git_do(fixture->origin, "config", "uploadpack.allowAnySHA1InWant", "true", NULL);
    g_autofree char *partial = g_build_filename(fixture->gh->dir, "partial", NULL);
    g_autofree char *url = g_strconcat("file://", fixture->origin, NULL);
    git_do("/", "clone", "--quiet", "--no-checkout", "--filter=blob:none", url, partial, NULL);

    g_auto(Trap) trap = { .dir = g_build_filename(fixture->gh->dir, "traps", NULL),
                          .log = g_build_filename(fixture->gh->dir, "trap-log", NULL) };
    g_autofree char *line = g_strdup_printf("#!/bin/sh\necho transport >>'%s'\n", trap.log);
    write_file(trap.dir, "transport", line, 0755);
    g_autofree char *ext = g_strdup_printf("ext::%s/transport", trap.dir);
    TestServer *server = test_server_start(never_asked, NULL);
    g_autofree char *web = g_strdup_printf("http://127.0.0.1:%u/x.git", server->port);
    git_do(partial, "config", "protocol.allow", "always", NULL);
    git_do(partial, "config", "protocol.ext.allow", "always", NULL);
    git_do(partial, "config", "protocol.http.allow", "always", NULL);

    const char *const urls[] = { ext, web };
    static const char *const commands[] = { "cat-file blob HEAD:a.txt", "show HEAD:a.txt",
                                            "log -p -1", "diff HEAD~1 HEAD" };
    for (size_t i = 0; i < G_N_ELEMENTS(urls); i++) {
        git_do(partial, "config", "remote.origin.url", urls[i], NULL);
        for (size_t k = 0; k < G_N_ELEMENTS(commands); k++) {
            g_auto(GStrv) args = g_strsplit(commands[k], " ", -1);
            const GitSpec spec = { .dir = partial, .args = (const char *const *)args };
            g_auto(GitResult) result = { 0 };
            assert_true(git_start(&spec, NULL, &result, NULL));
            if (result.exit_status == 0)
                fail_msg("git %s found what is not there", commands[k]);
        }
        git_ok(partial, "cat-file", "blob", "HEAD:a.txt", NULL); // git alone does connect
        g_autofree char *ran = trap_take(&trap);
        assert_string_equal(ran, i == 0 ? "transport\n" : "");
    }
    unsigned connections = test_server_count(server, &server->connections);
    test_server_stop(server);
    assert_int_equal(connections, 1); // of git alone
}

static void test_too_many_filters(void **state G_GNUC_UNUSED)
{
    g_autoptr(GitFixture) fixture = git_fixture_new();
    g_autofree char *config = g_build_filename(fixture->work, ".git", "config", NULL);
    g_autoptr(GString) text = g_string_new(NULL);
    for (int i = 0; i < 600; i++)
        g_string_append_printf(text, "[filter \"f%d\"]\n\tclean = false\n", i);
    g_autofree char *old = NULL;
    assert_true(file_read(config, 64 * 1024, &old, NULL, NULL));
    g_autofree char *whole = g_strconcat(old, text->str, NULL);
    assert_true(g_file_set_contents(config, whole, -1, NULL));
    const GitSpec spec = { .dir = fixture->work, .args = (const char *const[]) { "status", NULL } };
    g_auto(GitResult) result = { 0 };
    g_autoptr(GError) error = NULL;
    assert_false(git_start(&spec, NULL, &result, &error));
    assert_true(error_is(error, KEDGE_ERROR_LIMIT));
    assert_non_null(strstr(error->message, "more than 512 entries about filters"));
    // what does not look at files still works
    const GitSpec facts = { .dir = fixture->work,
                            .args = (const char *const[]) { "rev-parse", "HEAD", NULL } };
    assert_true(git_start(&facts, NULL, &result, NULL));
    assert_int_equal(result.exit_status, 0);
}

static unsigned count_questions(const GitFixture *fixture)
{
    g_autofree char *log = git_fixture_log(fixture);
    unsigned count = 0;
    for (const char *at = log; (at = strstr(at, "asked\n")); at++)
        count++;
    return count;
}

/* What git said is kept while nothing can have changed it: not when a file of the tree, which
   anyone may have written, is among the settings. */
static void test_settings_are_asked_once(void **state G_GNUC_UNUSED)
{
    g_autoptr(GitFixture) fixture = git_fixture_new();
    g_auto(Trap) trap = { .dir = g_build_filename(fixture->gh->dir, "traps", NULL),
                          .log = g_build_filename(fixture->gh->dir, "trap-log", NULL) };
    g_autofree char *program = trap_program(&trap, "clean");
    g_autofree char *text = g_strdup_printf("[filter \"x\"]\n\tclean = %s\n", program);
    write_file(fixture->work, ".gitattributes", "*.txt filter=x\n", 0600);
    touch_files(fixture->work, "one\n");
    git_do(fixture->work, "add", ".", NULL);
    git_do(fixture->work, "commit", "--quiet", "-m", "files", NULL);
    git_fixture_wrap(fixture, "case \"$*\" in *--get-regexp*) echo asked >>\"$log\" ;; esac");

    run_reading(fixture, "status");
    run_reading(fixture, "diff");
    assert_int_equal(count_questions(fixture), 1);
    set_program(&trap, fixture->work, "filter.x.clean", "clean");
    run_reading(fixture, "status");
    assert_int_equal(count_questions(fixture), 2);
    git_do(fixture->work, "config", "--unset", "filter.x.clean", NULL);

    git_do(fixture->work, "config", "include.path", "../settings", NULL);
    write_file(fixture->work, "settings", "", 0600);
    run_reading(fixture, "status");
    write_file(fixture->work, "settings", text, 0600);
    run_reading(fixture, "status");
    assert_int_equal(count_questions(fixture), 4);
    g_autofree char *ran = trap_take(&trap);
    assert_string_equal(ran, "");
    touch_files(fixture->work, "two\n");
    git_ok(fixture->work, "status", NULL);
    g_autofree char *sprung = trap_take(&trap); // git alone runs it
    assert_string_equal(*sprung ? "clean" : "", "clean");
}

typedef struct Shown {
    const char *args; // words
    const char *line; // of the environment or the arguments that git got
    bool is_there;
} Shown;

static void test_environment(void **state G_GNUC_UNUSED)
{
    g_autoptr(GitFixture) fixture = git_fixture_new();
    git_do(fixture->work, "remote", "add", "here", fixture->origin, NULL);
    git_do(fixture->work, "remote", "add", "file", "file:///nowhere.git", NULL);
    git_do(fixture->work, "remote", "add", "moved", "https://forge.example/x.git", NULL);
    git_do(fixture->work, "remote", "set-url", "--push", "moved", fixture->origin, NULL);
    git_do(fixture->work, "remote", "set-url", "origin", "https://forge.example/x.git", NULL);
    git_fixture_wrap(
        fixture, "if [ $sub != config ] && [ $sub != remote ]; then env; echo \"$*\"; exit 0; fi");
    static const Shown cases[] = {
        { "status", "GIT_NO_LAZY_FETCH=1", true },
        { "status", "GIT_OPTIONAL_LOCKS=0", true },
        { "status", "GIT_ALLOW_PROTOCOL=none", true },
        { "status", "-c core.hooksPath=/dev/null", true },
        { "ls-remote origin", "GIT_ALLOW_PROTOCOL", false },
        { "ls-remote origin", "-c protocol.ext.allow=never", true },
        { "log -1", "log --no-ext-diff --no-textconv -1", true },
        { "--literal-pathspecs diff x",
          "--literal-pathspecs diff --no-ext-diff --no-textconv --ignore-submodules=dirty x",
          true },
        { "fetch origin", "GIT_NO_LAZY_FETCH=1", true },
        { "fetch origin", "-c protocol.ext.allow=never", true },
        { "fetch origin", "GIT_OPTIONAL_LOCKS", false },
        { "fetch origin", "GIT_ALLOW_PROTOCOL", false },
        { "push origin", "-c core.hooksPath=/dev/null", true },
        { "push origin", "GH_TOKEN=ghp_secret", true },
        { "fetch origin", "GH_TOKEN=ghp_secret", true },
        { "ls-remote origin", "GH_TOKEN=ghp_secret", true },
        { "push here", "GH_TOKEN", false }, // its hooks would have it
        { "push --porcelain file", "GH_TOKEN", false },
        { "push moved", "GH_TOKEN", false },
        { "fetch moved", "GH_TOKEN=ghp_secret", true },
        { "worktree add x", "GH_TOKEN", false },
        { "worktree add x", "-c core.hooksPath=/dev/null", true },
        { "worktree add x", "-c submodule.recurse=false", true },
        { "worktree add x", "GIT_NO_LAZY_FETCH=1", true },
        { "worktree add x", "GIT_ALLOW_PROTOCOL=none", true },
        { "reset --keep x", "GH_TOKEN", false },
        { "branch x", "GH_TOKEN", false },
        { "status", "GH_TOKEN", false },
        { "commit", "GIT_TERMINAL_PROMPT=0", true },
        { "commit", "LC_ALL=C.UTF-8", true },
        { "commit", "GIT_EXTERNAL_DIFF", false },
        { "commit", "GIT_DIR=", false },
        { "commit", "GIT_CONFIG=", false },
    };
    g_setenv("GIT_DIR", "/nowhere", true);
    g_setenv("GIT_CONFIG", "/nowhere", true);
    g_setenv("GIT_EXTERNAL_DIFF", "false", true);
    g_setenv("GH_TOKEN", "ghp_secret", true);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(GStrv) args = g_strsplit(cases[i].args, " ", -1);
        const GitSpec spec = { .dir = fixture->work, .args = (const char *const *)args };
        g_auto(GitResult) result = { 0 };
        assert_true(git_start(&spec, NULL, &result, NULL));
        if ((strstr(result.output, cases[i].line) != NULL) != cases[i].is_there)
            fail_msg("git %s: %s is %s in:\n%s", cases[i].args, cases[i].line,
                     cases[i].is_there ? "not" : "there", result.output);
    }
    g_unsetenv("GIT_DIR");
    g_unsetenv("GIT_CONFIG");
    g_unsetenv("GIT_EXTERNAL_DIFF");
    g_unsetenv("GH_TOKEN");
    const GitSpec own = { .dir = fixture->work,
                          .args = (const char *const[]) { "push", "origin", NULL },
                          .is_own = true };
    g_auto(GitResult) result = { 0 };
    assert_true(git_start(&own, NULL, &result, NULL));
    assert_null(strstr(result.output, "core.hooksPath"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_s08_reading_runs_nothing), cmocka_unit_test(test_s08_submodule),
        cmocka_unit_test(test_s09_missing_object),       cmocka_unit_test(test_too_many_filters),
        cmocka_unit_test(test_settings_are_asked_once),  cmocka_unit_test(test_environment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
