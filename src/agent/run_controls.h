/*
 * What a person switches of a conversation at any time, also while a run is on: whether failed
 * requests are made again, whether a word in between stops the tools that run; and the end of a
 * wait for another attempt.
 *
 * Thread safe: the owner switches, the run asks.
 */
#pragma once

#include "base/cancel.h"
#include "tool/settings.h"

typedef struct RunControls RunControls;

/* As the settings say: retry.enabled, interruptMode. */
RunControls *run_controls_new(const Settings *settings);
void run_controls_free(RunControls *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RunControls, run_controls_free)

void run_controls_set_retries(RunControls *self, bool is_wanted);
bool run_controls_retries(RunControls *self);
/* Steering stops the tools that run; else it waits for their end. */
void run_controls_set_interrupts(RunControls *self, bool is_wanted);
bool run_controls_interrupts(RunControls *self);

/* A wait before another attempt, from where others are told of it: from then on it can be ended. */
void run_controls_begin_wait(RunControls *self, Cancel *cancel);
/* The wait itself; false when it was not waited to the end: the cancel (may be NULL) has fired, or
   somebody has no patience. */
bool run_controls_wait(RunControls *self, int64_t duration_ms);
/* Ends the wait that has begun, if one has. */
void run_controls_stop_waiting(RunControls *self);
