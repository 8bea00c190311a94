/*
 * How a child is stopped by a caller with times of its own (proc.h): who is late, who gets which
 * grace, and what is still read.
 */
#include "proc_fixture.h"

#include "base/file.h"
#include "base/proc.h"

#include <signal.h>

#define LONG_MS (60 * 1000)

static void fire_when_ready(const char *data, size_t size, void *user_data)
{
    if (g_strstr_len(data, (gssize)size, "ready"))
        cancel_fire(user_data);
}

static ProcSpec spec_of(const char *const *argv)
{
    return (ProcSpec) {
        .argv = argv,
        .timeout_ms = LONG_MS,
        .max_output_bytes = 4096,
        .keeps_stopped = true,
        .drain_ms = 200,
    };
}

/* What it says on its way out is kept, and it has as long as it needs. */
static void test_grace(void **state G_GNUC_UNUSED)
{
    static const char *const argv[] = { "/bin/sh", "-c",
                                        "exec 2>/dev/null; trap 'sleep 3; echo bye; exit 4' TERM; "
                                        "echo ready; while :; do sleep 0.02; done",
                                        NULL };
    g_autoptr(Cancel) cancel = cancel_new(NULL);
    ProcSpec spec = spec_of(argv);
    spec.grace_ms = LONG_MS; // more than the 2 s of others
    spec.on_output = fire_when_ready;
    spec.user_data = cancel;
    g_auto(ProcResult) result = { 0 };
    assert_true(proc_run(&spec, cancel, &result, NULL));
    assert_int_equal(result.stop, PROC_STOP_CANCELLED);
    assert_false(result.is_late);
    assert_string_equal(result.output, "ready\nbye\n");
    assert_int_equal(result.exit_status, 4);
}

static void test_kill(void **state G_GNUC_UNUSED)
{
    static const char *const argv[] = { "/bin/sh", "-c",
                                        "trap '' TERM; echo ready; while :; do sleep 0.02; done",
                                        NULL };
    g_autoptr(Cancel) cancel = cancel_new(NULL);
    ProcSpec spec = spec_of(argv);
    spec.grace_ms = 50;
    spec.late_grace_ms = LONG_MS * 10; // not this one: the test would not end
    spec.on_output = fire_when_ready;
    spec.user_data = cancel;
    g_auto(ProcResult) result = { 0 };
    assert_true(proc_run(&spec, cancel, &result, NULL));
    assert_string_equal(result.output, "ready\n");
    assert_int_equal(result.term_signal, SIGKILL);
}

/* A token whose time is over is told from one that was fired, and has its own grace. */
static void test_late(void **state G_GNUC_UNUSED)
{
    static const char *const argv[] = { "/bin/sh", "-c",
                                        "trap '' TERM; while :; do sleep 0.02; done", NULL };
    g_autoptr(Cancel) cancel = cancel_new_timed(NULL, 1000);
    ProcSpec spec = spec_of(argv);
    spec.grace_ms = LONG_MS * 10;
    spec.late_grace_ms = 50;
    g_auto(ProcResult) result = { 0 };
    assert_true(proc_run(&spec, cancel, &result, NULL));
    assert_int_equal(result.stop, PROC_STOP_CANCELLED);
    assert_true(result.is_late);
}

/* One of another session, that nobody may end, holds the pipe. */
static void test_drain(void **state G_GNUC_UNUSED)
{
    g_autofree char *dir = g_dir_make_tmp("kedge-proc-XXXXXX", NULL);
    static const char *const argv[] = {
        "/bin/sh", "-c",
        "setsid sh -c 'echo $$ >far; exec sleep 300' & while [ ! -s far ]; do sleep 0.02; done; "
        "echo done",
        NULL
    };
    ProcSpec spec = spec_of(argv);
    spec.cwd = dir;
    g_auto(ProcResult) result = { 0 };
    assert_true(proc_run(&spec, NULL, &result, NULL));
    assert_string_equal(result.output, "done\n");
    assert_int_equal(kill(written_pid(dir, "far"), SIGKILL), 0);
    assert_true(file_remove_tree(dir, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grace),
        cmocka_unit_test(test_kill),
        cmocka_unit_test(test_late),
        cmocka_unit_test(test_drain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
