/* Cancellation tokens: the tree, deadlines, waiting, no descriptors, and many threads at once. */
#include "unit.h"

#include "base/cancel.h"
#include "base/fd.h"
#include "base/timefmt.h"
#include "base/worker.h"

#include <poll.h>
#include <sys/resource.h>

static bool ends_waits(Cancel *cancel)
{
    CancelWaiter waiter;
    cancel_wait_begin(cancel, -1, &waiter);
    bool is_at_once = waiter.timeout_ms == 0;
    cancel_wait_end(&waiter);
    return is_at_once;
}

static void assert_state(Cancel *cancel, bool want)
{
    assert_int_equal(cancel_has_fired(cancel), want);
    assert_int_equal(ends_waits(cancel), want);
    g_autoptr(GError) error = NULL;
    assert_int_equal(cancel_check(cancel, &error), !want);
    if (want) {
        assert_true(error_is(error, KEDGE_ERROR_CANCELLED));
        assert_string_equal(error->message, "operation aborted");
    }
}

static void test_fire(void **state G_GNUC_UNUSED)
{
    g_autoptr(Cancel) cancel = cancel_new(NULL);
    assert_state(cancel, false);
    cancel_fire(cancel);
    assert_state(cancel, true);
    cancel_fire(cancel);
    assert_state(cancel, true);
}

static void test_tree(void **state G_GNUC_UNUSED)
{
    g_autoptr(Cancel) root = cancel_new(NULL);
    g_autoptr(Cancel) left = cancel_new(root);
    g_autoptr(Cancel) right = cancel_new(root);
    g_autoptr(Cancel) leaf = cancel_new(left);
    Cancel *gone = cancel_new(root);
    cancel_unref(gone);

    cancel_fire(left);
    assert_state(left, true);
    assert_state(leaf, true);
    assert_state(right, false);
    assert_state(root, false);
    cancel_fire(root);
    assert_state(right, true);
    g_autoptr(Cancel) late = cancel_new(root);
    assert_state(late, true);
}

static void test_child_outlives_parent(void **state G_GNUC_UNUSED)
{
    Cancel *parent = cancel_new(NULL);
    g_autoptr(Cancel) child = cancel_new(parent);
    Cancel *same = cancel_ref(parent);
    cancel_unref(parent);
    cancel_fire(same);
    cancel_unref(same);
    assert_state(child, true);
}

static void test_null_token(void **state G_GNUC_UNUSED)
{
    cancel_fire(NULL);
    cancel_unref(NULL);
    assert_null(cancel_ref(NULL));
    assert_false(cancel_has_fired(NULL));
    CancelWaiter waiter;
    cancel_wait_begin(NULL, 7, &waiter);
    assert_int_equal(waiter.fd, -1);
    assert_int_equal(waiter.timeout_ms, 7);
    cancel_wait_end(&waiter);
    assert_true(cancel_check(NULL, NULL));
    assert_true(cancel_sleep(NULL, 0, NULL));
}

static void fire_soon(void *cancel)
{
    g_usleep(30 * 1000);
    cancel_fire(cancel);
}

static void test_sleep(void **state G_GNUC_UNUSED)
{
    g_autoptr(Cancel) cancel = cancel_new(NULL);
    gint64 start = time_monotonic_ms();
    assert_true(cancel_sleep(cancel, 40, NULL));
    assert_in_range(time_monotonic_ms() - start, 40, 20 * 1000);

    Worker *worker = worker_start("fire", fire_soon, cancel);
    g_autoptr(GError) error = NULL;
    start = time_monotonic_ms();
    assert_false(cancel_sleep(cancel, 60 * 1000, &error));
    assert_true(error_is(error, KEDGE_ERROR_CANCELLED));
    assert_in_range(time_monotonic_ms() - start, 0, 30 * 1000);
    worker_join(worker);
    assert_false(cancel_sleep(cancel, 0, NULL));
}

static void make_children(void *parent)
{
    for (int i = 0; i < 300; i++) {
        g_autoptr(Cancel) child = cancel_new(parent);
        g_autoptr(Cancel) grandchild = cancel_new(child);
        cancel_has_fired(grandchild);
    }
}

/* Children come and go while the parent fires: found by the sanitizers when it is wrong. */
static void test_threads(void **state G_GNUC_UNUSED)
{
    Cancel *parent = cancel_new(NULL);
    Worker *workers[4];
    for (size_t i = 0; i < G_N_ELEMENTS(workers); i++)
        workers[i] = worker_start("children", make_children, parent);
    cancel_fire(parent);
    for (size_t i = 0; i < G_N_ELEMENTS(workers); i++)
        worker_join(workers[i]);
    assert_state(parent, true);
    cancel_unref(parent);
}

static guint count_open(void)
{
    g_autoptr(GDir) dir = g_dir_open("/proc/self/fd", 0, NULL);
    guint count = 0;
    while (g_dir_read_name(dir))
        count++;
    return count;
}

/* No descriptor can be made until this is called with 0. */
static void limit_descriptors(rlim_t max)
{
    static struct rlimit before; // of the first call
    if (before.rlim_max == 0)
        assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    struct rlimit limit = before;
    if (max > 0)
        limit.rlim_cur = max;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

/* A token is memory: thousands of them cost no descriptor, whatever their shape. */
static void test_tokens_cost_no_descriptor(void **state G_GNUC_UNUSED)
{
    enum { COUNT = 5000 };
    static Cancel *tokens[COUNT];
    g_autoptr(Cancel) root = cancel_new(NULL);
    guint before = count_open();
    limit_descriptors(3); // all that exist are above: nothing can be opened
    for (size_t i = 0; i < COUNT; i++) {
        Cancel *parent = i % 3 == 0 ? root : tokens[i - 1];
        tokens[i] = i % 2 == 0 ? cancel_new_timed(parent, 3600 * 1000) : cancel_new(parent);
    }
    assert_true(cancel_sleep(tokens[COUNT - 1], 1, NULL));
    cancel_fire(root);
    for (size_t i = 0; i < COUNT; i++) {
        assert_true(cancel_has_fired(tokens[i]));
        cancel_unref(tokens[i]);
    }
    limit_descriptors(0);
    assert_int_equal(count_open(), before);
}

typedef struct Sleeper {
    Cancel *cancel;
    gint64 duration_ms;
    bool is_cancelled;
    bool has_descriptor;
} Sleeper;

static void sleep_long(void *data)
{
    Sleeper *self = data;
    CancelWaiter waiter;
    cancel_wait_begin(self->cancel, 0, &waiter);
    self->has_descriptor = waiter.fd >= 0;
    cancel_wait_end(&waiter);
    self->is_cancelled = !cancel_sleep(self->cancel, self->duration_ms, NULL);
}

/* With no descriptor left a wait is late by a slice, and ends all the same. */
static void test_wait_without_descriptor(void **state G_GNUC_UNUSED)
{
    g_autoptr(Cancel) cancel = cancel_new(NULL);
    Sleeper sleeper = { .cancel = cancel, .duration_ms = 3600 * 1000 };
    limit_descriptors(3);
    Worker *worker = worker_start("sleeper", sleep_long, &sleeper);
    g_usleep(20 * 1000);
    cancel_fire(cancel);
    worker_join(worker);
    limit_descriptors(0);
    assert_true(sleeper.is_cancelled);
    assert_false(sleeper.has_descriptor);
}

/* A thread's descriptor goes with it. */
static void test_threads_leave_no_descriptor(void **state G_GNUC_UNUSED)
{
    guint before = count_open();
    for (int i = 0; i < 50; i++) {
        g_autoptr(Cancel) cancel = cancel_new(NULL);
        Sleeper sleeper = { .cancel = cancel, .duration_ms = 3600 * 1000 };
        Worker *worker = worker_start("sleeper", sleep_long, &sleeper);
        cancel_fire(cancel);
        worker_join(worker);
        assert_true(sleeper.has_descriptor && sleeper.is_cancelled);
    }
    assert_int_equal(count_open(), before);
}

/* The earliest end of a token and its parents counts, and it wakes who waits. */
static void test_deadlines(void **state G_GNUC_UNUSED)
{
    static const gint64 hour = 3600 * 1000;
    static const struct {
        const char *name;
        gint64 parent_ms, child_ms; // -1: none
        bool is_late;
    } cases[] = {
        { "own time", -1, 0, true },
        { "inherited", 0, -1, true },
        { "the parent's is earlier", 0, hour, true },
        { "own is earlier", hour, 0, true },
        { "both later", hour, hour, false },
        { "none", -1, -1, false },
        { "huge", G_MAXINT64, G_MAXINT64, false },
        { "negative", -5, -5, true },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        gint64 parent_ms = cases[i].parent_ms, child_ms = cases[i].child_ms;
        g_autoptr(Cancel) parent =
            parent_ms == -1 ? cancel_new(NULL) : cancel_new_timed(NULL, parent_ms);
        g_autoptr(Cancel) child =
            child_ms == -1 ? cancel_new(parent) : cancel_new_timed(parent, child_ms);
        g_autoptr(Cancel) grandchild = cancel_new(child);
        if (cancel_has_fired(grandchild) != cases[i].is_late ||
            cancel_is_late(grandchild) != cases[i].is_late)
            fail_msg("%s: fired %d", cases[i].name, cancel_has_fired(grandchild));
        assert_int_equal(ends_waits(grandchild), cases[i].is_late);
    }
}

/* Found by the old timer: a wait that begins before the end must not outlast it. */
static void test_deadline_wakes(void **state G_GNUC_UNUSED)
{
    g_autoptr(Cancel) parent = cancel_new_timed(NULL, 30);
    g_autoptr(Cancel) child = cancel_new(parent);
    g_autoptr(GError) error = NULL;
    assert_false(cancel_sleep(child, 3600 * 1000, &error)); // else the test's own timeout ends it
    assert_true(error_is(error, KEDGE_ERROR_CANCELLED));
    assert_true(cancel_is_late(child) && cancel_is_late(parent));
    // a deadline in the past counts from the first moment on, on every thread
    for (int i = 0; i < 1000; i++) {
        g_autoptr(Cancel) late = cancel_new_timed(NULL, 0);
        assert_true(cancel_has_fired(late));
        assert_false(cancel_sleep(late, 0, NULL));
    }
}

/* What is ready counts although the token fires; a fire that is old does not wake the next wait. */
static void test_poll(void **state G_GNUC_UNUSED)
{
    int fds[2];
    assert_true(fd_pipe(fds, NULL));
    g_autoptr(Cancel) cancel = cancel_new(NULL);
    g_autoptr(Cancel) other = cancel_new(NULL);
    struct pollfd polled[] = { { .fd = -1 }, { .fd = fds[0], .events = POLLIN } };
    assert_int_equal(cancel_poll(cancel, polled, 2, 0), 0);
    assert_int_equal(polled[1].revents, 0);
    assert_int_equal(write(fds[1], "x", 1), 1);
    assert_int_equal(cancel_poll(cancel, polled, 2, -1), 1);
    assert_int_equal(polled[1].revents, POLLIN);
    cancel_fire(cancel);
    assert_int_equal(cancel_poll(cancel, polled, 2, -1), 1);
    assert_int_equal(polled[1].revents, POLLIN);

    // fired while listed: the descriptor is readable until the end of the wait, not longer
    CancelWaiter waiter;
    cancel_wait_begin(other, -1, &waiter);
    assert_int_equal(waiter.timeout_ms, -1);
    cancel_fire(other);
    struct pollfd woken = { .fd = waiter.fd, .events = POLLIN };
    assert_int_equal(poll(&woken, 1, 0), 1);
    cancel_wait_end(&waiter);
    assert_int_equal(poll(&woken, 1, 0), 0);
    fd_close(fds[0]);
    fd_close(fds[1]);
}

static void fire_now(void *cancel)
{
    cancel_fire(cancel);
}

static void wait_on_child(void *parent)
{
    g_autoptr(Cancel) child = cancel_new(parent);
    g_autoptr(Cancel) timed = cancel_new_timed(child, 3600 * 1000);
    cancel_sleep(timed, 3600 * 1000, NULL);
}

/* Children begin to wait, are fired and die while others fire and let go: one of them is last. */
static void test_fire_and_unref_race(void **state G_GNUC_UNUSED)
{
    for (int i = 0; i < 30; i++) {
        Cancel *parent = cancel_new(NULL);
        Worker *waiters[3];
        for (size_t k = 0; k < G_N_ELEMENTS(waiters); k++)
            waiters[k] = worker_start("waiter", wait_on_child, parent);
        Worker *firing = worker_start("fire", fire_now, parent);
        for (size_t k = 0; k < G_N_ELEMENTS(waiters); k++)
            worker_join(waiters[k]);
        worker_join(firing);
        cancel_unref(parent);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fire),
        cmocka_unit_test(test_tree),
        cmocka_unit_test(test_null_token),
        cmocka_unit_test(test_child_outlives_parent),
        cmocka_unit_test(test_sleep),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_tokens_cost_no_descriptor),
        cmocka_unit_test(test_wait_without_descriptor),
        cmocka_unit_test(test_threads_leave_no_descriptor),
        cmocka_unit_test(test_deadlines),
        cmocka_unit_test(test_deadline_wakes),
        cmocka_unit_test(test_poll),
        cmocka_unit_test(test_fire_and_unref_race),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
