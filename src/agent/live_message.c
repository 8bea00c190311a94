/* See live_message.h. */
#include "agent/live_message.h"

#include "agent/event_kind.h"
#include "base/json_reader.h"
#include "base/lock.h"
#include "base/mask.h"
#include "base/str.h"

typedef enum { LIVE_TEXT, LIVE_THINKING, LIVE_CALL, LIVE_SILENT } LiveKind;

static const char *const kind_names[] = { "text", "thinking", "toolcall" };

typedef struct LiveBlock {
    LiveKind kind; // SILENT: kept for replay only, no one is told
    GString *text; // text, thinking, or the arguments' JSON text, masked
    MaskFilter *filter;
    json_t *shown; // as it began; once it has ended, as it is, masked
    bool is_ended;
} LiveBlock;

typedef struct Told {
    bool has_started, has_ended;
    size_t bytes;
} Told;

struct LiveMessage {
    int references; // atomic
    json_t *start;
    pthread_mutex_t lock; // guards the rest
    GPtrArray *blocks;
};

static void block_free(gpointer self_)
{
    LiveBlock *self = self_;
    g_string_free(self->text, TRUE);
    mask_filter_free(self->filter);
    json_decref(self->shown);
    g_free(self);
}

LiveMessage *live_message_new(const json_t *start)
{
    LiveMessage *self = g_new0(LiveMessage, 1);
    self->references = 1;
    self->start = json_copy((json_t *)start);
    self->blocks = g_ptr_array_new_with_free_func(block_free);
    pthread_mutex_init(&self->lock, NULL);
    return self;
}

LiveMessage *live_message_ref(LiveMessage *self)
{
    g_atomic_int_inc(&self->references);
    return self;
}

void live_message_unref(LiveMessage *self)
{
    if (!self || !g_atomic_int_dec_and_test(&self->references))
        return;
    g_ptr_array_unref(self->blocks);
    json_decref(self->start);
    pthread_mutex_destroy(&self->lock);
    g_free(self);
}

// ---- the writer ----

static LiveKind kind_of(const char *type)
{
    for (int kind = LIVE_TEXT; kind < LIVE_SILENT; kind++) {
        if (str_has_prefix(type, kind_names[kind]))
            return (LiveKind)kind;
    }
    return LIVE_SILENT;
}

/* The stream goes on changing its blocks, but not the strings in them; of calls also what is below.
 */
static json_t *block_of_stream(ModelStream *stream, size_t index)
{
    const json_t *content = json_get_array(model_stream_message(stream), "content");
    json_t *block = json_array_get(content, index);
    if (!block)
        return json_object();
    return json_object_get(block, "arguments") ? json_deep_copy(block) : json_copy(block);
}

static void add_blocks(LiveMessage *self, size_t index, LiveKind kind, ModelStream *stream)
{
    while (self->blocks->len <= index) {
        size_t place = self->blocks->len;
        LiveBlock *block = g_new0(LiveBlock, 1);
        block->kind = place == index ? kind : LIVE_SILENT;
        block->is_ended = block->kind == LIVE_SILENT;
        block->text = g_string_new(NULL);
        block->filter = mask_filter_new();
        block->shown = block_of_stream(stream, place);
        g_ptr_array_add(self->blocks, block);
    }
}

static void block_end(LiveBlock *block, const json_t *event, size_t index, ModelStream *stream)
{
    json_t *call = json_object_get(event, "toolCall");
    g_autoptr(json_t) whole = call ? json_deep_copy(call) : block_of_stream(stream, index);
    json_decref(block->shown);
    block->shown = mask_json(whole);
    mask_filter_finish(block->filter, block->text);
    block->is_ended = true;
}

void live_message_feed(LiveMessage *self, const json_t *event, ModelStream *stream)
{
    const char *type = json_get_text(event, "type");
    gint64 index = json_get_int(event, "contentIndex", -1);
    LiveKind kind = kind_of(type);
    if (kind == LIVE_SILENT || index < 0)
        return;
    HOLD_LOCK(&self->lock);
    add_blocks(self, (size_t)index, kind, stream);
    LiveBlock *block = g_ptr_array_index(self->blocks, index);
    const json_t *delta = json_object_get(event, "delta");
    if (g_str_has_suffix(type, "_delta") && json_is_string(delta))
        mask_filter_push(block->filter, json_string_value(delta), json_string_length(delta),
                         block->text);
    else if (g_str_has_suffix(type, "_end"))
        block_end(block, event, (size_t)index, stream);
}

// ---- readers ----

void live_cursor_init(LiveCursor *self)
{
    *self = (LiveCursor) { .told = g_array_new(FALSE, TRUE, sizeof(Told)) };
}

void live_cursor_clear(LiveCursor *self)
{
    if (self->told)
        g_array_unref(self->told);
    *self = (LiveCursor) { 0 };
}

static json_t *block_so_far(const LiveBlock *block)
{
    if (block->is_ended)
        return json_incref(block->shown);
    json_t *shown = json_copy(block->shown);
    if (block->kind == LIVE_CALL)
        json_set_take(shown, "arguments",
                      json_parse_partial(block->text->str, block->text->len, NULL));
    else
        json_set_take(shown, block->kind == LIVE_TEXT ? "text" : "thinking",
                      json_text_n(block->text->str, block->text->len));
    return shown;
}

static json_t *message_so_far(const LiveMessage *self)
{
    json_t *content = json_array();
    for (size_t i = 0; i < self->blocks->len; i++)
        json_append_take(content, block_so_far(g_ptr_array_index(self->blocks, i)));
    json_t *message = json_copy(self->start);
    json_set_take(message, "content", content);
    return message;
}

typedef struct Reading {
    LiveCursor *cursor;
    json_t *updates;
    json_t *message; // so far, when it is wanted; made with the first update
    const LiveMessage *live;
    bool is_whole;
} Reading;

/* Takes `event`, whose block has been told up to `bytes`. */
static void add_update(Reading *self, json_t *event, size_t bytes)
{
    json_set_int(event, "length", (gint64)bytes);
    json_t *update = agent_event_new(EVENT_MESSAGE_UPDATE);
    if (self->is_whole && !self->message)
        self->message = message_so_far(self->live);
    if (self->is_whole)
        json_object_set(update, "message", self->message);
    json_add(update, "assistantMessageEvent:%p length:%jd", event, (gint64)self->cursor->bytes);
    json_append_take(self->updates, update);
}

static json_t *block_event(const LiveBlock *block, size_t index, const char *stage)
{
    g_autofree char *type = g_strconcat(kind_names[block->kind], stage, NULL);
    return json_make("type:%s contentIndex:%jd", type, (gint64)index);
}

static void add_end(Reading *self, const LiveBlock *block, size_t index)
{
    json_t *event = block_event(block, index, "_end");
    const char *key = block->kind == LIVE_TEXT ? "text" : "thinking";
    if (block->kind == LIVE_CALL)
        json_object_set(event, "toolCall", block->shown);
    else if (self->is_whole)
        json_object_set(event, "content", json_object_get(block->shown, key));
    add_update(self, event, block->text->len);
}

static void read_block(Reading *self, size_t index)
{
    const LiveBlock *block = g_ptr_array_index(self->live->blocks, index);
    Told *told = &g_array_index(self->cursor->told, Told, index);
    if (block->kind != LIVE_SILENT && !told->has_started)
        add_update(self, block_event(block, index, "_start"), 0);
    told->has_started = true;

    size_t fresh = block->kind == LIVE_SILENT ? 0 : block->text->len - told->bytes;
    if (fresh > 0) {
        json_t *event = block_event(block, index, "_delta");
        json_set_take(event, "delta", json_text_n(block->text->str + told->bytes, fresh));
        told->bytes += fresh;
        self->cursor->bytes += fresh;
        add_update(self, event, told->bytes);
    }
    if (block->is_ended && !told->has_ended && block->kind != LIVE_SILENT)
        add_end(self, block, index);
    told->has_ended = block->is_ended;
}

json_t *live_message_read(LiveMessage *self, LiveCursor *cursor, bool is_whole)
{
    Reading reading = {
        .cursor = cursor, .updates = json_array(), .live = self, .is_whole = is_whole
    };
    pthread_mutex_lock(&self->lock);
    if (cursor->told->len < self->blocks->len)
        g_array_set_size(cursor->told, self->blocks->len);
    for (size_t i = cursor->first; i < self->blocks->len; i++)
        read_block(&reading, i);
    while (cursor->first < cursor->told->len &&
           g_array_index(cursor->told, Told, cursor->first).has_ended)
        cursor->first++;
    pthread_mutex_unlock(&self->lock);
    json_decref(reading.message);
    return reading.updates;
}
