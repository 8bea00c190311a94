/*
 * Claude Code's lines (import_builder.h): records with uuid and parentUuid; an answer is several
 * records with one message id, results of tools are records of the user.
 */
#include "base/str.h"
#include "model/message.h"
#include "model/usage.h"
#include "session/import_builder.h"

#define IMAGE_TYPES "image/"

bool import_is_claude(const json_t *line)
{
    const char *type = json_get_text(line, "type");
    return (json_get_text(line, "uuid") && json_get_text(line, "sessionId")) ||
           (g_strcmp0(type, "summary") == 0 && json_get_text(line, "leafUuid"));
}

static bool is_type(const json_t *line, const char *type)
{
    return g_strcmp0(json_get_text(line, "type"), type) == 0;
}

static bool is_spoken(const json_t *line)
{
    return (is_type(line, "user") || is_type(line, "assistant")) &&
           !json_get_bool(line, "isSidechain", false) && !json_get_bool(line, "isMeta", false) &&
           json_get_object(line, "message");
}

/* The records from the last that was said to the root; a circle ends it. */
static GHashTable *active_path(const GPtrArray *lines)
{
    g_autoptr(GHashTable) by_id = g_hash_table_new(g_str_hash, g_str_equal);
    GHashTable *path = g_hash_table_new(NULL, NULL);
    const json_t *at = NULL;
    for (unsigned i = 0; i < lines->len; i++) {
        const char *id = json_get_text(lines->pdata[i], "uuid");
        if (id)
            g_hash_table_insert(by_id, (void *)id, lines->pdata[i]);
        if (id && is_spoken(lines->pdata[i]))
            at = lines->pdata[i];
    }
    while (at && g_hash_table_add(path, (void *)at)) {
        const char *parent = json_get_text(at, "parentUuid");
        parent = parent ? parent : json_get_text(at, "logicalParentUuid");
        at = parent ? g_hash_table_lookup(by_id, parent) : NULL;
    }
    return path;
}

static json_t *image_block(const json_t *block)
{
    const json_t *source = json_get_object(block, "source");
    const char *data = json_get_text(source, "data");
    const char *type = json_get_text(source, "media_type");
    bool is_image = data && type && str_has_prefix(type, IMAGE_TYPES);
    return is_image ? message_image_block(data, type) : NULL;
}

/* Text and images of a content: a text, or blocks. New array. */
static json_t *plain_blocks(const json_t *content)
{
    json_t *blocks = json_array();
    if (json_is_string(content)) {
        json_append_take(blocks, message_text_block(json_string_value(content)));
        return blocks;
    }
    json_each (content, i, block) {
        const char *text = json_get_text(block, "text");
        json_t *image = is_type(block, "image") ? image_block(block) : NULL;
        if (is_type(block, "text") && text && *text)
            json_append_take(blocks, message_text_block(text));
        else if (image)
            json_append_take(blocks, image);
    }
    return blocks;
}

static void take_results(ImportBuilder *self, const json_t *content, const char *at)
{
    json_each (content, i, block)
        if (is_type(block, "tool_result"))
            import_add_result(self, json_get_text(block, "tool_use_id"),
                              plain_blocks(json_object_get(block, "content")),
                              json_get_bool(block, "is_error", false), at);
}

static void take_user(ImportBuilder *self, const json_t *line, bool is_on_path)
{
    const json_t *content = json_object_get(json_get_object(line, "message"), "content");
    const char *at = json_get_text(line, "timestamp");
    take_results(self, content, at); // those of calls that were taken, wherever they hang
    if (!is_on_path)
        return;
    json_t *blocks = plain_blocks(content);
    if (json_get_bool(line, "isCompactSummary", false)) {
        g_autofree char *text = message_blocks_text(blocks);
        import_add_summary(self, text, at);
        json_decref(blocks);
    } else {
        import_add_user(self, blocks, at);
    }
}

static void take_answer(ImportBuilder *self, const json_t *line)
{
    const json_t *message = json_get_object(line, "message");
    const char *key = json_get_text(message, "id");
    const char *at = json_get_text(line, "timestamp");
    key = key ? key : json_get_text(line, "uuid");
    const char *model = json_get_text(message, "model");
    if (model && *model != '<') // "<synthetic>": made by the program
        import_set_once(&self->model, model);
    const json_t *content = json_object_get(message, "content");
    json_each (content, i, block) {
        const char *text = json_get_text(block, "text");
        if (is_type(block, "text") && text && *text)
            import_add_block(self, key, message_text_block(text), at);
        else if (is_type(block, "thinking"))
            import_add_block(self, key,
                             import_thinking(json_get_text(block, "thinking"),
                                             json_get_text(block, "signature")),
                             at);
        else if (is_type(block, "tool_use"))
            import_add_block(self, key,
                             import_call(json_get_text(block, "id"), json_get_text(block, "name"),
                                         json_object_get(block, "input")),
                             at);
    }
    const json_t *usage = json_get_object(message, "usage");
    if (usage)
        import_set_usage(self, key, usage_count(usage, "input_tokens", 0),
                         usage_count(usage, "output_tokens", 0),
                         usage_count(usage, "cache_read_input_tokens", 0),
                         usage_count(usage, "cache_creation_input_tokens", 0));
}

void import_read_claude(ImportBuilder *self, const GPtrArray *lines)
{
    g_autoptr(GHashTable) path = active_path(lines);
    g_autoptr(GHashTable) answers = g_hash_table_new(g_str_hash, g_str_equal); // message ids taken
    for (unsigned i = 0; i < lines->len; i++) {
        const json_t *line = lines->pdata[i];
        import_set_once(&self->id, json_get_text(line, "sessionId"));
        import_set_once(&self->cwd, json_get_text(line, "cwd"));
        if (is_type(line, "summary"))
            import_set_once(&self->title, json_get_text(line, "summary"));
        const char *id = json_get_text(json_get_object(line, "message"), "id");
        if (is_type(line, "assistant") && id && g_hash_table_contains(path, line))
            g_hash_table_add(answers, (void *)id);
    }
    for (unsigned i = 0; i < lines->len; i++) {
        const json_t *line = lines->pdata[i];
        if (!is_spoken(line))
            continue;
        bool is_on_path = g_hash_table_contains(path, line);
        const char *id = json_get_text(json_get_object(line, "message"), "id");
        if (is_type(line, "user"))
            take_user(self, line, is_on_path);
        else if (is_on_path || (id && g_hash_table_contains(answers, id)))
            take_answer(self, line);
    }
}
