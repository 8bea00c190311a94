/* See repair_strong.h. */
#include "model/repair_strong.h"

#include "model/message.h"
#include "model/provider.h"

#define NO_IMAGE    "[image removed: the server refused it]"
#define REPLACEMENT 0xFFFD

typedef struct Cure { // what is taken out
    bool thinking, images, exchanges, characters;
} Cure;

static bool repair_strong_says(const char *text, const char *pattern)
{
    return g_regex_match_simple(pattern, text, G_REGEX_CASELESS, 0);
}

bool repair_is_curable(const char *problem)
{
    static const char other_reasons[] =
        "content.{0,3}(policy|filter|management)|safety|moderation|prohibited|credit balance"
        "|billing|quota|api.?key|authenticat|unauthor|model.{0,60}(not found|does not exist)";
    if (!problem || provider_error_is_overflow(problem) || provider_error_is_retryable(problem) ||
        repair_strong_says(problem, other_reasons))
        return false;
    return provider_error_is_of_roles(problem) ||
           repair_strong_says(problem, "\\bHTTP (400|422)\\b") ||
           repair_strong_says(problem, "invalid.?request");
}

static Cure cure_of(const char *problem)
{
    const Cure cure = {
        .thinking = repair_strong_says(problem, "thinking|signature|reasoning"),
        .images = repair_strong_says(problem, "image|media"),
        .exchanges =
            repair_strong_says(problem, "tool_use|tool_result|tool_call|tool call|function"),
        .characters = repair_strong_says(problem, "surrogate|utf|json|unicode"),
    };
    bool is_known = cure.thinking || cure.images || cure.exchanges || cure.characters;
    return is_known ? cure : (Cure) { true, true, true, true };
}

unsigned repair_strong_reach(StrongRepair how, const char *problem)
{
    if (how == STRONG_TEXT)
        return REPAIR_REACH_ALL; // exchanges that are under way, too
    const Cure cure = cure_of(problem);
    return (unsigned)cure.thinking | (unsigned)cure.images << 1 | (unsigned)cure.exchanges << 2 |
           (unsigned)cure.characters << 3;
}

// ---- one block as something else; each returns a new reference ----

static bool is_type(const json_t *block, const char *type)
{
    return g_strcmp0(json_get_text(block, "type"), type) == 0;
}

static json_t *call_text(const json_t *block)
{
    json_t *arguments = json_object_get(block, "arguments");
    const char *name = json_get_text(block, "name");
    g_autofree char *json = arguments ? json_to_text(arguments) : g_strdup("{}");
    g_autofree char *text = g_strdup_printf("[called %s %s]", name ? name : "a tool", json);
    return message_text_block(text);
}

/* Characters outside the basic plane are what broken encoders stumble over. */
static json_t *plain_text(json_t *block)
{
    const char *text = json_get_text(block, "text");
    if (!text)
        return json_incref(block);
    g_autoptr(GString) plain = g_string_new(NULL);
    for (const char *at = text; *at; at = g_utf8_next_char(at)) {
        gunichar character = g_utf8_get_char(at);
        g_string_append_unichar(plain, character > 0xFFFF ? REPLACEMENT : character);
    }
    return message_text_block(plain->str);
}

/* Ids of the Responses format's items name the reasoning that they came of: "call_1|fc_1" is call_1
   alone. A new reference. */
static json_t *without_item_id(json_t *object, const char *key)
{
    const char *id = json_get_text(object, key);
    const char *bar = id ? strchr(id, '|') : NULL;
    bool has_signature = json_object_get(object, "textSignature") != NULL;
    if (!bar && !has_signature)
        return json_incref(object);
    json_t *copy = json_copy(object);
    json_object_del(copy, "textSignature");
    if (bar) {
        g_autofree char *call_id = g_strndup(id, (gsize)(bar - id));
        json_set_text(copy, key, call_id);
    }
    return copy;
}

/* NULL: it goes. */
static json_t *cure_block(json_t *block, const Cure *cure, bool is_result)
{
    if (cure->thinking && (is_type(block, "thinking") || is_type(block, "redactedThinking")))
        return NULL;
    if (cure->images && is_type(block, "image"))
        return message_text_block(NO_IMAGE);
    if (cure->exchanges && is_type(block, "toolCall"))
        return call_text(block);
    if (cure->characters && is_result && is_type(block, "text"))
        return plain_text(block);
    return cure->thinking ? without_item_id(block, "id") : json_incref(block);
}

// ---- messages ----

static json_t *cure_message(json_t *message, const Cure *cure)
{
    bool is_result = g_str_equal(message_role(message), "toolResult");
    if (!json_get_array(message, "content"))
        return json_incref(message);
    g_autoptr(json_t) plain =
        cure->thinking ? without_item_id(message, "toolCallId") : json_incref(message);
    json_t *copy = json_copy(plain);
    json_t *content = json_array();
    if (is_result && cure->exchanges) {
        const char *name = json_get_text(message, "toolName");
        g_autofree char *lead = g_strdup_printf("[result of %s]", name ? name : "a tool");
        json_append_take(content, message_text_block(lead));
        json_set_text(copy, "role", "user");
    }
    json_each (json_get_array(message, "content"), i, block) {
        json_t *cured = cure_block(block, cure, is_result);
        if (cured)
            json_append_take(content, cured);
    }
    json_set_take(copy, "content", content);
    return copy;
}

/* The last message of a person: exchanges behind it are under way and stay. */
static size_t last_prompt(const json_t *messages)
{
    for (size_t i = json_array_size(messages); i > 0; i--) {
        if (g_str_equal(message_role(json_array_get(messages, i - 1)), "user"))
            return i - 1;
    }
    return 0;
}

json_t *repair_strongly(const json_t *messages, StrongRepair how, const char *problem)
{
    Cure cure = how == STRONG_TEXT ? (Cure) { true, true, true, true } : cure_of(problem);
    size_t prompt = last_prompt(messages);
    json_t *out = json_array();
    json_each (messages, i, message) {
        Cure own = cure;
        own.exchanges = cure.exchanges && (how == STRONG_TEXT || i < prompt);
        json_append_take(out, cure_message(message, &own));
    }
    return out;
}
