/*
 * One request to the model and its answer: streamed events, intents taken out of tool calls.
 */
#include "agent/turn.h"

#include "agent/repair_report.h"
#include "agent/retry.h"
#include "agent/text_loop.h"
#include "base/timefmt.h"
#include "model/message.h"
#include "model/provider.h"
#include "model/stream.h"
#include "tool/images.h"

void turn_answer_clear(TurnAnswer *self)
{
    json_decref(self->message);
    json_decref(self->calls);
    *self = (TurnAnswer) { 0 };
}

json_t *turn_aborted_message(const Model *model)
{
    // the one constructor of such messages: it has all fields, which other readers count on
    g_autoptr(ModelStream) stream = model_stream_new(model, NULL, NULL);
    return model_stream_fail(stream, true, "Request was aborted");
}

typedef struct Listener {
    Conversation *conversation;
    const AgentEvents *events;
    TextLoop loop;  // of the block that is arriving
    Cancel *cancel; // of the request
    bool watches_loops, is_in_loop;
    LiveMessage *live;  // NULL before the start, and when no one follows it
    StreamRules *rules; // NULL: none
    bool has_started;
} Listener;

static void emit_start(Listener *self, const json_t *partial)
{
    self->has_started = true;
    if (!self->events->func)
        return;
    repair_report_tell(self->conversation);
    g_autoptr(json_t) message = json_copy((json_t *)partial);
    json_set_take(message, "content", json_array());
    agent_events_emit_message(self->events, EVENT_MESSAGE_START, message);
    if (self->events->live_func)
        self->live = live_message_new(message);
}

/* Text and thinking only: what a file is made of may repeat itself. */
static void listener_watch(Listener *self, const json_t *event, const char *type)
{
    const char *delta = json_get_text(event, "delta");
    if (g_str_has_suffix(type, "_start"))
        text_loop_reset(&self->loop);
    bool is_prose = g_str_equal(type, "text_delta") || g_str_equal(type, "thinking_delta");
    if (!is_prose || !delta || self->is_in_loop || !text_loop_feed(&self->loop, delta))
        return;
    self->is_in_loop = true;
    cancel_fire(self->cancel);
}

static void on_provider_event(const json_t *event, ModelStream *stream, void *user_data)
{
    Listener *self = user_data;
    const char *type = json_get_text(event, "type");
    if (!self->has_started)
        emit_start(self, model_stream_message(stream));
    if (self->watches_loops)
        listener_watch(self, event, type);
    if (self->rules && stream_rules_see(self->rules, event, stream, self->cancel))
        cancel_fire(self->cancel);
    bool is_of_block = strchr(type, '_') != NULL; // not start, done, error
    if (!self->live || !is_of_block)
        return;
    live_message_feed(self->live, event, stream);
    self->events->live_func(self->live, self->events->user_data);
}

/* Moves `_i` from a call's arguments to its `intent`. The message is still ours alone. */
static void take_intent(json_t *call)
{
    json_t *arguments = json_get_object(call, "arguments");
    json_t *intent = json_object_get(arguments, SETUP_INTENT_FIELD);
    if (!intent)
        return;
    if (json_is_string(intent))
        json_set_text(call, "intent", json_string_value(intent));
    json_object_del(arguments, SETUP_INTENT_FIELD);
}

static json_t *request_answer(const TurnRequest *request, const Conversation *conversation,
                              Listener *listener)
{
    const TurnSetup *setup = request->setup;
    g_autoptr(json_t) tools = turn_setup_tool_list(request->setup);
    const char *tier = settings_get_text(request->settings, "serviceTier");
    const ProviderRequest wire = {
        .model = server_facts_model(conversation->servers, setup->model),
        .api_key = request->api_key,
        .key_source = request->key_source,
        .system_blocks = request->system_blocks,
        .messages = conversation->messages,
        .tools = tools,
        .forced_tool = request->forced_tool,
        .thinking = setup->thinking,
        .thinking_budgets = settings_get_json(request->settings, "thinkingBudgets"),
        .session_id = session_id(conversation->session),
        .max_retry_wait_ms = retry_max_wait_ms(request->settings),
        .max_silence_ms = retry_max_silence_ms(request->settings),
        .blocks_images = images_are_blocked(request->settings),
        .service_tier = g_strcmp0(tier, "none") == 0 ? NULL : tier,
        .call_ids = conversation->call_ids,
        .bodies = conversation->bodies,
    };
    json_t *message =
        provider_stream(request->http, &wire, listener->cancel, on_provider_event, listener);
    if (listener->is_in_loop && !cancel_has_fired(request->cancel)) {
        json_add(message, "stopReason:%s errorMessage:%s", "error", TEXT_LOOP_PROBLEM);
    }
    return message;
}

/* Also when its end had come already: what a rule stops is not gone on with. */
static bool is_stopped_by_rule(const TurnRequest *request, json_t *message)
{
    if (!request->rules || !stream_rules_have_stopped(request->rules) ||
        cancel_has_fired(request->cancel) || g_str_equal(message_stop_reason(message), "error"))
        return false;
    json_add(message, "stopReason:%s errorMessage:%s", "aborted", "Request was aborted");
    return true;
}

void turn_request(const TurnRequest *request, Conversation *conversation, TurnAnswer *ret_answer)
{
    g_autoptr(Cancel) cancel = cancel_new(request->cancel);
    Listener listener = {
        .conversation = conversation,
        .events = conversation->events,
        .rules = request->rules,
        .cancel = cancel,
        .watches_loops = settings_get_bool(request->settings, "loop.enabled"),
    };
    text_loop_init(&listener.loop);
    if (request->rules)
        stream_rules_begin(request->rules);
    json_t *message = request_answer(request, conversation, &listener);
    if (!listener.has_started)
        emit_start(&listener, message);
    live_message_unref(listener.live);
    text_loop_clear(&listener.loop);

    bool is_stopped = is_stopped_by_rule(request, message);
    const char *stop_reason = message_stop_reason(message);
    *ret_answer = (TurnAnswer) {
        .message = message,
        .calls = message_tool_calls(message),
        .is_failed = g_str_equal(stop_reason, "error") || g_str_equal(stop_reason, "aborted"),
        .is_stopped = is_stopped,
    };
    json_each (ret_answer->calls, i, call) {
        if (request->setup->has_intent_tracing)
            take_intent(call);
    }
    conversation_add_answer(conversation, message);
}
