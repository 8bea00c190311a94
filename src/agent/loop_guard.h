/*
 * Notices that a model goes round in circles: the same call with the same result again and again,
 * a few calls in turn, one error after another, or what was refused in another spelling (safety
 * §9.1). Of one run and its thread, but for loop_guard_was_refused().
 */
#pragma once

#include "tool/tool.h"

typedef struct LoopGuard LoopGuard;

LoopGuard *loop_guard_new(void);
void loop_guard_free(LoopGuard *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LoopGuard, loop_guard_free)

/* Another answer's calls come: what is twice in one answer is no loop. */
void loop_guard_next_answer(LoopGuard *self);
/* A call has ended with this text. What the model is to be told of it, after the result; NULL:
   nothing. Caller frees. */
char *loop_guard_see(LoopGuard *self, const char *tool, const json_t *arguments, const char *text,
                     bool is_error);
/* A call that would have done this (of JudgedAction *) was refused. What the model is to be told of
   it, after the result; NULL: nothing. Caller frees. */
char *loop_guard_see_refusal(LoopGuard *self, const GPtrArray *actions);
/* Was one of these refused, as the model has been told? POSSIBLE: *ret_earlier says what was;
   caller frees. Thread safe. */
Likeness loop_guard_was_refused(LoopGuard *self, const GPtrArray *actions, char **ret_earlier);
/* Somebody has said something: what comes is not what was before. */
void loop_guard_reset(LoopGuard *self);
/* Why the run is to end; NULL: it goes on. Borrowed. */
const char *loop_guard_stop_text(const LoopGuard *self);
