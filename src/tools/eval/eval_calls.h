/*
 * Calls that the code of a cell makes: tools of the session, through tool_call(), one after the
 * other on a thread of their own, while the kernel's pipes are served. Belongs to one thread.
 */
#pragma once

#include "base/json.h"
#include "tool/tool.h"
#include "tools/eval/eval_input.h"

typedef struct EvalCalls EvalCalls;

/* `call` NULL: of code that no tool call runs; every one is refused. */
EvalCalls *eval_calls_new(ToolCall *call, EvalLanguage language);
void eval_calls_free(EvalCalls *self); // stops what runs
G_DEFINE_AUTOPTR_CLEANUP_FUNC(EvalCalls, eval_calls_free)

/* A kernel's "tool-call". What it returns is the reply, at once: there are too many. NULL: it comes
   later. Caller frees. */
char *eval_calls_add(EvalCalls *self, const json_t *frame);
/* The reply, a line, to a call that is not run. NULL without an id. Caller frees. */
char *eval_calls_refusal(const char *id, const char *why);
/* Readable when a reply may be had; -1: never. */
int eval_calls_fd(const EvalCalls *self);
/* The reply to one that has ended, a line; the next one begins. NULL: there is none. Caller frees.
 */
char *eval_calls_take_reply(EvalCalls *self);
/* What the first call that was refused would have done (ToolResult.refused); NULL: none was.
   Borrowed. */
GPtrArray *eval_calls_refused(const EvalCalls *self);
/* No one waits for the replies any longer: the running one is cancelled, the others are dropped.
   `replies` (may be NULL) gets a line for each, so that no one in the kernel waits for ever. */
void eval_calls_stop(EvalCalls *self, GString *replies);
