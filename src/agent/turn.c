/*
 * One request to the model and its answer: streamed events, intents taken out of tool calls, tokens
 * paid.
 */
#include "agent/agent_private.h"

#include "base/timefmt.h"
#include "model/message.h"
#include "model/provider.h"
#include "tool/registry.h"

#define INTENT_FIELD "_i"
#define INTENT_HELP  "What this call is for, in a short phrase; shown to the user"

void turn_answer_clear(TurnAnswer *self)
{
    json_decref(self->message);
    json_decref(self->calls);
    *self = (TurnAnswer) { 0 };
}

/* `_i` comes first, so that the model says what it is about before it does it. */
static void add_intent_property(json_t *description)
{
    json_t *parameters = json_get_object(description, "parameters");
    json_t *old = json_get_object(parameters, "properties");
    json_t *intent = json_object();
    json_set_text(intent, "type", "string");
    json_set_text(intent, "description", INTENT_HELP);
    json_t *properties = json_object();
    json_set_take(properties, INTENT_FIELD, intent);
    json_object_update(properties, old);
    json_set_take(parameters, "properties", properties);
}

json_t *turn_describe_tools(const ToolDef *const *tools, bool has_intent_tracing)
{
    json_t *list = json_array();
    for (size_t i = 0; tools && tools[i]; i++) {
        json_t *description = tool_registry_describe(tools[i]);
        if (has_intent_tracing)
            add_intent_property(description);
        json_append_take(list, description);
    }
    return list;
}

json_t *turn_aborted_message(const Agent *agent)
{
    static const char *const buckets[] = { "input", "output", "cacheRead", "cacheWrite",
                                           "totalTokens" };
    const Model *model = agent->options.model;
    json_t *message = json_object();
    json_set_text(message, "role", "assistant");
    json_set_take(message, "content", json_array());
    json_set_text(message, "api", model_api_name(model->api));
    json_set_text(message, "provider", model->provider);
    json_set_text(message, "model", model->id);
    json_t *usage = json_object();
    for (size_t i = 0; i < G_N_ELEMENTS(buckets); i++)
        json_set_int(usage, buckets[i], 0);
    json_set_take(message, "usage", usage);
    json_set_text(message, "stopReason", "aborted");
    json_set_text(message, "errorMessage", "Request was aborted");
    json_set_int(message, "timestamp", time_now_ms());
    return message;
}

typedef struct Listener {
    Agent *agent;
    bool has_started;
} Listener;

static void emit_start(Listener *self, const json_t *partial)
{
    self->has_started = true;
    if (!agent_is_heard(self->agent))
        return;
    g_autoptr(json_t) message = json_copy((json_t *)partial);
    json_set_take(message, "content", json_array());
    agent_emit_message(self->agent, "message_start", message);
}

static void on_provider_event(const json_t *event, ModelStream *stream, void *user_data)
{
    Listener *self = user_data;
    const char *type = json_get_text(event, "type");
    if (!self->has_started)
        emit_start(self, model_stream_message(stream));
    if (g_str_equal(type, "start") || g_str_equal(type, "done") || g_str_equal(type, "error"))
        return;
    if (!agent_is_heard(self->agent) || self->agent->options.skips_updates)
        return;

    // listeners may keep an event, and the stream goes on changing what it lends
    json_t *update = agent_event_new("message_update");
    json_set_take(update, "message", json_deep_copy(model_stream_message(stream)));
    json_set_take(update, "assistantMessageEvent", json_deep_copy(event));
    agent_emit(self->agent, update);
}

/* Moves `_i` from a call's arguments to its `intent`. The message is still ours alone. */
static void take_intent(json_t *call)
{
    json_t *arguments = json_get_object(call, "arguments");
    json_t *intent = json_object_get(arguments, INTENT_FIELD);
    if (!intent)
        return;
    if (json_is_string(intent))
        json_set_text(call, "intent", json_string_value(intent));
    json_object_del(arguments, INTENT_FIELD);
}

static json_t *request_answer(Agent *agent, Listener *listener)
{
    const AgentOptions *options = &agent->options;
    const ProviderRequest request = {
        .model = options->model,
        .api_key = agent->api_key,
        .system_blocks = options->system_blocks,
        .messages = agent->messages,
        .tools = agent->tools,
        .thinking = model_clamp_thinking(options->model, options->thinking),
        .thinking_budgets =
            settings_get_json(tool_context_settings(options->context), "thinkingBudgets"),
        .session_id = session_id(options->session),
        .call_ids = agent->call_ids,
    };
    return provider_stream(options->http, &request, agent->cancel, on_provider_event, listener);
}

void turn_request(Agent *agent, TurnAnswer *ret_answer)
{
    Listener listener = { .agent = agent };
    json_t *message = request_answer(agent, &listener);
    if (!listener.has_started)
        emit_start(&listener, message);

    const char *stop_reason = message_stop_reason(message);
    *ret_answer = (TurnAnswer) {
        .message = message,
        .calls = message_tool_calls(message),
        .is_failed = g_str_equal(stop_reason, "error") || g_str_equal(stop_reason, "aborted"),
    };
    size_t i;
    json_t *call;
    json_array_foreach (ret_answer->calls, i, call) {
        if (agent->has_intent_tracing)
            take_intent(call);
    }

    const json_t *cost = json_get_path(message, "usage.cost");
    agent->cost += json_get_number(cost, "total", 0);
    agent->response_index = json_array_size(agent->messages);
    agent_add_message(agent, message);
    if (!ret_answer->is_failed) {
        agent->turns++;
        retry_succeeded(agent);
    }
}
