/* Child processes: how they start, how much of their output is kept, and that nothing survives. */
#include "base/str.h"
#include "proc_fixture.h"

#include "base/fd.h"
#include "base/file.h"
#include "base/proc.h"
#include "base/timefmt.h"
#include "base/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>

#define LONG_MS       (60 * 1000)
#define SHELL(script) ((const char *const[]) { "sh", "-c", (script), NULL })

static char *temp_dir;

static int make_temp_dir(void **state G_GNUC_UNUSED)
{
    temp_dir = g_dir_make_tmp("kedge-proc-XXXXXX", NULL);
    return temp_dir != NULL ? 0 : -1;
}

static int remove_temp_dir(void **state G_GNUC_UNUSED)
{
    bool is_removed = file_remove_tree(temp_dir, NULL);
    g_free(temp_dir);
    return is_removed ? 0 : -1;
}

static ProcSpec shell_spec(const char *const *argv)
{
    return (ProcSpec) { .argv = argv, .timeout_ms = LONG_MS, .max_output_bytes = 1024 * 1024 };
}

/* The output of a child on a terminal is as it comes; what does not fit is made to. */
static void test_terminal(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *script, *output;
        ProcTerminal terminal;
        int exit_status;
    } cases[] = {
        { "stty size; exit 3", "30 100\r\n", { 100, 30 }, 3 },
        { "stty size", "200 400\r\n", { 5000, 5000 }, 0 },
        { "stty size", "5 20\r\n", { 1, 1 }, 0 },
        { "echo a >/dev/tty; echo b >&2", "a\r\nb\r\n", { 100, 30 }, 0 },
        { "ls /proc/self/fd | wc -w", "4\r\n", { 100, 30 }, 0 },
        { "sleep 600 & echo $!", NULL, { 100, 30 }, 0 },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        ProcSpec spec = shell_spec(SHELL(cases[i].script));
        spec.terminal = cases[i].terminal;
        g_auto(ProcResult) result = { 0 };
        assert_true(proc_run(&spec, NULL, &result, NULL));
        assert_int_equal(result.exit_status, cases[i].exit_status);
        if (cases[i].output)
            assert_string_equal(result.output, cases[i].output);
        else
            assert_true(is_dead((pid_t)g_ascii_strtoll(result.output, NULL, 10)));
    }
    g_auto(ProcResult) result = { 0 };
    g_autoptr(GError) error = NULL;
    ProcSpec reader = shell_spec(SHELL("read answer"));
    reader.terminal = (ProcTerminal) { 80, 25 };
    reader.timeout_ms = 200;
    assert_false(proc_run(&reader, NULL, &result, &error));
    assert_true(error_is(error, KEDGE_ERROR_TIMEOUT));
    ProcSpec missing = { .argv = (const char *const[]) { "no-such-program", NULL },
                         .timeout_ms = LONG_MS,
                         .max_output_bytes = 10,
                         .terminal = { 80, 25 } };
    g_autoptr(GError) not_found = NULL;
    assert_false(proc_run(&missing, NULL, &result, &not_found));
    assert_true(error_is(not_found, KEDGE_ERROR_NOT_FOUND));
}

static void test_results(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *script, *output, *error_output;
        int exit_status, term_signal;
        bool has_own_stderr;
    } cases[] = {
        { "success", "echo hi", "hi\n", NULL, 0, 0, false },
        { "exit status", "exit 7", "", NULL, 7, 0, false },
        { "highest exit status", "exit 255", "", NULL, 255, 0, false },
        { "killed", "kill -KILL $$", "", NULL, 137, SIGKILL, false },
        { "terminated", "kill -TERM $$", "", NULL, 143, SIGTERM, false },
        { "merged in order", "echo a; echo b >&2; echo c", "a\nb\nc\n", NULL, 0, 0, false },
        { "apart", "echo a; echo b >&2; echo c", "a\nc\n", "b\n", 0, 0, true },
        { "apart and silent", "true", "", "", 0, 0, true },
        { "stdin is empty", "cat; echo end", "end\n", NULL, 0, 0, false },
        { "no terminal", "test -t 0 || echo none; (: </dev/tty) 2>&- || echo no tty",
          "none\nno tty\n", NULL, 0, 0, false },
        { "invalid UTF-8", "printf 'a\\377b'",
          "a\xef\xbf\xbd"
          "b",
          NULL, 0, 0, false },
        { "NUL byte", "printf 'a\\000b'",
          "a\xef\xbf\xbd"
          "b",
          NULL, 0, 0, false },
        { "output closed early", "exec >&- 2>&-; sleep 0.1; exit 3", "", NULL, 3, 0, false },
        { "SIGPIPE is not ignored", "yes | head -n 1; kill -PIPE $$", "y\n", NULL, 141, SIGPIPE,
          false },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        ProcSpec spec = shell_spec(SHELL(cases[i].script));
        spec.has_own_stderr = cases[i].has_own_stderr;
        g_auto(ProcResult) result = { 0 };
        g_autoptr(GError) error = NULL;
        if (!proc_run(&spec, NULL, &result, &error))
            fail_msg("%s: %s", cases[i].name, error->message);
        if (strcmp(result.output, cases[i].output) != 0 ||
            result.output_size != strlen(result.output))
            fail_msg("%s: output '%s'", cases[i].name, result.output);
        if (g_strcmp0(result.error_output, cases[i].error_output) != 0)
            fail_msg("%s: error output '%s'", cases[i].name, result.error_output);
        if (result.exit_status != cases[i].exit_status ||
            result.term_signal != cases[i].term_signal || result.dropped_bytes != 0)
            fail_msg("%s: status %d, signal %d", cases[i].name, result.exit_status,
                     result.term_signal);
    }
}

static void test_input(void **state G_GNUC_UNUSED)
{
    // more than a pipe or an argument holds, and a child that leaves it unread
    g_autofree char *large = g_strnfill(300 * 1000, 'x');
    ProcSpec spec = shell_spec((const char *const[]) { "wc", "-c", NULL });
    spec.input = large;
    g_auto(ProcResult) counted = { 0 };
    assert_true(proc_run(&spec, NULL, &counted, NULL));
    assert_string_equal(g_strstrip(counted.output), "300000");
    spec.argv = (const char *const[]) { "true", NULL };
    g_auto(ProcResult) unread = { 0 };
    assert_true(proc_run(&spec, NULL, &unread, NULL));
    assert_int_equal(unread.exit_status, 0);
}

static void test_bytes(void **state G_GNUC_UNUSED)
{
    ProcSpec spec = shell_spec(SHELL("printf 'a\\000\\377b'"));
    spec.is_bytes = true;
    g_auto(ProcResult) result = { 0 };
    assert_true(proc_run(&spec, NULL, &result, NULL));
    assert_int_equal(result.output_size, 4);
    assert_memory_equal(result.output,
                        "a\0\xff"
                        "b",
                        5);
}

static void test_cannot_start(void **state G_GNUC_UNUSED)
{
    g_autofree char *not_executable = g_build_filename(temp_dir, "plain", NULL);
    assert_true(g_file_set_contents(not_executable, "x", -1, NULL));
    const struct {
        const char *program, *cwd;
        KedgeError code;
        const char *part;
    } cases[] = {
        { "kedge-no-such-program", NULL, KEDGE_ERROR_NOT_FOUND, "kedge-no-such-program" },
        { "/no/such/program", NULL, KEDGE_ERROR_NOT_FOUND, "/no/such/program" },
        { "", NULL, KEDGE_ERROR_NOT_FOUND, "program not found" },
        { "true", "/no/such/dir", KEDGE_ERROR_NOT_FOUND, "/no/such/dir" },
        { "true", "/dev/null", KEDGE_ERROR_NOT_FOUND, "/dev/null" },
        { not_executable, NULL, KEDGE_ERROR_IO, "Permission denied" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        ProcSpec spec = shell_spec((const char *const[]) { cases[i].program, NULL });
        spec.cwd = cases[i].cwd;
        ProcResult result = { .exit_status = -7 };
        g_autoptr(GError) error = NULL;
        assert_false(proc_run(&spec, NULL, &result, &error));
        assert_int_equal(result.exit_status, -7); // untouched
        if (!error_is(error, cases[i].code) || !strstr(error->message, cases[i].part))
            fail_msg("%s: %s", cases[i].program, error->message);
    }
}

/* The program is looked up on the child's PATH, and relative entries do not count. */
static void test_environment_and_directory(void **state G_GNUC_UNUSED)
{
    g_autofree char *program = g_build_filename(temp_dir, "own-program", NULL);
    assert_true(g_file_set_contents(program, "#!/bin/sh\necho \"$COLOUR in $PWD\"\n", -1, NULL));
    assert_int_equal(chmod(program, 0755), 0);
    g_autofree char *path = g_strconcat("PATH=", temp_dir, NULL);
    const char *env[] = { path, "COLOUR=green", NULL };
    g_autofree char *real_dir = realpath(temp_dir, NULL);

    ProcSpec spec = shell_spec((const char *const[]) { "own-program", NULL });
    spec.env = env;
    spec.cwd = temp_dir;
    g_auto(ProcResult) result = { 0 };
    assert_true(proc_run(&spec, NULL, &result, NULL));
    g_autofree char *want = g_strdup_printf("green in %s\n", real_dir);
    assert_string_equal(result.output, want);

    const char *relative[] = { "PATH=.", NULL };
    spec.env = relative;
    g_autoptr(GError) error = NULL;
    assert_false(proc_run(&spec, NULL, &result, &error));
    assert_true(error_is(error, KEDGE_ERROR_NOT_FOUND));
}

static void test_default_environment(void **state G_GNUC_UNUSED)
{
    g_setenv("ANTHROPIC_API_KEY", "secret", TRUE);
    g_setenv("UNIT_PLAIN", "plain", TRUE);
    ProcSpec spec = shell_spec(SHELL("echo \"[$ANTHROPIC_API_KEY][$UNIT_PLAIN]\""));
    g_auto(ProcResult) result = { 0 };
    assert_true(proc_run(&spec, NULL, &result, NULL));
    assert_string_equal(result.output, "[][plain]\n");
    g_unsetenv("ANTHROPIC_API_KEY");
    g_unsetenv("UNIT_PLAIN");
}

static void test_session_signals_and_descriptors(void **state G_GNUC_UNUSED)
{
    // one without close-on-exec, and a blocked and an ignored signal: none of them may reach a
    // child
    g_auto(Fd) leaking = open("/dev/null", O_RDONLY);
    assert_true(leaking > 2);
    sigset_t blocked, before;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR1);
    sigprocmask(SIG_BLOCK, &blocked, &before);
    signal(SIGUSR2, SIG_IGN);

    static const char script[] = "cut -d' ' -f1,5,6 /proc/$$/stat | "
                                 "{ read -r pid group session; test $pid = $group && "
                                 "test $pid = $session && echo leader; }\n"
                                 "grep -E '^Sig(Blk|Ign):' /proc/$$/status\n"
                                 "ls /proc/$$/fd\n" // in a pipe the shell would hold its ends
                                 "true";
    ProcSpec spec = shell_spec((const char *const[]) { "bash", "-c", script, NULL });
    g_auto(ProcResult) result = { 0 };
    assert_true(proc_run(&spec, NULL, &result, NULL));
    signal(SIGUSR2, SIG_DFL);
    sigprocmask(SIG_SETMASK, &before, NULL);

    g_auto(GStrv) lines = g_strsplit(result.output, "\n", -1);
    assert_int_equal(g_strv_length(lines), 7);
    assert_string_equal(lines[0], "leader");
    guint64 usr1 = (guint64)1 << (SIGUSR1 - 1), usr2 = (guint64)1 << (SIGUSR2 - 1);
    assert_int_equal(g_ascii_strtoull(lines[1] + strlen("SigBlk:\t"), NULL, 16) & usr1, 0);
    assert_int_equal(g_ascii_strtoull(lines[2] + strlen("SigIgn:\t"), NULL, 16) & usr2, 0);
    g_autofree char *descriptors = g_strjoinv(" ", &lines[3]);
    assert_string_equal(descriptors, "0 1 2 ");
}

/* Our own standard descriptors may be closed; then pipes get their numbers. */
static void test_closed_standard_descriptors(void **state G_GNUC_UNUSED)
{
    int saved[3];
    for (int fd = 0; fd < 3; fd++) {
        saved[fd] = fcntl(fd, F_DUPFD_CLOEXEC, 50);
        close(fd);
    }
    ProcSpec spec = shell_spec(SHELL("cat; echo out; echo err >&2"));
    spec.has_own_stderr = true;
    g_auto(ProcResult) result = { 0 };
    bool is_run = proc_run(&spec, NULL, &result, NULL);
    for (int fd = 0; fd < 3; fd++) {
        if (saved[fd] >= 0)
            dup2(saved[fd], fd);
        fd_close(saved[fd]);
    }
    assert_true(is_run);
    assert_string_equal(result.output, "out\n");
    assert_string_equal(result.error_output, "err\n");
}

static void test_kept_output(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *script, *want;
        size_t max, dropped;
        ProcKeep keep;
    } cases[] = {
        { "fits exactly", "printf abcdef", "abcdef", 6, 0, PROC_KEEP_TAIL },
        { "last bytes", "printf abcdef", "cdef", 4, 2, PROC_KEEP_TAIL },
        { "first bytes", "printf abcdef", "abcd", 4, 2, PROC_KEEP_HEAD },
        { "in small pieces", "for i in 1 2 3 4 5 6 7 8 9; do echo $i; done", "7\n8\n9\n", 6, 12,
          PROC_KEEP_TAIL },
        { "tail begins with a whole character", "printf 'a\\303\\251bc'", "bc", 3, 3,
          PROC_KEEP_TAIL },
        { "head ends with a whole character", "printf 'ab\\303\\251c'", "ab", 3, 3,
          PROC_KEEP_HEAD },
        { "head keeps a complete character", "printf 'a\\303\\251c'", "a\xc3\xa9", 3, 1,
          PROC_KEEP_HEAD },
        { "only half a character fits", "printf '\\303\\251'", "", 1, 2, PROC_KEEP_HEAD },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        ProcSpec spec = shell_spec(SHELL(cases[i].script));
        spec.max_output_bytes = cases[i].max;
        spec.keep = cases[i].keep;
        g_auto(ProcResult) result = { 0 };
        assert_true(proc_run(&spec, NULL, &result, NULL));
        if (strcmp(result.output, cases[i].want) != 0 || result.dropped_bytes != cases[i].dropped)
            fail_msg("%s: '%s', %zu dropped", cases[i].name, result.output, result.dropped_bytes);
    }
}

typedef struct Sink {
    guint64 bytes;
    Cancel *cancel; // fired when the first output arrives
} Sink;

static void count_output(const char *data G_GNUC_UNUSED, size_t size, void *sink_)
{
    Sink *sink = sink_;
    sink->bytes += size;
    cancel_fire(sink->cancel);
}

/* 20 MB of numbered lines of 20 bytes, through a small window at either end. */
static void test_large_output(void **state G_GNUC_UNUSED)
{
    const size_t total = 20 * 1000 * 1000, max = 50 * 1000;
    for (int keep = PROC_KEEP_TAIL; keep <= PROC_KEEP_HEAD; keep++) {
        Sink sink = { 0 };
        ProcSpec spec = shell_spec(SHELL("seq -f %019.0f 1 1000000"));
        spec.max_output_bytes = max;
        spec.keep = (ProcKeep)keep;
        spec.on_output = count_output;
        spec.user_data = &sink;
        g_auto(ProcResult) result = { 0 };
        assert_true(proc_run(&spec, NULL, &result, NULL));
        assert_int_equal(sink.bytes, total);
        assert_int_equal(result.output_size, max);
        assert_int_equal(result.dropped_bytes, total - max);
        const char *first =
            keep == PROC_KEEP_HEAD ? "0000000000000000001\n" : "0000000000000997501\n";
        const char *last =
            keep == PROC_KEEP_HEAD ? "0000000000000002500\n" : "0000000000001000000\n";
        assert_true(str_has_prefix(result.output, first));
        assert_true(g_str_has_suffix(result.output, last));
    }
}

static void assert_stopped(const ProcSpec *spec, Cancel *cancel, KedgeError code,
                           const char *message)
{
    ProcResult result = { 0 };
    g_autoptr(GError) error = NULL;
    gint64 start = time_monotonic_ms();
    assert_false(proc_run(spec, cancel, &result, &error));
    assert_true(error_is(error, code));
    assert_string_equal(error->message, message);
    assert_null(result.output);
    assert_in_range(time_monotonic_ms() - start, 0, 30 * 1000);
}

/* A child whose output is over the maximum may end by itself, else it is stopped. */
static void test_stops_when_full(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *script, *want;
        size_t max;
        ProcStop stop;
        int exit_status;
        bool is_cut;
    } cases[] = {
        { "exactly the maximum", "printf abcdef", "abcdef", 6, PROC_STOP_NONE, 0, false },
        { "ends within the grace", "printf abcdefg; exit 3", "abcdef", 6, PROC_STOP_NONE, 3, true },
        { "goes on", "printf abcdefg; exec sleep 300", "abcdef", 6, PROC_STOP_FULL, 143, true },
        { "never ends", "exec yes", "y\ny\ny\n", 6, PROC_STOP_FULL, 143, true },
        { "does not listen", "trap '' TERM; printf abcdefg; sleep 300; sleep 300", "abcdef", 6,
          PROC_STOP_FULL, 137, true },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        ProcSpec spec = shell_spec(SHELL(cases[i].script));
        spec.max_output_bytes = cases[i].max;
        spec.keep = PROC_KEEP_HEAD;
        spec.stops_when_full = true;
        g_auto(ProcResult) result = { 0 };
        assert_true(proc_run(&spec, NULL, &result, NULL));
        if (strcmp(result.output, cases[i].want) != 0 || result.stop != cases[i].stop ||
            result.exit_status != cases[i].exit_status ||
            (result.dropped_bytes > 0) != cases[i].is_cut)
            fail_msg("%s: '%s', stop %d, status %d, %zu dropped", cases[i].name, result.output,
                     (int)result.stop, result.exit_status, result.dropped_bytes);
        assert_in_range(result.held_bytes, cases[i].max, cases[i].max + 512);
    }
}

/* What came before a stop is handed on, and each stream has its own maximum. */
static void test_keeps_stopped(void **state G_GNUC_UNUSED)
{
    ProcSpec spec = shell_spec(SHELL("echo abcdef; echo ghijkl >&2; exec sleep 300"));
    spec.has_own_stderr = true;
    spec.max_error_bytes = 3;
    spec.keep = PROC_KEEP_HEAD;
    spec.keeps_stopped = true;
    spec.timeout_ms = 1000;
    g_auto(ProcResult) late = { 0 };
    assert_true(proc_run(&spec, NULL, &late, NULL));
    assert_int_equal(late.stop, PROC_STOP_TIMEOUT);
    assert_string_equal(late.output, "abcdef\n");
    assert_string_equal(late.error_output, "ghi");
    assert_int_equal(late.term_signal, SIGTERM);

    g_autoptr(Cancel) cancel = cancel_new(NULL);
    Sink sink = { .cancel = cancel };
    spec.timeout_ms = LONG_MS;
    spec.on_output = count_output;
    spec.user_data = &sink;
    g_auto(ProcResult) cancelled = { 0 };
    assert_true(proc_run(&spec, cancel, &cancelled, NULL));
    assert_int_equal(cancelled.stop, PROC_STOP_CANCELLED);
    assert_string_equal(cancelled.output, "abcdef\n");
}

/* A child and a grandchild that ignore SIGTERM are ended all the same. */
static void test_timeout_ends_the_group(void **state G_GNUC_UNUSED)
{
    ProcSpec spec = shell_spec(SHELL("trap '' TERM; echo $$ >child; "
                                     "sh -c 'echo $$ >grandchild; exec sleep 300' & "
                                     "echo before; sleep 300; sleep 300"));
    Sink sink = { 0 };
    spec.cwd = temp_dir;
    spec.timeout_ms = 1000;
    spec.on_output = count_output;
    spec.user_data = &sink;
    assert_stopped(&spec, NULL, KEDGE_ERROR_TIMEOUT, "sh timed out after 1000 ms");
    assert_int_equal(sink.bytes, strlen("before\n"));
    assert_true(is_dead(written_pid(temp_dir, "child")));
    assert_true(is_dead(written_pid(temp_dir, "grandchild")));
}

/* SIGTERM comes first: a child that handles it can still clean up and say so. */
static void test_stop_is_polite(void **state G_GNUC_UNUSED)
{
    g_autoptr(Cancel) cancel = cancel_new(NULL);
    Sink sink = { .cancel = cancel };
    ProcSpec spec = shell_spec(SHELL("trap 'echo bye; echo bye >farewell; exit 0' TERM; "
                                     "echo ready; while :; do sleep 0.05; done"));
    spec.cwd = temp_dir;
    spec.on_output = count_output;
    spec.user_data = &sink;
    assert_stopped(&spec, cancel, KEDGE_ERROR_CANCELLED, "operation aborted");
    g_autofree char *path = g_build_filename(temp_dir, "farewell", NULL);
    assert_true(file_exists(path));
    assert_true(sink.bytes >= strlen("ready\nbye\n")); // dash adds "Terminated" for its sleep
}

static void fire_soon(void *cancel)
{
    g_usleep(50 * 1000);
    cancel_fire(cancel);
}

static void test_cancel_from_another_thread(void **state G_GNUC_UNUSED)
{
    g_autoptr(Cancel) cancel = cancel_new(NULL);
    Worker *worker = worker_start("fire", fire_soon, cancel);
    ProcSpec spec = shell_spec(SHELL("sleep 300 & sleep 300"));
    assert_stopped(&spec, cancel, KEDGE_ERROR_CANCELLED, "operation aborted");
    worker_join(worker);
    assert_stopped(&spec, cancel, KEDGE_ERROR_CANCELLED, "operation aborted"); // fired before
}

static void test_cancel_while_output_floods(void **state G_GNUC_UNUSED)
{
    g_autoptr(Cancel) cancel = cancel_new(NULL);
    Sink sink = { .cancel = cancel };
    ProcSpec spec = shell_spec(SHELL("echo $$ >flood; exec yes"));
    spec.cwd = temp_dir;
    spec.on_output = count_output;
    spec.user_data = &sink;
    assert_stopped(&spec, cancel, KEDGE_ERROR_CANCELLED, "operation aborted");
    assert_true(sink.bytes > 0);
    assert_true(is_dead(written_pid(temp_dir, "flood")));
}

/* Background processes: they neither delay the result nor survive it. */
static void test_background_processes(void **state G_GNUC_UNUSED)
{
    static const char *const scripts[] = {
        "sleep 300 & echo $! >background; echo hi",
        "sleep 300 >/dev/null 2>&1 & echo $! >background; echo hi",
        "trap '' TERM; sleep 300 & echo $! >background; echo hi",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(scripts); i++) {
        ProcSpec spec = shell_spec(SHELL(scripts[i]));
        spec.cwd = temp_dir;
        g_auto(ProcResult) result = { 0 };
        gint64 start = time_monotonic_ms();
        assert_true(proc_run(&spec, NULL, &result, NULL));
        assert_in_range(time_monotonic_ms() - start, 0, 30 * 1000);
        assert_string_equal(result.output, "hi\n");
        assert_int_equal(result.exit_status, 0);
        assert_true(is_dead(written_pid(temp_dir, "background")));
    }
}

/* A daemon has left the session: it is not waited for, even when it holds the pipe. */
static void test_daemon_is_left_alone(void **state G_GNUC_UNUSED)
{
    ProcSpec spec = shell_spec(SHELL("setsid sh -c 'echo $$ >daemon; exec sleep 300' & "
                                     "while ! test -s daemon; do sleep 0.01; done; echo hi"));
    spec.cwd = temp_dir;
    g_auto(ProcResult) result = { 0 };
    assert_true(proc_run(&spec, NULL, &result, NULL));
    assert_string_equal(result.output, "hi\n");
    pid_t pid = written_pid(temp_dir, "daemon");
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_true(is_dead(pid));
}

static guint count_open(void)
{
    g_autoptr(GDir) dir = g_dir_open("/proc/self/fd", 0, NULL);
    guint count = 0;
    while (g_dir_read_name(dir))
        count++;
    return count;
}

static void test_nothing_leaks(void **state G_GNUC_UNUSED)
{
    guint before = count_open();
    for (int i = 0; i < 20; i++) {
        ProcSpec spec = shell_spec((const char *const[]) { i % 2 == 0 ? "true" : "no-such", NULL });
        spec.has_own_stderr = i % 3 == 0;
        g_auto(ProcResult) result = { 0 };
        proc_run(&spec, NULL, &result, NULL);
    }
    assert_int_equal(count_open(), before);
}

/* The token's time ends while the child runs, or has just ended: an error, or a whole result. */
static void test_never_true_with_nothing(void **state G_GNUC_UNUSED)
{
    for (gint64 ms = 0; ms < 12; ms++) {
        g_autoptr(Cancel) timed = cancel_new_timed(NULL, ms);
        g_autoptr(Cancel) cancel = cancel_new(timed);
        const ProcSpec spec = shell_spec(SHELL("echo hi"));
        g_auto(ProcResult) result = { 0 };
        g_autoptr(GError) error = NULL;
        bool is_run = proc_run(&spec, cancel, &result, &error);
        assert_int_equal(is_run, error == NULL);
        if (is_run)
            assert_string_equal(result.output, "hi\n");
        else
            assert_true(error_is(error, KEDGE_ERROR_CANCELLED) && result.output == NULL);
    }
}

static void test_find_program(void **state G_GNUC_UNUSED)
{
    g_autofree char *shell = proc_find_program("sh");
    assert_true(g_path_is_absolute(shell));
    assert_true(g_str_has_suffix(shell, "/sh"));
    g_autofree char *same = proc_find_program(shell);
    assert_string_equal(same, shell);
    static const char *const missing[] = { "no-such-program", "", "./sh", "/", "/etc", "." };
    for (size_t i = 0; i < G_N_ELEMENTS(missing); i++)
        assert_null(proc_find_program(missing[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_terminal),
        cmocka_unit_test(test_results),
        cmocka_unit_test(test_input),
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_cannot_start),
        cmocka_unit_test(test_environment_and_directory),
        cmocka_unit_test(test_default_environment),
        cmocka_unit_test(test_session_signals_and_descriptors),
        cmocka_unit_test(test_closed_standard_descriptors),
        cmocka_unit_test(test_kept_output),
        cmocka_unit_test(test_large_output),
        cmocka_unit_test(test_stops_when_full),
        cmocka_unit_test(test_keeps_stopped),
        cmocka_unit_test(test_timeout_ends_the_group),
        cmocka_unit_test(test_stop_is_polite),
        cmocka_unit_test(test_cancel_from_another_thread),
        cmocka_unit_test(test_cancel_while_output_floods),
        cmocka_unit_test(test_background_processes),
        cmocka_unit_test(test_daemon_is_left_alone),
        cmocka_unit_test(test_nothing_leaks),
        cmocka_unit_test(test_never_true_with_nothing),
        cmocka_unit_test(test_find_program),
    };
    return cmocka_run_group_tests(tests, make_temp_dir, remove_temp_dir);
}
