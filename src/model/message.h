/*
 * Agent messages (agent-core §2.1), held as JSON exactly as they are stored and sent as events.
 *
 * A message is a json_t object. Once it has been handed on (appended to a conversation, stored or
 * emitted) no one changes it any more, so threads may share it. All constructors return a new
 * reference and stamp the current time.
 */
#pragma once

#include "base/json.h"

json_t *message_user(const char *text);
/* `content` is an array of blocks; takes the reference. */
json_t *message_user_blocks(json_t *content);
json_t *message_developer(const char *text);
/* `content` (array) and `details` (may be NULL): takes the references. */
json_t *message_tool_result(const char *call_id, const char *tool_name, json_t *content,
                            json_t *details, bool is_error);

json_t *message_text_block(const char *text);
json_t *message_image_block(const char *base64, const char *mime_type);
/* The MIME type of an image that models take (PNG, JPEG, GIF, WebP), by its first bytes; NULL for
   anything else. */
const char *message_image_type(const char *data, size_t size);

/* "Showing lines 1-9 of 20 (50.0KB limit). Use :10 to continue. Read artifact://3 for full output":
   how the text of a message was cut; `truncation` is its meta.truncation. */
void message_append_truncation(GString *out, const json_t *truncation);

/* Borrowed; "" when absent. */
const char *message_role(const json_t *message);
const char *message_stop_reason(const json_t *message);
const char *message_error(const json_t *message); // errorMessage; NULL when none
/* The content as an array of blocks; a string content becomes one text block. New reference. */
json_t *message_blocks(const json_t *message);
/* The text blocks joined with LF. Caller frees. */
char *message_text(const json_t *message);
char *message_blocks_text(const json_t *blocks); // of an array of blocks; NULL is an empty one
/* The toolCall blocks, in order. A new array; the blocks in it are shared. */
json_t *message_tool_calls(const json_t *message);
