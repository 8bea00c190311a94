/* See message.h. */
#include "model/message.h"

#include "base/str.h"
#include "base/timefmt.h"

#include <inttypes.h>

static json_t *message_new(const char *role)
{
    return json_make("role:%s", role);
}

static json_t *message_stamp(json_t *self)
{
    json_set_int(self, "timestamp", time_now_ms());
    return self;
}

json_t *message_user(const char *text)
{
    json_t *self = message_new("user");
    json_set_text(self, "content", text ? text : "");
    return message_stamp(self);
}

json_t *message_user_blocks(json_t *content)
{
    json_t *self = message_new("user");
    json_set_take(self, "content", content);
    return message_stamp(self);
}

json_t *message_developer(const char *text)
{
    json_t *self = message_new("developer");
    json_set_text(self, "content", text ? text : "");
    return message_stamp(self);
}

json_t *message_tool_result(const char *call_id, const char *tool_name, json_t *content,
                            json_t *details, bool is_error)
{
    json_t *self = message_new("toolResult");
    json_add(self, "toolCallId:%s toolName:%s content:%p details:%p isError:%i",
             call_id ? call_id : "", tool_name ? tool_name : "", content ? content : json_array(),
             details, is_error);
    return message_stamp(self);
}

json_t *message_text_block(const char *text)
{
    return json_make("type:%s text:%s", "text", text ? text : "");
}

json_t *message_image_block(const char *base64, const char *mime_type)
{
    return json_make("type:%s data:%s mimeType:%s", "image", base64, mime_type);
}

const char *message_image_type(const char *data, size_t size)
{
    if (size >= 8 && memcmp(data, "\x89PNG\r\n\x1a\n", 8) == 0)
        return "image/png";
    if (size >= 3 && memcmp(data, "\xff\xd8\xff", 3) == 0)
        return "image/jpeg";
    if (size >= 6 && (memcmp(data, "GIF87a", 6) == 0 || memcmp(data, "GIF89a", 6) == 0))
        return "image/gif";
    if (size >= 12 && memcmp(data, "RIFF", 4) == 0 && memcmp(data + 8, "WEBP", 4) == 0)
        return "image/webp";
    return NULL;
}

void message_append_truncation(GString *out, const json_t *truncation)
{
    const json_t *range = json_get_object(truncation, "shownRange");
    gint64 start = json_get_int(range, "start", 1), end = json_get_int(range, "end", 0);
    gint64 total = json_get_int(truncation, "totalLines", 0);
    const char *bound = json_is_true(json_object_get(truncation, "isAtLeast")) ? "at least " : "";
    if (end >= start)
        g_string_append_printf(out, "Showing lines %" PRId64 "-%" PRId64 " of %s%" PRId64, start,
                               end, bound, total);
    else
        g_string_append_printf(out, "Showing %" PRId64 " of %" PRId64 " lines",
                               json_get_int(truncation, "outputLines", 0), total);
    if (g_strcmp0(json_get_text(truncation, "truncatedBy"), "bytes") == 0) {
        gint64 bytes =
            json_get_int(truncation, "maxBytes", json_get_int(truncation, "outputBytes", 0));
        g_autofree char *size = str_format_bytes((uint64_t)MAX(bytes, 0));
        g_string_append_printf(out, " (%s limit)", size);
    }
    gint64 next = json_get_int(truncation, "nextOffset", 0);
    if (next > 0)
        g_string_append_printf(out, ". Use :%" PRId64 " to continue", next);
    const json_t *artifact = json_object_get(truncation, "artifactId");
    const char *what = json_is_true(json_object_get(truncation, "isArtifactCut"))
                           ? "the first and last 128 MiB"
                           : "full output";
    if (json_is_string(artifact))
        g_string_append_printf(out, ". Read artifact://%s for %s", json_string_value(artifact),
                               what);
    else if (json_is_integer(artifact))
        g_string_append_printf(out, ". Read artifact://%" JSON_INTEGER_FORMAT " for %s",
                               json_integer_value(artifact), what);
}

static const char *text_or_empty(const json_t *object, const char *key)
{
    const char *text = json_get_text(object, key);
    return text ? text : "";
}

const char *message_role(const json_t *message)
{
    return text_or_empty(message, "role");
}

const char *message_stop_reason(const json_t *message)
{
    return text_or_empty(message, "stopReason");
}

const char *message_error(const json_t *message)
{
    return json_get_text(message, "errorMessage");
}

json_t *message_blocks(const json_t *message)
{
    json_t *content = json_object_get(message, "content");
    if (json_is_array(content))
        return json_incref(content);
    json_t *blocks = json_array();
    if (json_is_string(content) && json_string_length(content) > 0)
        json_append_take(blocks, message_text_block(json_string_value(content)));
    return blocks;
}

static bool block_is(const json_t *block, const char *type)
{
    return strcmp(text_or_empty(block, "type"), type) == 0;
}

char *message_blocks_text(const json_t *blocks)
{
    GString *text = g_string_new(NULL);
    bool is_first = true;
    json_each (blocks, i, block) {
        if (!block_is(block, "text"))
            continue;
        if (!is_first)
            g_string_append_c(text, '\n');
        is_first = false;
        g_string_append(text, text_or_empty(block, "text"));
    }
    return g_string_free(text, FALSE);
}

char *message_text(const json_t *message)
{
    g_autoptr(json_t) blocks = message_blocks(message);
    return message_blocks_text(blocks);
}

json_t *message_tool_calls(const json_t *message)
{
    g_autoptr(json_t) blocks = message_blocks(message);
    json_t *calls = json_array();
    json_each (blocks, i, block) {
        if (block_is(block, "toolCall"))
            json_array_append(calls, block);
    }
    return calls;
}
