/*
 * Jobs of a conversation: what takes time, done one at a time on a worker that has the engine
 * meanwhile. Each kind is a JobDef in the file of its feature, which makes its jobs, does their
 * work and settles what comes of it; nothing else knows the kinds there are.
 */
#pragma once

#include "agent/event_hub.h"
#include "conversation/engine.h"

typedef struct AgentSession AgentSession;
typedef struct SessionJob SessionJob;

typedef struct JobDef {
    const char *command; // of the table of commands; in its command_end
    bool is_run;         // a prompt: what is queued goes into it, and a move stops it
    bool is_move;        // what the session and its context are used for beside it has to end first
    bool has_own_mode;   // plan mode cannot be switched before it has ended
    bool gives_way;      // it is stopped for any other job
    size_t own_size;     // of SessionJob.own
    void (*clear)(void *own); // frees what is in it; NULL: nothing is
    /* On the worker; sets what the job says of that. */
    void (*work)(SessionJob *self, Engine *engine);
    /* On the owner's thread, which has the engine again. True: what was queued meanwhile is the
       next prompt. NULL: there is nothing to settle, and it is not. */
    bool (*settle)(AgentSession *owner, SessionJob *self);
} JobDef;

struct SessionJob {
    const JobDef *def;
    const char *command; // the def's, or that of who asked; constant
    char *id;            // the caller's; NULL: none
    json_t *message;     // of a prompt, of a command; NULL: none
    bool was_accepted;   // the message waited: no one has it but us
    char *argument;      // path, entry id, name, instructions, or URL of a plan
    char *text;          // label, instructions for a summary, or URL of a plan; NULL: none
    void *own;           // of this kind; zeroed at first
    char *background;    // of a move: what ran in the background when it began; NULL: nothing
    Cancel *cancel;
    // set by the worker
    bool is_done; // without an error
    json_t *data; // of command_end; NULL: none
    GError *error;
};

/* `id` and `scope` may be NULL. */
SessionJob *session_job_new(const JobDef *def, const char *id, Cancel *scope);
void session_job_free(SessionJob *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SessionJob, session_job_free)

/* {"type":"command_end",…}. New reference; `data` may be NULL and is taken. */
json_t *session_job_end_event(const char *command, const char *id, json_t *data,
                              const GError *error);
