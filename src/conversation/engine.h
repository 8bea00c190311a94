/*
 * What a conversation works with and exchanges when it goes on in another session file: the
 * session, the context of its tools, and the agent that runs on both.
 *
 * Belongs to one thread at a time: the job's while one is on, else the owner's.
 */
#pragma once

#include "agent/agent.h"
#include "session/session_find.h"
#include "tool/context.h"

typedef struct Engine {
    AgentOptions base;           // session and context are those below
    Settings *settings;          // borrowed
    const ContextTables *tables; // constant; may be NULL
    SessionPlace place;          // borrowed; where new sessions go
    Session *session;
    const char *session_id; // of `session`, for any thread
    ToolContext *context;
    Agent *agent;
} Engine;

/* `base` and what it points to outlive the engine; `session` is taken over. */
void engine_init(Engine *self, const AgentOptions *base, Settings *settings,
                 const ContextTables *tables, const SessionPlace *place, Session *session);
/* They count from here on, in other sessions, too. Between two jobs. */
void engine_take_settings(Engine *self, Settings *settings);
/* Flushes and closes the session. */
void engine_clear(Engine *self);

/* Each flushes the old session and goes on with another one; on failure nothing has changed.
   `ret_notice` and `ret_text` belong to the caller. `parent`: what the new session's header names
   as its parent; NULL: none. */
bool engine_start_new(Engine *self, const char *parent, GError **error);
/* NOT_FOUND: Session file not found: PATH; PROTOCOL. *ret_notice: what a person should know, else
 * NULL. */
bool engine_switch(Engine *self, const char *path, char **ret_notice, GError **error);
/* A copy of the session that is stored, in a file of its own. */
bool engine_fork(Engine *self, GError **error);
/* A new session with what came before the user message `entry_id`, whose text is *ret_text. */
bool engine_branch(Engine *self, const char *entry_id, char **ret_text, GError **error);

/* For a text that a model is to write of the conversation; all of it is borrowed. */
SummaryContext engine_summary_context(const Engine *self, const TurnSetup *setup);

typedef struct NavigateSpec { // all borrowed
    const char *entry_id;
    bool wants_summary;       // of what is left behind, for the place that is gone to
    const char *instructions; // for it; NULL: none
} NavigateSpec;

/* Goes to another entry of the session (agent-core §4.6). *ret_text: of a message that is to be
   written again, else NULL. CANCELLED and the summary's failures leave everything as it was. */
bool engine_navigate(Engine *self, const NavigateSpec *spec, Cancel *cancel, char **ret_text,
                     GError **error);
