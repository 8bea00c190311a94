/*
 * AgentSession: one conversation with a model, and the one object that every door talks to it
 * through (print mode, JSON mode, and whatever comes). Doors translate; they decide nothing.
 *
 * The object belongs to the thread that made it, the thread of its loop: every function here is
 * called there, but not agent_session_wait() and _free() from inside one of its own events.
 * Commands return at once. What takes time (a prompt, another session file) is a job: one at a
 * time, in order, on one worker of the object, and it ends with the control event
 *
 *   {"type":"command_end","command":"prompt","id":"r1","success":true,"data":{…}}   or
 *   {"type":"command_end","command":"prompt","id":"r1","success":false,"error":"…"}
 *
 * `id` is the caller's, left out when it gave none. Between jobs the object sleeps. Beside the
 * events of agent-core §3.9 subscribers may have `queue_update`, `thinking_level_changed`,
 * `session_info_changed`, `mode_changed`, and the questions of agent/questions.h.
 *
 * Model, thinking level and tools may change at any time and hold from the next turn on. A person's
 * shell command runs beside all that, until the conversation goes on in another session file.
 */
#pragma once

#include "agent/event_hub.h"
#include "conversation/engine.h"
#include "conversation/session_aside.h"
#include "tool/user_shell.h"

typedef struct AgentSession AgentSession;
typedef struct SlashSet SlashSet; // slash_set.h

typedef struct AgentSessionOptions {
    Loop *loop; // borrowed; NULL: one of the object's own, which agent_session_wait() runs
    AgentSession *parent; // NULL, or whose settings, models, HTTP client, budget and cancel scope
                          // hold here too
    Cancel *cancel;       // scope: when it fires the run ends; may be NULL
    Settings *settings;   // a reference is taken; NULL: the parent's
    ModelRegistry *registry;     // taken over; NULL: the parent's
    Session *session;            // taken over
    SessionPlace place;          // copied
    const ToolSet *all_tools;    // what set_tools chooses from; a reference is taken
    const ToolSet *tools;        // offered to the model; a reference is taken; NULL: none
    UserShellFunc run_shell;     // of a person's own commands; NULL: there is none
    UserShellFunc run_python;    // of a person's own code; NULL likewise
    const ContextTables *tables; // for its calls; constant; may be NULL
    const Model *model;          // of the registry
    GArray *model_scope;         // of ModelChoice: what cycling goes through; NULL: all usable
    bool is_model_named;
    ThinkingLevel thinking;
    const char *system_prompt, *append_prompt; // as in PromptOptions
    GString *context_note;                     // as there; used while the object is made
    bool wants_title;       // a model names the session, as the setting titles.enabled says
    bool can_ask;           // false: no one is there, and the policy decides without asking
    bool can_choose;        // a listener shows questions with a "method", too
    ToolChooseFunc choose;  // asks in its place; NULL: no one else does
    bool allow_writes;      // as in ToolDoor
    const char *allow_hint; // constant; may be NULL
    int64_t max_turns;      // 0: no limit
    double max_cost;        // US dollars; 0: no limit
} AgentSessionOptions;

/* Builds the system prompt; what is wrong with its files goes to `warnings` (may be NULL). */
AgentSession *agent_session_new(const AgentSessionOptions *options, GPtrArray *warnings);
/* Ends what runs and the children, writes the session out, and returns when nothing of it runs. */
void agent_session_free(AgentSession *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(AgentSession, agent_session_free)

// ---- events (event_hub.h: detail, holding, and what a slow subscriber gets) ----

Subscription *agent_session_subscribe(AgentSession *self, const SubscriberSpec *spec);
EventHub *agent_session_events(AgentSession *self);
/* What was added to it; session_slash_set() has the conversation's own commands, too. */
SlashSet *agent_session_slash_set(AgentSession *self);

/* What else has a say in it, beginning with the hooks of its tables; added and taken away at any
   time. Borrowed. */
HookList *agent_session_hooks(AgentSession *self);

// ---- commands ----

/* `id` may be NULL in all of them. Where there is a `ret_is_pending`, true says that command_end
   reports how it went; otherwise it is done. */

/* A user message (shared) and the run it starts. While one is on, `behavior` "steer" or "followUp"
   queues it instead; without one that is a USAGE error. */
bool agent_session_prompt(AgentSession *self, json_t *message, const char *behavior, const char *id,
                          bool *ret_is_pending, GError **error);
/* Queues a message (shared); a follow-up to an answer that is complete starts a run. */
bool agent_session_steer(AgentSession *self, json_t *message, GError **error);
bool agent_session_follow_up(AgentSession *self, json_t *message, GError **error);
/* A run without a new message, pending: after an answer that failed or was stopped it is asked for
   once more, after a complete one what is queued is the prompt. USAGE: while something is on, and
   `Cannot continue from message role: assistant` when nothing is queued. */
bool agent_session_continue(AgentSession *self, const char *id, GError **error);
/* The messages that wait, steering first: they wait no more. A new array, possibly empty. */
json_t *agent_session_take_back(AgentSession *self);
/* A message that was refused before it became part of the session (its command_end has an error)
   waits again, before what is queued: the run that comes takes it. For a door that has no other
   place for it. */
void agent_session_return(AgentSession *self, json_t *message);
/* Stops the run; pending until it has. What is queued stays. */
void agent_session_abort(AgentSession *self, const char *id, bool *ret_is_pending);

/* A prompt after the end of the run that is on. *ret_is_aborting: `abort` under the same `id` will
   tell of that end first. */
bool agent_session_abort_and_prompt(AgentSession *self, json_t *message, const char *id,
                                    bool *ret_is_aborting, GError **error);

/* NOT_FOUND when there is no such model, or no key for it. */
bool agent_session_set_model(AgentSession *self, const char *provider, const char *model_id,
                             GError **error);
/* The next one, or the one before, that there is a key for, of those that a person has picked or of
   the roles of `cycleOrder`; false: there is no other. *ret_role: the one it is of, valid as long
   as the settings, or NULL. */
bool agent_session_cycle_model(AgentSession *self, bool is_backward, const char **ret_role);
/* Cycling goes through models that a person has picked. */
bool agent_session_is_scoped(const AgentSession *self);
void agent_session_set_thinking(AgentSession *self, ThinkingLevel level); // clamped
/* The next level that the model has; false: there is no other. */
bool agent_session_cycle_thinking(AgentSession *self);
/* By name, NULL-terminated; NOT_FOUND names the one that is not there. */
bool agent_session_set_tools(AgentSession *self, const char *const *names, GError **error);
/* One more; NOT_FOUND likewise. None waits to be found from then on. */
bool agent_session_add_tool(AgentSession *self, const char *name, GError **error);
/* The next answer is a call of that tool, where its server can be told so; NULL: of none any more.
   NOT_FOUND: the model is not offered it. */
bool agent_session_force_tool(AgentSession *self, const char *name, GError **error);
/* Tools that `source` has (a host, a server, an extension), offered after the others: they replace
   those that it had before, and none takes it away. What runs with those of before goes on with
   them until its turn has ended. USAGE when a name is taken; then nothing has changed. */
bool agent_session_set_extra_tools(AgentSession *self, const char *source,
                                   DynamicTool *const *tools, size_t count, GError **error);
/* Plan mode (agent-core §7.12) on, or paused; with `message` (shared; NULL: none) a prompt follows,
   which is pending. USAGE where the setting plan.enabled says no, and while the conversation is
   changing its session. The event {"type":"mode_changed","mode":"plan","planFilePath"} tells every
   change. */
bool agent_session_set_plan_mode(AgentSession *self, bool is_wanted, json_t *message,
                                 const char *id, bool *ret_is_pending, GError **error);
/* Whether steering stops tools that run; whether failed requests are made again. */
void agent_session_set_interrupts(AgentSession *self, bool is_wanted); // saved as the setting
void agent_session_set_auto_retry(AgentSession *self, bool is_wanted);
/* Ends the wait for another attempt, and with it the run. */
void agent_session_abort_retry(AgentSession *self);
/* Saved as the setting, too. */
bool agent_session_set_queue_mode(AgentSession *self, bool is_steering, const char *mode,
                                  GError **error);

/* The setting serviceTier; it is saved, and counts from the next run on. */
const char *agent_session_service_tier(const AgentSession *self);
bool agent_session_set_service_tier(AgentSession *self, const char *tier, GError **error);

/* Pending, all of these: they abort the run that is on, and go on in another session file. */
/* `parent` (may be NULL) is the session file that the new one names as its parent. */
bool agent_session_start_new(AgentSession *self, const char *parent, const char *id,
                             GError **error);
bool agent_session_switch(AgentSession *self, const char *path, const char *id, GError **error);
bool agent_session_fork(AgentSession *self, const char *id, GError **error);
bool agent_session_branch(AgentSession *self, const char *entry_id, const char *id, GError **error);
/* The same, elsewhere in this file. What is left behind may be summarised there (`instructions` for
   that may be NULL). */
bool agent_session_navigate(AgentSession *self, const char *entry_id, bool wants_summary,
                            const char *instructions, const char *id, GError **error);
bool agent_session_wants_summaries(const AgentSession *self); // the setting branchSummary.enabled

/* Pending: aborts the run that is on and compacts the conversation (agent-core §3.8);
   `instructions` may be NULL. USAGE: Compaction already in progress. */
bool agent_session_compact(AgentSession *self, const char *instructions, const char *id,
                           GError **error);
/* Pending: aborts the run that is on and goes on in a new session that begins with what a model
   wrote of this one; `instructions` may be NULL. */
bool agent_session_handoff(AgentSession *self, const char *instructions, const char *id,
                           GError **error);
void agent_session_set_auto_compaction(AgentSession *self, bool is_wanted);
bool agent_session_auto_compaction(const AgentSession *self);

/* Pending: after the run that is on. NULL or empty `label` clears. */
bool agent_session_set_label(AgentSession *self, const char *entry_id, const char *label,
                             const char *id, GError **error);
/* The todo list as it is now. New reference; NULL: it could not be written, or
   USAGE. */
json_t *agent_session_set_todos(AgentSession *self, const json_t *phases, GError **error);
/* USAGE: Session name cannot be empty. */
bool agent_session_set_name(AgentSession *self, const char *name, const char *id,
                            bool *ret_is_pending, GError **error);

/* A person's command, in the shell that the model's commands run in; pending. One at a time;
   `is_excluded`: the model does not hear of it. */
bool agent_session_bash(AgentSession *self, const char *command, bool is_excluded, const char *id,
                        GError **error);
/* The same for code, in the Python kernel of the model's cells. */
bool agent_session_python(AgentSession *self, const char *code, bool is_excluded, const char *id,
                          GError **error);
/* Has `func` work beside the conversation (session_aside.h); pending. One at a time; `argument` may
   be NULL. */
bool agent_session_aside(AgentSession *self, AsideFunc func, const char *argument, const char *id,
                         GError **error);
/* One of these runs; they are stopped. */
bool agent_session_has_bash(const AgentSession *self);
bool agent_session_has_shell(const AgentSession *self); // a command or code alone
/* The end of what a person's command has printed so far; NULL: none runs. Caller frees. */
char *agent_session_bash_output(const AgentSession *self);
void agent_session_abort_bash(AgentSession *self);

/* Background jobs of tools (tool/jobs.h): [{"id","type","label","status","startedAt"}], running
   ones first. New array; NULL with USAGE while the conversation is changing its session. */
json_t *agent_session_background_jobs(AgentSession *self, GError **error);
/* NOT_FOUND: there is none of that id, or it has ended. */
bool agent_session_cancel_background(AgentSession *self, const char *job_id, GError **error);

/* False: the open question is about another call than the one of this digest (NULL: any). */
bool agent_session_check_digest(AgentSession *self, const char *question_id, const char *digest,
                                GError **error);
bool agent_session_answer(AgentSession *self, const char *question_id, bool is_approved,
                          GError **error);
/* No, but the call is judged and asked about anew with another text (tool/question_edit.h). */
bool agent_session_edit(AgentSession *self, const char *question_id, const char *text,
                        GError **error);
/* Yes, and what the question's "allowance" says for the rest of this session. */
bool agent_session_allow(AgentSession *self, const char *question_id, GError **error);
/* What was allowed so far; NULL-terminated, caller frees with g_strfreev(). */
char **agent_session_allowances(const AgentSession *self);
void agent_session_forget_allowances(AgentSession *self);
/* Of a question with a "method": as questions_answer_text(). */
bool agent_session_answer_text(AgentSession *self, const char *question_id, const char *text,
                               bool is_late, GError **error);
/* No one is there to answer any more: questions, those that are open and those to come, mean no. */
void agent_session_close_questions(AgentSession *self);

/* A call of the run that is on waits for a child of this conversation. The runs of children share a
   few threads (LIMIT_CHILD_RUNS), and one that waits does not count among them, so that those that
   are waited for come to their turn. Any thread that works for the run. */
void agent_session_begin_child_wait(AgentSession *self);
void agent_session_end_child_wait(AgentSession *self);

// ---- State, as the events told so far have made it. ----

/* A snapshot with the fields of agent-core §6.3 that exist. New reference. */
json_t *agent_session_state(AgentSession *self);
json_t *agent_session_messages(AgentSession *self); // new array of the messages
/* Not more than the last `count` of them, and how many come before: what they need not is left in
   the session's file. */
json_t *agent_session_newest_messages(AgentSession *self, size_t count, size_t *ret_before);
json_t *agent_session_available_models(const AgentSession *self); // new array of model objects
ThinkingLevel agent_session_thinking(AgentSession *self);         // clamped
json_t *agent_session_stats(AgentSession *self); // messages, tokens, cost. New reference
/* As the next request has it; NULL: none. Caller frees. */
char *agent_session_system_prompt(AgentSession *self);
const json_t *agent_session_last_answer(const AgentSession *self); // borrowed; NULL: none
const json_t *agent_session_header(const AgentSession *self);      // of the session file; borrowed
ModelRegistry *agent_session_registry(AgentSession *self);
bool agent_session_is_idle(const AgentSession *self);
/* {"entryId","text"} of each user message that can be branched from. New array; NULL with USAGE
   while the conversation is changing its session. */
json_t *agent_session_branch_points(const AgentSession *self, GError **error);
/* {"leafId","entries":[…],"labels":{…}} of the session file, as it is in the middle of a run, too.
   New; NULL as above. */
json_t *agent_session_tree(const AgentSession *self, GError **error);

// ---- For those who block: the loop must not be running. ----

/* Runs the loop until nothing is pending and everything was told. Then how the last prompt ended;
   false when it was not sent (no credential). */
bool agent_session_wait(AgentSession *self, AgentOutcome *ret_outcome, GError **error);
/* Writes the session out; only when idle. */
bool agent_session_flush(AgentSession *self, GError **error);
