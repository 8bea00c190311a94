/* The main loop: posts, timers, descriptors, signals, removal from inside, and quiet when idle. */
#include "unit.h"

#include "base/fd.h"
#include "base/loop.h"
#include "base/worker.h"

#include <poll.h>
#include <signal.h>
#include <sys/resource.h>

typedef struct Fixture {
    Loop *loop;
    GString *log;
    LoopSource *source;
    int fd;
    int left;
} Fixture;

static int setup(void **state)
{
    Fixture *fixture = g_new0(Fixture, 1);
    fixture->loop = loop_new();
    fixture->log = g_string_new(NULL);
    *state = fixture;
    return 0;
}

static int teardown(void **state)
{
    Fixture *fixture = *state;
    loop_free(fixture->loop);
    g_string_free(fixture->log, TRUE);
    g_free(fixture);
    return 0;
}

static void log_a(void *fixture_)
{
    Fixture *fixture = fixture_;
    g_string_append_c(fixture->log, 'a');
}

static void log_b(void *fixture_)
{
    Fixture *fixture = fixture_;
    g_string_append_c(fixture->log, 'b');
}

static void log_and_quit(void *fixture_)
{
    Fixture *fixture = fixture_;
    g_string_append_c(fixture->log, 'q');
    loop_quit(fixture->loop);
}

static void test_posts_run_in_order(void **state)
{
    Fixture *fixture = *state;
    loop_post(fixture->loop, log_a, fixture);
    loop_post(fixture->loop, log_b, fixture);
    loop_post(fixture->loop, log_a, fixture);
    loop_post(fixture->loop, log_and_quit, fixture);
    loop_run(fixture->loop);
    assert_string_equal(fixture->log->str, "abaq");
    loop_post(fixture->loop, log_a, fixture); // dropped by loop_free()
}

static void test_quit_before_run(void **state)
{
    Fixture *fixture = *state;
    loop_quit(fixture->loop);
    loop_run(fixture->loop);
    assert_string_equal(fixture->log->str, "");
    // and it can run again
    loop_post(fixture->loop, log_and_quit, fixture);
    loop_run(fixture->loop);
    assert_string_equal(fixture->log->str, "q");
}

static void count_down(void *fixture_)
{
    Fixture *fixture = fixture_;
    if (--fixture->left == 0)
        loop_quit(fixture->loop);
}

static void post_many(void *fixture_)
{
    Fixture *fixture = fixture_;
    for (int i = 0; i < 500; i++)
        loop_post(fixture->loop, count_down, fixture);
}

static void test_posts_from_workers(void **state)
{
    Fixture *fixture = *state;
    Worker *workers[3];
    fixture->left = 500 * (int)G_N_ELEMENTS(workers);
    for (size_t i = 0; i < G_N_ELEMENTS(workers); i++)
        workers[i] = worker_start("poster", post_many, fixture);
    loop_run(fixture->loop);
    assert_int_equal(fixture->left, 0);
    for (size_t i = 0; i < G_N_ELEMENTS(workers); i++)
        worker_join(workers[i]);
}

static void test_timers(void **state)
{
    Fixture *fixture = *state;
    loop_add_timer(fixture->loop, 40, log_and_quit, fixture);
    loop_add_timer(fixture->loop, 20, log_b, fixture);
    loop_add_timer(fixture->loop, 0, log_a, fixture);
    LoopSource *never = loop_add_timer(fixture->loop, 10, log_a, fixture);
    loop_remove(fixture->loop, never);
    loop_remove(fixture->loop, NULL);
    loop_add_timer(fixture->loop, 60 * 1000, log_a, fixture); // freed by loop_free()
    loop_run(fixture->loop);
    assert_string_equal(fixture->log->str, "abq");
}

static void remove_other(void *fixture_)
{
    Fixture *fixture = fixture_;
    g_string_append_c(fixture->log, 'r');
    loop_remove(fixture->loop, fixture->source);
    loop_add_timer(fixture->loop, 0, log_and_quit, fixture);
}

/* Both are due in the same round; the first one removes the second. */
static void test_timer_removes_timer(void **state)
{
    Fixture *fixture = *state;
    loop_add_timer(fixture->loop, 0, remove_other, fixture);
    fixture->source = loop_add_timer(fixture->loop, 0, log_b, fixture);
    loop_run(fixture->loop);
    assert_string_equal(fixture->log->str, "rq");
}

static void read_one(int fd, short revents, void *fixture_)
{
    Fixture *fixture = fixture_;
    assert_int_equal(fd, fixture->fd);
    char byte;
    if ((revents & POLLIN) != 0 && read(fd, &byte, 1) == 1) {
        g_string_append_c(fixture->log, byte);
        return;
    }
    loop_remove(fixture->loop, fixture->source); // the writer has gone
    loop_quit(fixture->loop);
}

static void test_descriptor(void **state)
{
    Fixture *fixture = *state;
    int fds[2];
    assert_true(fd_pipe(fds, NULL));
    fixture->fd = fds[0];
    fixture->source = loop_add_fd(fixture->loop, fds[0], POLLIN, read_one, fixture);
    assert_true(fd_write_all(fds[1], "xyz", 3, "pipe", NULL));
    fd_close(fds[1]);
    loop_run(fixture->loop);
    assert_string_equal(fixture->log->str, "xyz");
    fd_close(fds[0]);
}

static void log_and_quit_at_signal(int signal_number, void *fixture)
{
    assert_int_equal(signal_number, SIGUSR1);
    log_and_quit(fixture);
}

static void test_signal(void **state)
{
    Fixture *fixture = *state;
    LoopSource *source = loop_add_signal(fixture->loop, SIGUSR1, log_and_quit_at_signal, fixture);
    kill(getpid(), SIGUSR1);
    loop_run(fixture->loop);
    assert_string_equal(fixture->log->str, "q");
    loop_remove(fixture->loop, source);
    sigset_t mask;
    sigprocmask(SIG_SETMASK, NULL, &mask);
    assert_int_equal(sigismember(&mask, SIGUSR1), 0);
}

static void quit_later(void *fixture_)
{
    Fixture *fixture = fixture_;
    g_usleep(300 * 1000);
    loop_quit(fixture->loop);
}

static gint64 voluntary_switches(void)
{
    g_autofree char *status = NULL;
    assert_true(g_file_get_contents("/proc/thread-self/status", &status, NULL, NULL));
    const char *line = strstr(status, "\nvoluntary_ctxt_switches:");
    assert_non_null(line);
    return g_ascii_strtoll(line + strlen("\nvoluntary_ctxt_switches:"), NULL, 10);
}

/* An idle loop sleeps once: the thread gives up the processor a handful of times, not every tick.
 */
static void test_idle_is_quiet(void **state)
{
    Fixture *fixture = *state;
    Worker *worker = worker_start("quit", quit_later, fixture);
    gint64 before = voluntary_switches();
    loop_run(fixture->loop);
    assert_in_range(voluntary_switches() - before, 1, 5);
    worker_join(worker);
}

static void fire_later(void *cancel)
{
    g_usleep(20 * 1000);
    cancel_fire(cancel);
}

static void post_quit(void *fixture_)
{
    Fixture *fixture = fixture_;
    loop_post(fixture->loop, log_and_quit, fixture);
}

/* Fired before, fired while asleep, late, through a parent; each once, and a removed one never. */
static void test_cancels(void **state)
{
    Fixture *fixture = *state;
    g_autoptr(Cancel) fired = cancel_new(NULL);
    g_autoptr(Cancel) parent = cancel_new(NULL);
    g_autoptr(Cancel) child = cancel_new(parent);
    g_autoptr(Cancel) timed = cancel_new_timed(NULL, 30);
    cancel_fire(fired);
    loop_remove(fixture->loop, loop_add_cancel(fixture->loop, fired, log_b, fixture));
    loop_add_cancel(fixture->loop, fired, log_and_quit, fixture);
    loop_run(fixture->loop);
    assert_string_equal(fixture->log->str, "q");

    Worker *worker = worker_start("fire", fire_later, parent);
    loop_add_cancel(fixture->loop, child, log_and_quit, fixture);
    loop_run(fixture->loop);
    worker_join(worker);
    assert_string_equal(fixture->log->str, "qq");

    loop_add_cancel(fixture->loop, timed, log_and_quit, fixture);
    loop_run(fixture->loop);
    assert_string_equal(fixture->log->str, "qqq");
    assert_true(cancel_is_late(timed));
    loop_add_cancel(fixture->loop, parent, log_a, fixture); // freed with the loop, not run
}

/* Without descriptors it still runs what is posted, timers and tokens. */
static void test_no_descriptors(void **state)
{
    Fixture *fixture = *state;
    struct rlimit before, none;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    none = before;
    none.rlim_cur = 3;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    g_autoptr(Loop) loop = loop_new();
    LoopSource *source = loop_add_signal(loop, SIGUSR1, log_and_quit_at_signal, fixture);
    sigset_t blocked;
    pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_false(sigismember(&blocked, SIGUSR1)); // it would wait for ever
    loop_remove(loop, source);

    g_autoptr(Cancel) cancel = cancel_new(NULL);
    Fixture inner = { .loop = loop, .log = fixture->log };
    loop_add_timer(loop, 5, log_and_quit, &inner);
    loop_run(loop);
    assert_string_equal(fixture->log->str, "q");
    Worker *worker = worker_start("fire", fire_later, cancel);
    loop_add_cancel(loop, cancel, log_and_quit, &inner);
    loop_run(loop);
    worker_join(worker);
    assert_string_equal(fixture->log->str, "qq");
    worker = worker_start("quit", post_quit, &inner);
    loop_run(loop);
    worker_join(worker);
    assert_string_equal(fixture->log->str, "qqq");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_posts_run_in_order, setup, teardown),
        cmocka_unit_test_setup_teardown(test_quit_before_run, setup, teardown),
        cmocka_unit_test_setup_teardown(test_posts_from_workers, setup, teardown),
        cmocka_unit_test_setup_teardown(test_timers, setup, teardown),
        cmocka_unit_test_setup_teardown(test_timer_removes_timer, setup, teardown),
        cmocka_unit_test_setup_teardown(test_descriptor, setup, teardown),
        cmocka_unit_test_setup_teardown(test_signal, setup, teardown),
        cmocka_unit_test_setup_teardown(test_idle_is_quiet, setup, teardown),
        cmocka_unit_test_setup_teardown(test_cancels, setup, teardown),
        cmocka_unit_test_setup_teardown(test_no_descriptors, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
