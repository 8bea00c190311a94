/*
 * The conversation (conversation.h).
 */
#include "agent/conversation.h"

#include "model/message.h"

static json_t *find_last_answer(const json_t *messages)
{
    for (size_t i = json_array_size(messages); i > 0; i--) {
        json_t *message = json_array_get(messages, i - 1);
        if (g_str_equal(message_role(message), "assistant"))
            return json_incref(message);
    }
    return NULL;
}

void conversation_init(Conversation *self, Session *session, const AgentEvents *events)
{
    g_auto(SessionContext) saved = { 0 };
    session_build_context(session, &saved);
    CallIds *call_ids = call_ids_new();
    json_t *messages = call_ids_adopt(call_ids, saved.messages);
    *self = (Conversation) {
        .session = session,
        .events = events,
        .messages = messages,
        .call_ids = call_ids,
        .bodies = body_cache_new(),
        .last_answer = find_last_answer(messages),
        .model = g_strdup(json_get_text(saved.models, "default")),
    };
    // without messages the level is the builder's default, which no entry has said
    if (json_array_size(saved.messages) > 0)
        self->thinking = g_strdup(saved.thinking_level);
}

void conversation_clear(Conversation *self)
{
    json_decref(self->messages);
    call_ids_free(self->call_ids);
    body_cache_free(self->bodies);
    json_decref(self->run_messages);
    json_decref(self->last_answer);
    g_free(self->model);
    g_free(self->thinking);
    *self = (Conversation) { 0 };
}

void conversation_add(Conversation *self, json_t *message)
{
    json_array_append(self->messages, message);
    json_array_append(self->run_messages, message);
    session_append_message(self->session, message);
    if (g_str_equal(message_role(message), "assistant")) {
        json_decref(self->last_answer);
        self->last_answer = json_incref(message);
    }
    agent_events_emit_message(self->events, "message_end", message);
}

void conversation_add_whole(Conversation *self, json_t *message)
{
    agent_events_emit_message(self->events, "message_start", message);
    conversation_add(self, message);
}

void conversation_add_answer(Conversation *self, json_t *message)
{
    self->answer_index = json_array_size(self->messages);
    conversation_add(self, message);
}

void conversation_forget_answer(Conversation *self)
{
    while (json_array_size(self->messages) > self->answer_index)
        json_array_remove(self->messages, json_array_size(self->messages) - 1);
}

void conversation_record_setup(Conversation *self, const TurnSetup *setup)
{
    const Model *model = setup->model;
    g_autofree char *name = g_strdup_printf("%s/%s", model->provider, model->id);
    if (g_strcmp0(self->model, name) != 0) {
        session_append_model_change(self->session, name, "default");
        g_free(self->model);
        self->model = g_steal_pointer(&name);
    }
    const char *level = thinking_level_name(setup->thinking);
    if (g_strcmp0(self->thinking, level) != 0) {
        session_append_thinking_level(self->session, level);
        g_free(self->thinking);
        self->thinking = g_strdup(level);
    }
}
