/*
 * ToolContext: what the calls of one conversation share: working directory, settings, artifacts,
 * connections, and the state that tools keep between calls (a shell, a lookup).
 *
 * From here on tokens in the remote URLs of the directory's repository are known secrets.
 *
 * Made and freed by the door's owner; thread safe in between. cwd and artifacts do not change;
 * settings do between two pieces of work.
 */
#pragma once

#include "base/http.h"
#include "session/artifacts.h"
#include "tool/allowances.h"
#include "tool/found_tools.h"
#include "tool/hook.h"
#include "tool/internal_url.h"
#include "tool/jobs.h"
#include "tool/plan_mode.h"
#include "tool/repo_reads.h"
#include "tool/settings.h"
#include "tool/todo.h"
#include "tool/tool.h"

typedef struct ToolClock {
    int64_t (*now_ms)(void *user_data);
    bool (*sleep)(void *user_data, int64_t duration_ms, Cancel *cancel, GError **error);
    void *user_data;
} ToolClock;

/* `artifacts` may be NULL and is taken over. */
ToolContext *tool_context_new(const char *cwd, Settings *settings, Artifacts *artifacts);
/* Ends its jobs and frees the tools' states; no call may be running. */
void tool_context_free(ToolContext *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ToolContext, tool_context_free)

const char *tool_context_cwd(const ToolContext *self);
const Settings *tool_context_settings(const ToolContext *self); // stays until the context is freed
void tool_context_set_settings(ToolContext *self, Settings *settings); // by the owner; takes a ref
Artifacts *tool_context_artifacts(const ToolContext *self);

/* What the rooms above bring to every conversation. Each is NULL-terminated, constant, and may be
   NULL. */
typedef struct ContextTables {
    const ToolHook *const *hooks;
    const UrlScheme *const *schemes;
    const struct RepoLookup *repos;     // repo_flow.h
    const struct CommandDoor *commands; // lent_calls.h
} ContextTables;

/* Before the first call; what it is given outlives the context. `tables` may be NULL. */
void tool_context_add_tables(ToolContext *self, const ContextTables *tables);
void tool_context_add_schemes(ToolContext *self, const UrlScheme *const *schemes);
void tool_context_set_repo_lookup(ToolContext *self, const struct RepoLookup *lookup);
const struct RepoLookup *tool_context_repo_lookup(const ToolContext *self); // may be NULL
void tool_context_set_command_door(ToolContext *self, const struct CommandDoor *door);
const struct CommandDoor *tool_context_command_door(const ToolContext *self); // may be NULL
const GPtrArray *tool_context_schemes(const ToolContext *self); // of const UrlScheme *; borrowed

/* Of a conversation with an agent, whether or not it is stored in a file; `agent_dir` is copied.
   Before the first call. A door without one leaves it out. */
void tool_context_set_conversation(ToolContext *self, const char *agent_dir);
bool tool_context_is_conversation(const ToolContext *self);
const char *tool_context_agent_dir(const ToolContext *self); // NULL: not of a conversation

/* Whoever gets the results of calls takes images. Of an agent: its model does, set before each
   turn. False at first. Thread safe. */
void tool_context_set_sees_images(ToolContext *self, bool sees_images);
bool tool_context_sees_images(const ToolContext *self);

/* For every server that a call asks: its connections serve the calls after it. Borrowed. */
HttpClient *tool_context_http(ToolContext *self);
/* For tests; before the first call. */
void tool_context_set_clock(ToolContext *self, const ToolClock *clock);
const ToolClock *tool_context_clock(const ToolContext *self);

/* What a conversation lends its calls. All of it outlives the context. */
typedef struct ConversationParts {
    HttpClient *http;       // NULL: the context has one of its own
    TodoList *todos;        // the same
    HookList *hooks;        // the same
    FoundTools *found;      // the tools that it has found; NULL: nothing is found here
    PlanMode *plan_mode;    // NULL: it never plans
    Allowances *allowances; // for the rest of it; NULL: a yes is for one call
    RepoReads *reads;       // NULL: the context has one of its own
} ConversationParts;

/* Before the first call. */
void tool_context_set_parts(ToolContext *self, const ConversationParts *parts);
/* All borrowed. */
TodoList *tool_context_todos(ToolContext *self);
FoundTools *tool_context_found(const ToolContext *self);
PlanMode *tool_context_plan_mode(const ToolContext *self);
Allowances *tool_context_allowances(const ToolContext *self);
HookList *tool_context_hooks(const ToolContext *self);
RepoReads *tool_context_repo_reads(const ToolContext *self);
void tool_context_add_hooks(ToolContext *self,
                            const ToolHook *const *hooks); // as hook_list_add_table()

/* The conversation's background jobs. Borrowed. */
JobTable *tool_context_jobs(ToolContext *self);

/* The state named `key`, made by `create` on first use (under a lock) and freed with the context.
   The state guards itself against concurrent use. Borrowed. */
void *tool_context_state(ToolContext *self, const char *key, void *(*create)(void),
                         void (*destroy)(void *));
