/*
 * Engines (engine.h).
 */
#include "agent/engine.h"

#include "base/file.h"

static void start_agent(Engine *self, Session *session)
{
    g_autofree char *artifacts_dir = session_artifacts_dir(session);
    self->session = session;
    self->context = tool_context_new(self->place.cwd, self->settings,
                                     artifacts_dir ? artifacts_new(artifacts_dir) : NULL);
    tool_context_set_http(self->context, self->base.http);
    tool_context_add_hooks(self->context, self->hooks);
    AgentOptions options = self->base;
    options.session = session;
    options.context = self->context;
    self->agent = agent_new(&options);
}

void engine_init(Engine *self, const AgentOptions *base, Settings *settings,
                 const ToolHook *const *hooks, const SessionPlace *place, Session *session)
{
    *self = (Engine) { .base = *base, .settings = settings, .hooks = hooks, .place = *place };
    start_agent(self, session);
}

void engine_clear(Engine *self)
{
    agent_free(self->agent);
    tool_context_free(self->context); // before the session: children may still write artifacts
    session_free(self->session);
    *self = (Engine) { 0 };
}

static void go_on_with(Engine *self, Session *session)
{
    agent_free(self->agent);
    tool_context_free(self->context);
    session_free(self->session);
    start_agent(self, session);
    if (session_path(session))
        session_write_breadcrumb(&self->place, session_path(session));
}

bool engine_start_new(Engine *self, GError **error)
{
    if (!session_flush(self->session, error))
        return false;
    g_autofree char *dir = session_path(self->session) ? session_place_dir(&self->place) : NULL;
    go_on_with(self, session_new(dir, self->place.cwd));
    return true;
}

bool engine_switch(Engine *self, const char *path, char **ret_notice, GError **error)
{
    Session *session = NULL;
    if (!session_flush(self->session, error) ||
        !session_open(path, self->place.cwd, &session, ret_notice, error))
        return false;
    go_on_with(self, session);
    return true;
}

bool engine_fork(Engine *self, GError **error)
{
    const char *path = session_path(self->session);
    if (!session_flush(self->session, error))
        return false;
    if (!path || !file_exists(path))
        return fail_with(error, KEDGE_ERROR_NOT_FOUND,
                         "this session is not stored, so it cannot be forked");
    Session *session = NULL;
    g_autofree char *dir = session_place_dir(&self->place);
    if (!session_fork(path, dir, self->place.cwd, &session, error))
        return false;
    go_on_with(self, session);
    return true;
}

bool engine_branch(Engine *self, const char *entry_id, char **ret_text, GError **error)
{
    Session *session = NULL;
    if (!session_flush(self->session, error) ||
        !session_branch(self->session, entry_id, &session, ret_text, error))
        return false;
    go_on_with(self, session);
    return true;
}
