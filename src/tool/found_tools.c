/* See found_tools.h. */
#include "tool/found_tools.h"

#include "base/lock.h"

#include <string.h>

struct FoundTools {
    int ref_count;        // atomic
    pthread_mutex_t lock; // guards the rest
    GPtrArray *names;     // of char *
    unsigned version;
};

FoundTools *found_tools_new(void)
{
    FoundTools *self = g_new0(FoundTools, 1);
    self->ref_count = 1;
    pthread_mutex_init(&self->lock, NULL);
    self->names = g_ptr_array_new_with_free_func(g_free);
    return self;
}

FoundTools *found_tools_ref(FoundTools *self)
{
    g_atomic_int_inc(&self->ref_count);
    return self;
}

void found_tools_unref(FoundTools *self)
{
    if (!self || !g_atomic_int_dec_and_test(&self->ref_count))
        return;
    g_ptr_array_unref(self->names);
    pthread_mutex_destroy(&self->lock);
    g_free(self);
}

static bool has(const GPtrArray *names, const char *name)
{
    return g_ptr_array_find_with_equal_func((GPtrArray *)names, name, g_str_equal, NULL);
}

static bool add(GPtrArray *names, const char *name)
{
    if (has(names, name))
        return true;
    if (names->len >= FOUND_TOOLS_MAX || strlen(name) > FOUND_TOOLS_MAX_BYTES)
        return false;
    g_ptr_array_add(names, g_strdup(name));
    return true;
}

bool found_tools_add(FoundTools *self, const char *name)
{
    HOLD_LOCK(&self->lock);
    guint before = self->names->len;
    bool is_there = add(self->names, name);
    self->version += self->names->len > before;
    return is_there;
}

static bool are_equal(const GPtrArray *a, const GPtrArray *b)
{
    bool is_equal = a->len == b->len;
    for (guint i = 0; is_equal && i < a->len; i++)
        is_equal = strcmp(a->pdata[i], b->pdata[i]) == 0;
    return is_equal;
}

void found_tools_set(FoundTools *self, const char *const *names)
{
    GPtrArray *now = g_ptr_array_new_with_free_func(g_free);
    for (; *names; names++)
        add(now, *names);
    pthread_mutex_lock(&self->lock);
    GPtrArray *before = self->names;
    self->version += !are_equal(before, now);
    self->names = now;
    pthread_mutex_unlock(&self->lock);
    g_ptr_array_unref(before);
}

char **found_tools_names(FoundTools *self, unsigned *ret_version)
{
    GPtrArray *names = g_ptr_array_new();
    pthread_mutex_lock(&self->lock);
    for (guint i = 0; i < self->names->len; i++)
        g_ptr_array_add(names, g_strdup(self->names->pdata[i]));
    if (ret_version)
        *ret_version = self->version;
    pthread_mutex_unlock(&self->lock);
    g_ptr_array_add(names, NULL);
    return (char **)g_ptr_array_free(names, FALSE);
}

unsigned found_tools_version(FoundTools *self)
{
    HOLD_LOCK(&self->lock);
    return self->version;
}
