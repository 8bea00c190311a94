/* See usage_notes.h. */
#include "agent/usage_notes.h"

#include "session/session_tree.h"

#include <pthread.h>

#define CUSTOM_TYPE "kedge.usage"
#define KEPT_MAX    1000 // between two visits of the session's owner

struct UsageNotes {
    pthread_mutex_t lock; // guards the rest
    json_t *kept;         // the data of entries
};

UsageNotes *usage_notes_new(void)
{
    UsageNotes *self = g_new0(UsageNotes, 1);
    pthread_mutex_init(&self->lock, NULL);
    self->kept = json_array();
    return self;
}

void usage_notes_free(UsageNotes *self)
{
    if (!self)
        return;
    pthread_mutex_destroy(&self->lock);
    json_decref(self->kept);
    g_free(self);
}

void usage_notes_add(UsageNotes *self, const char *purpose, const json_t *answer)
{
    static const char *const keys[] = { "provider",   "model",    "api",      "usage",
                                        "stopReason", "duration", "timestamp" };
    const json_t *usage = json_get_object(answer, "usage");
    if (!self || json_get_int(usage, "totalTokens", 0) <= 0)
        return;
    json_t *data = json_make("purpose:%s", purpose);
    for (size_t i = 0; i < G_N_ELEMENTS(keys); i++) {
        json_t *value = json_object_get(answer, keys[i]);
        if (value)
            json_set_take(data, keys[i], json_deep_copy(value)); // the answer is another thread's
    }
    pthread_mutex_lock(&self->lock);
    if (json_array_size(self->kept) < KEPT_MAX)
        json_array_append(self->kept, data);
    pthread_mutex_unlock(&self->lock);
    json_decref(data);
}

void usage_notes_append(UsageNotes *self, Session *session)
{
    if (!self)
        return;
    pthread_mutex_lock(&self->lock);
    g_autoptr(json_t) kept = g_steal_pointer(&self->kept);
    self->kept = json_array();
    pthread_mutex_unlock(&self->lock);
    json_each (kept, i, data) {
        session_append_fields(session, "custom",
                              json_make("customType:%s data:%p", CUSTOM_TYPE, json_incref(data)));
    }
}
