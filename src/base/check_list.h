/*
 * What a doctor has found: a list of checks, each with a state, a line for a person, and what can
 * be done about it. One thread.
 */
#pragma once

#include "base/json.h"

typedef enum { CHECK_GOOD, CHECK_WARNING, CHECK_BAD, CHECK_SKIPPED, CHECK_STATES } CheckState;

typedef struct CheckList {
    const char *const *names; // what the doctor calls the states
    json_t *checks;           // array of {id, status, text, recovery?}
    unsigned counts[CHECK_STATES];
} CheckList;

/* `recovery`: what fixes it, such as a command; NULL: nothing is to be done. Both texts become one
   line each, without secrets and control characters. */
void check_list_add(CheckList *self, const char *id, CheckState state, const char *recovery,
                    const char *format, ...) G_GNUC_PRINTF(5, 6);
/* Of the longest id. */
int check_list_width(const CheckList *self);
