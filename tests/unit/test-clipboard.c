/* The clipboard by a program: which one, with which text, and that what serves it lives on. The
   programs are scripts of the test's own. */
#include "unit.h"

#include "base/loop.h"
#include "tui/term/clipboard.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>

typedef struct Fixture {
    char *dir, *path_before;
    Loop *loop;
    Clipboard *clipboard;
    GString *refused;
    const char *awaited; // a file; the loop ends when it is there
} Fixture;

static const char *wayland_env(const char *name)
{
    return g_str_equal(name, "WAYLAND_DISPLAY") ? "wayland-0" : NULL;
}

static const char *x11_env(const char *name)
{
    return g_str_equal(name, "DISPLAY") ? ":0" : NULL;
}

static const char *no_env(const char *name G_GNUC_UNUSED)
{
    return NULL;
}

static void on_refused(const char *text, void *self_)
{
    Fixture *self = self_;
    g_string_append_printf(self->refused, "%s;", text);
    loop_quit(self->loop);
}

static int setup(void **state)
{
    Fixture *self = g_new0(Fixture, 1);
    self->dir = g_dir_make_tmp("kedge-clipboard-XXXXXX", NULL);
    self->path_before = g_strdup(g_getenv("PATH"));
    g_autofree char *path = g_strconcat(self->dir, ":/usr/bin:/bin", NULL);
    g_setenv("PATH", path, TRUE);
    self->loop = loop_new();
    self->clipboard = clipboard_new(self->loop, on_refused, self);
    self->refused = g_string_new(NULL);
    *state = self;
    return 0;
}

static int teardown(void **state)
{
    Fixture *self = *state;
    clipboard_free(self->clipboard);
    loop_free(self->loop);
    g_setenv("PATH", self->path_before, TRUE);
    g_autoptr(GDir) dir = g_dir_open(self->dir, 0, NULL);
    const char *name;
    while ((name = g_dir_read_name(dir))) {
        g_autofree char *path = g_build_filename(self->dir, name, NULL);
        g_unlink(path);
    }
    g_rmdir(self->dir);
    g_string_free(self->refused, TRUE);
    g_free(self->path_before);
    g_free(self->dir);
    g_free(self);
    return 0;
}

/* `body` runs in the fixture's directory. */
static void write_program(Fixture *self, const char *name, const char *body)
{
    g_autofree char *path = g_build_filename(self->dir, name, NULL);
    g_autofree char *text = g_strdup_printf("#!/bin/sh\ncd '%s' || exit 9\n%s\n", self->dir, body);
    assert_true(g_file_set_contents(path, text, -1, NULL));
    assert_int_equal(g_chmod(path, 0755), 0);
}

static void look(void *self_)
{
    Fixture *self = self_;
    g_autofree char *path = g_build_filename(self->dir, self->awaited, NULL);
    if (g_file_test(path, G_FILE_TEST_EXISTS))
        loop_quit(self->loop);
    else
        loop_add_timer(self->loop, 5, look, self);
}

/* Its content, once it is there; a program writes it elsewhere and renames it. Caller frees. */
static char *await_file(Fixture *self, const char *name)
{
    g_autofree char *path = g_build_filename(self->dir, name, NULL);
    char *text = NULL;
    self->awaited = name;
    look(self);
    loop_run(self->loop);
    assert_true(g_file_get_contents(path, &text, NULL, NULL));
    return text;
}

static void make_file(Fixture *self, const char *name)
{
    g_autofree char *path = g_build_filename(self->dir, name, NULL);
    assert_true(g_file_set_contents(path, "", 0, NULL));
}

static void test_which_program(void **state)
{
    static const struct {
        const char *name;
        TermCaps caps;
        EnvFunc env;
        const char *program; // NULL: none
        const char *want;
    } cases[] = {
        { "tmux", { .is_tmux = true }, no_env, "tmux", "load-buffer -w -:text" },
        { "tmux over ssh",
          { .is_tmux = true, .is_over_ssh = true },
          x11_env,
          "tmux",
          "load-buffer -w -:text" },
        { "wayland", { 0 }, wayland_env, "wl-copy", "--type text/plain:text" },
        { "x11", { 0 }, x11_env, "xclip", "-selection clipboard -in:text" },
        { "mac", { 0 }, no_env, "pbcopy", ":text" },
        { "over ssh", { .is_over_ssh = true }, x11_env, NULL, "" },
        { "no display", { 0 }, no_env, NULL, "" },
    };
    Fixture *self = *state;
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        const char *program = cases[i].program;
        write_program(self, program != NULL ? program : "xclip",
                      "printf '%s:' \"$*\" > new; cat >> new; mv new got");
        bool is_taken = clipboard_copy(self->clipboard, "text", &cases[i].caps, cases[i].env);
        if (is_taken != (program != NULL))
            fail_msg("%s: %d", cases[i].name, is_taken);
        if (!program)
            continue;
        g_autofree char *got = await_file(self, "got");
        if (strcmp(got, cases[i].want) != 0)
            fail_msg("%s: '%s'", cases[i].name, got);
        g_autofree char *path = g_build_filename(self->dir, "got", NULL);
        g_autofree char *program_path = g_build_filename(self->dir, program, NULL);
        g_unlink(path);
        // the next one goes out when this one is done
        clipboard_free(self->clipboard);
        self->clipboard = clipboard_new(self->loop, on_refused, self);
        g_unlink(program_path);
    }
    assert_string_equal(self->refused->str, "");
}

static void test_program_fails(void **state)
{
    const TermCaps caps = { .is_tmux = true };
    Fixture *self = *state;
    write_program(self, "tmux", "exit 1"); // before 3.2 it knows no -w
    assert_true(clipboard_copy(self->clipboard, "text", &caps, no_env));
    loop_run(self->loop);
    assert_string_equal(self->refused->str, "text;");
}

/* One at a time, and of those that wait the last. */
static void test_replaced(void **state)
{
    const TermCaps caps = { .is_tmux = true };
    Fixture *self = *state;
    write_program(self, "tmux",
                  "cat >> list; echo >> list; while [ ! -e go ]; do sleep 0.02; done\n"
                  "grep -q third list && mv list got; true");
    assert_true(clipboard_copy(self->clipboard, "first", &caps, no_env));
    assert_true(clipboard_copy(self->clipboard, "second", &caps, no_env));
    assert_true(clipboard_copy(self->clipboard, "third", &caps, no_env));
    make_file(self, "go");
    g_autofree char *got = await_file(self, "got");
    assert_string_equal(got, "first\nthird\n");
}

static void test_too_long(void **state)
{
    const TermCaps caps = { .is_tmux = true };
    Fixture *self = *state;
    write_program(self, "tmux", "cat > got");
    g_autofree char *text = g_strnfill(LIMIT_CLIPBOARD_BYTES + 1, 'x');
    assert_false(clipboard_copy(self->clipboard, text, &caps, no_env));
}

/* wl-copy and xclip leave a process behind that has the text for whoever pastes. */
static void test_server_lives_on(void **state)
{
    const TermCaps caps = { 0 };
    Fixture *self = *state;
    write_program(self, "wl-copy",
                  "cat > new\n"
                  "(while [ ! -e stop ]; do sleep 0.02; done; mv new survived) "
                  "</dev/null >/dev/null 2>&1 &\n"
                  "echo > started; mv started got");
    assert_true(clipboard_copy(self->clipboard, "text", &caps, wayland_env));
    g_autofree char *got G_GNUC_UNUSED = await_file(self, "got");
    write_program(self, "tmux", "mv list done"); // runs when the first one is over
    const TermCaps tmux = { .is_tmux = true };
    make_file(self, "list");
    assert_true(clipboard_copy(self->clipboard, "next", &tmux, no_env));
    g_autofree char *done G_GNUC_UNUSED = await_file(self, "done");
    make_file(self, "stop");
    g_autofree char *survived = await_file(self, "survived");
    assert_string_equal(survived, "text");
    int status; // what was left behind is ours to reap
    while (waitpid(-1, &status, 0) > 0)
        continue;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_which_program, setup, teardown),
        cmocka_unit_test_setup_teardown(test_program_fails, setup, teardown),
        cmocka_unit_test_setup_teardown(test_replaced, setup, teardown),
        cmocka_unit_test_setup_teardown(test_too_long, setup, teardown),
        cmocka_unit_test_setup_teardown(test_server_lives_on, setup, teardown),
    };
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
