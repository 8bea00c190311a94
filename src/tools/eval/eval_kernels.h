/*
 * The kernels of a conversation (agent-tools §9.2 "Sessions"): one for each language and directory,
 * kept between calls, a few at once. One that no one uses for a while is ended; one that has died
 * is started again, and whoever asks for it next is told that what it knew is gone.
 *
 * Thread safe; a kernel that is taken belongs to its taker.
 */
#pragma once

#include "tool/context.h"
#include "tools/eval/eval_kernel.h"

typedef struct EvalKernels EvalKernels;

EvalKernels *eval_kernels_new(void);
void eval_kernels_free(EvalKernels *self); // ends them all; none may be taken
/* Those of a conversation. Borrowed. */
EvalKernels *eval_kernels_of(ToolContext *context);

/* Starts it when it is not there, and waits while somebody else has it. `*ret_note` says what has
   been lost since the last call; NULL: nothing. Both belong to the caller; the kernel goes back. */
bool eval_kernels_take(EvalKernels *self, ToolContext *context, EvalLanguage language,
                       const char *cwd, Cancel *cancel, EvalKernel **ret_kernel, char **ret_note,
                       GError **error);
/* `outcome` of its last run. The note says so when the kernel has ended; NULL: it has not. */
char *eval_kernels_give_back(EvalKernels *self, EvalLanguage language, const char *cwd,
                             const EvalOutcome *outcome);
/* The next take starts a new one, and nothing is said to be lost. */
void eval_kernels_reset(EvalKernels *self, EvalLanguage language, const char *cwd);

/* How many run. */
unsigned eval_kernels_count(EvalKernels *self);
