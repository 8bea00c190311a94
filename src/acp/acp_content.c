/* See acp_content.h. */
#include "acp/acp_content.h"

#include "base/str.h"
#include "base/utf8.h"
#include "model/message.h"
#include "tool/call_paths.h"
#include "tool/call_title.h"

// ---- prompts ----

static json_t *text_of_resource(const json_t *resource)
{
    const char *uri = json_get_text(resource, "uri");
    const char *text = json_get_text(resource, "text");
    if (!text)
        return NULL;
    g_autofree char *whole =
        g_strdup_printf("<file path=\"%s\">\n%s\n</file>", uri ? uri : "", text);
    return message_text_block(whole);
}

static json_t *text_of_link(const json_t *block)
{
    const char *uri = json_get_text(block, "uri");
    if (!uri)
        return NULL;
    const char *path = str_has_prefix(uri, "file://") ? uri + strlen("file://") : uri;
    return message_text_block(path);
}

/* NULL: not understood. */
static json_t *block_of(const json_t *block)
{
    const char *type = json_get_text(block, "type");
    const char *text = json_get_text(block, "text");
    const char *data = json_get_text(block, "data"), *mime = json_get_text(block, "mimeType");
    if (g_strcmp0(type, "text") == 0 && text)
        return message_text_block(text);
    if (g_strcmp0(type, "image") == 0 && data && mime)
        return message_image_block(data, mime);
    if (g_strcmp0(type, "resource") == 0)
        return text_of_resource(json_get_object(block, "resource"));
    if (g_strcmp0(type, "resource_link") == 0)
        return text_of_link(block);
    return NULL;
}

const char *acp_command_line(const json_t *blocks)
{
    const char *text = json_get_text(json_array_get(blocks, 0), "text");
    bool is_command = json_array_size(blocks) == 1 && text && *text == '/';
    return is_command ? text : NULL;
}

json_t *acp_prompt_message(const json_t *blocks, GError **error)
{
    g_autoptr(json_t) content = json_array();
    json_each (blocks, i, block) {
        json_t *taken = block_of(block);
        if (!taken) {
            const char *type = json_get_text(block, "type");
            fail_with(error, KEDGE_ERROR_USAGE, "prompt[%zu]: a block of type \"%s\" is not taken",
                      i, type ? type : "");
            return NULL;
        }
        json_append_take(content, taken);
    }
    g_autofree char *text = message_blocks_text(content);
    if (json_array_size(content) == 0 || (utf8_is_blank(text) && json_array_size(content) == 1)) {
        fail_with(error, KEDGE_ERROR_USAGE, "the prompt is empty");
        return NULL;
    }
    return message_user_blocks(g_steal_pointer(&content));
}

// ---- updates ----

static json_t *update_new(const char *kind)
{
    return json_make("sessionUpdate:%s", kind);
}

json_t *acp_chunk(const char *kind, const char *text)
{
    json_t *update = update_new(kind);
    json_set_take(update, "content", message_text_block(text));
    return update;
}

json_t *acp_commands_update(json_t *commands)
{
    return json_make("sessionUpdate:%s availableCommands:%p", "available_commands_update",
                     commands);
}

json_t *acp_session_info(const char *title)
{
    json_t *update = update_new("session_info_update");
    json_set_text(update, "title", title);
    return update;
}

static const char *kind_of(const char *tool)
{
    static const struct {
        const char *tool, *kind;
    } kinds[] = {
        { "read", "read" },   { "edit", "edit" },       { "write", "edit" },
        { "find", "search" }, { "grep", "search" },     { "bash", "execute" },
        { "gh", "execute" },  { "web_fetch", "fetch" }, { "recipe", "execute" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
        if (g_strcmp0(tool, kinds[i].tool) == 0)
            return kinds[i].kind;
    }
    return "other";
}

json_t *acp_tool_call(const char *call_id, const char *tool, const json_t *arguments,
                      const char *status)
{
    g_autofree char *shown = call_title_arguments(arguments);
    g_autofree char *title = g_strdup_printf("%s%s%s", tool ? tool : "?", *shown ? " " : "", shown);
    json_t *update = update_new("tool_call");
    json_add(update, "toolCallId:%s title:%s kind:%s status:%s rawInput:%p", call_id, title,
             kind_of(tool), status, json_deep_copy(arguments));
    g_autoptr(GPtrArray) paths = g_ptr_array_new_with_free_func(g_free);
    call_paths_add(arguments, paths);
    json_t *places = json_array();
    for (unsigned i = 0; i < paths->len; i++) {
        json_append_take(places, json_make("path:%s", (const char *)paths->pdata[i]));
    }
    if (paths->len > 0)
        json_set_take(update, "locations", places);
    else
        json_decref(places);
    return update;
}

json_t *acp_tool_update(const char *call_id, const char *status, const json_t *result)
{
    json_t *update = update_new("tool_call_update");
    json_add(update, "toolCallId:%s status:%s", call_id, status);
    if (!result)
        return update;
    json_t *content = json_array();
    json_each (json_get_array(result, "content"), i, block) {
        json_append_take(content,
                         json_make("type:%s content:%p", "content", json_deep_copy(block)));
    }
    json_set_take(update, "content", content);
    return update;
}

// ---- the past ----

static void replay_block(json_t *updates, const json_t *block, const char *text_kind)
{
    const char *type = json_get_text(block, "type");
    const char *text = json_get_text(block, "text");
    const char *thinking = json_get_text(block, "thinking");
    if (g_strcmp0(type, "toolCall") == 0)
        json_append_take(updates,
                         acp_tool_call(json_get_text(block, "id"), json_get_text(block, "name"),
                                       json_get_object(block, "arguments"), "pending"));
    else if (text && *text)
        json_append_take(updates, acp_chunk(text_kind, text));
    else if (thinking && *thinking)
        json_append_take(updates, acp_chunk("agent_thought_chunk", thinking));
}

json_t *acp_replay(const json_t *message)
{
    json_t *updates = json_array();
    const char *role = message_role(message);
    bool is_user = g_str_equal(role, "user");
    if (g_str_equal(role, "toolResult")) {
        bool is_error = json_get_bool(message, "isError", false);
        json_append_take(updates, acp_tool_update(json_get_text(message, "toolCallId"),
                                                  is_error ? "failed" : "completed", message));
    }
    if (!is_user && !g_str_equal(role, "assistant"))
        return updates;
    g_autoptr(json_t) blocks = message_blocks(message);
    json_each (blocks, i, block)
        replay_block(updates, block, is_user ? "user_message_chunk" : "agent_message_chunk");
    return updates;
}

const char *acp_stop_reason(const char *end, const json_t *answer)
{
    if (g_strcmp0(end, "aborted") == 0)
        return "cancelled";
    if (g_strcmp0(end, "budget") == 0)
        return "max_turn_requests";
    const char *reason = answer ? message_stop_reason(answer) : NULL;
    return g_strcmp0(reason, "length") == 0 ? "max_tokens" : "end_turn";
}
