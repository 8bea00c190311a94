/* See event_hub.h. */
#include "agent/event_hub.h"

#include "base/fd.h"
#include "base/limits.h"
#include "base/lock.h"
#include "base/timefmt.h"

#include <errno.h>
#include <poll.h>
#include <sys/eventfd.h>

#define MERGE_LOOK_BACK 16 // calls run at most eight at once, so the last one's is not far

typedef struct Item {
    json_t *event;     // NULL of the others: a function, a live message, a gap
    LoopFunc func;     // posted
    void *data;        // its
    LiveMessage *live; // told as far as it is when its turn comes
    size_t missed;     // updates that this one stands for; of a gap: events
    uint64_t number;   // of all that the hub was given
} Item;

struct Subscription {
    SubscriberSpec spec;
    GQueue items; // under the hub's lock
    bool is_held, is_removed;
    LiveMessage *followed; // what the cursor is for
    LiveCursor cursor;
    gint64 updated_at; // monotonic
};

struct EventHub {
    Loop *loop;
    LoopFunc after;
    void *data;
    LoopSource *wake_source, *timer;
    int wake_fd;
    bool is_telling;

    uint64_t last_told; // what comes later waits for the next round

    pthread_mutex_t lock; // guards the rest, and what waits for each subscriber
    GPtrArray *subscriptions;
    uint64_t last_number;
    bool is_woken;
};

static void item_free(gpointer self_)
{
    Item *self = self_;
    json_decref(self->event);
    live_message_unref(self->live);
    g_free(self);
}

static void subscription_free(gpointer self_)
{
    Subscription *self = self_;
    g_queue_clear_full(&self->items, item_free);
    live_message_unref(self->followed);
    live_cursor_clear(&self->cursor);
    g_free(self);
}

// ---- publishing: any thread ----

static void wake_locked(EventHub *self)
{
    if (!self->is_woken)
        eventfd_write(self->wake_fd, 1);
    self->is_woken = true;
}

static bool is_update_of(const Item *item, const char *call_id)
{
    return item->event && event_kind(item->event) == EVENT_TOOL_EXECUTION_UPDATE &&
           (!call_id || g_strcmp0(json_get_text(item->event, "toolCallId"), call_id) == 0);
}

/* A partial result replaces the one before it that still waits. */
static bool merge_update(Subscription *self, json_t *event)
{
    if (event_kind(event) != EVENT_TOOL_EXECUTION_UPDATE)
        return false;
    const char *call_id = json_get_text(event, "toolCallId");
    GList *link = self->items.tail;
    for (int i = 0; i < MERGE_LOOK_BACK && link && is_update_of(link->data, NULL); i++) {
        Item *item = link->data;
        if (is_update_of(item, call_id)) {
            json_decref(item->event);
            item->event = json_incref(event);
            item->missed++;
            return true;
        }
        link = link->prev;
    }
    return false;
}

static Item *push_item(Subscription *self, uint64_t number)
{
    Item *item = g_new0(Item, 1);
    item->number = number;
    g_queue_push_tail(&self->items, item);
    return item;
}

static void push_event(Subscription *self, json_t *event, bool is_control, uint64_t number)
{
    if (merge_update(self, event))
        return;
    Item *last = g_queue_peek_tail(&self->items);
    bool is_full = self->items.length >= LIMIT_SUBSCRIBER_EVENTS && !is_control;
    if (is_full && last && last->missed > 0 && !last->event)
        last->missed++;
    else if (is_full)
        push_item(self, number)->missed = 1;
    else
        push_item(self, number)->event = json_incref(event);
}

static void event_hub_do_publish(EventHub *self, json_t *event, bool is_control)
{
    pthread_mutex_lock(&self->lock);
    self->last_number++;
    for (unsigned i = 0; i < self->subscriptions->len; i++) {
        Subscription *subscription = self->subscriptions->pdata[i];
        if (!subscription->is_removed && (!is_control || subscription->spec.wants_control))
            push_event(subscription, event, is_control, self->last_number);
    }
    wake_locked(self);
    pthread_mutex_unlock(&self->lock);
    json_decref(event);
}

void event_hub_publish(EventHub *self, json_t *event)
{
    event_hub_do_publish(self, event, false);
}

void event_hub_publish_control(EventHub *self, json_t *event)
{
    event_hub_do_publish(self, event, true);
}

void event_hub_publish_notice(EventHub *self, const char *level, const char *text)
{
    json_t *event = agent_event_new(EVENT_NOTICE);
    json_add(event, "level:%s message:%s", level, text);
    event_hub_publish(self, event);
}

void event_hub_post(EventHub *self, LoopFunc func, void *data)
{
    HOLD_LOCK(&self->lock);
    self->last_number++;
    for (unsigned i = 0; i < self->subscriptions->len; i++) {
        Subscription *subscription = self->subscriptions->pdata[i];
        if (!subscription->spec.is_owner || subscription->is_removed)
            continue;
        Item *item = push_item(subscription, self->last_number);
        item->func = func;
        item->data = data;
        break;
    }
    wake_locked(self);
}

void event_hub_publish_live(EventHub *self, LiveMessage *live)
{
    HOLD_LOCK(&self->lock);
    self->last_number++;
    for (unsigned i = 0; i < self->subscriptions->len; i++) {
        Subscription *subscription = self->subscriptions->pdata[i];
        if (subscription->is_removed || subscription->spec.detail == DETAIL_NONE)
            continue;
        const Item *last = g_queue_peek_tail(&subscription->items);
        if (last && last->live == live)
            continue; // it waits already, and will be told as far as it is then
        push_item(subscription, self->last_number)->live = live_message_ref(live);
        wake_locked(self);
    }
}

// ---- telling: the owner's thread ----

static void tell_event(Subscription *self, const Item *item)
{
    if (item->event && item->missed == 0) {
        self->spec.func(item->event, self->spec.user_data);
        return;
    }
    g_autoptr(json_t) event =
        item->event ? json_copy(item->event) : agent_event_new(EVENT_EVENTS_MISSED);
    json_set_int(event, item->event ? "missed" : "count", (gint64)item->missed);
    self->spec.func(event, self->spec.user_data);
}

static void tell_live(Subscription *self, LiveMessage *live)
{
    if (self->followed != live) {
        live_message_unref(self->followed);
        self->followed = live_message_ref(live);
        live_cursor_clear(&self->cursor);
        live_cursor_init(&self->cursor);
    }
    g_autoptr(json_t) updates =
        live_message_read(live, &self->cursor, self->spec.detail == DETAIL_WHOLE);
    json_each (updates, i, update) {
        if (!self->is_removed)
            self->spec.func(update, self->spec.user_data);
    }
    self->updated_at = time_monotonic_ms();
}

/* How long the newest pieces of an answer wait for more; 0: they go out now. */
static gint64 time_to_wait(const Subscription *self, const Item *item)
{
    if (!item->live || self->items.length > 1)
        return 0;
    static const gint64 intervals_ms[] = {
        [DETAIL_NONE] = 0, [DETAIL_DELTAS] = 16, [DETAIL_WHOLE] = 100, [DETAIL_SCREEN] = 33
    };
    return MAX(self->updated_at + intervals_ms[self->spec.detail] - time_monotonic_ms(), 0);
}

static Item *take_item(EventHub *self, Subscription *subscription, gint64 *wait_ms)
{
    if (subscription->is_removed || subscription->is_held)
        return NULL;
    pthread_mutex_lock(&self->lock);
    Item *item = g_queue_peek_head(&subscription->items);
    if (item && item->number > self->last_told)
        item = NULL;
    gint64 wait = item ? time_to_wait(subscription, item) : 0;
    if (item && wait == 0)
        g_queue_pop_head(&subscription->items);
    pthread_mutex_unlock(&self->lock);
    if (wait > 0)
        *wait_ms = MIN(*wait_ms, wait);
    return wait > 0 ? NULL : item;
}

static void event_hub_sweep(EventHub *self)
{
    HOLD_LOCK(&self->lock);
    for (unsigned i = self->subscriptions->len; i > 0; i--) {
        const Subscription *subscription = self->subscriptions->pdata[i - 1];
        if (subscription->is_removed)
            g_ptr_array_remove_index(self->subscriptions, i - 1);
    }
}

static void on_timer(void *self_);

static void tell_all(EventHub *self)
{
    gint64 wait_ms = G_MAXINT64;
    self->is_telling = true;
    // all are told of the same in a round, so that whoever listens first knows it before the others
    pthread_mutex_lock(&self->lock);
    self->last_told = self->last_number;
    pthread_mutex_unlock(&self->lock);
    for (unsigned i = 0; i < self->subscriptions->len; i++) {
        Subscription *subscription = self->subscriptions->pdata[i];
        Item *item = NULL;
        while ((item = take_item(self, subscription, &wait_ms))) {
            if (item->func)
                item->func(item->data);
            else if (item->live)
                tell_live(subscription, item->live);
            else
                tell_event(subscription, item);
            item_free(item);
        }
    }
    self->is_telling = false;
    event_hub_sweep(self);
    if (wait_ms < G_MAXINT64 && !self->timer)
        self->timer = loop_add_timer(self->loop, wait_ms, on_timer, self);
    if (self->after)
        self->after(self->data);
}

static void on_timer(void *self_)
{
    EventHub *self = self_;
    self->timer = NULL;
    tell_all(self);
}

static void on_wake(int fd, short revents G_GNUC_UNUSED, void *self_)
{
    EventHub *self = self_;
    eventfd_t count;
    eventfd_read(fd, &count);
    pthread_mutex_lock(&self->lock);
    self->is_woken = false;
    pthread_mutex_unlock(&self->lock);
    tell_all(self);
}

EventHub *event_hub_new(Loop *loop, LoopFunc after, void *data)
{
    EventHub *self = g_new0(EventHub, 1);
    self->loop = loop;
    self->after = after;
    self->data = data;
    self->subscriptions = g_ptr_array_new_with_free_func(subscription_free);
    pthread_mutex_init(&self->lock, NULL);
    self->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (self->wake_fd < 0)
        g_error("cannot make an event hub: %s", g_strerror(errno));
    self->wake_source = loop_add_fd(loop, self->wake_fd, POLLIN, on_wake, self);
    return self;
}

void event_hub_free(EventHub *self)
{
    if (!self)
        return;
    g_assert(!self->is_telling);
    loop_remove(self->loop, self->timer);
    loop_remove(self->loop, self->wake_source);
    fd_close(self->wake_fd);
    g_ptr_array_unref(self->subscriptions);
    pthread_mutex_destroy(&self->lock);
    g_free(self);
}

Subscription *event_hub_subscribe(EventHub *self, const SubscriberSpec *spec)
{
    Subscription *subscription = g_new0(Subscription, 1);
    subscription->spec = *spec;
    g_queue_init(&subscription->items);
    live_cursor_init(&subscription->cursor);
    HOLD_LOCK(&self->lock);
    g_ptr_array_add(self->subscriptions, subscription);
    return subscription;
}

void event_hub_unsubscribe(EventHub *self, Subscription *subscription)
{
    pthread_mutex_lock(&self->lock);
    subscription->is_removed = true;
    pthread_mutex_unlock(&self->lock);
    if (!self->is_telling)
        event_hub_sweep(self);
}

void event_hub_set_detail(EventHub *self, Subscription *subscription, EventDetail detail)
{
    HOLD_LOCK(&self->lock);
    subscription->spec.detail = detail;
}

void event_hub_hold(EventHub *self, Subscription *subscription)
{
    HOLD_LOCK(&self->lock);
    subscription->is_held = true;
}

void event_hub_release(EventHub *self, Subscription *subscription)
{
    HOLD_LOCK(&self->lock);
    subscription->is_held = false;
    wake_locked(self);
}

bool event_hub_is_drained(EventHub *self)
{
    bool is_drained = true;
    HOLD_LOCK(&self->lock);
    for (unsigned i = 0; i < self->subscriptions->len; i++) {
        const Subscription *subscription = self->subscriptions->pdata[i];
        if (!subscription->is_held && !subscription->is_removed && subscription->items.length > 0)
            is_drained = false;
    }
    return is_drained;
}
