/*
 * The commands of a conversation as one table: RPC's methods, the functions of libkedge, the calls
 * of other protocols and what a person types come from it. A command is added here and nowhere
 * else; what only moves a terminal is a row of the same type in the terminal's own table
 * (tui/slash/), and slash_set.h puts the tables together.
 */
#pragma once

#include "conversation/agent_session.h"
#include "conversation/command.h"

/* The table; ends with an entry without a name. */
const SessionCommand *session_commands(void);
/* Also of those that were added to the conversation's set; NULL: there is none. */
const SessionCommand *session_command_find(AgentSession *session, const char *name);

#define SESSION_SLASH_SOURCE "the conversation"

/* The set of what a person can type in this conversation: these, and what was added (slash_set.h).
   Borrowed. */
SlashSet *session_slash_set(AgentSession *session);

/* The arguments of the command `name` into `args`, as field_check() does; *ret_kept is what they
   borrow from. USAGE as below. */
bool session_command_decode(const char *name, const FieldDef *fields, const json_t *arguments,
                            void *args, json_t **ret_kept, GError **error);

/* Decodes `arguments` (an object, may be NULL) and carries the command out; fields that it does not
   know are passed over. USAGE: `Unknown command: X`, `prompt: "message" must be a string`;
   otherwise the command's own. */
bool session_command_run(AgentSession *session, const char *name, const json_t *arguments,
                         const char *id, CommandReply *ret_reply, GError **error);

/* Carries out a row that has `run`, with the typed text as its argument. USAGE when it takes none
   or is refused now. */
bool session_command_run_typed(AgentSession *session, const SessionCommand *command,
                               const char *argument, const char *id, CommandReply *ret_reply,
                               GError **error);
/* USAGE: there is an argument, and the command takes none. */
bool session_command_check_typed(const SessionCommand *command, const char *argument,
                                 GError **error);
