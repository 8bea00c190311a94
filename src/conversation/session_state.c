/*
 * What a conversation says of itself (agent_session.h).
 */
#include "conversation/agent_session.h"

#include "conversation/agent_session_private.h"

json_t *agent_session_state(AgentSession *self)
{
    g_autoptr(TurnSetup) setup = setup_slot_get(self->setup);
    gint64 queued =
        (gint64)(message_queue_size(self->steering) + message_queue_size(self->follow_ups));
    json_t *state = turn_setup_state(setup);
    json_set_take(state, "systemPrompt", turn_setup_system_json(setup));
    json_set_bool(state, "isStreaming", agent_session_is_running(self));
    json_set_take(state, "todoPhases", todo_list_phases(self->parts.todos));
    json_set_bool(state, "isCompacting", self->view.is_compacting);
    json_set_bool(state, "autoCompactionEnabled", agent_session_auto_compaction(self));
    json_set_take(state, "contextUsage",
                  session_view_context_usage(&self->view, setup->model->context_window));
    json_set_text(state, "steeringMode", message_queue_mode(self->steering));
    json_set_text(state, "followUpMode", message_queue_mode(self->follow_ups));
    json_set_text(state, "interruptMode",
                  run_controls_interrupts(self->controls) ? "immediate" : "wait");
    json_set_bool(state, "autoRetryEnabled", run_controls_retries(self->controls));
    json_set_bool(state, "isBashRunning", self->bash != NULL);
    json_set_text(state, "sessionFile", self->view.path);
    json_set_text(state, "sessionId", json_get_text(self->view.header, "id"));
    json_set_text(state, "sessionName", json_get_text(self->view.header, "title"));
    json_set_int(state, "messageCount", (gint64)session_view_count(&self->view));
    json_set_int(state, "queuedMessageCount", queued);
    json_set_int(state, "pendingMessageCount", queued);
    json_set_text(state, "mode", self->plan.mode);
    json_set_text(state, "planFilePath", self->plan.file);
    json_set_bool(state, "canAsk", self->door.ask != NULL);
    json_set_take(state, "questions", questions_open(self->questions));
    json_set_take(state, "cost", json_real(budget_cost(self->means.budget)));
    return state;
}

json_t *agent_session_messages(AgentSession *self)
{
    return json_copy(session_view_messages(&self->view));
}

json_t *agent_session_newest_messages(AgentSession *self, size_t count, size_t *ret_before)
{
    return session_view_newest(&self->view, count, ret_before);
}

const json_t *agent_session_last_answer(const AgentSession *self)
{
    return self->view.last_answer;
}

const json_t *agent_session_header(const AgentSession *self)
{
    return self->view.header;
}

ModelRegistry *agent_session_registry(AgentSession *self)
{
    return self->registry;
}
