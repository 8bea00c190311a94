/*
 * Where in the day a task falls (schedule_words.h): the hash of its path, and the pool of minutes.
 */
#include "wm/task/schedule_words.h"

#define FNV_START 2166136261U
#define FNV_PRIME 16777619U

uint32_t wm_schedule_hash(const char *id)
{
    uint32_t hash = FNV_START;
    for (const char *at = id; *at; at++)
        hash = (hash ^ (unsigned char)*at) * FNV_PRIME;
    return hash;
}

int wm_schedule_spread(const char *id, int slots)
{
    return (int)(wm_schedule_hash(id) % (uint32_t)slots);
}

/* The pool of task-engine §2.5, in its order: the night's quiet minutes three times each, noon's
   twice, the evening's once. */
int wm_schedule_pool_minute(const char *id)
{
    static const int night[] = { 7, 13, 23, 37, 43, 53 };
    enum { NIGHT = 4 * 6 * 3, NOON = 3 * 50 * 2, EVENING = 5 * 50 };
    int slot = wm_schedule_spread(id, NIGHT + NOON + EVENING);
    if (slot < NIGHT)
        return (2 + slot / 18) * 60 + night[slot % 18 / 3];
    slot -= NIGHT;
    if (slot < NOON)
        return (10 + slot / 100) * 60 + 5 + slot % 100 / 2;
    slot -= NOON;
    return (19 + slot / 50) * 60 + 5 + slot % 50;
}
