/*
 * What a person has done beside the conversation, on a worker of its own: something looked up with
 * its tools, one question to its model. Nothing of it becomes part of the conversation.
 *
 * A SessionAside belongs to the thread of the conversation's owner. The worker's last act is to
 * post the spec's function; from session_aside_join() on there is a result.
 * An Aside belongs to the AsideFunc that gets it, on the worker.
 */
#pragma once

#include "agent/event_hub.h"
#include "agent/summary.h"
#include "tool/call.h"
#include "tool/tool_set.h"

typedef struct SessionAside SessionAside;
typedef struct SessionAside Aside;

/* Blocks, and obeys aside_cancel(). *ret_data: that of command_end; may stay NULL. */
typedef bool (*AsideFunc)(Aside *aside, const char *argument, json_t **ret_data, GError **error);

const char *aside_cwd(const Aside *self);
Cancel *aside_cancel(Aside *self);
/* Calls a tool of the conversation, offered to the model or not, that reads: others are refused.
   Takes `arguments`. `ret_details` may be NULL; NULL when it gave none. What the tool calls an
   error is one. NOT_FOUND: no such tool. */
bool aside_call(Aside *self, const char *tool, json_t *arguments, char **ret_text,
                json_t **ret_details, GError **error);
/* The same of a tool that the person has asked for by name: what the policy would ask about is
   answered with yes, what it refuses is refused. */
bool aside_do(Aside *self, const char *tool, json_t *arguments, char **ret_text,
              json_t **ret_details, GError **error);
/* How far it is, to doors that take control events:
   {"type":"command_progress","command":"aside","id","text","block"?}. One line. `block`: the same
   at length, {"title","rows":[{"state","text","detail"}]}, of the states failed, running, waiting,
   passed and skipped; a reference is taken; NULL: none. */
void aside_tell(Aside *self, const char *text, const json_t *block);
const Model *aside_model(const Aside *self); // the conversation's
/* What a text is asked of it with; borrowed. NULL: LIMIT, its budget is used up. */
const SummaryContext *aside_summary(const Aside *self, GError **error);
/* Asks the conversation's model, which sees the conversation as it was when this began and has no
   tools. Caller frees. */
bool aside_ask(Aside *self, const char *question, char **ret_text, GError **error);

// ---- for the conversation object ----

typedef struct AsideSpec {
    AsideFunc func;
    ToolContext *context;   // borrowed; stays until the work has ended
    const ToolSet *tools;   // a reference is taken
    SummaryContext summary; // copied, what it points to is borrowed
    const json_t *messages; // of the conversation; their list is copied
    EventHub *hub;          // borrowed
    LoopFunc ended;         // posted to the hub when the work has ended
    void *owner;            // its data
    Cancel *scope;          // when it fires the work ends; may be NULL
    const char *argument;   // copied; may be NULL
    const char *id;         // of who asked; copied; may be NULL
} AsideSpec;

/* LIMIT: no worker can be made. */
bool session_aside_start(const AsideSpec *spec, SessionAside **ret_aside, GError **error);
void session_aside_cancel(SessionAside *self);
/* Stops it first when it runs. NULL is allowed. */
void session_aside_free(SessionAside *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SessionAside, session_aside_free)

void session_aside_join(SessionAside *self);
/* The control event command_end of the command "aside". New reference. */
json_t *session_aside_end_event(const SessionAside *self);
