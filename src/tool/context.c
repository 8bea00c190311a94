/* See context.h. */
#include "tool/context.h"

#include "base/lock.h"
#include "base/timefmt.h"
#include "base/url_secrets.h"
#include "tool/lent_calls.h"

#include <stdatomic.h>

typedef struct ToolState {
    void *data;
    void (*destroy)(void *);
} ToolState;

struct ToolContext {
    char *cwd;
    char *agent_dir; // NULL: of no conversation
    _Atomic(Settings *) settings;
    GPtrArray *settings_taken; // all there were: who has asked may still read them
    Artifacts *artifacts;
    ConversationParts parts; // those of its own, or borrowed
    HttpClient *own_http;
    ToolClock clock;
    TodoList *own_todos; // NULL until somebody asks
    HookList *own_hooks;
    RepoReads *own_reads;
    const struct RepoLookup *repo_lookup;
    const struct CommandDoor *command_door;
    GPtrArray *schemes; // of const UrlScheme *
    JobTable *jobs;
    atomic_bool sees_images;
    pthread_mutex_t lock;
    GHashTable *states; // key → ToolState
};

static void state_free(void *data)
{
    ToolState *state = data;
    state->destroy(state->data);
    g_free(state);
}

static int64_t real_now(void *user_data)
{
    return time_now_ms();
}

static bool real_sleep(void *user_data, int64_t duration_ms, Cancel *cancel, GError **error)
{
    return cancel_sleep(cancel, duration_ms, error);
}

ToolContext *tool_context_new(const char *cwd, Settings *settings, Artifacts *artifacts)
{
    ToolContext *self = g_new0(ToolContext, 1);
    self->cwd = g_strdup(cwd);
    url_secrets_take(cwd);
    self->settings_taken = g_ptr_array_new_with_free_func((GDestroyNotify)settings_unref);
    tool_context_set_settings(self, settings);
    self->artifacts = artifacts;
    self->own_http = http_client_new();
    self->clock = (ToolClock) { .now_ms = real_now, .sleep = real_sleep };
    self->own_hooks = hook_list_new();
    self->own_reads = repo_reads_new(NULL);
    self->parts = (ConversationParts) {
        .http = self->own_http,
        .hooks = self->own_hooks,
        .reads = self->own_reads,
    };
    self->schemes = g_ptr_array_new();
    self->jobs = job_table_new();
    pthread_mutex_init(&self->lock, NULL);
    self->states = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, state_free);
    return self;
}

void tool_context_free(ToolContext *self)
{
    if (!self)
        return;
    job_table_free(self->jobs); // first: they work with all the rest
    if (self->command_door)
        self->command_door->close(self);
    g_hash_table_unref(self->states);
    http_client_free(self->own_http);
    todo_list_free(self->own_todos);
    pthread_mutex_destroy(&self->lock);
    hook_list_free(self->own_hooks);
    repo_reads_free(self->own_reads);
    g_ptr_array_unref(self->schemes);
    artifacts_free(self->artifacts);
    g_ptr_array_unref(self->settings_taken);
    g_free(self->agent_dir);
    g_free(self->cwd);
    g_free(self);
}

void tool_context_set_conversation(ToolContext *self, const char *agent_dir)
{
    g_free(self->agent_dir);
    self->agent_dir = g_strdup(agent_dir);
}

bool tool_context_is_conversation(const ToolContext *self)
{
    return self->agent_dir != NULL;
}

const char *tool_context_agent_dir(const ToolContext *self)
{
    return self->agent_dir;
}

const char *tool_context_cwd(const ToolContext *self)
{
    return self->cwd;
}

const Settings *tool_context_settings(const ToolContext *self)
{
    return atomic_load(&self->settings);
}

void tool_context_set_settings(ToolContext *self, Settings *settings)
{
    g_ptr_array_add(self->settings_taken, settings_ref(settings));
    atomic_store(&self->settings, settings);
}

Artifacts *tool_context_artifacts(const ToolContext *self)
{
    return self->artifacts;
}

HttpClient *tool_context_http(ToolContext *self)
{
    return self->parts.http;
}

FoundTools *tool_context_found(const ToolContext *self)
{
    return self->parts.found;
}

PlanMode *tool_context_plan_mode(const ToolContext *self)
{
    return self->parts.plan_mode;
}

Allowances *tool_context_allowances(const ToolContext *self)
{
    return self->parts.allowances;
}

void tool_context_set_parts(ToolContext *self, const ConversationParts *parts)
{
    self->parts = *parts;
    if (!parts->http)
        self->parts.http = self->own_http;
    if (!parts->hooks)
        self->parts.hooks = self->own_hooks;
    if (!parts->reads)
        self->parts.reads = self->own_reads;
}

TodoList *tool_context_todos(ToolContext *self)
{
    HOLD_LOCK(&self->lock);
    if (!self->parts.todos) {
        self->own_todos = todo_list_new(self->artifacts ? artifacts_dir(self->artifacts) : NULL);
        self->parts.todos = self->own_todos;
    }
    return self->parts.todos;
}

void tool_context_set_clock(ToolContext *self, const ToolClock *clock)
{
    self->clock = *clock;
}

const ToolClock *tool_context_clock(const ToolContext *self)
{
    return &self->clock;
}

void tool_context_add_hooks(ToolContext *self, const ToolHook *const *hooks)
{
    hook_list_add_table(self->parts.hooks, hooks);
}

void tool_context_add_schemes(ToolContext *self, const UrlScheme *const *schemes)
{
    for (; schemes && *schemes; schemes++)
        g_ptr_array_add(self->schemes, (void *)*schemes);
}

void tool_context_add_tables(ToolContext *self, const ContextTables *tables)
{
    if (!tables)
        return;
    tool_context_add_hooks(self, tables->hooks);
    tool_context_add_schemes(self, tables->schemes);
    tool_context_set_repo_lookup(self, tables->repos);
    tool_context_set_command_door(self, tables->commands);
}

void tool_context_set_repo_lookup(ToolContext *self, const struct RepoLookup *lookup)
{
    self->repo_lookup = lookup;
}

const struct RepoLookup *tool_context_repo_lookup(const ToolContext *self)
{
    return self->repo_lookup;
}

void tool_context_set_command_door(ToolContext *self, const struct CommandDoor *door)
{
    self->command_door = door;
}

const struct CommandDoor *tool_context_command_door(const ToolContext *self)
{
    return self->command_door;
}

RepoReads *tool_context_repo_reads(const ToolContext *self)
{
    return self->parts.reads;
}

const GPtrArray *tool_context_schemes(const ToolContext *self)
{
    return self->schemes;
}

HookList *tool_context_hooks(const ToolContext *self)
{
    return self->parts.hooks;
}

JobTable *tool_context_jobs(ToolContext *self)
{
    return self->jobs;
}

void *tool_context_state(ToolContext *self, const char *key, void *(*create)(void),
                         void (*destroy)(void *))
{
    HOLD_LOCK(&self->lock);
    ToolState *state = g_hash_table_lookup(self->states, key);
    if (!state) {
        state = g_new0(ToolState, 1);
        state->data = create();
        state->destroy = destroy;
        g_hash_table_insert(self->states, g_strdup(key), state);
    }
    return state->data;
}

void tool_context_set_sees_images(ToolContext *self, bool sees_images)
{
    atomic_store(&self->sees_images, sees_images);
}

bool tool_context_sees_images(const ToolContext *self)
{
    return atomic_load(&self->sees_images);
}
