/*
 * The agent: a conversation with a model that calls tools, until the model has no more to say
 * (agent-core §3).
 *
 * agent_prompt() blocks on the calling worker thread; model requests run on it, tool calls on
 * workers of their own (shared calls in parallel, exclusive ones alone). Events are handed to
 * `events` one at a time, in the order of agent-core §3.9, on the prompting thread. The queues,
 * the setup and the budget are thread safe and belong to who made the agent; everything else
 * belongs to the prompting thread.
 */
#pragma once

#include "agent/run.h"

typedef struct Agent Agent;

typedef struct AgentOptions { // all borrowed, and must outlive the agent
    Session *session;
    ToolContext *context;
    const ToolDoor *door;
    SummaryMeans means;          // of requests, those for summaries too
    const char *agent_dir, *cwd; // where rules are; NULL: there are none
    SetupSlot *setup;
    ConversationParts parts;   // wherever it goes on; its ToolContext has them
    bool is_subagent;          // another conversation has started it: it has no checkpoints
    const GArray *model_scope; // of ModelChoice: what a person picked to choose among; NULL: all
    MessageQueue *steering, *follow_ups;
    RunControls *controls;
    const atomic_bool *is_compaction_disabled; // may be NULL
    AgentEvents events;
    void (*job_ended)(void *user_data); // of a tool, in the background; with the events' user_data,
                                        // on any thread; may be NULL
} AgentOptions;

/* Takes over the conversation that the session already holds. */
Agent *agent_new(const AgentOptions *options);
/* Those of its ToolContext, which have changed. Between two prompts. */
void agent_take_settings(Agent *self);
void agent_free(Agent *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Agent, agent_free)

typedef struct AgentOutcome {
    AgentEnd end;
    char *budget_text; // "Stopped: 3 turns (--max-turns)", of a loop likewise; NULL otherwise
} AgentOutcome;
void agent_outcome_clear(AgentOutcome *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(AgentOutcome, agent_outcome_clear)

/* Sends a user message (from message_user() or message_user_blocks(); shared, not taken; NULL: as
   agent_can_go_on() says) and runs
   until everything has settled, retries and compactions included. Flushes the session at each
   turn's end; one that cannot be written does not stop the run: a notice says so, and
   session_flush() goes on failing. Fails only when nothing was sent: no credential (the text of
   agent-core §3.5), or a prompt is running. */
bool agent_prompt(Agent *self, json_t *message, Cancel *cancel, AgentOutcome *ret_outcome,
                  GError **error);

/* A prompt may be made without a message (NULL): there is one that was not answered, or whose
   answer failed or was stopped; that is then asked for once more. */
bool agent_can_go_on(Agent *self);

/* NOT_FOUND: there is no key for the model. */
bool agent_has_credential(const Agent *self, GError **error);

/* A message that no run makes: appended and told. Between prompts. */
void agent_add_message(Agent *self, json_t *message);
/* Compacts the conversation as a person asks (compactor.h). USAGE: too. */
bool agent_compact(Agent *self, const char *instructions, Cancel *cancel, json_t **ret_result,
                   GError **error);
/* The same while no one uses it, where the settings want that: whether it is due, and doing it. */
bool agent_is_to_compact_idle(const Agent *self);
void agent_compact_idle(Agent *self, Cancel *cancel);
/* The conversation is so full that it is to be handed on, as the settings want it. Between
   prompts. */
bool agent_is_to_hand_off(const Agent *self);

/* The conversation as it goes to the model, read from the session where it was not yet needed.
   Borrowed until the next prompt. */
const json_t *agent_messages(Agent *self);
/* They are there, or wait in the session for the first use. */
bool agent_has_messages(const Agent *self);
/* How many tokens it is, as far as the last answer told and by estimate from there; -1: no one
   knows until the next one. */
int64_t agent_context_tokens(const Agent *self);
/* The most bytes of a request to the model, as its server has taught; 0: not known. */
size_t agent_max_request_bytes(const Agent *self, const Model *model);
/* The last assistant message, or NULL. Borrowed until the next prompt. */
const json_t *agent_last_message(const Agent *self);
