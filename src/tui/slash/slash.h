/*
 * Slash commands: what a person at a terminal asks of the program itself (agent-core §7.5). They
 * are those of the conversation's set (conversation/slash_set.h), to which this adds the terminal's
 * own; what shows the conversation, drawn or plain, is their door. On the thread of the
 * conversation's owner.
 */
#pragma once

#include "conversation/session_commands.h"
#include "conversation/slash_set.h"

typedef enum { // lists that a door may have a selector for
    SLASH_LIST_MODELS,
    SLASH_LIST_SESSIONS,
    SLASH_LIST_MESSAGES, // to branch from
    SLASH_LIST_TREE,
    SLASH_LIST_SETTINGS,
    SLASH_LIST_THEMES,
    SLASH_LIST_KEYS, // of the keyboard
    SLASH_LIST_PROVIDERS,
    SLASH_LIST_COMMANDS, // these
} SlashList;

typedef struct SlashLoop SlashLoop;

struct SlashDoor {
    AgentSession *session;
    SessionPlace place;  // borrowed
    char *context_files; // "Context: AGENTS.md, ~/x": of the system prompt; NULL: not known
    void (*say)(const char *text, void *user_data); // several lines, text of others in them
    /* What is said next is the result of that command, "/ci", which took its time; NULL: nothing.
     */
    void (*heading)(const char *command, void *user_data);
    /* The last call once more, whole; false: there is none. NULL: its output is said. */
    bool (*open_last)(void *user_data);
    /* A command that has failed; NULL: it is said. */
    void (*fail)(const char *text, void *user_data);
    void (*quit)(void *user_data);
    /* The messages of a session that goes on; `is_moved`: elsewhere than where it was. */
    void (*replay)(bool is_moved, void *user_data);
    /* The next line is that provider's key, and is not shown. */
    void (*ask_key)(const char *provider, void *user_data);
    const char *(*last_output)(void *user_data); // borrowed; NULL: none
    /* False: it has none, and the list is said. NULL: for no list. */
    bool (*show)(SlashList list, void *user_data);
    /* To the clipboard; false: there is none. NULL: likewise. */
    bool (*copy)(const char *text, void *user_data);
    /* Something to choose from that was looked up: {"title","items":[{"text","detail","meant"}],
       "above"?: what is said before it}; what is taken, "/name argument", is carried out. False:
       not now, and it is said. NULL: likewise. */
    bool (*choose)(const json_t *list, void *user_data);
    /* What the person is to write on with; NULL: it is said. */
    void (*edit)(const char *text, void *user_data);
    void *user_data;
    json_t *listed;        // what the numbers of the last list stand for: an array of texts
    const char *listed_by; // the command that made it; constant
    char *dropped;         // the session file that /drop leaves; NULL: none
    json_t *moved;         // what /move leaves, and where it goes; NULL: nothing
    SlashLoop *loop;       // of /loop; NULL: none
};

/* Adds the terminal's commands to the set of its session. */
void slash_door_open(SlashDoor *door);
/* What the commands have put into it. */
void slash_door_clear(SlashDoor *door);

#define SLASH_PROMPT_ID "prompt" // of a message that a command sends: as of a person's own
#define SLASH_SHELL_ID  "bash"   // of a person's own command or code: command_end has its output

/* Carries "/name argument" out, and what is as short: `.` and `c` alone, which go on without a
   message, and `$code` or `$$code` (SLASH_SHELL_ID). False without an error: that is no command, so
   it is a message. */
bool slash_run(SlashDoor *door, const char *line, GError **error);

/* "/name ARGUMENT" of a list, and what it is for; the set has them in the order of its index.
   Caller frees. NULL: there is no such index. */
char *slash_usage_line(const SlashDoor *door, size_t index, const SessionCommand **ret_command);

/* Is it one of the set? The short forms are not: they may answer a question. */
bool slash_is_command(const SlashDoor *door, const char *line);

/* A command that takes its time has ended: the control event command_end, of any. True: it was a
   slash command's, and what there is to say was said. */
bool slash_end(SlashDoor *door, const json_t *event);
