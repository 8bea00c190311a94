/* Cancellation tokens: the tree, the descriptor, sleeping, and many threads at once. */
#include "unit.h"

#include "base/cancel.h"
#include "base/timefmt.h"
#include "base/worker.h"

#include <poll.h>

static bool is_readable(Cancel *cancel)
{
    struct pollfd fd = { .fd = cancel_fd(cancel), .events = POLLIN };
    return poll(&fd, 1, 0) == 1 && (fd.revents & POLLIN) != 0;
}

static void assert_state(Cancel *cancel, bool want)
{
    assert_int_equal(cancel_has_fired(cancel), want);
    assert_int_equal(is_readable(cancel), want);
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
    assert_int_equal(cancel_fd(NULL), -1);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fire),       cmocka_unit_test(test_tree),
        cmocka_unit_test(test_null_token), cmocka_unit_test(test_child_outlives_parent),
        cmocka_unit_test(test_sleep),      cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
