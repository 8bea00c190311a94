/* See repair.h. */
#include "model/repair.h"

#include "base/str.h"

#define ARGUMENTS_MAX_DEPTH 64

typedef struct Site { // where something is repaired
    RepairNotes *notes;
    size_t place;
} Site;

static void site_note(const Site *self, RepairRule rule)
{
    repair_notes_add(self->notes, rule, self->place);
}

// ---- text: control characters that servers refuse ----

static bool is_unwanted(char c)
{
    return (unsigned char)c < ' ' && c != '\t' && c != '\n' && c != '\r';
}

static bool has_unwanted(const char *text)
{
    while (*text && !is_unwanted(*text))
        text++;
    return *text != '\0';
}

/* What providers sign or encode goes back as it came. */
static bool is_opaque(const json_t *object, const char *key)
{
    static const char *const keys[] = { "thinkingSignature", "textSignature", "thoughtSignature",
                                        "data", NULL };
    const char *signature = json_get_text(object, "thinkingSignature");
    return g_strv_contains(keys, key) || (g_str_equal(key, "thinking") && signature && *signature);
}

static bool is_dirty(const json_t *value)
{
    if (json_is_string(value))
        return has_unwanted(json_string_value(value));
    json_each_member (value, key, item) {
        if (has_unwanted(key) || (!is_opaque(value, key) && is_dirty(item)))
            return true;
    }
    json_each (value, i, item) {
        if (is_dirty(item))
            return true;
    }
    return false;
}

static char *clean_text(const char *text)
{
    GString *clean = g_string_new(NULL);
    for (; *text; text++) {
        if (!is_unwanted(*text))
            g_string_append_c(clean, *text);
    }
    return g_string_free(clean, FALSE);
}

/* New reference. Depth is that of JSON that was parsed. */
static json_t *repair_clean(json_t *value)
{
    if (json_is_string(value)) {
        g_autofree char *text = clean_text(json_string_value(value));
        return json_text(text);
    }
    if (json_is_array(value)) {
        json_t *array = json_array();
        json_each (value, i, item)
            json_append_take(array, repair_clean(item));
        return array;
    }
    if (!json_is_object(value))
        return json_incref(value);
    json_t *object = json_object();
    json_each_member (value, key, item) {
        g_autofree char *name = clean_text(key);
        json_set_take(object, name, is_opaque(value, key) ? json_incref(item) : repair_clean(item));
    }
    return object;
}

// ---- blocks ----

static bool is_too_deep(const json_t *value, int depth)
{
    if (depth > ARGUMENTS_MAX_DEPTH)
        return true;
    json_each_member (value, key, item) {
        if (is_too_deep(item, depth + 1))
            return true;
    }
    json_each (value, i, item) {
        if (is_too_deep(item, depth + 1))
            return true;
    }
    return false;
}

/* New reference to an object. */
static json_t *fit_arguments(json_t *arguments)
{
    g_autoptr(json_t) parsed = NULL;
    if (json_is_string(arguments)) {
        json_parse_text(json_string_value(arguments), &parsed, NULL);
        arguments = parsed;
    }
    bool is_usable = json_is_object(arguments) && !is_too_deep(arguments, 0);
    return is_usable ? json_incref(arguments) : json_object();
}

/* New reference; NULL: the block cannot be sent. */
static json_t *repair_call(const Site *site, json_t *block)
{
    if (!json_is_string(json_object_get(block, "name")))
        return NULL;
    json_t *arguments = json_object_get(block, "arguments");
    g_autoptr(json_t) fit = fit_arguments(arguments);
    if (fit == arguments && !json_object_get(block, "partialJson"))
        return json_incref(block);
    site_note(site, REPAIR_ARGUMENTS);
    json_t *copy = json_copy(block);
    json_object_set(copy, "arguments", fit);
    json_object_del(copy, "partialJson");
    return copy;
}

static json_t *repair_block(const Site *site, json_t *block)
{
    static const char *const required[][2] = { { "text", "text" },
                                               { "image", "data" },
                                               { "thinking", "thinking" },
                                               { "redactedThinking", "data" } };
    const char *type = json_get_text(block, "type");
    if (!type)
        return NULL;
    if (g_str_equal(type, "toolCall"))
        return repair_call(site, block);
    for (size_t i = 0; i < G_N_ELEMENTS(required); i++) {
        if (!g_str_equal(type, required[i][0]))
            continue;
        // thinking that is kept from us, and what stands for a file that is gone, have none
        bool is_there = json_is_string(json_object_get(block, required[i][1])) ||
                        json_get_text(block, "thinkingSignature") ||
                        json_get_text(block, "textBlob");
        return is_there ? json_incref(block) : NULL;
    }
    return NULL;
}

// ---- fences: two lines with one mark around what an unknown author wrote (safety §2.3) ----

#define FENCE_OPEN  "<untrusted "
#define FENCE_CLOSE "</untrusted "
#define FENCE_MARK  16 // hexadecimal digits

/* The mark behind `name` at the beginning of a line; NULL: it is no such line. */
static const char *fence_mark(const char *line, const char *name)
{
    if (!str_has_prefix(line, name))
        return NULL;
    const char *mark = line + strlen(name);
    return strspn(mark, "0123456789abcdef") == FENCE_MARK ? mark : NULL;
}

/* The mark of a fence that has no closing line; NULL: there is none. Fences do not nest. */
static const char *open_fence(const char *text)
{
    const char *open = NULL;
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        const char *closing = fence_mark(line, FENCE_CLOSE);
        if (!open)
            open = fence_mark(line, FENCE_OPEN);
        else if (closing && strncmp(closing, open, FENCE_MARK) == 0)
            open = NULL;
    }
    return open;
}

/* New reference: the block itself when its fences are closed. */
static json_t *close_fence(const Site *site, json_t *block)
{
    const char *text = json_get_text(block, "text");
    const char *mark = text ? open_fence(text) : NULL;
    if (!mark)
        return json_incref(block);
    site_note(site, REPAIR_FENCE);
    g_autofree char *closed = g_strdup_printf("%s\n" FENCE_CLOSE "%.*s>", text, FENCE_MARK, mark);
    json_t *copy = json_copy(block);
    json_set_text(copy, "text", closed);
    return copy;
}

/* New reference: `blocks` itself when all are well. */
static json_t *repair_blocks(const Site *site, json_t *blocks, bool is_result)
{
    g_autoptr(json_t) out = json_array();
    bool is_changed = false;
    json_each (blocks, i, block) {
        g_autoptr(json_t) usable = repair_block(site, block);
        json_t *repaired = usable && is_result ? close_fence(site, usable) : json_incref(usable);
        if (!usable)
            site_note(site, REPAIR_BLOCK);
        is_changed = is_changed || repaired != block;
        if (repaired)
            json_append_take(out, repaired);
    }
    return is_changed ? g_steal_pointer(&out) : json_incref(blocks);
}

json_t *repair_message(json_t *message, RepairNotes *notes, size_t place)
{
    const Site site = { notes, place };
    const char *role = json_get_text(message, "role");
    json_t *content = json_object_get(message, "content");
    bool is_list = json_is_array(content);
    if (!role || (content && !is_list && !json_is_string(content) && !json_is_null(content))) {
        site_note(&site, REPAIR_NO_MESSAGE);
        return NULL;
    }
    bool has_dirt = is_dirty(message);
    if (has_dirt)
        site_note(&site, REPAIR_CHARACTERS);
    g_autoptr(json_t) clean_message = has_dirt ? repair_clean(message) : json_incref(message);
    if (!is_list)
        return g_steal_pointer(&clean_message);
    content = json_object_get(clean_message, "content");
    g_autoptr(json_t) blocks = repair_blocks(&site, content, g_str_equal(role, "toolResult"));
    if (blocks == content)
        return g_steal_pointer(&clean_message);
    json_t *copy = json_copy(clean_message);
    json_object_set(copy, "content", blocks);
    return copy;
}

bool repair_is_signature(const char *text)
{
    static const char alphabet[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_=";
    return text[strspn(text, alphabet)] == '\0';
}
