/*
 * Conversations for tests of the viewer, and plain blocks: what is tested here is which of them are
 * laid out, kept and shown, not how they look.
 */
#pragma once

#include "unit.h"

#include "tui/text/clean.h"
#include "tui/text/wrap.h"
#include "tui/view/block.h"

/* --- blocks */

static void add_text_rows(const char *text, const BlockSpec *spec, GPtrArray *out)
{
    g_autofree char *clean = clean_text(text ? text : "", spec->tab_width);
    if (*clean)
        wrap_text(clean, (Style) { 0 }, &(WrapSpec) { .width = spec->width }, out);
}

void block_message_rows(const json_t *message, const BlockSpec *spec, GPtrArray *out)
{
    const json_t *content = json_object_get(message, "content");
    size_t i = 0;
    json_t *block = NULL;
    if (json_is_string(content))
        add_text_rows(json_string_value(content), spec, out);
    json_array_foreach (content, i, block)
        add_text_rows(json_get_text(block, "text"), spec, out);
}

void block_tool_rows(const char *tool, const json_t *arguments, const json_t *result,
                     bool is_error G_GNUC_UNUSED, gint64 duration_ms G_GNUC_UNUSED,
                     const BlockSpec *spec, GPtrArray *out)
{
    const char *key = NULL;
    json_t *value = NULL;
    add_text_rows(tool, spec, out);
    json_object_foreach ((json_t *)arguments, key, value)
        add_text_rows(json_string_value(value), spec, out);
    if (result)
        block_message_rows(result, spec, out);
}

/* --- conversations */

static G_GNUC_UNUSED void add_user(json_t *messages, const char *text)
{
    json_append_take(messages, json_pack("{s:s, s:s}", "role", "user", "content", text));
}

static G_GNUC_UNUSED void add_answer(json_t *messages, const char *text)
{
    json_append_take(messages,
                     json_pack("{s:s, s:s, s:[{s:s, s:s}]}", "role", "assistant", "stopReason",
                               "stop", "content", "type", "text", "text", text));
}

/* An answer that is one call. */
static G_GNUC_UNUSED void add_call(json_t *messages, const char *id, const char *command)
{
    json_append_take(messages,
                     json_pack("{s:s, s:s, s:[{s:s, s:s, s:s, s:{s:s}}]}", "role", "assistant",
                               "stopReason", "toolUse", "content", "type", "toolCall", "id", id,
                               "name", "bash", "arguments", "command", command));
}

static G_GNUC_UNUSED void add_result(json_t *messages, const char *id, const char *text)
{
    json_append_take(messages,
                     json_pack("{s:s, s:s, s:s, s:b, s:[{s:s, s:s}]}", "role", "toolResult",
                               "toolCallId", id, "toolName", "bash", "isError", false, "content",
                               "type", "text", "text", text));
}

/* `count` messages, each of some words and its number: "m00012". */
static G_GNUC_UNUSED json_t *numbered_messages(int count)
{
    json_t *messages = json_array();
    for (int i = 0; i < count; i++) {
        g_autoptr(GString) text = g_string_new(NULL);
        for (int word = 0; word < 5 + i % 40; word++)
            g_string_append_printf(text, "%sm%05dw%d", word > 0 ? " " : "", i, word);
        if (i % 2 == 0)
            add_user(messages, text->str);
        else
            add_answer(messages, text->str);
    }
    return messages;
}
