/*
 * The agent: a conversation with a model that calls tools, until the model has no more to say
 * (agent-core §3).
 *
 * agent_prompt() blocks on the calling worker thread; model requests run on it, tool calls on
 * workers of their own (shared calls in parallel, exclusive ones alone). Events are handed to
 * `on_event` one at a time, in the order of agent-core §3.9, on the prompting thread. agent_steer()
 * and agent_follow_up() are thread safe; everything else belongs to the prompting thread.
 */
#pragma once

#include "base/http.h"
#include "model/registry.h"
#include "session/session.h"
#include "tool/call.h"

typedef struct Agent Agent;

/* `event` is borrowed: take a reference to keep it, it is not changed afterwards. */
typedef void (*AgentEventFunc)(json_t *event, void *user_data);

typedef struct AgentOptions { // all borrowed, and must outlive the agent
    Session *session;
    ToolContext *context;
    const ToolDoor *door;
    HttpClient *http;
    const ModelRegistry *registry;
    const Model *model;
    bool is_model_named; // --model was given (KEDGE_API_KEY counts then)
    ThinkingLevel thinking;
    const ToolDef *const *tools;      // offered to the model, NULL-terminated
    const char *const *system_blocks; // NULL-terminated
    int64_t max_turns;                // 0: no limit
    double max_cost;                  // US dollars; 0: no limit
    AgentEventFunc on_event;          // may be NULL
    bool skips_updates; // no message_update events: they cost a copy of the message each
    void *user_data;
} AgentOptions;

/* Takes over the conversation that the session already holds. */
Agent *agent_new(const AgentOptions *options);
void agent_free(Agent *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Agent, agent_free)

typedef enum {
    AGENT_DONE,
    AGENT_ERROR,   // the last message has stopReason error
    AGENT_ABORTED, // the token fired
    AGENT_BUDGET,  // --max-turns, --max-cost
} AgentEnd;

typedef struct AgentOutcome {
    AgentEnd end;
    char *budget_text; // "Stopped: 3 turns (--max-turns)"; NULL otherwise
} AgentOutcome;
void agent_outcome_clear(AgentOutcome *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(AgentOutcome, agent_outcome_clear)

/* Sends a user message (from message_user() or message_user_blocks(); shared, not taken) and runs
   until everything has settled, retries included. Flushes the session at each turn's end; one that
   cannot be written does not stop the run: a notice says so, and session_flush() goes on failing.
   Fails only when nothing was sent: no credential (the text of agent-core §3.5), or a prompt is
   running. */
bool agent_prompt(Agent *self, json_t *message, Cancel *cancel, AgentOutcome *ret_outcome,
                  GError **error);

/* Queued user messages (§3.2). Thread safe. */
void agent_steer(Agent *self, const char *text);
void agent_follow_up(Agent *self, const char *text);

/* The last assistant message, or NULL. Borrowed until the next prompt. */
const json_t *agent_last_message(const Agent *self);
double agent_cost(const Agent *self); // US dollars so far
