/*
 * The event hub: order, detail, slow subscribers, what is merged and what is counted.
 */
#include "base/str.h"
#include "unit.h"

#include "agent/event_hub.h"
#include "base/limits.h"
#include "base/worker.h"
#include "model/stream.h"

typedef struct Listener {
    struct Fixture *fixture;
    GString *got;
    Subscription *subscription;
    bool leaves;        // with the first event
    const char *answer; // published with the first event; NULL: nothing
} Listener;

typedef struct Fixture {
    Loop *loop;
    EventHub *hub;
    Listener a, b;
    GString *order; // of both: who was told what
} Fixture;

static json_t *event_named(const char *name)
{
    json_t *event = json_object();
    json_set_text(event, "type", "thing");
    json_set_text(event, "name", name);
    return event;
}

static void on_event(json_t *event, void *user_data)
{
    Listener *self = user_data;
    const char *name = json_get_text(event, "name");
    g_string_append_printf(self->got, "%s%s", self->got->len ? " " : "",
                           name ? name : json_get_text(event, "type"));
    if (json_object_get(event, "missed"))
        g_string_append_printf(self->got, "+%d", (int)json_get_int(event, "missed", 0));
    if (json_object_get(event, "count"))
        g_string_append_printf(self->got, "=%d", (int)json_get_int(event, "count", 0));
    const char *delta = json_get_text(json_get_object(event, "assistantMessageEvent"), "delta");
    if (delta)
        g_string_append_printf(self->got, "[%s]", delta);
    g_string_append_printf(self->fixture->order, "%s%s ", self == &self->fixture->a ? "a" : "b",
                           name ? name : "?");
    if (self->answer)
        event_hub_publish(self->fixture->hub, event_named(g_steal_pointer(&self->answer)));
    if (self->leaves)
        event_hub_unsubscribe(self->fixture->hub, self->subscription);
}

static void quit_when_drained(void *data)
{
    Fixture *self = data;
    if (event_hub_is_drained(self->hub))
        loop_quit(self->loop);
}

static void listen_to(Fixture *self, Listener *listener, EventDetail detail, bool wants_control)
{
    *listener = (Listener) { .fixture = self, .got = g_string_new(NULL) };
    listener->subscription = event_hub_subscribe(
        self->hub, &(SubscriberSpec) { detail, wants_control, on_event, listener });
}

static int setup(void **state)
{
    Fixture *self = g_new0(Fixture, 1);
    self->loop = loop_new();
    self->order = g_string_new(NULL);
    self->hub = event_hub_new(self->loop, quit_when_drained, self);
    listen_to(self, &self->a, DETAIL_NONE, false);
    listen_to(self, &self->b, DETAIL_DELTAS, true);
    *state = self;
    return 0;
}

static int teardown(void **state)
{
    Fixture *self = *state;
    event_hub_free(self->hub);
    loop_free(self->loop);
    g_string_free(self->a.got, TRUE);
    g_string_free(self->b.got, TRUE);
    g_string_free(self->order, TRUE);
    g_free(self);
    return 0;
}

static json_t *update_of(const char *call_id, const char *name)
{
    json_t *event = event_named(name);
    json_set_text(event, "type", "tool_execution_update");
    json_set_text(event, "toolCallId", call_id);
    return event;
}

static void publish(Fixture *self, const char *name)
{
    event_hub_publish(self->hub, event_named(name));
}

static void test_order(void **state)
{
    Fixture *self = *state;
    publish(self, "1");
    event_hub_publish_control(self->hub, event_named("c"));
    publish(self, "2");
    assert_false(event_hub_is_drained(self->hub));
    assert_string_equal(self->a.got->str, ""); // only the loop tells
    loop_run(self->loop);
    assert_string_equal(self->a.got->str, "1 2");
    assert_string_equal(self->b.got->str, "1 c 2");
}

static void on_posted(void *listener_)
{
    Listener *listener = listener_;
    g_string_append_printf(listener->got, "%sp", listener->got->len > 0 ? " " : "");
}

/* What is posted is called in its place among the events that the owner gets. */
static void test_posted(void **state)
{
    Fixture *self = *state;
    Listener owner = { .fixture = self, .got = g_string_new(NULL) };
    event_hub_subscribe(self->hub,
                        &(SubscriberSpec) { DETAIL_NONE, false, on_event, &owner, true });
    publish(self, "1");
    event_hub_post(self->hub, on_posted, &owner);
    event_hub_publish_control(self->hub, event_named("c"));
    publish(self, "2");
    assert_false(event_hub_is_drained(self->hub));
    assert_string_equal(owner.got->str, "");
    loop_run(self->loop);
    assert_string_equal(owner.got->str, "1 p 2");
    assert_string_equal(self->a.got->str, "1 2");
    assert_string_equal(self->b.got->str, "1 c 2");
    g_string_free(owner.got, TRUE);
}

static void test_leaving(void **state)
{
    Fixture *self = *state;
    self->a.leaves = true;
    publish(self, "1");
    publish(self, "2");
    loop_run(self->loop);
    assert_string_equal(self->a.got->str, "1");
    event_hub_unsubscribe(self->hub, self->b.subscription);
    publish(self, "3");
    loop_run(self->loop);
    assert_string_equal(self->b.got->str, "1 2");
}

static void test_held(void **state)
{
    Fixture *self = *state;
    event_hub_hold(self->hub, self->a.subscription);
    publish(self, "1");
    event_hub_publish(self->hub, update_of("t1", "x1"));
    event_hub_publish(self->hub, update_of("t2", "y1"));
    event_hub_publish(self->hub, update_of("t1", "x2"));
    event_hub_publish(self->hub, update_of("t1", "x3"));
    publish(self, "2");
    event_hub_publish(self->hub, update_of("t1", "x4")); // not across other events
    loop_run(self->loop);
    assert_string_equal(self->a.got->str, "");
    assert_string_equal(self->b.got->str, "1 x3+2 y1 2 x4"); // it was not told in between either
    publish(self, "3");
    loop_run(self->loop);
    event_hub_release(self->hub, self->a.subscription);
    loop_run(self->loop);
    assert_string_equal(self->a.got->str, "1 x3+2 y1 2 x4 3");
}

static void test_bound(void **state)
{
    Fixture *self = *state;
    event_hub_hold(self->hub, self->b.subscription);
    for (int i = 0; i < LIMIT_SUBSCRIBER_EVENTS + 7; i++)
        publish(self, "x");
    event_hub_publish_control(self->hub, event_named("c"));
    publish(self, "y");
    loop_run(self->loop);
    event_hub_release(self->hub, self->b.subscription);
    loop_run(self->loop);
    assert_true(g_str_has_suffix(self->b.got->str, " x events_missed=7 c events_missed=1"));
    assert_true(str_has_prefix(self->b.got->str, "x x x "));
    publish(self, "z");
    loop_run(self->loop);
    assert_true(g_str_has_suffix(self->b.got->str, " events_missed=1 z"));
}

static void feed(const json_t *event, ModelStream *stream, void *user_data)
{
    live_message_feed(user_data, event, stream);
}

static void test_live(void **state)
{
    Fixture *self = *state;
    const Model model = { .provider = (char *)"lab", .id = (char *)"coder" };
    g_autoptr(json_t) start = json_object();
    g_autoptr(LiveMessage) live = live_message_new(start);
    g_autoptr(ModelStream) stream = model_stream_new(&model, feed, live);
    size_t block;
    assert_true(model_stream_open_text(stream, &block, NULL));
    for (int i = 0; i < 3; i++) {
        assert_true(model_stream_append(stream, block, "ab", 2, NULL));
        event_hub_publish_live(self->hub, live);
    }
    loop_run(self->loop);
    assert_string_equal(self->b.got->str, "message_update message_update[ababab]");

    // so soon after, it waits for more; but nothing else overtakes it
    assert_true(model_stream_append(stream, block, "c", 1, NULL));
    event_hub_publish_live(self->hub, live);
    publish(self, "1");
    assert_true(model_stream_append(stream, block, "d", 1, NULL));
    event_hub_publish_live(self->hub, live);
    loop_run(self->loop); // the timer wakes it for the rest
    g_autofree char *joined = g_strdup(self->b.got->str);
    assert_true(str_has_prefix(joined, "message_update message_update[ababab] "
                                       "message_update[cd] 1"));
    assert_string_equal(self->a.got->str, "1");

    event_hub_set_detail(self->hub, self->b.subscription, DETAIL_NONE);
    assert_true(model_stream_append(stream, block, "e", 1, NULL));
    event_hub_publish_live(self->hub, live);
    publish(self, "2");
    loop_run(self->loop);
    assert_true(g_str_has_suffix(self->b.got->str, "1 2"));
}

static void publish_many(void *data)
{
    Fixture *self = data;
    for (int i = 0; i < 500; i++)
        publish(self, ".");
}

/* Nobody knows an event before whoever listens first. */
static void test_rounds(void **state)
{
    Fixture *self = *state;
    self->b.answer = "2";
    publish(self, "1");
    loop_run(self->loop);
    assert_string_equal(self->order->str, "a1 b1 a2 b2 ");
}

static void test_threads(void **state)
{
    Fixture *self = *state;
    Worker *first = worker_start("first", publish_many, self);
    Worker *second = worker_start("second", publish_many, self);
    while (self->a.got->len < 2 * 1000 - 1)
        loop_run(self->loop);
    worker_join(first);
    worker_join(second);
    assert_int_equal(self->b.got->len, 2 * 1000 - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_order, setup, teardown),
        cmocka_unit_test_setup_teardown(test_posted, setup, teardown),
        cmocka_unit_test_setup_teardown(test_leaving, setup, teardown),
        cmocka_unit_test_setup_teardown(test_held, setup, teardown),
        cmocka_unit_test_setup_teardown(test_bound, setup, teardown),
        cmocka_unit_test_setup_teardown(test_live, setup, teardown),
        cmocka_unit_test_setup_teardown(test_rounds, setup, teardown),
        cmocka_unit_test_setup_teardown(test_threads, setup, teardown),
    };
    return cmocka_run_group_tests_name("event-hub", tests, NULL, NULL);
}
