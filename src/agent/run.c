/*
 * A run: turns until the model has no more to say and nobody has queued anything (agent-core §3.1).
 */
#include "agent/agent_private.h"

#include "model/message.h"

typedef struct Run {
    Agent *agent;
    json_t *pending; // queued messages that go in before the next answer
    AgentEnd end;
    char *budget_text;
} Run;

static void turn_end(Agent *agent, json_t *message, json_t *results)
{
    if (agent_is_heard(agent)) {
        json_t *event = agent_event_new("turn_end");
        json_set_take(event, "message", json_incref(message));
        json_set_take(event, "toolResults", json_incref(results));
        agent_emit(agent, event);
    }
    // a session that cannot be written is said once; an answer is worth more than its record
    session_flush(agent->options.session, NULL);
    g_autoptr(GError) problem = session_take_error(agent->options.session);
    if (problem) {
        g_autofree char *text = g_strdup_printf("Session not saved: %s", problem->message);
        agent_emit_notice(agent, "error", text);
    }
}

static void deliver_pending(Run *self)
{
    size_t i;
    json_t *message;
    json_array_foreach (self->pending, i, message) {
        agent_emit_message(self->agent, "message_start", message);
        agent_add_message(self->agent, message);
    }
    json_array_clear(self->pending);
}

static void take_pending(Run *self, json_t *messages)
{
    json_decref(self->pending);
    self->pending = messages;
}

/* An abort while tools ran: the conversation says so in one more turn without content. */
static void add_aborted_turn(Agent *agent)
{
    g_autoptr(json_t) message = turn_aborted_message(agent);
    g_autoptr(json_t) results = json_array();
    agent_emit_type(agent, "turn_start");
    agent_emit_message(agent, "message_start", message);
    agent_add_message(agent, message);
    turn_end(agent, message, results);
}

/* True: the run is over; `end` says how. */
static bool is_over_budget(Run *self)
{
    self->budget_text = budget_stop_text(self->agent);
    if (!self->budget_text)
        return false;
    agent_return_steering(self->agent, self->pending);
    json_array_clear(self->pending);
    agent_emit_notice(self->agent, "warning", self->budget_text);
    self->end = AGENT_BUDGET;
    return true;
}

/* After a turn: finds what the next one is for. False: nothing is, or it may not be. */
static bool prepare_next_turn(Run *self, bool had_calls, json_t *interrupting)
{
    Agent *agent = self->agent;
    take_pending(self, interrupting ? interrupting : json_array());
    if (had_calls && cancel_has_fired(agent->cancel)) {
        agent_return_steering(agent, self->pending);
        add_aborted_turn(agent);
        self->end = AGENT_ABORTED;
        return false;
    }
    bool is_wanted = had_calls || json_array_size(self->pending) > 0 || agent_has_queued(agent);
    if (!is_wanted)
        return false;
    if (cancel_has_fired(agent->cancel)) { // what is queued waits for the next prompt
        self->end = AGENT_ABORTED;
        return false;
    }
    if (is_over_budget(self))
        return false;

    if (json_array_size(self->pending) == 0)
        take_pending(self, agent_take_steering(agent));
    if (!had_calls && json_array_size(self->pending) == 0)
        take_pending(self, agent_take_follow_ups(agent));
    return true;
}

/* One turn; false when the run ends with it. */
static bool run_turn(Run *self)
{
    Agent *agent = self->agent;
    deliver_pending(self);
    g_auto(TurnAnswer) answer = { 0 };
    turn_request(agent, &answer);

    g_autoptr(json_t) results = json_array();
    if (answer.is_failed) {
        batch_refuse(agent, &answer, results);
        turn_end(agent, answer.message, results);
        bool is_aborted = g_str_equal(message_stop_reason(answer.message), "aborted");
        self->end = is_aborted ? AGENT_ABORTED : AGENT_ERROR;
        return false;
    }
    bool had_calls = json_array_size(answer.calls) > 0;
    json_t *interrupting = had_calls ? batch_run(agent, &answer, results) : NULL;
    turn_end(agent, answer.message, results);
    return prepare_next_turn(self, had_calls, interrupting);
}

static void run_turns(Run *self, json_t *prompt)
{
    Agent *agent = self->agent;
    if (is_over_budget(self))
        return;
    agent_emit_type(agent, "turn_start");
    if (prompt) {
        agent_emit_message(agent, "message_start", prompt);
        agent_add_message(agent, prompt);
    }
    take_pending(self, agent_take_steering(agent));
    while (run_turn(self))
        agent_emit_type(agent, "turn_start");
}

AgentEnd run_to_end(Agent *agent, json_t *prompt, char **ret_budget_text)
{
    Run run = { .agent = agent, .pending = json_array(), .end = AGENT_DONE };
    agent->run_messages = json_array();
    agent_emit_type(agent, "agent_start");
    run_turns(&run, prompt);
    if (agent_is_heard(agent)) {
        json_t *event = agent_event_new("agent_end");
        json_set_take(event, "messages", json_incref(agent->run_messages));
        agent_emit(agent, event);
    }
    g_clear_pointer(&agent->run_messages, json_decref);
    json_decref(run.pending);
    if (run.budget_text)
        *ret_budget_text = run.budget_text;
    return run.end;
}
