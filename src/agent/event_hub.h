/*
 * From one thread that makes events to those who listen on the owner's: every subscriber gets
 * the events it wants, by reference and in one order, on the thread of the owner's loop.
 *
 * A slow subscriber never holds the run back. What waits for it is merged: the pieces of an answer
 * into one delta, the partial results of a call into the newest, with `missed` saying how many it
 * stands for. Of what cannot be merged LIMIT_SUBSCRIBER_EVENTS wait; then {"type":"events_missed",
 * "count":N} stands where N are missing. Control events (answers to commands, questions) never are.
 *
 * Publishing is thread safe; everything else belongs to the owner's thread. With nothing to tell
 * nothing wakes.
 */
#pragma once

#include "agent/event_kind.h"
#include "agent/live_message.h"
#include "base/loop.h"

typedef struct EventHub EventHub;
typedef struct Subscription Subscription;

typedef enum {
    DETAIL_NONE,   // no message_update: messages come whole, with message_end
    DETAIL_DELTAS, // what is new, at most every 16 ms (agent-core §3.9)
    DETAIL_WHOLE,  // the message so far in each, at most every 100 ms
    DETAIL_SCREEN, // what is new, at most every 33 ms: as often as a screen is drawn for it
} EventDetail;

/* `event` is borrowed: take a reference to keep it. It is never changed. */
typedef void (*EventFunc)(json_t *event, void *user_data);

typedef struct SubscriberSpec {
    EventDetail detail;
    bool wants_control; // also command_end, question, question_closed
    EventFunc func;
    void *user_data;
    bool is_owner; // also called for what is posted, in its place among the events
} SubscriberSpec;

/* `after` (may be NULL) is called after each round of telling. */
EventHub *event_hub_new(Loop *loop, LoopFunc after, void *data);
void event_hub_free(EventHub *self); // what was not told is dropped; no one may publish any more

Subscription *event_hub_subscribe(EventHub *self, const SubscriberSpec *spec);
/* Also from inside a callback; nothing is told after it. */
void event_hub_unsubscribe(EventHub *self, Subscription *subscription);
/* From the next update on. */
void event_hub_set_detail(EventHub *self, Subscription *subscription, EventDetail detail);
/* A subscriber that can take no more now holds its events, and lets them come later. */
void event_hub_hold(EventHub *self, Subscription *subscription);
void event_hub_release(EventHub *self, Subscription *subscription);

/* Nothing waits but for those who hold. */
bool event_hub_is_drained(EventHub *self);

/* Any thread. Takes the reference; the event is not changed any more. */
void event_hub_publish(EventHub *self, json_t *event);
void event_hub_publish_control(EventHub *self, json_t *event);
/* `level` is info, warning or error. */
void event_hub_publish_notice(EventHub *self, const char *level, const char *text);
/* As loop_post(), when the owner has been told what was published before. `func` is called as long
   as there is one subscriber that is the owner. */
void event_hub_post(EventHub *self, LoopFunc func, void *data);
/* The message that is arriving has grown. */
void event_hub_publish_live(EventHub *self, LiveMessage *live);
