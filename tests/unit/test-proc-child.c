/* Children that live across calls: their pipes, their end; and starting without descriptors. */
#include "unit.h"

#include "base/fd.h"
#include "base/proc.h"
#include "proc_fixture.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#define SHELL(script) ((const char *const[]) { "sh", "-c", script, NULL })

static guint count_open(void)
{
    g_autoptr(GDir) dir = g_dir_open("/proc/self/fd", 0, NULL);
    guint count = 0;
    while (g_dir_read_name(dir))
        count++;
    return count;
}

static void read_until(int fd, const char *end, GString *text)
{
    char byte;
    while (!g_str_has_suffix(text->str, end) && read(fd, &byte, 1) == 1)
        g_string_append_c(text, byte);
}

static void test_lasting_child(void **state G_GNUC_UNUSED)
{
    static const char script[] = "while read -r line <&3; do echo \"out $line\"; "
                                 "echo \"extra $line\" >&4; done; exit 5";
    guint before = count_open();
    ProcChild child;
    const ProcChildSpec spec = {
        .argv = (const char *const[]) { "bash", "-c", script, NULL },
        .has_extra = true,
    };
    assert_true(proc_start(&spec, &child, NULL));
    for (int i = 0; i < 2; i++) {
        g_autoptr(GString) output = g_string_new(NULL), extra = g_string_new(NULL);
        assert_true(fd_write_all(child.extra_in, "one\n", 4, "child", NULL));
        read_until(child.output_fd, "\n", output);
        read_until(child.extra_out, "\n", extra);
        assert_string_equal(output->str, "out one\n");
        assert_string_equal(extra->str, "extra one\n");
    }
    fd_close(fd_steal(&child.extra_in)); // end of input: it exits by itself
    g_autoptr(GString) rest = g_string_new(NULL);
    read_until(child.output_fd, "never", rest);
    assert_int_equal(proc_child_end(&child, 2000), 5);
    assert_int_equal(child.pid, -1);
    assert_int_equal(proc_child_end(&child, 2000), 0);
    assert_int_equal(count_open(), before);
}

static void test_lasting_child_is_ended(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *script;
        int exit_status;
    } cases[] = {
        { "echo ready; exec sleep 300", 143 },
        { "trap '' TERM; echo ready; sleep 300; sleep 300", 137 },
        { "trap 'exit 9' TERM; echo ready; while :; do sleep 0.05; done", 9 },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        ProcChild child;
        assert_true(proc_start(&(ProcChildSpec) { .argv = SHELL(cases[i].script) }, &child, NULL));
        assert_int_equal(child.input_fd, -1);
        assert_int_equal(child.error_fd, -1);
        assert_int_equal(child.extra_in, -1);
        assert_int_equal(child.extra_out, -1);
        g_autoptr(GString) output = g_string_new(NULL);
        read_until(child.output_fd, "ready\n", output);
        pid_t pid = child.pid;
        assert_int_equal(proc_child_end(&child, 500), cases[i].exit_status);
        assert_true(kill(-pid, 0) < 0 || is_dead(pid));
    }
    ProcChild untouched = { .pid = 99 };
    g_autoptr(GError) error = NULL;
    const ProcChildSpec missing = {
        .argv = (const char *const[]) { "no-such-program", NULL },
        .has_extra = true,
    };
    assert_false(proc_start(&missing, &untouched, &error));
    assert_true(error_is(error, KEDGE_ERROR_NOT_FOUND));
    assert_int_equal(untouched.pid, 99);
}

/* A pipe of its own for each of its streams. */
/* What it leaves is ours to reap here, and is not: as in a container whose process 1 does not. */
static void test_zombies_are_not_waited_for(void **state G_GNUC_UNUSED)
{
    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    ProcChild child;
    const ProcChildSpec spec = { .argv = SHELL("sleep 600 & sleep 600 & echo begun; wait") };
    assert_true(proc_start(&spec, &child, NULL));
    g_autoptr(GString) output = g_string_new(NULL);
    read_until(child.output_fd, "begun\n", output);
    pid_t group = child.pid;
    proc_child_end(&child, INT64_C(3600) * 1000);

    int zombies = 0;
    while (waitpid(-group, NULL, 0) > 0)
        zombies++;
    assert_int_equal(zombies, 2);
    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 0), 0);
}

static void test_lasting_child_with_input(void **state G_GNUC_UNUSED)
{
    static const char script[] =
        "read line; echo \"out $line\"; echo \"err $line\" >&2; read line; "
        "echo rest >&2; exit 4";
    const ProcChildSpec spec = { .argv = SHELL(script), .has_input = true, .has_own_stderr = true };
    guint before = count_open();
    ProcChild child;
    assert_true(proc_start(&spec, &child, NULL));
    g_autoptr(GString) output = g_string_new(NULL), errors = g_string_new(NULL);
    assert_true(fd_write_all(child.input_fd, "a\n", 2, "child", NULL));
    read_until(child.output_fd, "\n", output);
    read_until(child.error_fd, "\n", errors);
    fd_close(fd_steal(&child.input_fd)); // the end of its input
    read_until(child.error_fd, "never", errors);
    assert_string_equal(output->str, "out a\n");
    assert_string_equal(errors->str, "err a\nrest\n");
    assert_int_equal(proc_child_end(&child, 2000), 4);
    assert_int_equal(count_open(), before);
}

/* Without a descriptor left there is an error that names the program, and nothing is left open. */
static void test_no_descriptors(void **state G_GNUC_UNUSED)
{
    const ProcSpec spec = {
        .argv = SHELL("echo hi"),
        .timeout_ms = 60 * 1000,
        .max_output_bytes = 100,
    };
    const ProcChildSpec lasting = { .argv = SHELL("echo hi"), .has_extra = true };
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    guint opened = count_open();
    for (rlim_t max = 3; max < 24; max++) {
        struct rlimit limit = { .rlim_cur = max, .rlim_max = before.rlim_max };
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
        g_auto(ProcResult) result = { 0 };
        g_autoptr(GError) error = NULL, lasting_error = NULL;
        ProcChild child = { .pid = -1 };
        bool is_run = proc_run(&spec, NULL, &result, &error);
        bool is_started = proc_start(&lasting, &child, &lasting_error);
        if (is_started)
            proc_child_end(&child, 2000);
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
        assert_int_equal(is_run, error == NULL);
        assert_int_equal(is_started, lasting_error == NULL);
        if (is_run)
            assert_string_equal(result.output, "hi\n");
        else
            assert_true(error_is(error, KEDGE_ERROR_IO) && strstr(error->message, "sh") != NULL);
        if (max == 3)
            assert_string_equal(error->message,
                                "cannot run sh: cannot make a pipe: Too many open files");
    }
    assert_int_equal(count_open(), opened);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lasting_child),
        cmocka_unit_test(test_lasting_child_is_ended),
        cmocka_unit_test(test_zombies_are_not_waited_for),
        cmocka_unit_test(test_lasting_child_with_input),
        cmocka_unit_test(test_no_descriptors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
