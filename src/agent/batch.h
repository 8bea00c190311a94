/*
 * The tool calls of one answer (agent-core §3.3).
 */
#pragma once

#include "agent/loop_guard.h"
#include "agent/queue.h"
#include "agent/turn.h"
#include "tool/call.h"
#include "tool/tool_set.h"

typedef struct BatchSpec { // all borrowed
    const ToolSet *tools;  // those that there are, offered or not
    ToolContext *context;
    const ToolDoor *door;
    Conversation *conversation; // gets the results, one message for each call
    MessageQueue *steering;
    bool steering_interrupts; // what a person says stops the calls that are left (interruptMode)
    Cancel *cancel;           // may be NULL
    LoopGuard *guard;         // sees every call that ran; NULL: none
} BatchSpec;

/* Runs the calls of an answer. Each gets one result message, added in order of completion and
   appended to `results`. Returns the steering messages that interrupted the calls, or NULL. */
json_t *batch_run(const BatchSpec *spec, const TurnAnswer *answer, json_t *results);
/* Gives each call of a failed answer its error result, without running it. */
void batch_refuse(const BatchSpec *spec, const TurnAnswer *answer, json_t *results);
