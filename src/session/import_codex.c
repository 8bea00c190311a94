/*
 * Codex's lines (import_builder.h): {"type","payload"}, and in older files the payload alone. What
 * follows one another without a user or a result between is one answer.
 */
#include "base/str.h"
#include "model/message.h"
#include "session/import_builder.h"

typedef struct CodexReader {
    ImportBuilder *builder;
    unsigned answer; // number of the answer that blocks join
} CodexReader;

static bool is_type(const json_t *value, const char *type)
{
    return g_strcmp0(json_get_text(value, "type"), type) == 0;
}

bool import_is_codex(const json_t *line)
{
    bool is_old_header = json_get_text(line, "id") && json_get_text(line, "timestamp") &&
                         (json_object_get(line, "instructions") || json_object_get(line, "git"));
    return (is_type(line, "session_meta") && json_get_object(line, "payload")) || is_old_header;
}

/* What the program itself put in front of a conversation, in the person's name. */
static bool is_injected(const char *text)
{
    static const char *const beginnings[] = { "<environment_context>", "<user_instructions>",
                                              "<permissions", "<turn_aborted>",
                                              "# AGENTS.md instructions" };
    for (size_t i = 0; i < G_N_ELEMENTS(beginnings); i++)
        if (str_has_prefix(text, beginnings[i]))
            return true;
    return false;
}

/* "data:image/png;base64,…" */
static json_t *image_of_url(const char *url)
{
    const char *comma = url ? strstr(url, ";base64,") : NULL;
    if (!comma || !str_has_prefix(url, "data:image/"))
        return NULL;
    g_autofree char *type =
        g_strndup(url + strlen("data:"), (size_t)(comma - url) - strlen("data:"));
    return message_image_block(comma + strlen(";base64,"), type);
}

static json_t *blocks_of(const json_t *content, bool is_user)
{
    json_t *blocks = json_array();
    json_each (content, i, part) {
        const char *text = json_get_text(part, "text");
        if (text && *text && !(is_user && is_injected(text)))
            json_append_take(blocks, message_text_block(text));
        json_append_take(blocks, image_of_url(json_get_text(part, "image_url")));
    }
    return blocks;
}

static char *key_of(const CodexReader *self)
{
    return g_strdup_printf("answer-%u", self->answer);
}

static void add_block(CodexReader *self, json_t *block, const char *at)
{
    g_autofree char *key = key_of(self);
    import_add_block(self->builder, key, block, at);
}

static void take_message(CodexReader *self, const json_t *item, const char *at)
{
    const char *role = json_get_text(item, "role");
    bool is_user = g_strcmp0(role, "user") == 0;
    g_autoptr(json_t) blocks = blocks_of(json_object_get(item, "content"), is_user);
    if (is_user && json_array_size(blocks) > 0) {
        self->answer++;
        import_add_user(self->builder, json_incref(blocks), at);
    } else if (g_strcmp0(role, "assistant") == 0) {
        json_each (blocks, i, block)
            add_block(self, json_incref(block), at);
    }
}

static void take_reasoning(CodexReader *self, const json_t *item, const char *at)
{
    g_autoptr(GString) text = g_string_new(NULL);
    const json_t *summary = json_get_array(item, "summary");
    json_each (summary, i, part) {
        const char *piece = json_get_text(part, "text");
        if (piece)
            g_string_append_printf(text, "%s%s", text->len > 0 ? "\n\n" : "", piece);
    }
    add_block(self, import_thinking(text->str, NULL), at);
}

static void take_call(CodexReader *self, const json_t *item, const char *at)
{
    g_autoptr(json_t) arguments = NULL;
    const char *text = json_get_text(item, "arguments");
    const char *input = json_get_text(item, "input"); // of a tool that takes plain text
    const json_t *action = json_get_object(item, "action");
    if (input) {
        arguments = json_make("input:%s", input);
    } else if (!text || !json_parse_text(text, &arguments, NULL)) {
        arguments = action ? json_deep_copy(action) : json_object();
    }
    const char *id = json_get_text(item, "call_id");
    const char *name = json_get_text(item, "name");
    bool is_shell = is_type(item, "local_shell_call");
    add_block(
        self,
        import_call(id ? id : json_get_text(item, "id"), is_shell ? "shell" : name, arguments), at);
}

/* The output is a text, often itself {"output":"…","metadata":{"exit_code":1}}, or an object. */
static void take_output(CodexReader *self, const json_t *item, const char *at)
{
    const json_t *output = json_object_get(item, "output");
    g_autoptr(json_t) inner = NULL;
    if (json_is_string(output))
        json_parse_text(json_string_value(output), &inner, NULL);
    const json_t *object = json_is_object(output) ? output : inner;
    const char *text = json_get_text(object, "output");
    text = text ? text : json_get_text(object, "content");
    text = text ? text : json_string_value(output);
    bool is_error = json_get_int(json_get_object(object, "metadata"), "exit_code", 0) != 0 ||
                    !json_get_bool(object, "success", true);
    json_t *blocks = json_array();
    if (text && *text)
        json_append_take(blocks, message_text_block(text));
    self->answer++;
    import_add_result(self->builder, json_get_text(item, "call_id"), blocks, is_error, at);
}

static void take_item(CodexReader *self, const json_t *item, const char *at)
{
    if (is_type(item, "message"))
        take_message(self, item, at);
    else if (is_type(item, "reasoning"))
        take_reasoning(self, item, at);
    else if (is_type(item, "function_call") || is_type(item, "custom_tool_call") ||
             is_type(item, "local_shell_call"))
        take_call(self, item, at);
    else if (is_type(item, "function_call_output") || is_type(item, "custom_tool_call_output"))
        take_output(self, item, at);
}

static void take_line(CodexReader *self, const json_t *line)
{
    ImportBuilder *builder = self->builder;
    const json_t *payload = json_get_object(line, "payload");
    const char *at = json_get_text(line, "timestamp");
    if (!payload) { // an older file
        if (!json_get_text(line, "type")) {
            import_set_once(&builder->id, json_get_text(line, "id"));
            import_set_time(builder, at);
        }
        take_item(self, line, at);
    } else if (is_type(line, "session_meta")) {
        import_set_once(&builder->id, json_get_text(payload, "id"));
        import_set_time(builder, at);
        import_set_once(&builder->cwd, json_get_text(payload, "cwd"));
    } else if (is_type(line, "turn_context")) {
        const char *model = json_get_text(payload, "model");
        if (model) {
            g_free(builder->model);
            builder->model = g_strdup(model);
        }
        import_set_once(&builder->cwd, json_get_text(payload, "cwd"));
    } else if (is_type(line, "compacted")) {
        self->answer++;
        import_add_summary(builder, json_get_text(payload, "message"), at);
    } else if (is_type(line, "response_item")) {
        take_item(self, payload, at);
    }
}

void import_read_codex(ImportBuilder *self, const GPtrArray *lines)
{
    CodexReader reader = { .builder = self };
    for (unsigned i = 0; i < lines->len; i++)
        take_line(&reader, lines->pdata[i]);
}
