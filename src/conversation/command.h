/*
 * SessionCommand: a command of a conversation as a row of a table, for the doors of programs and
 * for what a person types. Tables of them: session_commands.h, tui/slash/slash.c. Data only.
 */
#pragma once

#include "base/field.h"

typedef struct AgentSession AgentSession;

typedef struct SlashDoor SlashDoor; // what shows a terminal's conversation: tui/slash/slash.h

typedef struct CommandReply {
    bool is_pending; // the control event command_end will tell how it went
    bool is_taken;   // and it has begun: whoever asked may be told so now
    json_t *data;    // of a command that is done; NULL: it has none
} CommandReply;

void command_reply_clear(CommandReply *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CommandReply, command_reply_clear)

typedef struct SessionCommand {
    const char *name; // for programs; NULL: only a person has it
    const char *help; // of that, one line
    const FieldDef *fields;
    size_t args_size;
    bool is_urgent;   // carried out at once, whatever else takes its time
    bool holds_words; // a message that is but a command's name is refused once
    bool (*run)(AgentSession *session, const void *args, const char *id, CommandReply *reply,
                GError **error);
    // for a person, who types "/slash argument"
    const char *slash;        // NULL: it is not typed
    const char *argument;     // "[NUMBER|ID]"; NULL: it takes none
    const char *summary;      // one line
    const char *field;        // of `fields`: takes the argument; NULL: none does
    const char *busy_problem; // what is said while something runs, when it is refused then
    const char *done;         // what is said when it has been done; NULL: nothing
    bool is_move;             // it goes on in another session
    bool is_removal;          // completion has it last, and never runs it
    /* In place of `run`, of a row of the terminal's: "" stands for no argument. */
    bool (*typed)(SlashDoor *door, const char *argument, GError **error);
} SessionCommand;
