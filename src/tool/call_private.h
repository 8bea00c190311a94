/*
 * The inside of a call, shared by call.c (the frame) and gate.c (judging, policy, asking). Private
 * to this room.
 */
#pragma once

#include "tool/call.h"

struct ToolPermit {
    const ToolCall *call;
};

struct ToolCall {
    const ToolCallSpec *spec;
    Cancel *cancel; // NULL for a tool that is not abortable
    ToolPermit permit;
    const CallOutcome *outcome; // as far as the call has come
    bool is_permitted;
    GPtrArray *problems, *unknown; // of FieldProblem; NULL unless a TOOL_ENVELOPE tool
    void *prepared;
    GDestroyNotify prepared_destroy;
};

/* Effect → policy → ask. True: the call may run, and has its permit. *ret_judgement is filled as
   far as judging came; *outcome says how it ended. `arguments` are the decoded ones. */
bool gate_pass(ToolCall *call, const void *args, const json_t *arguments, Judgement *ret_judgement,
               CallOutcome *outcome, GError **error);
