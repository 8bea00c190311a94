/*
 * Messages of a person as lines of JSON on standard input: `--input-format json` (agent-core §6.1).
 *
 * A line is a text ("fix it"), a prompt as RPC takes it ({"message":"fix it","images":[…]}), or a
 * message ({"role":"user","content":…}), also wrapped as {"type":"user","message":{…}}. Blank lines
 * are passed over. They are read one at a time, when they are wanted: what is sent later waits in
 * the pipe.
 */
#pragma once

#include "base/cancel.h"
#include "base/json.h"

typedef struct MessageLines MessageLines;

/* `fd` is borrowed. */
MessageLines *message_lines_new(int fd);
void message_lines_free(MessageLines *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(MessageLines, message_lines_free)

/* Waits for the next one. *ret_message: a user message, new reference; NULL at the end of the
   input. PROTOCOL and LIMIT name the line; `cancel` may be NULL. */
bool message_lines_next(MessageLines *self, Cancel *cancel, json_t **ret_message, GError **error);
