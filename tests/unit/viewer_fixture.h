/*
 * Conversations for tests of the viewer.
 */
#pragma once

#include "unit.h"

#include "base/json.h"

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
