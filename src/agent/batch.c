/*
 * The tool calls of one answer (agent-core §3.3): shared calls side by side, exclusive ones alone,
 * results in order of completion.
 *
 * Each running call has a worker thread that does nothing but tool_call(). Workers leave their news
 * in `news` under the lock; the prompting thread takes it from there, emits the events and starts
 * what tool/schedule.h says. So all events and the whole conversation stay on one thread.
 */
#include "agent/batch.h"

#include "base/limits.h"
#include "base/lock.h"
#include "base/worker.h"
#include "model/message.h"
#include "tool/schedule.h"
#include "tool/tool_discovery.h"
#include "tool/write_guard.h"

#define BATCH_MAX_PARALLEL 8

#define TEXT_SKIPPED "Skipped due to queued user message."
#define TEXT_ABORTED "Tool execution was aborted"
#define TEXT_CUT                                                                                   \
    "The arguments of this call were cut off because the answer reached its length limit. The "    \
    "call did not run. Make it again in smaller pieces."
#define TEXT_INCOMPLETE                                                                            \
    "The arguments of this call ended before their JSON was complete. The call did not run. "      \
    "Make it again."
#define TEXT_TOO_MANY    "Not run: an answer makes at most " G_STRINGIFY(LIMIT_ANSWER_CALLS) " calls"
#define TEXT_SEARCH_HINT ". " TOOL_SEARCH " finds tools by what they do"

typedef struct Batch Batch;

typedef struct Call {
    Batch *batch;
    const json_t *block; // the toolCall block
    const char *id, *name;
    const json_t *arguments;
    const ToolDef *tool; // NULL: unknown
    bool has_started;
    Worker *worker;    // NULL when not running
    ToolResult result; // the worker's until `is_done`

    // guarded by the batch's lock
    char *update_text; // the newest partial result that was not emitted; NULL: none
    json_t *update_details;
    bool is_done;
    bool is_in_news;
} Call;

struct Batch {
    const BatchSpec *spec;
    json_t *results; // borrowed: the result messages so far
    Cancel *cancel;  // of all running calls: fires with the user's, or when steering interrupts
    Call *calls;
    size_t count;
    ToolSchedule schedule;
    bool is_cut_by_length; // stopReason length
    json_t *interrupting;  // steering messages; NULL: none

    pthread_mutex_t lock; // guards what follows
    pthread_cond_t has_news;
    GQueue news; // Call *, each at most once: whoever has more to say waits for its next turn
};

static json_t *text_content(const char *text)
{
    json_t *content = json_array();
    json_append_take(content, message_text_block(text));
    return content;
}

static json_t *call_event(const Call *call, EventKind kind)
{
    json_t *event = agent_event_new(kind);
    json_add(event, "toolCallId:%s toolName:%s", call->id, call->name);
    return event;
}

static const AgentEvents *batch_events(const Batch *self)
{
    return self->spec->conversation->events;
}

static void call_emit_start(Call *call)
{
    call->has_started = true;
    const AgentEvents *events = batch_events(call->batch);
    if (!events->func)
        return;
    json_t *event = call_event(call, EVENT_TOOL_EXECUTION_START);
    json_object_set(event, "args", (json_t *)call->arguments);
    json_set_text(event, "intent", json_get_text(call->block, "intent"));
    g_autofree char *leads =
        write_guard_leads_of(call->arguments, tool_context_cwd(call->batch->spec->context));
    json_set_text(event, "leadsTo", leads);
    agent_events_emit(events, event);
}

static json_t *result_object(json_t *content, json_t *details)
{
    json_t *object = json_object();
    json_object_set(object, "content", content);
    if (details)
        json_object_set(object, "details", details);
    return object;
}

/* The one result of a call: event and message. Takes `content`; `details` may be NULL and is
 * shared. */
static void call_finish(Call *call, json_t *content, json_t *details, bool is_error)
{
    const AgentEvents *events = batch_events(call->batch);
    if (!call->has_started)
        call_emit_start(call);
    if (events->func) {
        json_t *event = call_event(call, EVENT_TOOL_EXECUTION_END);
        json_add(event, "result:%p isError:%i", result_object(content, details), is_error);
        agent_events_emit(events, event);
    }
    g_autoptr(json_t) message = message_tool_result(
        call->id, call->name, content, details ? json_incref(details) : NULL, is_error);
    conversation_add_whole(call->batch->spec->conversation, message);
    json_array_append(call->batch->results, message);
}

static void call_fail(Call *call, const char *text)
{
    call_finish(call, text_content(text), NULL, true);
}

/* A call that never came to its tool is one of the model's all the same. `kind`: all that are seen
   as one; NULL: the tool's name. */
static void call_fail_seen(Call *call, const char *kind, const char *text)
{
    LoopGuard *guard = call->batch->spec->guard;
    json_t *content = text_content(text);
    g_autofree char *note = guard ? loop_guard_see(guard, kind ? kind : call->name, call->arguments,
                                                   kind ? kind : text, true)
                                  : NULL;
    if (note)
        json_append_take(content, message_text_block(note));
    call_finish(call, content, NULL, true);
}

/* A call that an abort cut short says so, with what the tool had to say. */
static void call_finish_aborted(Call *call)
{
    g_autofree char *said = tool_result_text(&call->result);
    bool is_plain = g_ascii_strcasecmp(said, "operation aborted") == 0 || *said == '\0';
    g_autofree char *text =
        g_strdup_printf("%s%s%s", TEXT_ABORTED, is_plain ? "" : ": ", is_plain ? "" : said);
    call_fail(call, text);
}

/* What a call says, and what is to be said of it: a new array. */
static json_t *content_with_note(const Call *call)
{
    LoopGuard *guard = call->batch->spec->guard;
    json_t *content = call->result.content;
    if (!guard)
        return json_incref(content);
    g_autofree char *text = message_blocks_text(content);
    g_autofree char *seen =
        loop_guard_see(guard, call->name, call->arguments, text, call->result.is_error);
    const GPtrArray *refused = call->result.refused;
    g_autofree char *final = refused ? loop_guard_see_refusal(guard, refused) : NULL;
    const char *note = final ? final : seen;
    if (!note)
        return json_incref(content);
    json_t *copy = json_copy(content);
    json_append_take(copy, message_text_block(note));
    return copy;
}

static void call_finish_with_result(Call *call)
{
    ToolResult *result = &call->result;
    if (call->batch->interrupting)
        call_fail(call, TEXT_SKIPPED);
    else if (result->is_error && result->failure == KEDGE_ERROR_CANCELLED)
        call_finish_aborted(call);
    else
        call_finish(call, content_with_note(call), result->details, result->is_error);
    tool_result_clear(result);
}

// ---- on the workers ----

/* A noisy call must not keep the others waiting: it is in the queue once, with the newest it has to
 * say. */
static void call_queue_news_locked(Call *call)
{
    if (!call->is_in_news)
        g_queue_push_tail(&call->batch->news, call);
    call->is_in_news = true;
    pthread_cond_signal(&call->batch->has_news);
}

static void on_tool_update(const char *text, const json_t *details, void *user_data)
{
    Call *call = user_data;
    Batch *batch = call->batch;
    char *new_text = g_strdup(text ? text : "");
    json_t *new_details = json_deep_copy(details);

    HOLD_LOCK(&batch->lock);
    // each update replaces the one before, so a slow listener misses some and nothing piles up
    g_free(call->update_text);
    json_decref(call->update_details);
    call->update_text = new_text;
    call->update_details = new_details;
    call_queue_news_locked(call);
}

static Likeness was_refused(const GPtrArray *actions, char **ret_earlier, void *user_data)
{
    const Call *call = user_data;
    LoopGuard *guard = call->batch->spec->guard;
    return guard ? loop_guard_was_refused(guard, actions, ret_earlier) : LIKENESS_NONE;
}

static void call_work(void *data)
{
    Call *call = data;
    Batch *batch = call->batch;
    const ToolCallSpec spec = {
        .tool = call->tool,
        .call_id = call->id,
        .arguments = call->arguments,
        .context = batch->spec->context,
        .door = batch->spec->door,
        .tools = batch->spec->tools,
        .cancel = batch->cancel,
        .on_update = batch_events(batch)->func ? on_tool_update : NULL,
        .was_refused = was_refused,
        .user_data = call,
    };
    tool_call(&spec, &call->result);

    HOLD_LOCK(&batch->lock);
    call->is_done = true;
    call_queue_news_locked(call);
}

// ---- on the prompting thread ----

static bool is_stopped(const Batch *self)
{
    return self->interrupting || cancel_has_fired(self->spec->cancel);
}

static void call_fail_unknown(Call *call)
{
    g_autoptr(ToolSet) waiting = tool_set_waiting(call->batch->spec->tools);
    bool has_more = tool_set_count(waiting) > 0;
    g_autofree char *text =
        g_strdup_printf("Tool %s not found%s", call->name, has_more ? TEXT_SEARCH_HINT : "");
    call_fail_seen(call, "a tool that is not there", text);
}

/* Calls that get their result without running. */
static bool call_refuse(Call *call)
{
    if (call->batch->interrupting) {
        call_fail(call, TEXT_SKIPPED);
    } else if (cancel_has_fired(call->batch->spec->cancel)) {
        call_fail(call, TEXT_ABORTED);
    } else if (call - call->batch->calls >= LIMIT_ANSWER_CALLS) {
        call_fail(call, TEXT_TOO_MANY); // those before it say whether it is a loop
    } else if (!call->tool) {
        call_fail_unknown(call);
    } else if (json_get_bool(call->block, "incomplete", false)) {
        call_fail_seen(call, NULL, call->batch->is_cut_by_length ? TEXT_CUT : TEXT_INCOMPLETE);
    } else {
        return false;
    }
    return true;
}

static Call *next_call(Batch *self)
{
    // when the batch is stopped, what runs is answered before what never ran
    if (is_stopped(self) && self->schedule.running > 0)
        return NULL;
    return tool_schedule_next(&self->schedule);
}

static void batch_start_calls(Batch *self)
{
    Call *call = NULL;
    while ((call = next_call(self))) {
        if (call_refuse(call)) {
            tool_schedule_end(&self->schedule, call->tool);
            continue;
        }
        call_emit_start(call);
        call->worker = worker_start("tool", call_work, call);
        if (!call->worker)
            call_work(call); // one after the other, then
    }
}

static void emit_update(Call *call, const char *text, json_t *details)
{
    g_autoptr(json_t) content = text_content(text);
    json_t *event = call_event(call, EVENT_TOOL_EXECUTION_UPDATE);
    json_object_set(event, "args", (json_t *)call->arguments);
    json_set_take(event, "partialResult", result_object(content, details));
    agent_events_emit(batch_events(call->batch), event);
}

/* Waits until some call is done; emits updates meanwhile, one of each call in turn. */
static Call *batch_wait(Batch *self)
{
    pthread_mutex_lock(&self->lock);
    for (;;) {
        Call *call = g_queue_pop_head(&self->news);
        if (!call) { // every call ends: tools obey their token
            pthread_cond_wait(&self->has_news, &self->lock);
            continue;
        }
        call->is_in_news = false;
        bool is_done = call->is_done;
        g_autofree char *text = g_steal_pointer(&call->update_text);
        g_autoptr(json_t) details = g_steal_pointer(&call->update_details);
        pthread_mutex_unlock(&self->lock);
        if (text)
            emit_update(call, text, details);
        if (is_done)
            return call;
        pthread_mutex_lock(&self->lock);
    }
}

/* Steering stops what is left of the batch, unless the user wants it to wait. */
static void batch_check_steering(Batch *self)
{
    const BatchSpec *spec = self->spec;
    if (tool_schedule_is_idle(&self->schedule) || is_stopped(self) || !spec->steering_interrupts ||
        message_queue_size(spec->steering) == 0)
        return;
    self->interrupting = message_queue_take(spec->steering);
    cancel_fire(self->cancel);
}

static void batch_init(Batch *self, const BatchSpec *spec, const TurnAnswer *answer,
                       json_t *results)
{
    *self = (Batch) { .spec = spec, .results = results };
    self->cancel = cancel_new(spec->cancel);
    self->count = json_array_size(answer->calls);
    self->is_cut_by_length = g_str_equal(message_stop_reason(answer->message), "length");
    self->calls = g_new0(Call, self->count);
    pthread_mutex_init(&self->lock, NULL);
    pthread_cond_init(&self->has_news, NULL);
    g_queue_init(&self->news);
    tool_schedule_init(&self->schedule, SCHEDULE_IN_ORDER, BATCH_MAX_PARALLEL);

    json_each (answer->calls, i, block) {
        const char *id = json_get_text(block, "id");
        const char *name = json_get_text(block, "name");
        self->calls[i] = (Call) {
            .batch = self,
            .block = block,
            .id = id ? id : "",
            .name = name ? name : "",
            .arguments = json_object_get(block, "arguments"),
        };
        self->calls[i].tool = tool_set_find(spec->tools, self->calls[i].name);
        tool_schedule_add(&self->schedule, self->calls[i].tool, &self->calls[i]);
    }
}

static void batch_clear(Batch *self)
{
    for (size_t i = 0; i < self->count; i++) {
        g_free(self->calls[i].update_text);
        json_decref(self->calls[i].update_details);
    }
    g_free(self->calls);
    cancel_unref(self->cancel);
    g_queue_clear(&self->news);
    tool_schedule_clear(&self->schedule);
    pthread_cond_destroy(&self->has_news);
    pthread_mutex_destroy(&self->lock);
}

json_t *batch_run(const BatchSpec *spec, const TurnAnswer *answer, json_t *results)
{
    Batch batch;
    batch_init(&batch, spec, answer, results);
    if (spec->guard)
        loop_guard_next_answer(spec->guard);
    batch_start_calls(&batch);
    while (batch.schedule.running > 0) {
        Call *call = batch_wait(&batch);
        worker_join(g_steal_pointer(&call->worker));
        tool_schedule_end(&batch.schedule, call->tool);
        call_finish_with_result(call);
        batch_check_steering(&batch);
        batch_start_calls(&batch);
    }
    json_t *interrupting = batch.interrupting;
    batch_clear(&batch);
    return interrupting;
}

void batch_refuse(const BatchSpec *spec, const TurnAnswer *answer, json_t *results)
{
    bool is_aborted = g_str_equal(message_stop_reason(answer->message), "aborted");
    const char *problem = message_error(answer->message);
    g_autofree char *text = g_strdup_printf(
        "%s%s%s", is_aborted ? TEXT_ABORTED : "Tool execution failed due to an error",
        problem ? ": " : "", problem ? problem : "");
    Batch batch;
    batch_init(&batch, spec, answer, results);
    for (size_t i = 0; i < batch.count; i++)
        call_fail(&batch.calls[i], text);
    batch_clear(&batch);
}
