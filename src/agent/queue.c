/* See queue.h. */
#include "agent/queue.h"

#include "base/limits.h"
#include "base/lock.h"
#include "model/message.h"

struct MessageQueue {
    pthread_mutex_t lock; // guards the rest
    json_t *messages;     // array
    bool takes_all;
};

static bool is_all(const char *mode)
{
    return g_strcmp0(mode, "all") == 0;
}

MessageQueue *message_queue_new(const char *mode)
{
    MessageQueue *self = g_new0(MessageQueue, 1);
    pthread_mutex_init(&self->lock, NULL);
    self->messages = json_array();
    self->takes_all = is_all(mode);
    return self;
}

void message_queue_free(MessageQueue *self)
{
    if (!self)
        return;
    json_decref(self->messages);
    pthread_mutex_destroy(&self->lock);
    g_free(self);
}

void message_queue_set_mode(MessageQueue *self, const char *mode)
{
    HOLD_LOCK(&self->lock);
    self->takes_all = is_all(mode);
}

const char *message_queue_mode(MessageQueue *self)
{
    HOLD_LOCK(&self->lock);
    bool takes_all = self->takes_all;
    return takes_all ? "all" : "one-at-a-time";
}

bool message_queue_push(MessageQueue *self, json_t *message, GError **error)
{
    pthread_mutex_lock(&self->lock);
    bool has_room = json_array_size(self->messages) < LIMIT_QUEUED_MESSAGES;
    if (has_room)
        json_array_append(self->messages, message);
    pthread_mutex_unlock(&self->lock);
    if (!has_room)
        return fail_with(error, KEDGE_ERROR_LIMIT,
                         "%d messages wait already; abort the run or let it take some",
                         LIMIT_QUEUED_MESSAGES);
    return true;
}

json_t *message_queue_take(MessageQueue *self)
{
    json_t *taken = json_array();
    HOLD_LOCK(&self->lock);
    if (self->takes_all) {
        json_array_extend(taken, self->messages);
        json_array_clear(self->messages);
    } else if (json_array_size(self->messages) > 0) {
        json_array_append(taken, json_array_get(self->messages, 0));
        json_array_remove(self->messages, 0);
    }
    return taken;
}

void message_queue_return(MessageQueue *self, const json_t *messages)
{
    HOLD_LOCK(&self->lock);
    for (size_t i = json_array_size(messages); i > 0; i--)
        json_array_insert(self->messages, 0, json_array_get(messages, i - 1));
}

size_t message_queue_size(MessageQueue *self)
{
    HOLD_LOCK(&self->lock);
    return json_array_size(self->messages);
}

json_t *message_queue_peek(MessageQueue *self)
{
    HOLD_LOCK(&self->lock);
    return json_copy(self->messages);
}

json_t *message_queue_texts(MessageQueue *self)
{
    g_autoptr(json_t) messages = message_queue_peek(self);
    json_t *texts = json_array();
    json_each (messages, i, message) {
        g_autofree char *text = message_text(message);
        json_append_take(texts, json_text(text));
    }
    return texts;
}

void message_queue_clear(MessageQueue *self)
{
    HOLD_LOCK(&self->lock);
    json_array_clear(self->messages);
}
