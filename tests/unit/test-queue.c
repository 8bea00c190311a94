/*
 * Message queues: order, modes, what is put back, several threads.
 */
#include "unit.h"

#include "agent/queue.h"
#include "base/limits.h"
#include "base/worker.h"
#include "model/message.h"

static void push(MessageQueue *queue, const char *text)
{
    g_autoptr(json_t) message = message_user(text);
    assert_true(message_queue_push(queue, message, NULL));
}

/* "a b": the texts of an array of messages, which it takes. */
static char *texts(json_t *messages)
{
    GString *out = g_string_new(NULL);
    size_t i;
    json_t *message;
    json_array_foreach (messages, i, message) {
        g_autofree char *text = message_text(message);
        g_string_append_printf(out, "%s%s", i ? " " : "", text);
    }
    json_decref(messages);
    return g_string_free(out, FALSE);
}

/* core-49 */
static void test_modes(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *mode, *want, *left;
    } cases[] = {
        { NULL, "a", "b c" },
        { "one-at-a-time", "a", "b c" },
        { "all", "a b c", "" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(MessageQueue) queue = message_queue_new(cases[i].mode);
        push(queue, "a");
        push(queue, "b");
        push(queue, "c");
        g_autofree char *got = texts(message_queue_take(queue));
        g_autofree char *left = texts(message_queue_peek(queue));
        assert_string_equal(got, cases[i].want);
        assert_string_equal(left, cases[i].left);
    }
}

static void test_mode_changes(void **state G_GNUC_UNUSED)
{
    g_autoptr(MessageQueue) queue = message_queue_new(NULL);
    assert_string_equal(message_queue_mode(queue), "one-at-a-time");
    message_queue_set_mode(queue, "all");
    assert_string_equal(message_queue_mode(queue), "all");
    push(queue, "a");
    push(queue, "b");
    g_autofree char *got = texts(message_queue_take(queue));
    assert_string_equal(got, "a b");
}

static void test_put_back(void **state G_GNUC_UNUSED)
{
    g_autoptr(MessageQueue) queue = message_queue_new("all");
    push(queue, "a");
    push(queue, "b");
    g_autoptr(json_t) taken = message_queue_take(queue);
    push(queue, "c");
    message_queue_return(queue, taken);
    g_autofree char *got = texts(message_queue_take(queue));
    assert_string_equal(got, "a b c");
    message_queue_clear(queue);
    assert_int_equal(message_queue_size(queue), 0);
}

static void test_bound(void **state G_GNUC_UNUSED)
{
    g_autoptr(MessageQueue) queue = message_queue_new(NULL);
    for (int i = 0; i < LIMIT_QUEUED_MESSAGES; i++)
        push(queue, "a");
    g_autoptr(json_t) message = message_user("one more");
    g_autoptr(GError) error = NULL;
    assert_false(message_queue_push(queue, message, &error));
    assert_true(error_is(error, KEDGE_ERROR_LIMIT));
    assert_int_equal(message_queue_size(queue), LIMIT_QUEUED_MESSAGES);
}

static void push_many(void *queue)
{
    for (int i = 0; i < 200; i++)
        push(queue, "a");
}

static void test_threads(void **state G_GNUC_UNUSED)
{
    g_autoptr(MessageQueue) queue = message_queue_new(NULL);
    Worker *first = worker_start("first", push_many, queue);
    Worker *second = worker_start("second", push_many, queue);
    for (size_t got = 0; got < 400;) {
        g_autoptr(json_t) taken = message_queue_take(queue);
        got += json_array_size(taken);
    }
    worker_join(first);
    worker_join(second);
    assert_int_equal(message_queue_size(queue), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_modes),    cmocka_unit_test(test_mode_changes),
        cmocka_unit_test(test_put_back), cmocka_unit_test(test_bound),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests_name("queue", tests, NULL, NULL);
}
