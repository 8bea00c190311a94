/*
 * The words of schedules (task-engine §2.5, rules 3 to 11), and the minutes they are spread over by
 * the hash of a task's path (schedule_spread.c). Private to schedule*.c. Pure.
 */
#pragma once

#include "wm/task/schedule.h"

/* `words` are lower case, at least one. NULL: no schedule. Caller frees. */
char *wm_schedule_of_words(char *const *words, const char *id);

/* 0 to slots - 1, by the hash. */
int wm_schedule_spread(const char *id, int slots);
/* The minute of the day in the pool. */
int wm_schedule_pool_minute(const char *id);
