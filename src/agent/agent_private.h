/*
 * What the files of the agent share: the Agent itself and the steps of a run. Internal to agent.
 *
 * Everything but the queues belongs to the prompting thread.
 */
#pragma once

#include "agent/agent.h"
#include "model/call_ids.h"

#include <pthread.h>

struct Agent {
    AgentOptions options;
    json_t *messages; // the live conversation, as it goes to the model
    json_t *tools;    // as they are offered to the model
    json_t *last_message;
    CallIds *call_ids;
    int64_t turns; // answered without an error
    double cost;   // US dollars
    bool has_intent_tracing;

    // of the prompt that is running
    Cancel *cancel; // borrowed; may be NULL
    char *api_key;
    json_t *run_messages;  // what agent_end tells
    size_t response_index; // in `messages`, of the last answer
    int retry_attempt;     // 0: none under way

    pthread_mutex_t queue_lock; // guards what follows
    GQueue steering;            // json_t *
    GQueue follow_ups;
    bool is_running;
};

/* --- agent.c: the queues. Arrays are new references, possibly empty. */

json_t *agent_take_steering(Agent *self);
json_t *agent_take_follow_ups(Agent *self);
bool agent_has_steering(Agent *self);
bool agent_has_queued(Agent *self); // either queue
/* Puts messages that were taken but not delivered back at the front. */
void agent_return_steering(Agent *self, const json_t *messages);

/* --- agent_events.c */

bool agent_is_heard(const Agent *self); // somebody listens: events are worth building
/* Takes the reference. */
void agent_emit(Agent *self, json_t *event);
json_t *agent_event_new(const char *type);
void agent_emit_type(Agent *self, const char *type);
/* message_start or message_end. */
void agent_emit_message(Agent *self, const char *type, json_t *message);
void agent_emit_notice(Agent *self, const char *level, const char *text);
/* Appends to the conversation, the run and the session, then emits message_end. */
void agent_add_message(Agent *self, json_t *message);

/* --- turn.c */

typedef struct TurnAnswer {
    json_t *message; // finished and added
    json_t *calls;   // its toolCall blocks
    bool is_failed;  // stopReason error or aborted
} TurnAnswer;

void turn_answer_clear(TurnAnswer *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(TurnAnswer, turn_answer_clear)

/* One request to the model. */
void turn_request(Agent *agent, TurnAnswer *ret_answer);
/* The tool descriptions that requests carry. New reference. */
json_t *turn_describe_tools(const ToolDef *const *tools, bool has_intent_tracing);
/* An assistant message without content that says the run was aborted. New reference. */
json_t *turn_aborted_message(const Agent *agent);

/* --- batch.c */

/* Runs the calls of an answer. Each gets one result message, added in order of completion and
   appended to `results`. Returns the steering messages that interrupted the calls, or NULL. */
json_t *batch_run(Agent *agent, const TurnAnswer *answer, json_t *results);
/* Gives each call of a failed answer its error result, without running it. */
void batch_refuse(Agent *agent, const TurnAnswer *answer, json_t *results);

/* --- budget.c */

/* "Stopped: 3 turns (--max-turns)" when no further request may be made, else NULL. Caller frees. */
char *budget_stop_text(const Agent *agent);

/* --- run.c */

/* From agent_start to agent_end. `prompt` NULL: goes on with the conversation as it is.
 *ret_budget_text is set for AGENT_BUDGET only. */
AgentEnd run_to_end(Agent *agent, json_t *prompt, char **ret_budget_text);

/* --- retry.c */

typedef enum {
    RETRY_NO,        // not an error of that kind, or tried often enough
    RETRY_NOW,       // the wait is over and the failed answer forgotten
    RETRY_CANCELLED, // during the wait
} RetryDecision;

/* After a run that ended in an error. */
RetryDecision retry_wait(Agent *agent);
/* An answer came: ends the attempt that is under way, if one is. */
void retry_succeeded(Agent *agent);
/* The last run was not retried: the same. */
void retry_gave_up(Agent *agent, const char *final_error);
