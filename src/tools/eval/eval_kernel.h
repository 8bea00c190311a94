/*
 * One process that runs cells of the eval tool (agent-tools §9.2, §9.3): Python or Node with the
 * program of tools/kernel/, in a session of its own.
 *
 * Requests go to its descriptor 3, answers come from descriptor 4, both as lines of JSON; what it
 * and its children print comes from a pipe of its own, so that nothing printed can be taken for an
 * answer. What comes on the answers' pipe and is no answer to the cell that runs is passed over.
 *
 * One thread at a time.
 */
#pragma once

#include "base/cancel.h"
#include "base/json.h"
#include "tools/eval/eval_calls.h"
#include "tools/eval/eval_input.h"

typedef struct EvalKernel EvalKernel;

typedef struct EvalKernelSpec { // all borrowed
    EvalLanguage language;
    const char *program; // absolute path of the interpreter
    const char *cwd;     // absolute, exists
    const char *const *env;
} EvalKernelSpec;

/* Waits until it is ready. Errors: NOT_FOUND, IO, FAILED (it ended, with what it said), TIMEOUT,
   CANCELLED. */
bool eval_kernel_start(const EvalKernelSpec *spec, Cancel *cancel, EvalKernel **ret_kernel,
                       GError **error);
/* Ends the process and all of its group. NULL is allowed. */
void eval_kernel_free(EvalKernel *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(EvalKernel, eval_kernel_free)

typedef enum {
    EVAL_DONE,      // the cell has ended
    EVAL_TIMED_OUT, // stopped
    EVAL_CANCELLED, // stopped
    EVAL_DIED,      // the kernel has ended by itself
} EvalEnd;

typedef struct EvalRun { // all borrowed
    const char *code;
    int64_t deadline_ms;  // monotonic
    ToolContext *context; // people who are asked for its commands take no time; NULL: nobody is
    EvalCalls *calls;     // runs what the cell calls
    void (*on_output)(const char *data, size_t size, void *user_data);
    void (*on_answer)(const json_t *frame, void *user_data); // display, status, stdin, text, done
    void (*on_progress)(void *user_data);                    // after news, at most every 50 ms
    void *user_data;
} EvalRun;

typedef struct EvalOutcome {
    EvalEnd end;
    bool has_failed; // of EVAL_DONE: the cell raised an error
    int exit_status; // of EVAL_DIED
    bool is_ended;   // the process is gone, and what it knew with it
} EvalOutcome;

void eval_kernel_run(EvalKernel *self, const EvalRun *run, Cancel *cancel,
                     EvalOutcome *ret_outcome);

/* A cell that was cancelled has not given in yet: waits for that until its time is over. False: it
   has not, and the kernel is to be freed. */
bool eval_kernel_settle(EvalKernel *self, Cancel *cancel);
/* The same without waiting: has it to, and is it time to free it? */
bool eval_kernel_is_stopping(const EvalKernel *self);
bool eval_kernel_is_overdue(const EvalKernel *self);
bool eval_kernel_has_exited(const EvalKernel *self);
