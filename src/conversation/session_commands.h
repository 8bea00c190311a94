/*
 * The commands of a conversation as one table: RPC's methods, the slash commands of a terminal and
 * the calls of other protocols come from it. A command is added here and nowhere else.
 */
#pragma once

#include "base/field.h"
#include "conversation/agent_session.h"

typedef enum {
    COMMAND_ANY_TIME,
    COMMAND_ENDS_RUN, // aborts the run that is on, and comes after it
} CommandNeed;

typedef struct CommandReply {
    bool is_pending; // the control event command_end will tell how it went
    bool is_taken;   // and it has begun: whoever asked may be told so now
    json_t *data;    // of a command that is done; NULL: it has none
} CommandReply;

void command_reply_clear(CommandReply *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CommandReply, command_reply_clear)

typedef struct SessionCommand {
    const char *name;
    const char *help; // one line
    const FieldDef *fields;
    size_t args_size;
    CommandNeed need;
    bool is_urgent; // carried out at once, whatever else takes its time
    bool (*run)(AgentSession *session, const void *args, const char *id, CommandReply *reply,
                GError **error);
} SessionCommand;

/* The table; ends with an entry without a name. */
const SessionCommand *session_commands(void);
const SessionCommand *session_command_find(const char *name); // NULL: there is none

/* The arguments of the command `name` into `args`, as field_check() does; *ret_kept is what they
   borrow from. USAGE as below. */
bool session_command_decode(const char *name, const FieldDef *fields, const json_t *arguments,
                            void *args, json_t **ret_kept, GError **error);

/* Decodes `arguments` (an object, may be NULL) and carries the command out; fields that it does not
   know are passed over. USAGE: `Unknown command: X`, `prompt: "message" must be a string`;
   otherwise the command's own. */
bool session_command_run(AgentSession *session, const char *name, const json_t *arguments,
                         const char *id, CommandReply *ret_reply, GError **error);
