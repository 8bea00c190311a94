/*
 * Turns of a run, from its beginning or after an error, until it ends or fails (agent-core §3.1).
 * The run itself, everything between agent_start and agent_end, is agent.c's.
 */
#pragma once

#include "agent/batch.h"
#include "agent/budget.h"
#include "agent/compactor.h"
#include "agent/fallback.h"
#include "agent/healer.h"
#include "agent/retry.h"
#include "agent/stream_rules.h"
#include "model/registry.h"

#define RUN_STOPPED                                                                                \
    "Stopped: " // how the text of a run begins that a budget or the loop guard ended

typedef enum {
    AGENT_DONE,
    AGENT_ERROR,   // the last message has stopReason error
    AGENT_ABORTED, // the token fired
    AGENT_BUDGET,  // --max-turns, --max-cost
    AGENT_LOOP,    // round in circles (loop_guard.h)
} AgentEnd;

typedef struct SentWith { // the last request
    const Model *model;   // borrowed from the registry; NULL: none yet
    char *api_key;        // NULL: keyless
} SentWith;

typedef struct RunSpec { // all borrowed
    Conversation *conversation;
    SetupSlot *setup;
    MessageQueue *steering, *follow_ups;
    Budget *budget;
    Retry *retry;
    Fallback *fallback; // another model for one that fails
    Healer *healer;
    RunControls *controls;
    LoopGuard *guard; // of the whole run; NULL: nobody looks
    Compactor *compactor;
    StreamRules *rules; // NULL: none
    json_t *before;     // goes in before the prompt; NULL: nothing
    ToolContext *context;
    const ToolDoor *door;
    HttpClient *http;
    const ModelRegistry *registry;
    SentWith *sent; // set at the end, and then of the last request
    Cancel *cancel; // may be NULL
} RunSpec;

/* `prompt` NULL: goes on with the conversation as it is. *ret_budget_text is set for AGENT_BUDGET
   and AGENT_LOOP only; caller frees. Flushes the session at each turn's end. */
AgentEnd run_turns(const RunSpec *spec, json_t *prompt, char **ret_budget_text);
