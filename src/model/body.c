/*
 * The frame that all wire formats share: which messages are new, what they become, and the joining.
 */
#include "model/body.h"

#include "model/convert.h"
#include "model/message.h"
#include "model/wire.h"

#define CONTINUE       "Continue."
#define MARKED_OF_USER 2 // how many messages of the user carry a cache marker

typedef struct Piece { // a message of the format
    char *text;
    size_t size;
    size_t marker_at; // offset; 0: none
    bool is_user;
} Piece;

typedef struct Group {  // see convert.h
    GPtrArray *sources; // of json_t: the messages of the conversation
    GArray *pieces;     // of Piece
    size_t id_position; // of the converter, before this group
    bool starts_turn;   // somebody said something that is no tool result
    bool ends_with_result, ends_with_assistant;
    bool ends_with_user; // on the wire: images of results may be there
    bool has_assistant, begins_signed, has_calls;
} Group;

struct BodyCache {
    char *target; // what the texts were made for; NULL: nothing yet
    const Model *model;
    Converter *converter;
    GPtrArray *groups; // of Group
    size_t written;
};

static void piece_clear(gpointer piece)
{
    g_free(((Piece *)piece)->text);
}

static void group_free(gpointer group)
{
    Group *self = group;
    g_ptr_array_unref(self->sources);
    g_array_unref(self->pieces);
    g_free(self);
}

static void drop_json(gpointer json)
{
    json_decref(json);
}

static Group *group_new(void)
{
    Group *self = g_new0(Group, 1);
    self->sources = g_ptr_array_new_with_free_func(drop_json);
    self->pieces = g_array_new(FALSE, FALSE, sizeof(Piece));
    g_array_set_clear_func(self->pieces, piece_clear);
    return self;
}

BodyCache *body_cache_new(void)
{
    BodyCache *self = g_new0(BodyCache, 1);
    self->converter = converter_new();
    self->groups = g_ptr_array_new_with_free_func(group_free);
    return self;
}

void body_cache_free(BodyCache *self)
{
    if (!self)
        return;
    g_free(self->target);
    converter_free(self->converter);
    g_ptr_array_unref(self->groups);
    g_free(self);
}

size_t body_cache_written(const BodyCache *self)
{
    return self->written;
}

/* Forgets the groups from `count` on. */
static void cache_truncate(BodyCache *self, guint count)
{
    if (count >= self->groups->len)
        return;
    const Group *first = g_ptr_array_index(self->groups, count);
    converter_rewind(self->converter, first->id_position);
    g_ptr_array_set_size(self->groups, (gint)count);
}

/* All that the text of a message depends on besides itself. */
static char *target_of(const Model *model)
{
    g_autofree char *compat = model->compat ? json_to_text(model->compat) : NULL;
    return g_strdup_printf("%s\n%s\n%s\n%s\n%d%d\n%s", model->provider, model->id,
                           model_api_name(model->api), model->base_url, model->accepts_images,
                           model->is_reasoning, compat ? compat : "");
}

static void cache_aim(BodyCache *self, const Model *model)
{
    g_autofree char *target = target_of(model);
    if (self->model == model && g_strcmp0(self->target, target) == 0)
        return;
    cache_truncate(self, 0);
    g_free(self->target);
    self->target = g_steal_pointer(&target);
    self->model = model;
}

/* --- one group --- */

static void add_piece(Group *group, const WireFormat *wire, const json_t *message)
{
    Piece piece = { .text = json_to_text(message) };
    piece.size = strlen(piece.text);
    piece.is_user = strcmp(message_role(message), "user") == 0;
    size_t from_end = piece.is_user && wire->marker_place ? wire->marker_place(message) : 0;
    piece.marker_at = from_end > 0 && from_end < piece.size ? piece.size - from_end : 0;
    g_array_append_val(group->pieces, piece);
}

static bool is_signed_thinking(const json_t *block)
{
    const char *signature = json_get_text(block, "thinkingSignature");
    return wire_block_is(block, "redactedThinking") ||
           (wire_block_is(block, "thinking") && signature && *signature);
}

static void note_assistant(Group *group, const json_t *message)
{
    const json_t *content = json_get_array(message, "content");
    group->has_assistant = true;
    group->begins_signed = is_signed_thinking(json_array_get(content, 0));
    g_autoptr(json_t) calls = message_tool_calls(message);
    group->has_calls = json_array_size(calls) > 0;
}

/* The results from messages[first] on, as an array of their own. */
static json_t *result_batch(const json_t *messages, size_t first)
{
    json_t *batch = json_array();
    for (size_t i = first; i < json_array_size(messages); i++) {
        json_t *message = json_array_get(messages, i);
        if (strcmp(message_role(message), "toolResult") != 0)
            break;
        json_array_append(batch, message);
    }
    return batch;
}

/* `before`: the group before, or NULL. */
static void group_write(Group *self, const WireFormat *wire, const Model *model,
                        const json_t *messages, const Group *before)
{
    g_autoptr(json_t) out = json_array();
    self->ends_with_result = before && before->ends_with_result;
    self->ends_with_assistant = before && before->ends_with_assistant;
    self->ends_with_user = before && before->ends_with_user;
    for (size_t i = 0; i < json_array_size(messages);) {
        const json_t *message = json_array_get(messages, i);
        const char *role = message_role(message);
        bool is_result = strcmp(role, "toolResult") == 0;
        bool is_assistant = strcmp(role, "assistant") == 0;
        size_t count = 1;
        if (is_result) {
            g_autoptr(json_t) batch = result_batch(messages, i);
            wire->write_results(model, batch, out);
            count = json_array_size(batch);
        } else if (is_assistant) {
            note_assistant(self, message);
            wire->write_assistant(model, message, out);
        } else {
            // what stands behind results goes into the same message on the wire
            self->starts_turn = self->starts_turn || !self->ends_with_result;
            bool is_after_tool = self->ends_with_result && !self->ends_with_user;
            wire->write_user(model, message, is_after_tool, out);
        }
        const json_t *last = json_array_get(out, json_array_size(out) - 1);
        self->ends_with_user = strcmp(message_role(last), "user") == 0;
        self->ends_with_result = is_result;
        self->ends_with_assistant = is_assistant;
        i += count;
    }
    size_t i;
    json_t *message;
    json_array_foreach (out, i, message)
        add_piece(self, wire, message);
}

static bool group_holds(const Group *self, const json_t *messages, size_t begin, size_t end)
{
    if (self->sources->len != end - begin)
        return false;
    for (guint i = 0; i < self->sources->len; i++) {
        if (g_ptr_array_index(self->sources, i) != json_array_get(messages, begin + i))
            return false;
    }
    return true;
}

/* Afterwards the groups are those of the request. */
static void cache_update(BodyCache *self, const ProviderRequest *request, const WireFormat *wire)
{
    const json_t *messages = request->messages;
    guint count = 0;
    cache_aim(self, request->model);
    for (size_t begin = 0, end; begin < json_array_size(messages); begin = end, count++) {
        end = convert_group_end(messages, begin);
        if (count < self->groups->len) {
            if (group_holds(g_ptr_array_index(self->groups, count), messages, begin, end))
                continue;
            cache_truncate(self, count);
        }
        Group *group = group_new();
        for (size_t i = begin; i < end; i++)
            g_ptr_array_add(group->sources, json_incref(json_array_get(messages, i)));
        group->id_position = converter_position(self->converter);
        g_autoptr(json_t) converted =
            converter_convert(self->converter, request->model, messages, begin, end);
        group_write(group, wire, request->model, converted,
                    count > 0 ? g_ptr_array_index(self->groups, count - 1) : NULL);
        g_ptr_array_add(self->groups, group);
        self->written += end - begin;
    }
    cache_truncate(self, count);
}

/* --- the whole --- */

/* With thinking on, a server may refuse a turn that has tool calls and did not begin with thinking:
   one that another model began, or that was begun with thinking off. */
static bool lacks_thinking(const GPtrArray *groups)
{
    guint first = groups->len;
    while (first > 0 && !((const Group *)g_ptr_array_index(groups, first - 1))->starts_turn)
        first--;
    bool has_assistant = false, begins_signed = false;
    for (guint i = first; i < groups->len; i++) {
        const Group *group = g_ptr_array_index(groups, i);
        if (group->has_assistant && !has_assistant)
            begins_signed = group->begins_signed;
        has_assistant = has_assistant || group->has_assistant;
        if (group->has_calls)
            return !begins_signed;
    }
    return false;
}

static BodyFacts facts_of(const GPtrArray *groups)
{
    BodyFacts facts = { .lacks_thinking = lacks_thinking(groups) };
    for (guint i = 0; i < groups->len && !facts.has_calls; i++)
        facts.has_calls = ((const Group *)g_ptr_array_index(groups, i))->has_calls;
    return facts;
}

/* What is there for this request only: the system's messages; a word when the assistant had the
   last one. */
static Group *make_extra(const ProviderRequest *request, const WireFormat *wire, bool is_system)
{
    Group *group = group_new();
    g_autoptr(json_t) out = json_array();
    if (is_system && wire->write_system) {
        wire->write_system(request, out);
    } else if (!is_system) {
        g_autoptr(json_t) content = json_array();
        json_append_take(content, message_text_block(CONTINUE));
        g_autoptr(json_t) message = json_object();
        json_set_text(message, "role", "user");
        json_object_set(message, "content", content);
        wire->write_user(request->model, message, false, out);
    }
    size_t i;
    json_t *message;
    json_array_foreach (out, i, message)
        add_piece(group, wire, message);
    return group;
}

static void join_piece(GString *body, const Piece *piece, const char *marker, bool is_first)
{
    if (!is_first)
        g_string_append_c(body, ',');
    size_t before = marker ? piece->marker_at : piece->size;
    g_string_append_len(body, piece->text, (gssize)before);
    if (marker)
        g_string_append(body, marker);
    g_string_append_len(body, piece->text + before, (gssize)(piece->size - before));
}

static void join_pieces(GString *body, const GPtrArray *pieces, const char *marker)
{
    size_t size = body->len;
    guint first_marked = pieces->len;
    int left = marker ? MARKED_OF_USER : 0;
    for (guint i = pieces->len; i > 0; i--) {
        const Piece *piece = g_ptr_array_index(pieces, i - 1);
        size += piece->size + 1;
        if (left > 0 && piece->is_user) {
            left--;
            first_marked = i - 1;
        }
    }
    size_t filled = body->len; // room for all of it at once
    g_string_set_size(body, size);
    g_string_truncate(body, filled);
    for (guint i = 0; i < pieces->len; i++) {
        const Piece *piece = g_ptr_array_index(pieces, i);
        bool is_marked = i >= first_marked && piece->is_user && piece->marker_at > 0;
        join_piece(body, piece, is_marked ? marker : NULL, i == 0);
    }
}

static void add_pieces(GPtrArray *all, const Group *group)
{
    for (guint i = 0; i < group->pieces->len; i++)
        g_ptr_array_add(all, &g_array_index(group->pieces, Piece, i));
}

/* What the user's models file adds to every body wins. */
static void add_extra_body(const ProviderRequest *request, const char *messages_key, json_t *head,
                           json_t *tail)
{
    const json_t *extra = json_get_object(request->model->compat, "extraBody");
    const char *key;
    json_t *value;
    json_object_foreach ((json_t *)extra, key, value) {
        if (strcmp(key, messages_key) != 0)
            json_object_set(json_object_get(head, key) ? head : tail, key, value);
    }
}

static void append_tail(GString *body, const json_t *tail)
{
    g_autofree char *text = json_to_text(tail); // {…}
    if (json_object_size(tail) > 0) {
        g_string_append_c(body, ',');
        g_string_append(body, text + 1);
    } else {
        g_string_append_c(body, '}');
    }
}

char *body_make(const ProviderRequest *request, size_t *ret_size)
{
    const WireFormat *wire = wire_for(request->model->api);
    g_autoptr(BodyCache) own = request->bodies ? NULL : body_cache_new();
    BodyCache *cache = request->bodies ? request->bodies : own;
    cache_update(cache, request, wire);
    const GPtrArray *groups = cache->groups;
    BodyFacts facts = facts_of(groups);
    const Group *last = groups->len > 0 ? g_ptr_array_index(groups, groups->len - 1) : NULL;
    Group *system = make_extra(request, wire, true);
    Group *word = wire->needs_user_last && last && last->ends_with_assistant
                      ? make_extra(request, wire, false)
                      : NULL;

    g_autoptr(GPtrArray) pieces = g_ptr_array_new();
    add_pieces(pieces, system);
    for (guint i = 0; i < groups->len; i++)
        add_pieces(pieces, g_ptr_array_index(groups, i));
    if (word)
        add_pieces(pieces, word);

    g_autoptr(json_t) head = json_object();
    g_autoptr(json_t) tail = json_object();
    wire->write_head(request, &facts, head);
    wire->write_tail(request, &facts, tail);
    add_extra_body(request, wire->messages_key, head, tail);
    g_autofree char *start = json_to_text(head);
    GString *body = g_string_new(start);
    g_string_truncate(body, body->len - 1); // its brace
    g_string_append_printf(body, "%s\"%s\":[", json_object_size(head) > 0 ? "," : "",
                           wire->messages_key);
    g_autofree char *marker = wire->make_marker ? wire->make_marker(request->model) : NULL;
    join_pieces(body, pieces, marker);
    g_string_append_c(body, ']');
    append_tail(body, tail);
    group_free(system);
    if (word)
        group_free(word);
    *ret_size = body->len;
    return g_string_free(body, FALSE);
}
