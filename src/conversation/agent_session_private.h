/*
 * What a conversation object is made of, for the files that hold its commands. Internal to it;
 * comes after agent_session.h.
 */
#pragma once

#include "agent/questions.h"
#include "agent/run_controls.h"
#include "base/worker.h"
#include "conversation/session_aside.h"
#include "conversation/session_bash.h"
#include "conversation/session_job.h"
#include "conversation/session_title.h"
#include "conversation/session_view.h"

#include <stdatomic.h>

typedef struct SlashSet SlashSet;

typedef struct PlanState {     // session_plan.c
    const char *mode;          // of the session's entry mode_change; constant
    const char *told;          // the mode that was told last; constant
    char *file;                // URL of the plan; NULL: there is none
    const Model *model;        // of the role `plan`, while it stands in for
    const Model *model_before; // this one
    bool was_model_named;
    ThinkingLevel thinking, thinking_before; // that came with it, and those before
    bool is_model_due;                       // when the run has ended
} PlanState;

typedef struct SessionTools { // session_tools.c
    ToolSet *all;             // those to choose from, with those of sources
    ToolSet *wanted;          // chosen of them; in plan mode a part is offered
    GPtrArray *sources;       // of ToolSource
} SessionTools;

struct AgentSession {
    Loop *loop, *own_loop;
    AgentSession *parent;
    GPtrArray *children;         // borrowed; each takes itself out
    WorkerPool *pool, *own_pool; // for what children do; the parent's, where there is one
    Cancel *scope;
    Settings *settings;
    char *saved_tier;        // the setting serviceTier, which the next work reads; NULL: as it is
    GPtrArray *old_settings; // those before, which workers may still read
    ModelRegistry *registry, *own_registry;
    GArray *model_scope; // as in the options, or NULL
    HttpClient *own_http;
    SummaryMeans means; // of requests: budget and usages are its own
    char *cwd, *agent_dir, *session_dir, *system_prompt, *append_prompt;
    SessionTools tools;
    PlanState plan;
    UserShellFunc run_shell, run_python;
    ToolDoor door;
    EventHub *hub;
    SlashSet *slash_set;
    Questions *questions;
    MessageQueue *steering, *follow_ups;
    size_t queues_told[2]; // how many of them wait, as it was told last
    RunControls *controls;
    atomic_bool is_compaction_disabled;
    SetupSlot *setup;
    ConversationParts parts; // its own, but for the HTTP client: todos and found are those of the
                             // session that is open
    Engine engine;           // the job's while one is on

    const Model *model;
    bool is_model_named;
    ThinkingLevel thinking; // as it was wished; the setup has it clamped
    SessionView view;

    bool wants_title;
    SessionTitle *title; // that is being asked for, or waits for its turn; NULL: none
    char *title_of;      // the session that was asked for last; NULL: none

    SessionBash *bash;   // a person's command that runs; NULL: none
    SessionAside *aside; // likewise, what is done beside the conversation
    SessionJob *job;     // running; NULL: idle
    Worker *worker;
    LoopFunc end_job;       // what is done when it has ended; agent_session.c
    LoopSource *idle_timer; // until the conversation is compacted; NULL: no one waits for that
    GQueue jobs;            // SessionJob * that wait for their turn
    GPtrArray *aborts;      // ids (char *, possibly NULL) of those who wait for the end of the run
    AgentOutcome outcome;   // of the last prompt
    GError *failure;        // why it was not sent; NULL: it was
    bool is_waiting;        // in agent_session_wait()
    LoopSource *scope_source; // while waiting, until the scope fires
    bool has_told_waiting;    // for background jobs, since the last prompt
    bool is_handoff_due;      // the last prompt filled the context; nothing else has come since
};

// ---- jobs ----

/* LIMIT when too many commands wait already. */
bool agent_session_has_room(const AgentSession *self, GError **error);
/* Takes the job. */
void agent_session_add_job(AgentSession *self, SessionJob *job);
/* The same of one that is a move: the run that is on ends first. False (LIMIT): it is freed. */
bool agent_session_add_move(AgentSession *self, SessionJob *job, GError **error);
/* While none is on: the next one, unless it has to wait for a command of the person. */
void agent_session_start_next_job(AgentSession *self);
/* `id` is the caller's; NULL: none. `message` is shared; NULL: the model goes on. */
SessionJob *agent_session_prompt_job(const AgentSession *self, json_t *message, const char *id);
void agent_session_add_prompt(AgentSession *self, json_t *message, const char *id);
/* Takes the reference; NULL: there is nothing to go on with. */
void agent_session_go_on_with(AgentSession *self, json_t *message);
bool agent_session_is_running(const AgentSession *self); // a prompt
/* USAGE while a job takes the session away. A run appends to it meanwhile. */
bool agent_session_has_session(const AgentSession *self, GError **error);
/* When there is nothing to do: what is full is handed off now, or compacted after a while. */
void agent_session_hand_off_when_due(AgentSession *self);
void agent_session_watch_idleness(AgentSession *self);

// ---- queues ----

/* Publishes what waits when it is not what was published last. */
void agent_session_tell_queues(AgentSession *self);
bool agent_session_queue(AgentSession *self, MessageQueue *queue, json_t *message, GError **error);
void agent_session_clear_queues(AgentSession *self);
/* What was queued too late for the run that has ended, the first of it. New reference, or NULL. */
json_t *agent_session_take_queued(AgentSession *self);

// ---- setup and plan mode ----

/* `all` of `given`; a reference is taken. */
void session_tools_init(SessionTools *self, const ToolSet *given);
void session_tools_clear(SessionTools *self);

/* Before a job: when a settings file has changed, what it says counts from now on. True: it has. */
bool agent_session_take_settings(AgentSession *self);
/* Model, thinking level and tools as they are now. NULL `tools`: the same as before, and then the
   system prompt stays too. */
void agent_session_update_setup(AgentSession *self, const ToolSet *tools);
/* What is wanted from now on, and what of it is offered: new reference. */
ToolSet *agent_session_take_tools(AgentSession *self, const ToolSet *tools);
/* Whose place the model of the role `plan` has taken; NULL: it has not. */
const Model *agent_session_model_before_plan(const AgentSession *self);
/* A run has ended: the model that waited for that, and what a person has decided on a plan. */
void agent_session_settle_plan(AgentSession *self);
/* The session's mode, as it was left, is the one from now on. */
void agent_session_restore_plan_mode(AgentSession *self);
/* The job has gone to another session, or another place in it, whose mode is the one from now on:
   before and after the model that goes with it is known. */
void agent_session_suspend_plan_mode(AgentSession *self);
void agent_session_follow_plan_mode(AgentSession *self);
/* The session is one that goes on with the work of another: allowances end, plan mode does not. */
void agent_session_enter_handoff(AgentSession *self);

// ---- the session's name ----

/* A turn has ended: a session without a name gets one asked for. */
void agent_session_ask_for_title(AgentSession *self);
/* What came of that is the session's name, when the session may be touched. */
void agent_session_take_title(AgentSession *self);

// ---- background jobs of tools; all but the first only while no job of the conversation is on ----

/* One has ended; on any thread. */
void agent_session_note_job(void *self);
/* What those came to that have ended, as a message that a run begins with, where the last one came
   to its end; after an abort or a failure it waits for the next one's. New reference, or NULL. */
json_t *agent_session_take_results(AgentSession *self);
bool agent_session_has_background(const AgentSession *self); // some run
/* A move has ended: a person hears what becomes of those that ran when it began. */
void agent_session_say_background(AgentSession *self, const SessionJob *job);
/* In agent_session_wait(): the end of the scope wakes its loop. */
void agent_session_begin_waiting(AgentSession *self);
void agent_session_end_waiting(AgentSession *self);
/* Who waits for the end waits for them, too, and is told so once. They end by their own timeouts.
   False after an abort, an error or a spent budget. */
bool agent_session_awaits_background(AgentSession *self);
