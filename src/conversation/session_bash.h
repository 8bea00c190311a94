/*
 * A command that a person runs in the conversation's shell, or code in its Python kernel: on a
 * worker of its own, beside a run.
 *
 * Belongs to the thread of the conversation's owner. The worker's last act is to post the
 * spec's function; from session_bash_join() on there is a result.
 */
#pragma once

#include "agent/event_hub.h"
#include "tool/user_shell.h"

typedef struct SessionBash SessionBash;

typedef struct SessionBashSpec {
    UserShellFunc run;
    ToolContext *context; // borrowed; stays until the command has ended
    EventHub *hub;        // borrowed
    LoopFunc ended;       // posted to the hub when the command has ended
    void *owner;          // its data
    Cancel *scope;        // when it fires the command ends; may be NULL
    const char *command;  // copied
    const char *id;       // of who asked; copied; may be NULL
    bool is_excluded;     // the model does not hear of it
    bool is_python;       // it is code
} SessionBashSpec;

/* LIMIT: no worker can be made. */
bool session_bash_start(const SessionBashSpec *spec, SessionBash **ret_bash, GError **error);
void session_bash_cancel(SessionBash *self);
/* Stops it first when it runs. NULL is allowed. */
void session_bash_free(SessionBash *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SessionBash, session_bash_free)

void session_bash_join(SessionBash *self);
/* The end of what it has printed so far; caller frees. */
char *session_bash_output(SessionBash *self);
const char *session_bash_id(const SessionBash *self);
const char *session_bash_name(const SessionBash *self);    // "bash", "python"; constant
const GError *session_bash_error(const SessionBash *self); // NULL: it ran
json_t *session_bash_data(const SessionBash *self); // as agent-core §6.3 has it. New reference
/* Of role bashExecution or pythonExecution. New reference. */
json_t *session_bash_message(const SessionBash *self);
