/*
 * What was told on other threads, one text a line, and waiting for it.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct Heard {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    char *all; // events, one a line
    size_t size;
} Heard;

Heard *heard_new(void);
void heard_free(Heard *self);
void hear(const char *event, void *self); // a kedge_event_func
/* Until `text` was told. */
void wait_for(Heard *self, const char *text);
bool has_heard(Heard *self, const char *text);
