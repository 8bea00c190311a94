/*
 * What the task engine says while it works (task-engine §3.1): progress lines for people, and the
 * pipeline log, which WM_LOG_FORMAT=json makes one JSON object a line. Standard error; thread safe;
 * texts of others are masked and made visible (base/log.h).
 */
#pragma once

#include "base/error.h"

typedef enum { WM_DEBUG, WM_INFO, WM_WARN, WM_ERROR } WmLevel;

/* In a job of Actions what is WM_WARN or WM_ERROR is a line more, `::warning::…` or `::error::…`,
   which GitHub shows at the top of the run: few people open the log of a job that is green. */

/* One record: `msg` and pairs of key and value (NULL value: the pair is left out), ended by a NULL
   key. As text `msg key=value …` (a value with blanks is quoted), of WM_INFO and above; with
   WM_LOG_FORMAT=json {"time","level","msg",…}, of all levels. */
void wm_log(WmLevel level, const char *msg, ...) G_GNUC_NULL_TERMINATED;

/* A line of progress, in both forms as it is; with a level, one that says what is wrong. */
void wm_say(const char *format, ...) G_GNUC_PRINTF(1, 2);
void wm_say_as(WmLevel level, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* Text from outside on one line, that no runner reads as a command (task-engine §9.6). Caller
 * frees. */
char *wm_log_safe(const char *text);
