/*
 * What a conversation holds, in the words of the Agent Client Protocol, and the other way round.
 * Pure.
 */
#pragma once

#include "base/json.h"

/* The user message of a prompt (array of content blocks). New reference. USAGE: a block that is not
   understood, or none that says anything. */
json_t *acp_prompt_message(const json_t *blocks, GError **error);

/* {"sessionUpdate":KIND,"content":{"type":"text","text":TEXT}}. New references, all of these. */
json_t *acp_chunk(const char *kind, const char *text);
/* The text of a prompt that may be a command, "/name argument": it begins so and is all there is.
   Borrowed; NULL: it is a message. */
const char *acp_command_line(const json_t *blocks);
/* The commands that can be typed: `commands` is an array of {"name","description","input"?}. Takes
   it. */
json_t *acp_commands_update(json_t *commands);
/* The session has this name now. */
json_t *acp_session_info(const char *title);
/* Of a call that begins: title, kind, raw input, places. */
json_t *acp_tool_call(const char *call_id, const char *tool, const json_t *arguments,
                      const char *status);
/* How it gets on. `result` is {"content":[blocks]} or NULL; `status` may be NULL. */
json_t *acp_tool_update(const char *call_id, const char *status, const json_t *result);
/* What an editor is shown of a message of the past: an array of updates. */
json_t *acp_replay(const json_t *message);
/* Why a prompt ended: `end` of command_end's data, and the last answer (may be NULL). */
const char *acp_stop_reason(const char *end, const json_t *answer);
