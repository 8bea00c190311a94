/* Completion: words, tables, files of a repository, paths; agent-core §7.5. */
#include "base/str.h"
#include "editor_fixture.h"

#include "base/file.h"
#include "git_fixture.h"
#include "tui/edit/complete.h"
#include "tui/edit/complete_files.h"
#include "tui/edit/complete_token.h"

#include <sys/stat.h>
#include <unistd.h>

static const CompleteItem commands[] = {
    { "model", "[filter]", "choose a model" },
    { "new", NULL, "new session" },
    { "rename", "<title>", "name the session" },
    { "session", "[info|delete]", "session details" },
    { "settings", NULL, "settings" },
    { NULL },
};
static const CompleteItem actions[] = {
    { "app.session.new", NULL, "new session" },
    { "app.suspend", NULL, "back to the shell" },
    { NULL },
};

typedef struct Fixture {
    char *dir;
    Loop *loop;
    Editor *editor;
    Completer *completer;
} Fixture;

static void stop(void *loop)
{
    loop_quit(loop);
}

static Fixture *fixture_new(const char *cwd)
{
    Fixture *self = g_new0(Fixture, 1);
    self->dir = cwd ? g_strdup(cwd) : g_dir_make_tmp("kedge-complete-XXXXXX", NULL);
    self->loop = loop_new();
    self->editor = editor_new(3);
    const CompleteSpec spec = {
        .loop = self->loop,
        .cwd = self->dir,
        .commands = commands,
        .actions = actions,
        .max_rows = 5,
        .on_change = stop,
        .user_data = self->loop,
    };
    self->completer = completer_new(&spec);
    return self;
}

static void fixture_free(Fixture *self)
{
    completer_free(self->completer);
    editor_free(self->editor);
    loop_free(self->loop);
    g_free(self->dir);
    g_free(self);
}

static int setup(void **state)
{
    *state = fixture_new(NULL);
    return 0;
}

static int teardown(void **state)
{
    Fixture *fixture = *state;
    g_autofree char *dir = g_strdup(fixture->dir);
    fixture_free(fixture);
    assert_true(file_remove_tree(dir, NULL));
    return 0;
}

static void make_file(const char *dir, const char *name)
{
    g_autofree char *path = g_build_filename(dir, name, NULL), *parent = g_path_get_dirname(path);
    assert_int_equal(g_mkdir_with_parents(parent, 0700), 0);
    assert_true(g_file_set_contents(path, "x", 1, NULL));
}

static void type(Fixture *self, const char *keys)
{
    editor_play(self->editor, keys, 0);
    completer_update(self->completer, self->editor);
}

/* The names in the rows, joined with "|". Caller frees. */
static char *listed(const Fixture *self)
{
    g_autoptr(GPtrArray) rows = rows_new();
    GString *out = g_string_new(NULL);
    completer_rows(self->completer, 80, 20, rows);
    for (guint i = 0; i < rows->len; i++) {
        const Row *row = rows->pdata[i];
        g_string_append_printf(out, "%s%s", i > 0 ? "|" : "", row->text);
    }
    return g_string_free(out, FALSE);
}

static void expect_list(const char *name, const Fixture *self, const char *want)
{
    g_autofree char *got = listed(self);
    if (strcmp(got, want) != 0)
        fail_msg("%s: got '%s', want '%s'", name, got, want);
}

static bool act(Fixture *self, Action action, bool *ret_submits)
{
    return completer_act(self->completer, action, self->editor, ret_submits);
}

// ---- words ----

static void test_tokens(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *text;
        bool is_forced;
        TokenKind kind;
        size_t start;
        const char *query;
    } cases[] = {
        { "/", false, TOKEN_KIND_COMMAND, 0, "" },
        { "/mo", false, TOKEN_KIND_COMMAND, 0, "mo" },
        { "/usr/bin", false, TOKEN_KIND_NONE, 0, NULL },
        { " /mo", false, TOKEN_KIND_NONE, 0, NULL },
        { "a\n/mo", false, TOKEN_KIND_NONE, 0, NULL },
        { "/session in", false, TOKEN_KIND_OPTION, 9, "in" },
        { "/session in x", false, TOKEN_KIND_NONE, 0, NULL },
        { "/plan see @sr", false, TOKEN_KIND_FILE, 10, "sr" },
        { "#und", false, TOKEN_KIND_ACTION, 0, "und" },
        { "# Title", false, TOKEN_KIND_NONE, 0, NULL },
        { "a #und", false, TOKEN_KIND_NONE, 0, NULL },
        { "@", false, TOKEN_KIND_FILE, 0, "" },
        { "see @src/ma", false, TOKEN_KIND_FILE, 4, "src/ma" },
        { "see\n@src", false, TOKEN_KIND_FILE, 4, "src" },
        { "(@src", false, TOKEN_KIND_FILE, 1, "src" },
        { "say \"hello @src", false, TOKEN_KIND_FILE, 11, "src" },
        { "me@example", false, TOKEN_KIND_NONE, 0, NULL },
        { "@src ", false, TOKEN_KIND_NONE, 0, NULL },
        { "@\"a b", false, TOKEN_KIND_FILE, 0, "a b" },
        { "@\"a b\"", false, TOKEN_KIND_NONE, 0, NULL },
        { "@../x", false, TOKEN_KIND_PATH, 0, "../x" },
        { "@~/x", false, TOKEN_KIND_PATH, 0, "~/x" },
        { "see src/ma", false, TOKEN_KIND_NONE, 0, NULL },
        { "see src/ma", true, TOKEN_KIND_PATH, 4, "src/ma" },
        { "see ", true, TOKEN_KIND_PATH, 4, "" },
        { "", true, TOKEN_KIND_PATH, 0, "" },
        { "see \"a b", true, TOKEN_KIND_PATH, 4, "a b" },
        { "/usr/b", true, TOKEN_KIND_PATH, 0, "/usr/b" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(CompleteToken) token = { 0 };
        complete_token_find(cases[i].text, strlen(cases[i].text), cases[i].is_forced, &token);
        if (token.kind != cases[i].kind || token.start != cases[i].start ||
            g_strcmp0(token.query, cases[i].query) != 0)
            fail_msg("'%s': kind %d, start %zu, query '%s'", cases[i].text, token.kind, token.start,
                     token.query);
    }
}

// ---- tables ----

static void test_commands(void **state)
{
    Fixture *fixture = *state;
    bool submits;
    type(fixture, "/");
    expect_list("all", fixture,
                "❯ /model [filter]         choose a model|  /new                    new session|"
                "  /rename <title>         name the session|"
                "  /session [info|delete]  session details|  /settings               settings");
    type(fixture, "se");
    g_autofree char *narrowed = listed(fixture);
    assert_non_null(strstr(narrowed, "/session"));
    assert_null(strstr(narrowed, "/model"));
    type(fixture, "x");
    assert_false(completer_is_open(fixture->completer));
    assert_false(act(fixture, ACTION_LIST_ACCEPT, &submits));
    type(fixture, "<back><back><back>ne");
    assert_true(act(fixture, ACTION_LIST_ACCEPT, &submits));
    assert_true(submits);
    editor_expect("taken", fixture->editor, "/new|");
    completer_update(fixture->completer, fixture->editor);
    assert_false(completer_is_open(fixture->completer));
}

static void test_command_arguments(void **state)
{
    Fixture *fixture = *state;
    bool submits;
    type(fixture, "/ren");
    assert_true(act(fixture, ACTION_LIST_ACCEPT, &submits));
    assert_false(submits); // it wants a title
    editor_expect("taken", fixture->editor, "/rename |");
    editor_set_text(fixture->editor, "");
    type(fixture, "/sess");
    assert_true(act(fixture, ACTION_LIST_TAB, &submits));
    editor_expect("taken by Tab", fixture->editor, "/session |");
    expect_list("its options", fixture, "❯ info|  delete");
    assert_false(act(fixture, ACTION_LIST_ACCEPT, &submits)); // none was chosen
    type(fixture, "d");
    assert_true(act(fixture, ACTION_LIST_ACCEPT, &submits));
    assert_true(submits);
    editor_expect("chosen", fixture->editor, "/session delete|");
    editor_set_text(fixture->editor, "");
    type(fixture, "/model");
    assert_true(act(fixture, ACTION_LIST_ACCEPT, &submits));
    assert_true(submits); // written out, and nothing more is needed
}

/* Enter, a letter too early, deletes nothing. */
static void test_removals(void **state)
{
    static const CompleteItem items[] = { { "drop", "[yes]", "delete this session", true },
                                          { "model", "[filter]", "choose a model" },
                                          { NULL } };
    Fixture *fixture = *state;
    bool submits;
    completer_set_commands(fixture->completer, items);
    type(fixture, "/d");
    g_autofree char *list = listed(fixture);
    assert_true(str_has_prefix(list, "❯ /model"));
    assert_non_null(strstr(list, "|  /drop"));
    type(fixture, "r");
    expect_list("alone", fixture, "❯ /drop [yes]  delete this session");
    assert_true(act(fixture, ACTION_LIST_ACCEPT, &submits));
    assert_false(submits);
    editor_expect("taken", fixture->editor, "/drop |");
    editor_set_text(fixture->editor, "");
    type(fixture, "/drop");
    assert_true(act(fixture, ACTION_LIST_ACCEPT, &submits));
    assert_true(submits); // written out: it asks then
}

/* Words of other programs: written whole they are meant, else they are only there where nothing of
   kedge's own fits. */
static void test_words(void **state)
{
    static const CompleteItem items[] = { { .name = "status", .help = "how things stand" },
                                          { .name = "usage", .help = "tokens and cost" },
                                          { .name = "stats", .help = "as /usage", .is_word = true },
                                          { .name = "cost", .help = "as /usage", .is_word = true },
                                          { NULL } };
    Fixture *fixture = *state;
    bool submits;
    completer_set_commands(fixture->completer, items);
    type(fixture, "/");
    expect_list("kedge's own", fixture, "❯ /status  how things stand|  /usage   tokens and cost");
    type(fixture, "stat");
    expect_list("its own fits", fixture, "❯ /status  how things stand");
    type(fixture, "s");
    expect_list("whole", fixture, "❯ /stats   as /usage|  /status  how things stand");
    assert_true(act(fixture, ACTION_LIST_ACCEPT, &submits));
    assert_true(submits);
    editor_expect("taken", fixture->editor, "/stats|");
    editor_set_text(fixture->editor, "");
    type(fixture, "/co");
    expect_list("nothing else fits", fixture, "❯ /cost  as /usage");
}

static void test_actions(void **state)
{
    Fixture *fixture = *state;
    bool submits;
    type(fixture, "#susp");
    expect_list("narrowed", fixture, "❯ #app.suspend  back to the shell");
    assert_true(act(fixture, ACTION_LIST_ACCEPT, &submits));
    assert_true(submits);
    editor_expect("taken", fixture->editor, "#app.suspend|");
}

static void test_moves(void **state)
{
    Fixture *fixture = *state;
    bool submits;
    type(fixture, "/");
    assert_true(act(fixture, ACTION_LIST_UP, &submits)); // around
    assert_true(act(fixture, ACTION_LIST_ACCEPT, &submits));
    editor_expect("the last one", fixture->editor, "/settings|");
    editor_set_text(fixture->editor, "");
    type(fixture, "/");
    act(fixture, ACTION_LIST_DOWN, &submits);
    g_autoptr(GPtrArray) rows = rows_new();
    completer_rows(fixture->completer, 12, 3, rows);
    assert_int_equal(rows->len, 3);
    assert_string_equal(((const Row *)rows->pdata[2])->text, "  (2/5)");
    for (guint i = 0; i < rows->len; i++)
        assert_true(((const Row *)rows->pdata[i])->cells <= 12);
    assert_true(act(fixture, ACTION_LIST_CANCEL, &submits));
    assert_false(completer_is_open(fixture->completer));
    type(fixture, "n");
    assert_false(completer_is_open(fixture->completer)); // it was closed for this word
    completer_force(fixture->completer, fixture->editor);
    assert_true(completer_is_open(fixture->completer));
    assert_false(act(fixture, ACTION_LIST_FIRST, &submits)); // the editor's key
}

static void test_closed_for_one_word(void **state)
{
    Fixture *fixture = *state;
    type(fixture, "/ne");
    completer_close(fixture->completer);
    type(fixture, "<left><right>");
    assert_false(completer_is_open(fixture->completer));
    editor_set_text(fixture->editor, ""); // it was sent, say
    static const char *const letters[] = { "/", "n", "e" };
    for (size_t i = 0; i < G_N_ELEMENTS(letters); i++) {
        type(fixture, letters[i]);
        assert_true(completer_is_open(fixture->completer));
    }
}

// ---- files ----

static void test_repository(void **state G_GNUC_UNUSED)
{
    g_autoptr(GitFixture) git = git_fixture_new();
    make_file(git->work, "src/main.c");
    make_file(git->work, "src/deep/er/new file.c");
    make_file(git->work, ".gitignore");
    make_file(git->work, "out/ignored.c");
    make_file(git->work, "bad\x1b[2Jname.c");
    make_file(git->work, "bad\"quote.c");
    make_file(git->work, "bad\xffutf8.c");
    g_autofree char *ignore = g_build_filename(git->work, ".gitignore", NULL);
    assert_true(g_file_set_contents(ignore, "out/\n", -1, NULL));
    git_do(git->work, "add", "src/main.c", NULL);
    Fixture *fixture = fixture_new(git->work);
    bool submits;

    type(fixture, "see @");
    assert_false(completer_is_open(fixture->completer)); // it comes later
    loop_run(fixture->loop);
    g_autofree char *all = listed(fixture);
    assert_non_null(strstr(all, "src/"));
    assert_null(strstr(all, "ignored"));
    assert_null(strstr(all, "bad"));
    type(fixture, "main");
    assert_false(act(fixture, ACTION_LIST_ACCEPT, &submits)); // the list is of "@" still
    loop_run(fixture->loop);
    expect_list("narrowed", fixture, "❯ src/main.c");
    assert_true(act(fixture, ACTION_LIST_ACCEPT, &submits));
    assert_false(submits);
    editor_expect("taken", fixture->editor, "see @src/main.c |");
    type(fixture, "@newfile");
    loop_run(fixture->loop);
    assert_true(act(fixture, ACTION_LIST_TAB, &submits));
    editor_expect("quoted", fixture->editor, "see @src/main.c @\"src/deep/er/new file.c\" |");
    completer_update(fixture->completer, fixture->editor);
    assert_false(completer_is_open(fixture->completer));

    editor_set_text(fixture->editor, "");
    type(fixture, "@deep");
    loop_run(fixture->loop);
    expect_list("a directory", fixture, "❯ src/deep/|  src/deep/er/|  src/deep/er/new file.c");
    assert_true(act(fixture, ACTION_LIST_ACCEPT, &submits));
    editor_expect("taken", fixture->editor, "@src/deep/|");
    loop_run(fixture->loop); // and it opens again
    assert_true(completer_is_open(fixture->completer));
    fixture_free(fixture);
}

static void test_walk(void **state)
{
    Fixture *fixture = *state;
    make_file(fixture->dir, "a/one.c");
    make_file(fixture->dir, ".hidden/two.c");
    make_file(fixture->dir, "a/.three.c");
    g_autofree char *loop = g_build_filename(fixture->dir, "a", "loop", NULL);
    assert_int_equal(symlink("..", loop), 0);
    g_autofree char *pipe = g_build_filename(fixture->dir, "a", "pipe", NULL);
    assert_int_equal(mkfifo(pipe, 0600), 0);
    type(fixture, "@a");
    loop_run(fixture->loop);
    expect_list("what is not hidden", fixture, "❯ a/|  a/loop|  a/one.c|  a/pipe");
}

static void test_many_files(void **state)
{
    Fixture *fixture = *state;
    g_autoptr(Cancel) cancel = cancel_new(NULL);
    for (int i = 0; i < 300; i++) {
        g_autofree char *name = g_strdup_printf("dir/file-%d.c", i);
        make_file(fixture->dir, name);
    }
    g_autoptr(FileList) list = file_list_read(fixture->dir, cancel);
    assert_int_equal(file_list_count(list), 301);
    g_autoptr(GPtrArray) names = file_list_match(list, "file", cancel);
    assert_int_equal(names->len, FILE_MATCHES_MAX);
    g_autoptr(GPtrArray) best = file_list_match(list, "file-299", cancel);
    assert_string_equal(best->pdata[0], "dir/file-299.c");
    cancel_fire(cancel);
    assert_null(file_list_read(fixture->dir, cancel));
    g_autoptr(GPtrArray) none = file_list_match(list, "file", cancel);
    assert_int_equal(none->len, 0);
}

static void test_fast_typing(void **state)
{
    Fixture *fixture = *state;
    make_file(fixture->dir, "alpha.c");
    make_file(fixture->dir, "beta.c");
    type(fixture, "@");
    type(fixture, "b");
    type(fixture, "e");
    loop_run(fixture->loop);
    expect_list("the last word counts", fixture, "❯ beta.c");
    type(fixture, "<back>");
    type(fixture, "<back><back>");
    assert_false(completer_is_open(fixture->completer));
    type(fixture, "@al"); // given up in the middle
}

// ---- paths ----

static void test_paths(void **state)
{
    Fixture *fixture = *state;
    bool submits;
    make_file(fixture->dir, "src/main.c");
    make_file(fixture->dir, "src/Makefile");
    make_file(fixture->dir, "src/.secret");
    make_file(fixture->dir, "a b/c d.c");
    editor_play(fixture->editor, "run sr", 0);
    completer_force(fixture->completer, fixture->editor);
    loop_run(fixture->loop);
    editor_expect("alone, so taken", fixture->editor, "run src/|");
    loop_run(fixture->loop);
    expect_list("what is in it", fixture, "❯ src/Makefile|  src/main.c");
    type(fixture, "mai");
    loop_run(fixture->loop);
    expect_list("typed on", fixture, "❯ src/main.c");
    assert_true(act(fixture, ACTION_LIST_TAB, &submits));
    editor_expect("taken", fixture->editor, "run src/main.c |");

    editor_set_text(fixture->editor, "");
    editor_play(fixture->editor, "src/.", 0);
    completer_force(fixture->completer, fixture->editor);
    loop_run(fixture->loop);
    editor_expect("hidden ones after a dot", fixture->editor, "src/.secret |");

    editor_set_text(fixture->editor, "");
    editor_play(fixture->editor, "a", 0);
    completer_force(fixture->completer, fixture->editor);
    loop_run(fixture->loop);
    editor_expect("the quote stays open", fixture->editor, "\"a b/|");
    loop_run(fixture->loop);
    assert_true(act(fixture, ACTION_LIST_ACCEPT, &submits));
    editor_expect("and is closed", fixture->editor, "\"a b/c d.c\" |");

    editor_set_text(fixture->editor, "");
    editor_play(fixture->editor, "sr", 0);
    completer_force(fixture->completer, fixture->editor);
    type(fixture, " x"); // it is not taken any more
    completer_force(fixture->completer, fixture->editor);
    loop_run(fixture->loop);
    editor_expect("changed meanwhile", fixture->editor, "sr x|");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tokens),
        cmocka_unit_test_setup_teardown(test_commands, setup, teardown),
        cmocka_unit_test_setup_teardown(test_command_arguments, setup, teardown),
        cmocka_unit_test_setup_teardown(test_removals, setup, teardown),
        cmocka_unit_test_setup_teardown(test_words, setup, teardown),
        cmocka_unit_test_setup_teardown(test_actions, setup, teardown),
        cmocka_unit_test_setup_teardown(test_moves, setup, teardown),
        cmocka_unit_test_setup_teardown(test_closed_for_one_word, setup, teardown),
        cmocka_unit_test(test_repository),
        cmocka_unit_test_setup_teardown(test_walk, setup, teardown),
        cmocka_unit_test_setup_teardown(test_many_files, setup, teardown),
        cmocka_unit_test_setup_teardown(test_fast_typing, setup, teardown),
        cmocka_unit_test_setup_teardown(test_paths, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
