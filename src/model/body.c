/*
 * The frame that all wire formats share: which messages are new, what they become, and the joining.
 */
#include "model/body.h"

#include "base/str.h"
#include "model/body_fit.h"
#include "model/convert.h"
#include "model/message.h"
#include "model/wire.h"

#define MARKED_OF_USER 2    // how many messages of the user carry a cache marker
#define ROOM_BEHIND    4096 // of what follows the messages: it may need more

#define FIT_TRIES 4 // images, their size, bytes; and bytes that came out otherwise

#define CLOSING 2 // the bracket or quote of a message's content, and its brace

typedef struct Piece { // a message of the format, in the text
    size_t begin;
    size_t head;      // bytes up to its content; 0: nothing is put behind it
    size_t marker_at; // 0: none
    bool is_user, is_assistant;
} Piece;

typedef struct Turn {
    bool has_assistant, begins_signed, has_calls;
} Turn;

typedef struct Group { // see convert.h
    guint first_source, first_piece;
    size_t text_begin;
    char closing[CLOSING]; // of what comes before it
    size_t id_position;    // of the converter, before this group
    size_t first_note;
    bool is_led;      // by an assistant message
    bool starts_turn; // somebody said something that is no tool result
    bool ends_with_result, ends_with_assistant;
    bool ends_with_user; // on the wire: images of results may be there
    Turn own, turn;      // of the group, and of the turn up to its end
    bool has_calls;      // the conversation up to its end
    size_t images;       // the same
} Group;

/* Everything lies one behind the other, so that a request is made without looking at each message:
   a group is known by where it begins. */
struct BodyCache {
    char *target; // what the texts were made for; NULL: nothing yet
    const Model *model;
    bool is_strict; // roles alternate
    BodyFit *fit;
    Converter *converter;
    GArray *groups;     // of Group
    GPtrArray *sources; // of json_t: the messages of the conversation
    GArray *pieces;     // of Piece
    GString *text;      // the messages of the format, a comma before each
    RepairNotes *notes; // of the groups
    RepairNotes *whole; // of the newest request, not of a message
    size_t written;
    size_t size; // of the newest request
};

BodyCache *body_cache_new(void)
{
    BodyCache *self = g_new0(BodyCache, 1);
    self->converter = converter_new();
    self->fit = body_fit_new();
    self->groups = g_array_new(FALSE, FALSE, sizeof(Group));
    self->sources = g_ptr_array_new_with_free_func(json_free);
    self->pieces = g_array_new(FALSE, FALSE, sizeof(Piece));
    self->text = g_string_new(NULL);
    self->notes = repair_notes_new();
    self->whole = repair_notes_new();
    return self;
}

void body_cache_free(BodyCache *self)
{
    if (!self)
        return;
    g_free(self->target);
    converter_free(self->converter);
    body_fit_free(self->fit);
    g_array_unref(self->groups);
    g_ptr_array_unref(self->sources);
    g_array_unref(self->pieces);
    g_string_free(self->text, TRUE);
    repair_notes_free(self->notes);
    repair_notes_free(self->whole);
    g_free(self);
}

size_t body_cache_written(const BodyCache *self)
{
    return self->written;
}

LeftOut body_cache_left_out(const BodyCache *self)
{
    return body_fit_left_out(self->fit);
}

size_t body_cache_size(const BodyCache *self)
{
    return self->size;
}

bool body_cache_make_room(BodyCache *self, const json_t *messages, size_t limit,
                          size_t *ret_missing)
{
    return body_fit_make_room(self->fit, messages, self->size, limit, ret_missing);
}

RepairNotes *body_cache_repairs(const BodyCache *self)
{
    RepairNotes *all = repair_notes_new();
    repair_notes_join(all, self->notes);
    repair_notes_join(all, self->whole);
    return all;
}

static const Group *group_at(const BodyCache *self, guint index)
{
    return &g_array_index(self->groups, Group, index);
}

/* NULL: there is none. */
static const Group *last_group(const BodyCache *self)
{
    return self->groups->len > 0 ? group_at(self, self->groups->len - 1) : NULL;
}

/* A group behind the last one, still empty. */
static Group begin_group(const BodyCache *self)
{
    Group group = {
        .first_source = self->sources->len,
        .first_piece = self->pieces->len,
        .text_begin = self->text->len,
        .id_position = converter_position(self->converter),
        .first_note = repair_notes_position(self->notes),
    };
    if (self->text->len >= CLOSING)
        memcpy(group.closing, self->text->str + self->text->len - CLOSING, CLOSING);
    return group;
}

/* Forgets what was made for `group` and all that is behind it. */
static void forget_from(BodyCache *self, const Group *group)
{
    converter_rewind(self->converter, group->id_position);
    repair_notes_rewind(self->notes, group->first_note);
    g_ptr_array_set_size(self->sources, (gint)group->first_source);
    g_array_set_size(self->pieces, group->first_piece);
    if (self->text->len > group->text_begin)
        g_string_truncate(self->text, group->text_begin);
    if (group->text_begin >= CLOSING)
        memcpy(self->text->str + group->text_begin - CLOSING, group->closing, CLOSING);
}

/* Forgets the groups from `count` on. */
static void cache_truncate(BodyCache *self, guint count)
{
    if (count >= self->groups->len)
        return;
    forget_from(self, group_at(self, count));
    g_array_set_size(self->groups, count);
}

/* All that the text of a message depends on besides itself. */
static char *target_of(const ProviderRequest *request)
{
    const Model *model = request->model;
    g_autofree char *compat = model->compat ? json_to_text(model->compat) : NULL;
    return g_strdup_printf("%s\n%s\n%s\n%s\n%d%d%d\n%s", model->provider, model->id,
                           model_api_name(model->api), model->base_url, model->accepts_images,
                           request->blocks_images, model->is_reasoning, compat ? compat : "");
}

static void cache_aim(BodyCache *self, const ProviderRequest *request)
{
    const Model *model = request->model;
    g_autofree char *target = target_of(request);
    if (self->model == model && g_strcmp0(self->target, target) == 0)
        return;
    cache_truncate(self, 0);
    body_fit_free(self->fit); // another model takes more, or less
    self->fit = body_fit_new();
    self->is_strict =
        wire_for(model->api)->is_strict || json_get_bool(model->compat, "strictAlternation", false);
    converter_block_images(self->converter, request->blocks_images);
    g_free(self->target);
    self->target = g_steal_pointer(&target);
    self->model = model;
}

// ---- one group ----

/* How long the beginning is of a message that is nothing but role and content. An answer to calls
   stays alone in formats that count the answers. */
static size_t head_size(const json_t *message, const char *text)
{
    const char *key = json_object_get(message, "parts") ? "parts" : "content";
    const json_t *content = json_object_get(message, key);
    const json_t *first = json_array_get(content, 0);
    bool is_alone = json_object_size(message) != 2 || json_object_get(first, "functionResponse");
    g_autofree char *head = g_strdup_printf("{\"role\":\"%s\",\"%s\":%c", message_role(message),
                                            key, json_is_array(content) ? '[' : '"');
    return !is_alone && str_has_prefix(text, head) ? strlen(head) : 0;
}

/* The last piece, where it is of the same role and `piece` may be put behind what it has; else
   NULL. */
static const Piece *find_mate(const BodyCache *self, const Piece *piece, const char *text)
{
    if (!self->is_strict || self->pieces->len == 0 || piece->head == 0)
        return NULL;
    const Piece *last = &g_array_index(self->pieces, Piece, self->pieces->len - 1);
    bool is_same =
        last->head == piece->head && memcmp(self->text->str + last->begin, text, piece->head) == 0;
    return is_same ? last : NULL;
}

/* Two messages of a role that cannot be made one have a word of the other role between them. */
static bool needs_word_between(const BodyCache *self, const WireFormat *wire, const Piece *piece)
{
    if (!self->is_strict || wire->is_strict || self->pieces->len == 0)
        return false;
    const Piece *last = &g_array_index(self->pieces, Piece, self->pieces->len - 1);
    return (piece->is_user && last->is_user) || (piece->is_assistant && last->is_assistant);
}

static void add_piece(BodyCache *self, const WireFormat *wire, const json_t *message)
{
    g_autofree char *text = json_to_text(message);
    size_t size = strlen(text);
    Piece piece = { .is_user = strcmp(message_role(message), "user") == 0,
                    .is_assistant = strcmp(message_role(message), "assistant") == 0,
                    .head = head_size(message, text) };
    const Piece *mate = find_mate(self, &piece, text);
    if (!mate && needs_word_between(self, wire, &piece)) {
        g_autoptr(json_t) word = json_array();
        wire_append_word(wire, self->model, piece.is_assistant, word);
        add_piece(self, wire, json_array_get(word, 0));
    }
    piece.begin = self->text->len + strlen(",");
    if (mate) {
        bool is_list = text[piece.head - 1] == '[';
        piece.begin = mate->begin;
        g_string_truncate(self->text, self->text->len - CLOSING);
        g_string_append(self->text, is_list ? "," : "\\n\\n");
    } else {
        g_string_append_c(self->text, ',');
    }
    g_string_append(self->text, text + (mate ? piece.head : 0));
    size_t from_end = piece.is_user && wire->marker_place ? wire->marker_place(message) : 0;
    piece.marker_at = from_end > 0 && from_end < size ? self->text->len - from_end : 0;
    g_array_append_val(self->pieces, piece);
}

static void add_pieces(BodyCache *self, const WireFormat *wire, const json_t *messages)
{
    json_each (messages, i, message)
        add_piece(self, wire, message);
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
    g_autoptr(json_t) calls = message_tool_calls(message);
    group->own = (Turn) {
        .has_assistant = true,
        .begins_signed = is_signed_thinking(json_array_get(content, 0)),
        .has_calls = json_array_size(calls) > 0,
    };
}

static size_t count_images(const json_t *messages)
{
    size_t count = 0;
    json_each (messages, i, message) {
        json_each (json_get_array(message, "content"), j, block)
            count += wire_block_is(block, "image");
    }
    return count;
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

/* What is known of the turn and of the conversation at the group's end. */
static void sum_up(Group *self, const Group *before)
{
    self->has_calls = self->own.has_calls || (before && before->has_calls);
    if (self->starts_turn) // whatever the assistant said in it was said before
        return;
    Turn *turn = &self->turn;
    *turn = before ? before->turn : (Turn) { 0 };
    if (!turn->has_assistant)
        turn->begins_signed = self->own.begins_signed;
    turn->has_assistant = turn->has_assistant || self->own.has_assistant;
    turn->has_calls = turn->has_calls || self->own.has_calls;
}

/* The messages of the format that the group becomes, appended to `out`. `before`: the group before,
   or NULL. */
static void group_write(Group *self, const WireFormat *wire, const Model *model,
                        const json_t *messages, const Group *before, json_t *out)
{
    self->ends_with_result = before && before->ends_with_result;
    self->ends_with_assistant = before && before->ends_with_assistant;
    self->ends_with_user = before && before->ends_with_user;
    self->images = count_images(messages) + (before ? before->images : 0);
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
            // what follows results goes into the same message on the wire
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
    sum_up(self, before);
}

/* Where the sources of a group end. */
static guint sources_end(const BodyCache *self, guint index)
{
    bool is_last = index + 1 == self->groups->len;
    return is_last ? self->sources->len : group_at(self, index + 1)->first_source;
}

/* The group is that of the messages from its place up to `end`. */
static bool group_holds(const BodyCache *self, guint index, const json_t *messages, size_t end)
{
    if (sources_end(self, index) != end)
        return false;
    for (guint i = group_at(self, index)->first_source; i < end; i++) {
        if (self->sources->pdata[i] != json_array_get(messages, i))
            return false;
    }
    return true;
}

/* How many groups nothing can have changed: their messages are the same, and an assistant message
   that is the same too follows them. */
static guint count_settled(const BodyCache *self, const json_t *messages)
{
    size_t same = 0, most = MIN(self->sources->len, json_array_size(messages));
    while (same < most && self->sources->pdata[same] == json_array_get(messages, same))
        same++;
    guint count = self->groups->len;
    while (count > 0 &&
           (!group_at(self, count - 1)->is_led || group_at(self, count - 1)->first_source >= same))
        count--;
    return count > 0 ? count - 1 : 0;
}

/* `originals` are what `messages` stand for. */
static void add_group(BodyCache *self, const WireFormat *wire, const json_t *originals,
                      const json_t *messages, size_t begin, size_t end)
{
    Group group = begin_group(self);
    const char *first_role = message_role(json_array_get(messages, begin));
    group.is_led = strcmp(first_role, "assistant") == 0;
    for (size_t i = begin; i < end; i++) {
        g_ptr_array_add(self->sources, json_incref(json_array_get(messages, i)));
        const json_t *original = json_array_get(originals, i);
        if (original != json_array_get(messages, i))
            repair_notes_add(self->notes, body_fit_rule(self->fit, original), i);
    }
    g_autoptr(json_t) converted =
        converter_convert(self->converter, self->model, messages, begin, end, self->notes);
    const json_t *first = json_array_get(converted, 0);
    if (group.is_led && wire->has_lost && wire->has_lost(first))
        repair_notes_add(self->notes, REPAIR_REASONING, begin);
    g_autoptr(json_t) out = json_array();
    group_write(&group, wire, self->model, converted, last_group(self), out);
    add_pieces(self, wire, out);
    g_array_append_val(self->groups, group);
    self->written += end - begin;
}

/* Afterwards the groups are those of the request. */
static void cache_update(BodyCache *self, const ProviderRequest *request, const WireFormat *wire)
{
    cache_aim(self, request);
    g_autoptr(json_t) messages = body_fit_apply(self->fit, request->messages);
    guint count = count_settled(self, messages);
    size_t begin = count > 0 ? group_at(self, count)->first_source : 0;
    for (size_t end; begin < json_array_size(messages); begin = end, count++) {
        end = convert_group_end(messages, begin);
        if (count < self->groups->len) {
            if (group_holds(self, count, messages, end))
                continue;
            cache_truncate(self, count);
        }
        add_group(self, wire, request->messages, messages, begin, end);
    }
    cache_truncate(self, count);
}

// ---- the whole ----

/* With thinking on, a server may refuse a turn that has tool calls and did not begin with thinking:
   one that another model began, or that was begun with thinking off. */
static BodyFacts facts_of(const Group *last)
{
    return (BodyFacts) {
        .has_calls = last && last->has_calls,
        .lacks_thinking = last && last->turn.has_calls && !last->turn.begins_signed,
    };
}

/* What comes before the messages, and those that are of this request only and never marked: the
   system's, and a word before an assistant that has the first one. */
static GString *make_start(const ProviderRequest *request, const WireFormat *wire,
                           const json_t *head, bool needs_word)
{
    g_autofree char *text = json_to_text(head);
    GString *start = g_string_new(text);
    g_string_truncate(start, start->len - 1); // its brace
    g_string_append_printf(start, "%s\"%s\":[", json_object_size(head) > 0 ? "," : "",
                           wire->messages_key);
    g_autoptr(json_t) system = json_array();
    if (wire->write_system)
        wire->write_system(request, system);
    if (needs_word) // before an assistant that has the first one
        wire_append_word(wire, request->model, true, system);
    json_each (system, i, message) {
        g_autofree char *piece = json_to_text(message);
        g_string_append_printf(start, "%s%s", i > 0 ? "," : "", piece);
    }
    return start;
}

/* The pieces, the last ones of the user with the marker. */
static void join_text(GString *body, const BodyCache *cache, const char *marker)
{
    size_t marked_at[MARKED_OF_USER];
    int left = marker ? MARKED_OF_USER : 0;
    guint marks = 0;
    for (guint i = cache->pieces->len; i > 0 && left > 0; i--) {
        const Piece *piece = &g_array_index(cache->pieces, Piece, i - 1);
        left -= piece->is_user;
        if (piece->is_user && piece->marker_at > 0)
            marked_at[marks++] = piece->marker_at;
    }
    const GString *text = cache->text;
    size_t at = text->len > 0 && g_str_has_suffix(body->str, "[") ? strlen(",") : 0;
    while (marks > 0) {
        size_t to = marked_at[--marks];
        g_string_append_len(body, text->str + at, (gssize)(to - at));
        g_string_append(body, marker);
        at = to;
    }
    g_string_append_len(body, text->str + at, (gssize)(text->len - at));
}

/* What the user's models file adds to every body wins. */
static void add_extra_body(const ProviderRequest *request, const char *messages_key, json_t *head,
                           json_t *tail)
{
    const json_t *extra = json_get_object(request->model->compat, "extraBody");
    json_each_member (extra, key, value) {
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

/* Words of the user's that a strict format wants. */
static bool needs_first_word(const BodyCache *self)
{
    return self->is_strict && self->pieces->len > 0 &&
           !g_array_index(self->pieces, Piece, 0).is_user;
}

static bool needs_last_word(const BodyCache *self)
{
    const Group *last = last_group(self);
    return self->is_strict && last && last->ends_with_assistant;
}

static void note_whole(BodyCache *self, const ProviderRequest *request, const BodyFacts *facts)
{
    bool is_anthropic = model_api_wire(request->model->api) == MODEL_API_ANTHROPIC_MESSAGES;
    bool wants_thinking = request->model->is_reasoning && request->thinking != THINKING_OFF;
    repair_notes_rewind(self->whole, 0);
    if (is_anthropic && wants_thinking && facts->lacks_thinking)
        repair_notes_add(self->whole, REPAIR_THINKING_OFF, REPAIR_OF_REQUEST);
    if (facts->has_stub_tools)
        repair_notes_add(self->whole, REPAIR_STUB_TOOLS, REPAIR_OF_REQUEST);
    for (int words = needs_first_word(self) + needs_last_word(self); words > 0; words--)
        repair_notes_add(self->whole, REPAIR_ROLES, REPAIR_OF_REQUEST);
}

/* The messages of the cache with all that is around them. */
static GString *write_body(const ProviderRequest *request, const WireFormat *wire, BodyCache *cache)
{
    ProviderRequest whole = *request;
    const Group *last = last_group(cache);
    BodyFacts facts = facts_of(last);
    facts.has_stub_tools =
        wire->is_strict && facts.has_calls && json_array_size(request->tools) == 0;
    g_autoptr(json_t) stubs = facts.has_stub_tools ? convert_stub_tools(request->messages) : NULL;
    if (stubs)
        whole.tools = stubs;
    note_whole(cache, request, &facts);
    g_autoptr(json_t) head = json_object();
    g_autoptr(json_t) tail = json_object();
    wire->write_head(&whole, &facts, head);
    wire->write_tail(&whole, &facts, tail);
    add_extra_body(request, wire->messages_key, head, tail);

    bool needs_first = needs_first_word(cache); // before the one behind is put there
    const Group word = begin_group(cache);      // in this request only
    g_autoptr(json_t) words = json_array();
    if (needs_last_word(cache))
        wire_append_word(wire, request->model, true, words);
    add_pieces(cache, wire, words);
    g_autoptr(GString) start = make_start(request, wire, head, needs_first);
    GString *body = g_string_sized_new(start->len + cache->text->len + ROOM_BEHIND);
    g_string_append_len(body, start->str, (gssize)start->len);
    g_autofree char *marker = wire->make_marker ? wire->make_marker(request->model) : NULL;
    join_text(body, cache, marker);
    forget_from(cache, &word);
    g_string_append_c(body, ']');
    append_tail(body, tail);
    return body;
}

static bool make_smaller(BodyCache *cache, const json_t *messages, size_t size)
{
    const Group *last = last_group(cache);
    return body_fit_make_smaller(cache->fit, cache->model, messages, last ? last->images : 0, size);
}

char *body_make(const ProviderRequest *request, size_t *ret_size)
{
    const WireFormat *wire = wire_for(request->model->api);
    g_autoptr(BodyCache) own = request->bodies ? NULL : body_cache_new();
    BodyCache *cache = request->bodies ? request->bodies : own;
    GString *body = NULL;
    for (int i = 0; i < FIT_TRIES && (!body || make_smaller(cache, request->messages, body->len));
         i++) {
        if (body)
            g_string_free(body, TRUE);
        cache_update(cache, request, wire);
        body = write_body(request, wire, cache);
    }
    *ret_size = cache->size = body->len;
    return g_string_free(body, FALSE);
}
