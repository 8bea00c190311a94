/*
 * A lock that is held to the end of the block, on every way out of it:
 *
 *     HOLD_LOCK(&self->lock);
 *     return self->count;
 *
 * What the block owns (g_autofree and the like), declared after it, is freed while the lock is
 * still held.
 */
#pragma once

#include <glib.h>
#include <pthread.h>

static inline pthread_mutex_t *lock_hold(pthread_mutex_t *lock)
{
    pthread_mutex_lock(lock);
    return lock;
}

static inline void lock_release(pthread_mutex_t **held)
{
    pthread_mutex_unlock(*held);
}

#define HOLD_LOCK(lock)                                                                            \
    __attribute__((cleanup(lock_release))) pthread_mutex_t *held_lock G_GNUC_UNUSED =              \
        lock_hold(lock)
