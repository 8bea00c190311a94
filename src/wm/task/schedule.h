/*
 * Schedules in words as cron (task-engine §2.5): the same minute as gh-wm gives for the same path.
 * Pure.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

uint32_t wm_schedule_hash(const char *id); // 32-bit FNV-1a
/* `id` is the task's path below the root. What is not understood comes back as it is. Caller
   frees. */
char *wm_schedule_normalize(const char *text, const char *id);
/* Five fields that may be written into a workflow (D9). */
bool wm_schedule_is_cron(const char *text);
/* Runs of white space are one blank, none at the ends. Caller frees. */
char *wm_schedule_collapse(const char *cron);
