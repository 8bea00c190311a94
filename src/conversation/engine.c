/* See engine.h. */
#include "conversation/engine.h"

#include "agent/branch_summary.h"
#include "agent/discoverer.h"
#include "agent/image_question.h"
#include "agent/repo_record.h"
#include "base/file.h"
#include "base/path.h"
#include "session/session_tree.h"
#include "tool/model_view.h"
#include "tool/rewind_state.h"

#include <sys/stat.h>

static void make_agent(Engine *self)
{
    AgentOptions options = self->base;
    options.session = self->session;
    options.context = self->context;
    options.agent_dir = self->place.agent_dir;
    options.cwd = self->place.cwd;
    discoverer_restore(self->session, options.parts.found);
    repo_record_restore(self->session, options.parts.reads);
    self->agent = agent_new(&options);
}

/* On a worker of a call: what is taken here changes between calls only, or is thread safe. */
static bool answer_vision(const VisionQuestion *question, Cancel *cancel, VisionAnswer *ret_answer,
                          void *self_, GError **error)
{
    const Engine *self = self_;
    g_autoptr(TurnSetup) setup = setup_slot_get(self->base.setup);
    const SummaryContext context = summary_context(
        &self->base.means, tool_context_settings(self->context), setup, self->session_id);
    return image_question_ask(&context, self->base.model_scope, question, cancel, ret_answer,
                              error);
}

/* `is_copy`: of the session before, whose todo list it has, too. */
static void start_agent(Engine *self, Session *session, bool is_copy)
{
    g_autofree char *artifacts_dir = session_artifacts_dir(session);
    self->session = session;
    self->session_id = session_id(session);
    self->context = tool_context_new(self->place.cwd, self->settings,
                                     artifacts_dir ? artifacts_new(artifacts_dir) : NULL);
    tool_context_set_conversation(self->context, self->place.agent_dir);
    tool_context_set_parts(self->context, &self->base.parts);
    vision_offer(self->context, answer_vision, self);
    if (self->base.is_subagent)
        rewind_state_forbid(self->context);
    if (is_copy)
        todo_list_move(self->base.parts.todos, artifacts_dir);
    else
        todo_list_open(self->base.parts.todos, artifacts_dir);
    tool_context_add_schemes(self->context, self->tables ? self->tables->schemes : NULL);
    tool_context_set_repo_lookup(self->context, self->tables ? self->tables->repos : NULL);
    tool_context_set_command_door(self->context, self->tables ? self->tables->commands : NULL);
    job_table_listen(tool_context_jobs(self->context), self->base.job_ended,
                     self->base.events.user_data);
    make_agent(self);
    hook_list_session_start(self->base.parts.hooks, self->session_id);
}

void engine_init(Engine *self, const AgentOptions *base, Settings *settings,
                 const ContextTables *tables, const SessionPlace *place, Session *session)
{
    *self = (Engine) { .base = *base, .settings = settings, .tables = tables, .place = *place };
    start_agent(self, session, false);
}

void engine_take_settings(Engine *self, Settings *settings)
{
    self->settings = settings;
    tool_context_set_settings(self->context, settings);
    agent_take_settings(self->agent);
}

void engine_clear(Engine *self)
{
    agent_free(self->agent);
    tool_context_free(self->context); // before the session: children may still write artifacts
    session_free(self->session);
    *self = (Engine) { 0 };
}

static void go_on_with(Engine *self, Session *session, bool is_copy)
{
    agent_free(self->agent);
    tool_context_free(self->context);
    session_free(self->session);
    start_agent(self, session, is_copy);
    if (session_path(session))
        session_write_breadcrumb(&self->place, session_path(session));
}

bool engine_start_new(Engine *self, const char *parent, GError **error)
{
    if (!session_flush(self->session, error))
        return false;
    g_autofree char *dir = session_path(self->session) ? session_place_dir(&self->place) : NULL;
    Session *session = session_new(dir, self->place.cwd);
    session_set_parent(session, parent);
    go_on_with(self, session, false);
    return true;
}

/* The file that is open already: to open it once more would find it locked, by us. */
static bool is_own_file(const Engine *self, const char *path)
{
    const char *own_path = session_path(self->session);
    struct stat own = { 0 }, other = { 0 };
    if (g_strcmp0(own_path, path) == 0)
        return true; // perhaps not written yet
    return own_path && stat(own_path, &own) == 0 && stat(path, &other) == 0 &&
           own.st_dev == other.st_dev && own.st_ino == other.st_ino;
}

bool engine_switch(Engine *self, const char *name, char **ret_notice, GError **error)
{
    Session *session = NULL;
    g_autofree char *expanded = path_expand_home(name);
    g_autofree char *path = path_absolute(expanded, self->place.cwd);
    if (!session_flush(self->session, error))
        return false;
    if (is_own_file(self, path))
        return true;
    if (!file_exists(path))
        return fail_with(error, KEDGE_ERROR_NOT_FOUND, "Session file not found: %s", path);
    if (!session_open(path, self->place.cwd, &session, ret_notice, error))
        return false;
    go_on_with(self, session, false);
    return true;
}

bool engine_fork(Engine *self, GError **error)
{
    const char *path = session_path(self->session);
    if (!session_flush(self->session, error))
        return false;
    bool is_stored = path && file_exists(path);
    if (path && !is_stored && agent_last_message(self->agent))
        return true; // it is a copy already, with which no one has gone on
    if (!is_stored)
        return fail_with(error, KEDGE_ERROR_NOT_FOUND,
                         "this session is not stored, so it cannot be forked");
    Session *session = NULL;
    g_autofree char *dir = session_place_dir(&self->place);
    if (!session_fork(path, dir, self->place.cwd, &session, error))
        return false;
    go_on_with(self, session, true);
    return true;
}

/* What the calls on the way to the leaf made of it. */
static json_t *todos_on_path(const Engine *self)
{
    g_autoptr(GPtrArray) path = session_path_to(self->session, NULL);
    json_t *phases = NULL;
    for (guint i = path->len; i > 0 && !phases; i--) {
        const EntryHead *head = path->pdata[i - 1];
        if (!g_str_equal(head->tool, TODO_TOOL))
            continue;
        g_autoptr(json_t) entry = session_read_entry(self->session, head);
        phases = todo_of_entry(entry);
    }
    return phases ? phases : json_array();
}

/* Elsewhere in the session the list is as it was there; where no call lies between, what a person
   has changed since stays. */
static void restore_todos(Engine *self, const json_t *before)
{
    g_autoptr(json_t) now = todos_on_path(self);
    if (!json_equal(before, now))
        todo_list_set(self->base.parts.todos, now, NULL, NULL);
}

bool engine_branch(Engine *self, const char *entry_id, char **ret_text, GError **error)
{
    Session *session = NULL;
    if (!session_flush(self->session, error) ||
        !session_branch(self->session, entry_id, &session, ret_text, error))
        return false;
    g_autoptr(json_t) todos = todos_on_path(self);
    go_on_with(self, session, true);
    restore_todos(self, todos);
    return true;
}

SummaryContext engine_summary_context(const Engine *self, const TurnSetup *setup)
{
    SummaryContext context =
        summary_context(&self->base.means, self->settings, setup, session_id(self->session));
    context.max_bytes = agent_max_request_bytes(self->agent, setup->model);
    return context;
}

/* The summary of what is left behind becomes the first entry at the new place. */
static bool summarise_branch(Engine *self, const NavigateSpec *spec, const SessionTarget *target,
                             Cancel *cancel, json_t **ret_fields, GError **error)
{
    g_autoptr(TurnSetup) setup = setup_slot_get(self->base.setup);
    const SummaryContext context = engine_summary_context(self, setup);
    g_autoptr(GPtrArray) left = session_read_entries(self->session, target->left);
    if (!branch_summary(&context, left, spec->instructions, cancel, ret_fields, error))
        return false;
    if (*ret_fields)
        json_set_text(*ret_fields, "fromId", target->leaf ? target->leaf : "root");
    return true;
}

bool engine_navigate(Engine *self, const NavigateSpec *spec, Cancel *cancel, char **ret_text,
                     GError **error)
{
    g_auto(SessionTarget) target = { 0 };
    if (!session_flush(self->session, error) ||
        !session_find_target(self->session, spec->entry_id, &target, error))
        return false;
    if (g_strcmp0(spec->entry_id, session_leaf_id(self->session)) == 0)
        return true;
    g_autoptr(json_t) fields = NULL;
    if (spec->wants_summary && !summarise_branch(self, spec, &target, cancel, &fields, error))
        return false;
    usage_notes_append(self->base.means.usages, self->session); // on the branch that is left
    g_autoptr(json_t) todos = todos_on_path(self);
    if (!session_move(self->session, target.leaf, error))
        return false;
    model_view_forget(self->context);
    restore_todos(self, todos);
    if (fields)
        session_append_fields(self->session, "branch_summary", g_steal_pointer(&fields));
    agent_free(self->agent);
    make_agent(self);
    *ret_text = g_steal_pointer(&target.text);
    return session_flush(self->session, error);
}
