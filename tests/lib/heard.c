/*
 * Listening (heard.h).
 */
#include "heard.h"

#include <stdlib.h>
#include <string.h>

Heard *heard_new(void)
{
    Heard *self = calloc(1, sizeof *self);
    pthread_mutex_init(&self->lock, NULL);
    pthread_cond_init(&self->changed, NULL);
    self->all = calloc(1, 1);
    return self;
}

void hear(const char *event, void *self_)
{
    Heard *self = self_;
    size_t size = strlen(event);
    pthread_mutex_lock(&self->lock);
    self->all = realloc(self->all, self->size + size + 2);
    memcpy(self->all + self->size, event, size);
    memcpy(self->all + self->size + size, "\n", 2);
    self->size += size + 1;
    pthread_cond_broadcast(&self->changed);
    pthread_mutex_unlock(&self->lock);
}

void wait_for(Heard *self, const char *text)
{
    pthread_mutex_lock(&self->lock);
    while (!strstr(self->all, text))
        pthread_cond_wait(&self->changed, &self->lock);
    pthread_mutex_unlock(&self->lock);
}

bool has_heard(Heard *self, const char *text)
{
    pthread_mutex_lock(&self->lock);
    bool is_there = strstr(self->all, text) != NULL;
    pthread_mutex_unlock(&self->lock);
    return is_there;
}

void heard_free(Heard *self)
{
    pthread_cond_destroy(&self->changed);
    pthread_mutex_destroy(&self->lock);
    free(self->all);
    free(self);
}

#ifdef __SANITIZE_THREAD__
/* As in base/json.c, which the library keeps to itself; and GLib makes its locks when they are
   first used, with atomic operations that are not seen. */
const char *__tsan_default_suppressions(void);
const char *__tsan_default_suppressions(void)
{
    return "race:^json_incref$\nrace:^json_decref$\ncalled_from_lib:libjansson.so\n"
           "called_from_lib:libglib-2.0.so\n";
}
#endif
