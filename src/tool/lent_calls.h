/*
 * What the commands that a call has started may call in turn: `gh` by its name in a shell is such a
 * call. It is judged, asked about and recorded as if the model had made it, by the door of the call
 * that runs the command.
 *
 * A tool lends its call for as long as the command runs in front of it. What a command asks for
 * later, in the background, is judged by the same door, but no person can be asked any more.
 * Thread safe.
 */
#pragma once

#include "tool/call.h"

/* From run(), on the call's thread. */
void lent_calls_begin(ToolCall *call);
/* `result` gets what was refused meanwhile (ToolResult.refused). */
void lent_calls_end(ToolCall *call, ToolResult *result);

/* A call by a command of this conversation; blocks. `user_data` is for the tool. */
void lent_calls_make(ToolContext *context, const ToolDef *tool, const json_t *arguments,
                     Cancel *cancel, void *user_data, ToolResult *ret_result);
void *lent_calls_user_data(const ToolCall *call);

/* How long people have been asked so far, the question that is open included: no command runs out
   of time because somebody thinks. `context` NULL: never. */
int64_t lent_calls_asked_ms(ToolContext *context);

/*
 * What makes such calls of commands, from the tables of a conversation: the room of GitHub has it.
 * `environment` puts it before a child's PATH (takes and returns the vector); `shell_text` is the
 * same for a shell that has begun already, a line of sh without its end. Both NULL-able by where
 * no model's commands run.
 */
typedef struct CommandDoor {
    char **(*environment)(ToolContext *context, char **env);
    char *(*shell_text)(ToolContext *context); // caller frees
    /* A person's own command, which asks nobody: NAME=value for its environment, good until
       end_own(). Caller frees. */
    char *(*begin_own)(ToolContext *context);
    void (*end_own)(ToolContext *context, const char *entry);
    /* No command can ask any more; before the context goes. */
    void (*close)(ToolContext *context);
} CommandDoor;
