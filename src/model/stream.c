/* See stream.h. */
#include "model/stream.h"

#include "base/json_reader.h"
#include "base/limits.h"
#include "base/timefmt.h"

#define STREAM_BLOCK_COST 256 // what an empty block counts, so that their number is bounded too

typedef enum { BLOCK_TEXT, BLOCK_THINKING, BLOCK_TOOL_CALL, BLOCK_REDACTED } BlockType;

typedef struct Block {
    BlockType type;
    GString *text;      // text, thinking, or the arguments' JSON text
    GString *signature; // NULL: none
    char *id, *name;    // tool call only; never NULL there
    json_t *arguments;  // tool call only; set: instead of `text`
    json_t *json;       // the block in the message's content
    bool is_stale;      // json lags behind
    bool is_closed;
    bool is_incomplete; // tool call only: `arguments` in json are not whole
} Block;

struct ModelStream {
    const Model *model;
    ProviderEventFunc func;
    void *user_data;
    GPtrArray *blocks;
    size_t settled;    // so many of them, the first ones, are closed and as they stay
    CallIds *call_ids; // own_call_ids or a borrowed one
    CallIds *own_call_ids;
    json_t *message;
    json_t *content; // borrowed from message
    Usage usage;
    bool is_usage_stale;
    bool has_started;
    size_t bytes;
    size_t received;   // of them what someone could read, or a tool be called with
    gint64 started_at; // monotonic
    gint64 first_at;   // of the first content; 0: none yet
};

static void block_free(Block *self)
{
    g_string_free(self->text, TRUE);
    if (self->signature)
        g_string_free(self->signature, TRUE);
    g_free(self->id);
    g_free(self->name);
    json_decref(self->arguments);
    json_decref(self->json);
    g_free(self);
}

ModelStream *model_stream_new(const Model *model, ProviderEventFunc func, void *user_data)
{
    ModelStream *self = g_new0(ModelStream, 1);
    self->model = model;
    self->func = func;
    self->user_data = user_data;
    self->blocks = g_ptr_array_new_with_free_func((GDestroyNotify)block_free);
    self->started_at = time_monotonic_ms();
    self->message = json_object();
    self->content = json_array();
    json_add(self->message,
             "role:%s content:%p api:%s provider:%s model:%s usage:%p stopReason:%s timestamp:%jd",
             "assistant", self->content, model_api_name(model->api), model->provider, model->id,
             usage_to_json(&self->usage, &model->cost), "stop", time_now_ms());
    return self;
}

void model_stream_free(ModelStream *self)
{
    if (!self)
        return;
    g_ptr_array_unref(self->blocks);
    call_ids_free(self->own_call_ids);
    json_decref(self->message);
    g_free(self);
}

void model_stream_set_call_ids(ModelStream *self, CallIds *call_ids)
{
    self->call_ids = call_ids;
}

static void emit_take(ModelStream *self, json_t *event)
{
    if (self->func)
        self->func(event, self, self->user_data);
    json_decref(event);
}

static json_t *event_new(const char *type)
{
    json_t *event = json_object();
    json_object_set_new_nocheck(event, "type", json_string_nocheck(type));
    return event;
}

static void stream_begin(ModelStream *self)
{
    if (self->has_started)
        return;
    self->has_started = true;
    if (self->func)
        emit_take(self, event_new("start"));
}

static Block *stream_block(const ModelStream *self, size_t index)
{
    g_assert(index < self->blocks->len);
    return g_ptr_array_index(self->blocks, index);
}

/* `stage` is start, delta or end. */
static json_t *block_event(const Block *block, size_t index, const char *stage)
{
    static const char *const kinds[] = { "text", "thinking", "toolcall" };
    char type[32];
    g_snprintf(type, sizeof(type), "%s_%s", kinds[block->type], stage);
    json_t *event = event_new(type);
    json_object_set_new_nocheck(event, "contentIndex", json_integer((json_int_t)index));
    return event;
}

static bool stream_count(ModelStream *self, size_t size, GError **error)
{
    if (size > LIMIT_MODEL_TEXT_BYTES || self->bytes > LIMIT_MODEL_TEXT_BYTES - size)
        return fail_with(error, KEDGE_ERROR_LIMIT, "the model's answer is larger than %zu bytes",
                         LIMIT_MODEL_TEXT_BYTES);
    self->bytes += size;
    return true;
}

static bool stream_add(ModelStream *self, BlockType type, size_t *ret_block, GError **error)
{
    static const char *const names[] = { "text", "thinking", "toolCall", "redactedThinking" };
    if (!stream_count(self, STREAM_BLOCK_COST, error))
        return false;
    if (self->first_at == 0)
        self->first_at = time_monotonic_ms();
    Block *block = g_new0(Block, 1);
    block->type = type;
    block->text = g_string_new(NULL);
    block->json = json_object();
    block->is_stale = true;
    json_set_text(block->json, "type", names[type]);
    json_array_append(self->content, block->json);
    *ret_block = self->blocks->len;
    g_ptr_array_add(self->blocks, block);
    return true;
}

static void stream_announce(ModelStream *self, size_t index)
{
    stream_begin(self);
    if (self->func)
        emit_take(self, block_event(stream_block(self, index), index, "start"));
}

bool model_stream_open_text(ModelStream *self, size_t *ret_block, GError **error)
{
    if (!stream_add(self, BLOCK_TEXT, ret_block, error))
        return false;
    stream_announce(self, *ret_block);
    return true;
}

bool model_stream_open_thinking(ModelStream *self, size_t *ret_block, GError **error)
{
    if (!stream_add(self, BLOCK_THINKING, ret_block, error))
        return false;
    stream_announce(self, *ret_block);
    return true;
}

bool model_stream_open_tool_call(ModelStream *self, const char *id, const char *name,
                                 size_t *ret_block, GError **error)
{
    if (!stream_count(self, strlen(id) + strlen(name), error) ||
        !stream_add(self, BLOCK_TOOL_CALL, ret_block, error))
        return false;
    Block *block = stream_block(self, *ret_block);
    block->id = g_strdup(id);
    block->name = g_strdup(name);
    stream_announce(self, *ret_block);
    return true;
}

bool model_stream_add_redacted(ModelStream *self, const char *data, GError **error)
{
    size_t index;
    if (!stream_count(self, strlen(data), error) ||
        !stream_add(self, BLOCK_REDACTED, &index, error))
        return false;
    Block *block = stream_block(self, index);
    g_string_append(block->text, data);
    block->is_closed = true;
    return true;
}

const size_t *model_stream_received(const ModelStream *self)
{
    return &self->received;
}

bool model_stream_append(ModelStream *self, size_t index, const char *text, size_t size,
                         GError **error)
{
    Block *block = stream_block(self, index);
    if (size == 0 || block->is_closed)
        return true;
    if (!stream_count(self, size, error))
        return false;
    self->received += size;
    g_string_append_len(block->text, text, (gssize)size);
    block->is_stale = true;
    if (self->func) {
        json_t *event = block_event(block, index, "delta");
        json_set_take(event, "delta", json_text_n(text, size));
        emit_take(self, event);
    }
    return true;
}

bool model_stream_append_signature(ModelStream *self, size_t index, const char *text,
                                   GError **error)
{
    if (!stream_count(self, strlen(text), error))
        return false;
    Block *block = stream_block(self, index);
    if (!block->signature)
        block->signature = g_string_new(NULL);
    g_string_append(block->signature, text);
    block->is_stale = true;
    return true;
}

bool model_stream_set_signature(ModelStream *self, size_t index, const char *text, GError **error)
{
    Block *block = stream_block(self, index);
    if (block->signature)
        g_string_truncate(block->signature, 0);
    return model_stream_append_signature(self, index, text, error);
}

static void replace_text(char **text, const char *with)
{
    if (!with || !*with || strlen(with) > LIMIT_MODEL_TEXT_BYTES)
        return;
    g_free(*text);
    *text = g_strdup(with);
}

void model_stream_name_tool_call(ModelStream *self, size_t index, const char *id, const char *name)
{
    Block *block = stream_block(self, index);
    replace_text(&block->id, id);
    replace_text(&block->name, name);
    block->is_stale = true;
}

const char *model_stream_tool_call_id(const ModelStream *self, size_t index)
{
    return stream_block(self, index)->id;
}

void model_stream_set_arguments(ModelStream *self, size_t index, const json_t *arguments)
{
    Block *block = stream_block(self, index);
    json_decref(block->arguments);
    block->arguments = json_deep_copy(arguments);
    self->received += json_object_size(arguments);
    block->is_stale = true;
}

static void block_refresh_arguments(Block *block)
{
    bool is_complete = true;
    json_t *arguments = block->arguments
                            ? json_incref(block->arguments)
                            : json_parse_partial(block->text->str, block->text->len, &is_complete);
    json_set_take(block->json, "arguments", arguments);
    block->is_incomplete = !is_complete;
}

/* No more is to come: arguments that are not whole are marked, so that no one acts on them. */
static void block_mark_incomplete(Block *block)
{
    if (block->type == BLOCK_TOOL_CALL && block->is_incomplete)
        json_set_bool(block->json, "incomplete", true);
}

static void block_refresh(Block *block)
{
    static const char *const signatures[] = { "textSignature", "thinkingSignature",
                                              "thoughtSignature" };
    if (!block->is_stale)
        return;
    block->is_stale = false;
    json_t *text = NULL;
    if (block->type != BLOCK_TOOL_CALL)
        text = json_text_n(block->text->str, block->text->len);
    switch (block->type) {
    case BLOCK_TEXT:
        json_set_take(block->json, "text", text);
        break;
    case BLOCK_THINKING:
        json_set_take(block->json, "thinking", text);
        break;
    case BLOCK_REDACTED:
        json_set_take(block->json, "data", text);
        break;
    case BLOCK_TOOL_CALL:
        json_set_text(block->json, "id", block->id);
        json_set_text(block->json, "name", block->name);
        block_refresh_arguments(block);
        break;
    }
    if (block->signature)
        json_set_text(block->json, signatures[block->type], block->signature->str);
}

const json_t *model_stream_message(ModelStream *self)
{
    for (size_t i = self->settled; i < self->blocks->len; i++) {
        Block *block = stream_block(self, i);
        block_refresh(block);
        self->settled += i == self->settled && block->is_closed; // it changes no more
    }
    if (self->is_usage_stale)
        json_set_take(self->message, "usage", usage_to_json(&self->usage, &self->model->cost));
    self->is_usage_stale = false;
    return self->message;
}

static void stream_name_call(ModelStream *self, Block *block)
{
    if (block->type != BLOCK_TOOL_CALL)
        return;
    if (!self->call_ids)
        self->call_ids = self->own_call_ids = call_ids_new();
    char *id = call_ids_take(self->call_ids, block->id);
    g_free(block->id);
    block->id = id;
    block->is_stale = true;
}

void model_stream_close(ModelStream *self, size_t index)
{
    Block *block = stream_block(self, index);
    if (block->is_closed)
        return;
    block->is_closed = true;
    stream_name_call(self, block);
    block_refresh(block);
    block_mark_incomplete(block);
    if (!self->func)
        return;
    json_t *event = block_event(block, index, "end");
    if (block->type == BLOCK_TOOL_CALL)
        json_object_set(event, "toolCall", block->json);
    else
        json_object_set(
            event, "content",
            json_object_get(block->json, block->type == BLOCK_TEXT ? "text" : "thinking"));
    emit_take(self, event);
}

bool model_stream_has_tool_calls(const ModelStream *self)
{
    for (size_t i = 0; i < self->blocks->len; i++) {
        if (stream_block(self, i)->type == BLOCK_TOOL_CALL)
            return true;
    }
    return false;
}

bool model_stream_is_empty(const ModelStream *self)
{
    return self->blocks->len == 0;
}

void model_stream_set_response_id(ModelStream *self, const char *id)
{
    json_set_text(self->message, "responseId", id);
}

void model_stream_set_usage(ModelStream *self, const Usage *usage)
{
    self->usage = *usage;
    self->is_usage_stale = true;
}

/* Sets the reason and the times, and emits the last event: {type, reason, <key>: message}. */
static json_t *stream_end(ModelStream *self, const char *type, const char *reason, const char *key)
{
    stream_begin(self);
    json_add(self->message, "stopReason:%s duration:%jd", reason,
             time_monotonic_ms() - self->started_at);
    if (self->first_at > 0)
        json_set_int(self->message, "ttft", self->first_at - self->started_at);
    model_stream_message(self);
    if (self->func) {
        json_t *event = event_new(type);
        json_set_text(event, "reason", reason);
        json_object_set(event, key, self->message);
        emit_take(self, event);
    }
    return json_incref(self->message);
}

/* What struck before the first byte of a call's arguments: {} is not what it was about to say. */
static void mark_call_without_arguments(Block *block)
{
    if (block->type != BLOCK_TOOL_CALL || block->text->len > 0 || block->arguments)
        return;
    block->is_incomplete = true;
    block_mark_incomplete(block);
}

json_t *model_stream_finish(ModelStream *self, const char *reason)
{
    for (size_t i = 0; i < self->blocks->len; i++)
        model_stream_close(self, i);
    if (strcmp(reason, "length") == 0 && self->blocks->len > 0)
        mark_call_without_arguments(stream_block(self, self->blocks->len - 1));
    return stream_end(self, "done", reason, "message");
}

/* A block whose end never came: a signature may be of a part only, and arguments too. */
static void stream_end_block_early(ModelStream *self, Block *block)
{
    if (block->is_closed)
        return;
    stream_name_call(self, block);
    if (block->type == BLOCK_THINKING && block->signature) {
        g_string_free(g_steal_pointer(&block->signature), TRUE);
        json_object_del(block->json, "thinkingSignature");
        block->is_stale = true;
    }
    block_refresh(block);
    block_mark_incomplete(block);
    mark_call_without_arguments(block);
}

json_t *model_stream_fail(ModelStream *self, bool is_aborted, const char *error_message)
{
    for (size_t i = 0; i < self->blocks->len; i++)
        stream_end_block_early(self, stream_block(self, i));
    json_set_text(self->message, "errorMessage", error_message);
    return stream_end(self, "error", is_aborted ? "aborted" : "error", "error");
}
