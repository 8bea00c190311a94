/*
 * The inside of a call, shared by call.c (the frame), call_arguments.c (decoding, the hooks
 * before), gate.c (judging, policy, asking), question.c (what is asked) and write_guard.c. Private
 * to this room.
 */
#pragma once

#include "tool/call.h"

typedef struct CallArguments {
    json_t *whole;      // as they came
    json_t *given;      // without what is ignored, or as a hook made them
    GPtrArray *ignored; // of char *: unknown names that were left out
    json_t *decoded;    // with defaults; what `fields` borrows from
    void *fields;       // the struct of a tool with fields
} CallArguments;

void call_arguments_clear(CallArguments *self);

struct ToolPermit {
    const ToolCall *call;
};

struct ToolCall {
    const ToolCallSpec *spec;
    Cancel *cancel; // NULL for a tool that is not abortable
    ToolPermit permit;
    const CallOutcome *outcome; // as far as the call has come
    bool is_permitted;
    GPtrArray
        *hooks; // those that there were when it began; a reference, NULL where none are called
    CallArguments arguments;
    GPtrArray *problems, *unknown; // of FieldProblem; `unknown` is NULL unless a TOOL_ENVELOPE tool
    GPtrArray *guards;   // of WriteGuard *, of each file that it was judged to write; NULL: none
    json_t *edited;      // what a person made of the arguments; NULL: nothing
    char *asked;         // digest of what a person said yes to; NULL: no one was asked
    bool is_handed_over; // to a job, which finishes it: what is answered here is only that
    bool is_behind;      // a job finishes it: its details reach no session
    HiddenCount hidden;  // what was taken out of texts of GitHub, for the notice
    void *prepared;
    GDestroyNotify prepared_destroy;
    bool has_noted_reads; // the tool has said itself what it read (repo_flow.h)
};

/* Decodes, checks and shows to the hooks; what they change is decoded and checked again. */
bool call_take_arguments(ToolCall *call, CallOutcome *outcome, GError **error);
/* What judge() and run() get. Borrowed. */
const void *call_arguments_of(const ToolCall *call);
/* False, with the error for unknown arguments, when some were ignored: for calls that destroy. */
bool call_refuse_ignored(ToolCall *call, GError **error);
/* "Ignored unknown arguments: a, b"; NULL: none were. Caller frees. */
char *call_ignored_note(const ToolCall *call);

/* What became of a call, made the result that a model gets: hooks, bounds, notices, records. */
void call_finish(ToolCall *call, ToolResult *result, CallOutcome *outcome, const GError *error);

/* Effect → policy → ask. True: the call may run, and has its permit. *ret_judgement is filled as
   far as judging came; *outcome says how it ended. */
bool gate_pass(ToolCall *call, Judgement *ret_judgement, CallOutcome *outcome, GError **error);
