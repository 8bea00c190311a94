/* Children that speak lines: shells that answer, hang, flood, die. */
#include "unit.h"

#include "base/limits.h"
#include "base/line_child.h"

#include <signal.h>
#include <sys/wait.h>

#define ECHO "while read -r line; do echo \"got $line\"; done"

typedef struct Fixture {
    Loop *loop;
    LineChild *child;
    GString *log;
    const char *stop_at; // stops the child once this line came
    unsigned running;    // of many
} Fixture;

static void on_line(const char *line, size_t size, void *data)
{
    Fixture *self = data;
    g_string_append_printf(self->log, "[%.*s]", (int)MIN(size, 30), line);
    if (self->stop_at && strlen(self->stop_at) == size && memcmp(line, self->stop_at, size) == 0)
        line_child_stop(self->child);
}

static void on_long_line(void *data)
{
    Fixture *self = data;
    g_string_append(self->log, "[long]");
}

static void on_exit_(int exit_status, size_t unfinished_bytes, void *data)
{
    Fixture *self = data;
    g_string_append_printf(self->log, "[exit %d, %zu]", exit_status, unfinished_bytes);
    if (--self->running == 0)
        loop_quit(self->loop);
}

static int setup(void **state)
{
    Fixture *self = g_new0(Fixture, 1);
    self->loop = loop_new();
    self->log = g_string_new(NULL);
    *state = self;
    return 0;
}

static int teardown(void **state)
{
    Fixture *self = *state;
    line_child_free(self->child);
    loop_free(self->loop);
    g_string_free(self->log, TRUE);
    g_free(self);
    return 0;
}

static LineChildSpec shell_spec(Fixture *self)
{
    return (LineChildSpec) {
        .max_line_bytes = 1000,
        .max_errors_bytes = 16,
        .grace_ms = 60 * 1000,
        .on_line = on_line,
        .on_long_line = on_long_line,
        .on_exit = on_exit_,
        .user_data = self,
    };
}

static void start(Fixture *self, LineChildSpec spec, const char *script)
{
    spec.argv = (const char *const[]) { "sh", "-c", script, NULL };
    assert_true(line_child_start(self->loop, &spec, &self->child, NULL));
    self->running++;
}

static void send_text(Fixture *self, const char *text)
{
    assert_true(line_child_send(self->child, text, strlen(text), NULL));
}

static void test_talk(void **state)
{
    Fixture *self = *state;
    start(self, shell_spec(self), ECHO "; echo end; exit 7");
    send_text(self, "one");
    send_text(self, "two");
    line_child_stop(self->child); // what is sent already still counts
    g_autoptr(GError) error = NULL;
    assert_false(line_child_send(self->child, "late", 4, &error));
    assert_non_null(error);
    loop_run(self->loop);
    assert_string_equal(self->log->str, "[got one][got two][end][exit 7, 0]");
}

static void test_ways_to_end(void **state)
{
    static const struct {
        const char *name, *script, *want;
        gint64 grace_ms;
        bool is_stopped;
    } cases[] = {
        { "by itself", "echo a; exit 3", "[a][exit 3, 0]", 1, false },
        { "in mid-line", "echo a; printf bcd", "[a][exit 0, 3]", 1, false },
        { "killed in mid-line", "echo a; printf bcd; kill -9 $$", "[a][exit 137, 3]", 1, false },
        { "says nothing", "exec 1>&- 2>&-; exit 2", "[exit 2, 0]", 1, false },
        { "at the end of input", "echo ready; cat; exit 5", "[ready][exit 5, 0]", 60000, true },
        { "SIGTERM", "echo ready; exec sleep 300", "[ready][exit 143, 0]", 20, true },
        { "it cleans up", "trap 'echo bye; exit 4' TERM; echo ready; while :; do sleep 0.05; done",
          "[ready][bye][exit 4, 0]", 20, true },
        { "SIGKILL", "trap '' TERM; echo ready; while :; do sleep 0.05; done",
          "[ready][exit 137, 0]", 20, true },
        { "a member of its group holds the pipes", "sleep 300 & echo ready; exit 6",
          "[ready][exit 6, 0]", 1, false },
        { "a member that does not listen", "(trap '' TERM; sleep 300; sleep 300) & exit 6",
          "[exit 6, 0]", 1, false },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        assert_int_equal(setup(state), 0);
        Fixture *self = *state;
        LineChildSpec spec = shell_spec(self);
        spec.grace_ms = cases[i].grace_ms;
        self->stop_at = cases[i].is_stopped ? "ready" : NULL;
        start(self, spec, cases[i].script);
        loop_run(self->loop);
        if (!g_str_has_suffix(self->log->str, cases[i].want) &&
            strcmp(self->log->str, cases[i].want) != 0)
            fail_msg("%s: got %s, want %s", cases[i].name, self->log->str, cases[i].want);
        teardown(state);
    }
    *state = NULL;
}

/* 100 MB in one line are refused, and the next line comes. */
static void test_long_line(void **state)
{
    Fixture *self = *state;
    start(self, shell_spec(self), "head -c 100000000 /dev/zero | tr '\\0' x; echo; echo after");
    loop_run(self->loop);
    assert_string_equal(self->log->str, "[long][after][exit 0, 0]");
}

/* Both sides talk much before they listen: no deadlock, as this side always reads. */
static void test_both_flood(void **state)
{
    Fixture *self = *state;
    start(self, shell_spec(self),
          "i=0; while [ $i -lt 20000 ]; do echo 0123456789; i=$((i+1)); done; "
          "wc -c >&2; exit 0");
    g_autofree char *big = g_strnfill(3 * MIB - 1, 'x');
    send_text(self, big);
    line_child_stop(self->child);
    loop_run(self->loop);
    assert_int_equal(self->log->len, 20000 * strlen("[0123456789]") + strlen("[exit 0, 0]"));
    g_autofree char *errors = line_child_errors(self->child);
    assert_string_equal(g_strstrip(errors), "3145728");
}

/* What it does not read waits up to a maximum; then sending fails, and it can still be ended. */
static void test_never_reads(void **state)
{
    Fixture *self = *state;
    LineChildSpec spec = shell_spec(self);
    spec.grace_ms = 1;
    start(self, spec, "exec sleep 300");
    g_autofree char *big = g_strnfill(32 * MIB, 'x');
    g_autoptr(GError) error = NULL;
    while (line_child_send(self->child, big, 32 * MIB, &error))
        continue;
    assert_true(error_is(error, KEDGE_ERROR_LIMIT));
    line_child_stop(self->child);
    loop_run(self->loop);
    assert_string_equal(self->log->str, "[exit 143, 0]");
}

/* It has closed its input: sending fails, its lines still come. */
static void test_closed_input(void **state)
{
    Fixture *self = *state;
    self->stop_at = "ready";
    start(self, shell_spec(self), "exec 0<&-; echo ready; echo more; echo bad >&2; exit 1");
    loop_run(self->loop);
    assert_string_equal(self->log->str, "[ready][more][exit 1, 0]");
}

/* The end of its standard error is kept, cut at a character. */
static void test_errors(void **state)
{
    Fixture *self = *state;
    start(self, shell_spec(self),
          "i=0; while [ $i -lt 3000 ]; do echo 0123456789abcdef >&2; i=$((i+1)); done; "
          "printf 'the \\303\\251nd\\n' >&2");
    loop_run(self->loop);
    g_autofree char *errors = line_child_errors(self->child);
    assert_true(g_utf8_validate(errors, -1, NULL));
    assert_true(g_str_has_suffix(errors, "the \303\251nd\n"));
    assert_true(strlen(errors) <= 16);
}

static void test_cancel(void **state)
{
    Fixture *self = *state;
    g_autoptr(Cancel) parent = cancel_new(NULL);
    g_autoptr(Cancel) timed = cancel_new_timed(NULL, 50);
    Cancel *const tokens[] = { parent, timed };
    for (size_t i = 0; i < G_N_ELEMENTS(tokens); i++) {
        LineChildSpec spec = shell_spec(self);
        spec.grace_ms = 1;
        spec.cancel = tokens[i];
        g_string_truncate(self->log, 0);
        start(self, spec, "exec sleep 300");
        cancel_fire(parent);
        loop_run(self->loop);
        assert_string_equal(self->log->str, "[exit 143, 0]");
        g_autoptr(GError) error = NULL;
        spec.argv = (const char *const[]) { "true", NULL };
        LineChild *none = NULL;
        assert_false(line_child_start(self->loop, &spec, &none, &error));
        assert_true(error_is(error, KEDGE_ERROR_CANCELLED));
        line_child_free(g_steal_pointer(&self->child));
    }
}

static void test_cannot_start(void **state)
{
    Fixture *self = *state;
    LineChildSpec spec = shell_spec(self);
    spec.argv = (const char *const[]) { "no-such-program", NULL };
    g_autoptr(GError) error = NULL;
    assert_false(line_child_start(self->loop, &spec, &self->child, &error));
    assert_string_equal(error->message, "program not found: no-such-program");
    assert_null(self->child);
}

/* Freed while it runs: nothing is left of it. */
static void test_freed_while_it_runs(void **state)
{
    Fixture *self = *state;
    start(self, shell_spec(self), "trap '' TERM; sleep 300 & sleep 300");
    line_child_free(g_steal_pointer(&self->child));
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); // no child at all
    assert_string_equal(self->log->str, "");
}

static void test_ten_at_once(void **state)
{
    enum { COUNT = 10 };
    Fixture *self = *state;
    LineChild *children[COUNT];
    for (int i = 0; i < COUNT; i++) {
        start(self, shell_spec(self), ECHO);
        children[i] = g_steal_pointer(&self->child);
    }
    for (int k = 0; k < 50; k++)
        for (int i = 0; i < COUNT; i++)
            assert_true(line_child_send(children[i], "x", 1, NULL));
    for (int i = 0; i < COUNT; i++)
        line_child_stop(children[i]);
    loop_run(self->loop);
    assert_int_equal(self->log->len, COUNT * (50 * strlen("[got x]") + strlen("[exit 0, 0]")));
    for (int i = 0; i < COUNT; i++)
        line_child_free(children[i]);
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN); // as main() does
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_talk, setup, teardown),
        cmocka_unit_test(test_ways_to_end),
        cmocka_unit_test_setup_teardown(test_long_line, setup, teardown),
        cmocka_unit_test_setup_teardown(test_both_flood, setup, teardown),
        cmocka_unit_test_setup_teardown(test_never_reads, setup, teardown),
        cmocka_unit_test_setup_teardown(test_closed_input, setup, teardown),
        cmocka_unit_test_setup_teardown(test_errors, setup, teardown),
        cmocka_unit_test_setup_teardown(test_cancel, setup, teardown),
        cmocka_unit_test_setup_teardown(test_cannot_start, setup, teardown),
        cmocka_unit_test_setup_teardown(test_freed_while_it_runs, setup, teardown),
        cmocka_unit_test_setup_teardown(test_ten_at_once, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
