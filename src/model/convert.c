/*
 * Agent messages into what a model is sent: first every role becomes one that wire formats know,
 * then the history is repaired for the model that is to read it.
 */
#include "model/convert.h"

#include "base/utf8.h"
#include "model/image_repair.h"
#include "model/message.h"
#include "model/openai.h"
#include "model/repair.h"
#include "model/role_text.h"

#define IN_AN_ERROR    "results that are errors are text"
#define NO_IMAGES      "this model does not accept images"
#define BLOCKED        "images.blockImages is set"
#define NO_TEXT_DATA   "[text removed: its data is gone]"
#define NO_OUTPUT      "(no output)"
#define NO_RESULT      "No result provided"
#define ABORTED_RESULT "aborted"
#define INTERRUPTED_NOTE                                                                           \
    "The previous turn was interrupted before all of its tool calls had finished. Some of them "   \
    "may "                                                                                         \
    "have taken effect. Check the current state before repeating work."

#define ANTHROPIC_ID_CHARS    64
#define OPENAI_ID_CHARS       40
#define MISTRAL_ID_CHARS      9
#define RESPONSES_ID_CHARS    64
#define RESPONSES_ID_BAR      "|" // between the call's id and the item's
#define TOOL_NAME_CHARS       64
#define UNKNOWN_TOOL          "unknown_tool"
#define ANTHROPIC_IMAGE_CHARS (5 * 1000 * 1000)
#define IMAGE_SIDE            8000
#define IMAGE_CHARS           (20 * 1000 * 1000)

struct Converter {
    const Model *model;
    bool needs_mistral_ids;
    bool blocks_images;
    GPtrArray *sent_ids;  // every tool call id sent (of a Responses id: the call's part), in order
    GHashTable *used_ids; // the set of them; borrowed
    GHashTable *ids;      // of the assistant message at hand: original id → the one sent
    RepairNotes *notes;   // borrowed; NULL: no one asks
    const json_t *in;
    GArray *places;  // of size_t: where the messages of `in` are in the conversation
    GHashTable *met; // of json_t: the results of `in` whose calls were found; borrowed
    size_t place;    // of the message at hand
    size_t end;      // of the group in `in`
    json_t *out;
};

static void converter_note(const Converter *self, RepairRule rule)
{
    repair_notes_add(self->notes, rule, self->place);
}

static bool is_role(const json_t *message, const char *role)
{
    return strcmp(message_role(message), role) == 0;
}

// ---- blocks ----

/* New reference: what goes in place of an image. */
static json_t *fit_image(const Converter *self, json_t *block)
{
    static const ImageLimits small = { ANTHROPIC_IMAGE_CHARS, IMAGE_SIDE };
    static const ImageLimits large = { IMAGE_CHARS, IMAGE_SIDE };
    bool is_anthropic = model_api_wire(self->model->api) == MODEL_API_ANTHROPIC_MESSAGES;
    json_t *fit = self->blocks_images ? image_removed(BLOCKED)
                  : self->model->accepts_images
                      ? image_repair(block, is_anthropic ? &small : &large)
                      : image_removed(NO_IMAGES);
    if (fit != block)
        converter_note(self, REPAIR_IMAGE);
    return fit;
}

/* Text that is not blank (some servers refuse that) and images, or a word in their place: a blob is
   a file beside the sessions, and files get deleted. */
static json_t *clean_blocks(const Converter *self, json_t *blocks)
{
    json_t *out = json_array();
    json_each (blocks, i, block) {
        const char *text = json_get_text(block, "text");
        bool is_text = wire_block_is(block, "text");
        if (wire_block_is(block, "image"))
            json_append_take(out, fit_image(self, block));
        else if (is_text && (!text || !*text) && json_get_text(block, "textBlob"))
            json_append_take(out, message_text_block(NO_TEXT_DATA));
        else if (!is_text || (text && !utf8_is_blank(text)))
            json_array_append(out, block);
    }
    if (json_array_size(out) < json_array_size(blocks) || json_array_size(blocks) == 0)
        converter_note(self, REPAIR_EMPTY);
    return out;
}

static json_t *copy_without(const json_t *block, const char *key)
{
    json_t *copy = json_copy((json_t *)block);
    json_object_del(copy, key);
    return copy;
}

static json_t *redacted_block(const char *data)
{
    return json_make("type:%s data:%s", "redactedThinking", data);
}

/* Could it have come from the server that it is to go to? */
static bool is_signature(const Model *model, const char *signature)
{
    switch (model_api_wire(model->api)) {
    case MODEL_API_ANTHROPIC_MESSAGES:
    case MODEL_API_GOOGLE_GENERATIVE_AI:
        return repair_is_signature(signature);
    default:
        return true; // the name of a field, or an item that its format looks into
    }
}

/* Appended to `out`, or left out. `is_partial`: the signature may be of a part only. */
static void convert_thinking(const Converter *self, json_t *out, json_t *block, bool is_same_model,
                             bool is_partial)
{
    const char *text = json_get_text(block, "thinking");
    const char *signature = json_get_text(block, "thinkingSignature");
    if (signature && *signature && !is_signature(self->model, signature))
        is_same_model = false; // damaged, or of another program: as if another model had thought
    bool has_text = text && !utf8_is_blank(text);
    bool is_redacted = json_get_bool(block, "redacted", false); // as other programs store it
    if (is_same_model && !is_partial && signature && *signature) {
        json_append_take(out, is_redacted ? redacted_block(signature) : json_incref(block));
        return;
    }
    if (is_redacted || (signature && *signature) || (has_text && !is_same_model))
        converter_note(self, REPAIR_THINKING);
    if (is_redacted)
        return;
    if (is_same_model && has_text)
        json_append_take(out, copy_without(block, "thinkingSignature"));
    else if (has_text)
        json_append_take(out, message_text_block(text));
}

/* A signature may sit on a text without words. */
static void convert_text(const Converter *self, json_t *out, json_t *block, bool is_same_model)
{
    const char *text = json_get_text(block, "text");
    const char *signature = json_get_text(block, "textSignature");
    bool has_text = text && !utf8_is_blank(text);
    if (is_same_model && signature && *signature)
        json_array_append(out, block);
    else if (has_text)
        json_append_take(out, copy_without(block, "textSignature"));
    else
        converter_note(self, REPAIR_EMPTY);
}

/* A model may have made up anything. */
static char *convert_tool_name(const char *name)
{
    GString *normal = g_string_new(NULL);
    for (const char *c = name ? name : ""; *c && normal->len < TOOL_NAME_CHARS; c++)
        g_string_append_c(normal, g_ascii_isalnum(*c) || strchr("_-", *c) ? *c : '_');
    if (normal->len == 0)
        g_string_append(normal, UNKNOWN_TOOL);
    return g_string_free(normal, FALSE);
}

json_t *convert_stub_tools(const json_t *messages)
{
    json_t *tools = json_array();
    g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    json_each (messages, i, message) {
        g_autoptr(json_t) calls = message_tool_calls(message);
        json_each (calls, j, call) {
            char *name = convert_tool_name(json_get_text(call, "name"));
            if (g_hash_table_add(seen, name))
                json_append_take(tools, json_pack("{s:s, s:s, s:{s:s}}", "name", name,
                                                  "description", "Not available any more",
                                                  "parameters", "type", "object"));
        }
    }
    return tools;
}

static const char *normal_id(Converter *self, const char *id, bool is_same_model);

static json_t *convert_call(Converter *self, const json_t *block, bool is_same_model)
{
    const char *id = json_get_text(block, "id");
    json_t *copy = json_copy((json_t *)block);
    const char *sent_id = normal_id(self, id ? id : "", is_same_model);
    if (g_strcmp0(id, sent_id) != 0)
        converter_note(self, REPAIR_CALL_ID);
    json_set_text(copy, "id", sent_id);
    g_autofree char *name = convert_tool_name(json_get_text(block, "name"));
    if (g_strcmp0(json_get_text(block, "name"), name) != 0)
        converter_note(self, REPAIR_TOOL_NAME);
    json_set_text(copy, "name", name);
    if (!is_same_model && json_object_del(copy, "thoughtSignature") == 0)
        converter_note(self, REPAIR_THINKING);
    return copy;
}

/* A message may not end with thinking, and thinking alone says nothing. */
static void drop_last_thinking(const Converter *self, json_t *blocks)
{
    for (size_t i = json_array_size(blocks); i > 0; i--) {
        const json_t *block = json_array_get(blocks, i - 1);
        bool is_signed = json_get_text(block, "thinkingSignature") != NULL;
        if (!wire_block_is(block, "redactedThinking") &&
            !(wire_block_is(block, "thinking") && is_signed))
            return;
        converter_note(self, REPAIR_THINKING);
        json_array_remove(blocks, i - 1);
    }
}

/* Thinking that broke off says nothing to anybody. */
static bool is_thinking_only(const json_t *blocks)
{
    json_each (blocks, i, block) {
        const char *text = json_get_text(block, "text");
        if (wire_block_is(block, "toolCall") || (text && !utf8_is_blank(text)))
            return false;
    }
    return true;
}

static json_t *assistant_blocks(Converter *self, const json_t *message, bool is_broken)
{
    const Model *model = self->model;
    bool is_same_model = g_strcmp0(json_get_text(message, "provider"), model->provider) == 0 &&
                         g_strcmp0(json_get_text(message, "model"), model->id) == 0 &&
                         g_strcmp0(json_get_text(message, "api"), model_api_name(model->api)) == 0;
    g_autoptr(json_t) blocks = message_blocks(message);
    json_t *out = json_array();
    if (is_broken && is_thinking_only(blocks)) {
        if (json_array_size(blocks) > 0) // else nothing had come: that is how requests fail
            converter_note(self, REPAIR_BROKEN_ANSWER);
        return out;
    }
    if (json_array_size(blocks) == 0)
        converter_note(self, REPAIR_EMPTY);
    json_each (blocks, i, block) {
        bool is_last = i + 1 == json_array_size(blocks);
        if (wire_block_is(block, "thinking"))
            convert_thinking(self, out, block, is_same_model, is_broken && is_last);
        else if (wire_block_is(block, "toolCall"))
            json_append_take(out, convert_call(self, block, is_same_model));
        else if (wire_block_is(block, "redactedThinking") && is_same_model &&
                 !(is_broken && is_last)) // a message may not end with thinking
            json_array_append(out, block);
        else if (wire_block_is(block, "redactedThinking"))
            converter_note(self, REPAIR_THINKING);
        else if (wire_block_is(block, "text"))
            convert_text(self, out, block, is_same_model);
    }
    drop_last_thinking(self, out);
    return out;
}

// ---- tool call ids ----

static bool is_plain_id(const char *id, size_t size, bool has_marks)
{
    for (size_t i = 0; i < size; i++) {
        if (!g_ascii_isalnum(id[i]) && !(has_marks && strchr("_-", id[i])))
            return false;
    }
    return size > 0;
}

/* "CALL|ITEM", or the first alone. */
static bool is_responses_id(const char *id)
{
    size_t size = strcspn(id, RESPONSES_ID_BAR);
    const char *item = id[size] ? id + size + 1 : NULL;
    return size <= RESPONSES_ID_CHARS && is_plain_id(id, size, true) &&
           (!item || (strlen(item) <= RESPONSES_ID_CHARS && is_plain_id(item, strlen(item), true)));
}

static bool is_id_valid(const Converter *self, const char *id)
{
    size_t size = strlen(id);
    switch (model_api_wire(self->model->api)) {
    case MODEL_API_OPENAI_RESPONSES:
        return is_responses_id(id);
    case MODEL_API_GOOGLE_GENERATIVE_AI: // it has none of its own that matter
        return true;
    case MODEL_API_ANTHROPIC_MESSAGES:
        return size <= ANTHROPIC_ID_CHARS && is_plain_id(id, size, true);
    default:
        break;
    }
    if (self->needs_mistral_ids)
        return size == MISTRAL_ID_CHARS && is_plain_id(id, size, false);
    return size <= OPENAI_ID_CHARS && is_plain_id(id, size, true);
}

static bool is_id_used(const Converter *self, const char *id)
{
    g_autofree char *call = g_strndup(id, strcspn(id, RESPONSES_ID_BAR));
    return g_hash_table_contains(self->used_ids, call);
}

/* The id to send for `id`: itself when the target takes it and it is new, else made from its hash,
   the same in every request, so that cached prefixes stay valid. The item's part of a Responses id
   belongs to the model that made it. Borrowed. */
static const char *normal_id(Converter *self, const char *id, bool is_same_model)
{
    const char *known = g_hash_table_lookup(self->ids, id);
    if (known)
        return known;
    bool is_responses = model_api_wire(self->model->api) == MODEL_API_OPENAI_RESPONSES;
    char *sent = is_responses && !is_same_model ? g_strndup(id, strcspn(id, RESPONSES_ID_BAR))
                                                : g_strdup(id);
    for (unsigned salt = 0; !is_id_valid(self, sent) || is_id_used(self, sent); salt++) {
        g_autofree char *salted = g_strdup_printf("%s/%u", id, salt);
        g_autofree char *hash = g_compute_checksum_for_string(G_CHECKSUM_SHA256, salted, -1);
        g_free(sent);
        sent = self->needs_mistral_ids ? g_strndup(hash, MISTRAL_ID_CHARS)
                                       : g_strdup_printf("call_%.32s", hash);
    }
    char *used = g_strndup(sent, strcspn(sent, RESPONSES_ID_BAR));
    g_ptr_array_add(self->sent_ids, used);
    g_hash_table_add(self->used_ids, used);
    g_hash_table_insert(self->ids, g_strdup(id), sent);
    return sent;
}

// ---- the whole history ----

/* Takes the reference `blocks`. A message without content is not sent. */
static void append_blocks(Converter *self, const char *role, json_t *blocks)
{
    if (json_array_size(blocks) == 0) {
        json_decref(blocks);
        return;
    }
    json_append_take(self->out, json_make("role:%s content:%p", role, blocks));
}

/* Anthropic takes nothing but text in a result that is an error. */
static void images_to_text(const Converter *self, json_t *blocks)
{
    for (size_t i = 0; i < json_array_size(blocks); i++) {
        if (wire_block_is(json_array_get(blocks, i), "text"))
            continue;
        converter_note(self, REPAIR_ERROR_IMAGE);
        json_array_set_new(blocks, i, image_removed(IN_AN_ERROR));
    }
}

static json_t *result_blocks(Converter *self, const json_t *result)
{
    g_autoptr(json_t) blocks = message_blocks(result);
    json_t *out = clean_blocks(self, blocks);
    bool is_anthropic = model_api_wire(self->model->api) == MODEL_API_ANTHROPIC_MESSAGES;
    if (is_anthropic && json_get_bool(result, "isError", false))
        images_to_text(self, out);
    for (size_t i = json_array_size(out); json_object_get(result, "prunedAt") && i > 0; i--) {
        if (!wire_block_is(json_array_get(out, i - 1), "text"))
            json_array_remove(out, i - 1);
    }
    if (json_array_size(out) == 0)
        json_append_take(out, message_text_block(NO_OUTPUT));
    return out;
}

/* Of the servers only Gemini is sent it. */
static void note_result_name(Converter *self, const json_t *result, const char *sent_name)
{
    const char *given = json_get_text(result, "toolName");
    g_autofree char *own = given && *given ? convert_tool_name(given) : NULL;
    bool is_sent = model_api_wire(self->model->api) == MODEL_API_GOOGLE_GENERATIVE_AI;
    if (is_sent && own && !g_str_equal(own, sent_name))
        converter_note(self, REPAIR_RESULT_NAME);
}

/* `result` NULL: none was found, and `missing` stands for it. */
static void append_result(Converter *self, const json_t *call, const json_t *result,
                          const char *missing)
{
    const char *id = json_get_text(call, "id");
    const char *name = json_get_text(call, "name");
    json_t *blocks = result ? result_blocks(self, result) : json_array();
    if (!result) {
        converter_note(self, REPAIR_MISSING_RESULT);
        json_append_take(blocks, message_text_block(missing));
    }
    json_t *message = json_make("role:%s", "toolResult");
    json_set_text(message, "toolCallId", normal_id(self, id ? id : "", true)); // known by now
    g_autofree char *sent_name = convert_tool_name(name);
    note_result_name(self, result, sent_name);
    json_add(message, "toolName:%s content:%p isError:%i", sent_name, blocks,
             result ? json_get_bool(result, "isError", false) : true);
    json_append_take(self->out, message);
}

/* The results that follow an assistant message, each the first of its id: an answer may have
   thousands of calls. */
typedef struct Results {
    GHashTable *places; // id (borrowed) → index in Converter.in
    size_t other;       // index of the first message that is no result
} Results;

static void results_clear(Results *self)
{
    g_hash_table_unref(self->places);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Results, results_clear)

static Results results_behind(const Converter *self, size_t index)
{
    Results results = { g_hash_table_new(g_str_hash, g_str_equal), self->end };
    for (size_t i = self->end; i > index + 1; i--) {
        const json_t *message = json_array_get(self->in, i - 1);
        const char *id = json_get_text(message, "toolCallId");
        if (!is_role(message, "toolResult"))
            results.other = i - 1;
        else if (id)
            g_hash_table_replace(results.places, (void *)id, GSIZE_TO_POINTER(i - 1));
    }
    return results;
}

/* The result of `call`; its place is the one at hand then. Messages that a user put in between do
   not hide it: the results are moved up. */
static const json_t *find_result(Converter *self, const Results *results, const json_t *call)
{
    const char *id = json_get_text(call, "id");
    size_t i = id ? GPOINTER_TO_SIZE(g_hash_table_lookup(results->places, id)) : 0;
    if (i == 0) // the assistant's message is before it
        return NULL;
    json_t *message = json_array_get(self->in, i);
    self->place = g_array_index(self->places, size_t, i);
    g_hash_table_add(self->met, message);
    if (i > results->other)
        converter_note(self, REPAIR_MOVED_RESULT);
    return message;
}

static void convert_assistant(Converter *self, size_t index)
{
    const json_t *message = json_array_get(self->in, index);
    const char *stop_reason = message_stop_reason(message);
    bool is_broken = strcmp(stop_reason, "error") == 0 || strcmp(stop_reason, "aborted") == 0;
    g_hash_table_remove_all(self->ids); // some servers count from call_0 in every answer
    append_blocks(self, "assistant", assistant_blocks(self, message, is_broken));

    g_autoptr(json_t) calls = message_tool_calls(message);
    g_auto(Results) results = results_behind(self, index);
    bool has_missing = false;
    json_each (calls, i, call) {
        self->place = g_array_index(self->places, size_t, index);
        const json_t *result = find_result(self, &results, call);
        has_missing = has_missing || !result;
        append_result(self, call, result, is_broken ? ABORTED_RESULT : NO_RESULT);
    }
    if (!is_broken || !has_missing)
        return;
    json_t *note = json_array();
    json_append_take(note, message_text_block(INTERRUPTED_NOTE));
    append_blocks(self, "developer", note);
}

Converter *converter_new(void)
{
    Converter *self = g_new0(Converter, 1);
    self->sent_ids = g_ptr_array_new_with_free_func(g_free);
    self->used_ids = g_hash_table_new(g_str_hash, g_str_equal);
    self->ids = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    self->places = g_array_new(FALSE, FALSE, sizeof(size_t));
    self->met = g_hash_table_new(g_direct_hash, g_direct_equal);
    return self;
}

void converter_block_images(Converter *self, bool is_blocked)
{
    self->blocks_images = is_blocked;
}

void converter_free(Converter *self)
{
    if (!self)
        return;
    g_array_unref(self->places);
    g_hash_table_unref(self->met);
    g_hash_table_unref(self->ids);
    g_hash_table_unref(self->used_ids);
    g_ptr_array_unref(self->sent_ids);
    g_free(self);
}

size_t converter_position(const Converter *self)
{
    return self->sent_ids->len;
}

void converter_rewind(Converter *self, size_t position)
{
    g_assert(position <= self->sent_ids->len);
    g_hash_table_remove_all(self->ids);
    for (guint i = self->sent_ids->len; i > position; i--)
        g_hash_table_remove(self->used_ids, g_ptr_array_index(self->sent_ids, i - 1));
    g_ptr_array_set_size(self->sent_ids, (gint)position);
}

size_t convert_group_end(const json_t *messages, size_t begin)
{
    size_t end = begin + 1;
    if (!is_role(json_array_get(messages, begin), "assistant"))
        return end;
    for (size_t i = end; i < json_array_size(messages); i++) {
        const json_t *message = json_array_get(messages, i);
        if (is_role(message, "assistant"))
            break;
        if (is_role(message, "toolResult"))
            end = i + 1;
    }
    return end;
}

static json_t *converter_repaired(Converter *self, const json_t *messages, size_t begin, size_t end)
{
    json_t *out = json_array();
    g_array_set_size(self->places, 0);
    for (size_t i = begin; i < end; i++) {
        json_t *message = repair_message(json_array_get(messages, i), self->notes, i);
        if (!message)
            continue;
        json_append_take(out, message);
        g_array_append_val(self->places, i);
    }
    return out;
}

/* Results follow their calls by now; those without a call would be refused. */
static void convert_other(Converter *self, json_t *message)
{
    if (is_role(message, "toolResult")) {
        if (!g_hash_table_contains(self->met, message))
            converter_note(self, REPAIR_LOST_RESULT);
        return;
    }
    g_autoptr(json_t) blocks = role_text_blocks(message);
    if (blocks)
        append_blocks(self, is_role(message, "developer") ? "developer" : "user",
                      clean_blocks(self, blocks));
    else if (!json_get_bool(message, "excludeFromContext", false))
        converter_note(self, REPAIR_NO_MESSAGE);
}

json_t *converter_convert(Converter *self, const Model *model, const json_t *messages, size_t begin,
                          size_t end, RepairNotes *notes)
{
    self->model = model;
    self->notes = notes;
    self->needs_mistral_ids = model_api_wire(model->api) == MODEL_API_OPENAI_COMPLETIONS &&
                              openai_compat(model).requires_mistral_tool_ids;
    g_autoptr(json_t) group = converter_repaired(self, messages, begin, end);
    g_hash_table_remove_all(self->met);
    self->in = group;
    self->end = json_array_size(group);
    self->out = json_array();
    for (size_t i = 0; i < self->end; i++) {
        json_t *message = json_array_get(group, i);
        self->place = g_array_index(self->places, size_t, i);
        if (is_role(message, "assistant"))
            convert_assistant(self, i);
        else
            convert_other(self, message);
    }
    self->in = NULL;
    return self->out;
}

json_t *convert_history(const json_t *messages, const Model *model)
{
    g_autoptr(Converter) converter = converter_new();
    json_t *out = json_array();
    for (size_t begin = 0, end; begin < json_array_size(messages); begin = end) {
        end = convert_group_end(messages, begin);
        g_autoptr(json_t) group = converter_convert(converter, model, messages, begin, end, NULL);
        json_array_extend(out, group);
    }
    return out;
}
