/*
 * Jobs of a conversation: what takes time, done on a worker that has the engine meanwhile.
 */
#pragma once

#include "agent/event_hub.h"
#include "conversation/engine.h"
#include "tool/plan_mode.h"

typedef enum {
    JOB_PROMPT,
    JOB_NEW,
    JOB_SWITCH,
    JOB_FORK,
    JOB_BRANCH,
    JOB_NAVIGATE,
    JOB_LABEL,
    JOB_NAME,
    JOB_BASH, // the message of a person's command
    JOB_COMPACT,
    JOB_HANDOFF,
    JOB_MODE, // what the session is to be left with
    JOB_PLAN, // an approved plan
} JobKind;

typedef struct SessionJob {
    JobKind kind;
    const char *command;   // of the table of commands
    char *id;              // the caller's; NULL: none
    json_t *message;       // of a prompt, of a command
    char *argument;        // path, entry id, name, instructions, mode, or URL of a plan
    char *text;            // label, instructions for a summary, or URL of a plan; NULL: none
    PlanDecision decision; // of JOB_PLAN
    bool wants_summary;
    bool is_automatic; // nobody asked for it
    json_t *data;      // of command_end; NULL: none, or made by the job
    Cancel *cancel;
    // set by the worker
    bool is_done; // without an error
    AgentOutcome outcome;
    GError *error;
} SessionJob;

/* `scope` may be NULL. `message` is shared. */
SessionJob *session_job_new(JobKind kind, const char *id, Cancel *scope, json_t *message,
                            const char *argument);
void session_job_free(SessionJob *self);

/* It goes to another place, in another session file or in this one. */
bool session_job_is_move(const SessionJob *self);

/* On the worker. Its last act is to publish command_end. */
void session_job_work(SessionJob *self, Engine *engine, EventHub *hub);

/* {"type":"command_end",…}. New reference; `data` may be NULL and is taken. */
json_t *session_job_end_event(const char *command, const char *id, json_t *data,
                              const GError *error);
