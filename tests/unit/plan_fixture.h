/*
 * A conversation that plans, for unit tests: with the tools that matter, and a person who answers
 * its questions.
 */
#pragma once

#include "unit.h"

#include "base/file.h"
#include "model/message.h"
#include "session_fixture.h"
#include "tools/tools.h"

#define CALL(id, name, arguments)                                                                  \
    "[{\"id\":\"" id "\",\"name\":\"" name "\",\"arguments\":" arguments "}]"
#define WRITE(path)  CALL("w1", "write", "{\"path\":\"" path "\",\"content\":\"1. Do it.\\n\"}")
#define SUBMIT(more) CALL("s1", "resolve", "{\"action\":\"apply\",\"reason\":\"ready\"" more "}")
#define TITLED       ",\"extra\":{\"title\":\"do-it\"}"
#define FRESH        "Approve, and carry it out in a fresh context"
#define KEEP         "Approve, and go on in this context"
#define ONLY_PLAN    "Plan mode: only the plan file may be modified (local://PLAN.md)."

static const UrlScheme *const schemes[] = { &url_local, &url_plan, NULL };
static const ContextTables tables = { .schemes = schemes };
static const ToolDef *const table[] = { &tool_read,  &tool_bash,    &tool_edit,       &tool_ask,
                                        &tool_grep,  &tool_eval,    &tool_ast_edit,   &tool_ssh,
                                        &tool_write, &tool_resolve, &tool_todo_write, NULL };

typedef struct Planner {
    SessionFixture *fixture;
    ToolSet *tools;
    const char *const *answers; // to the questions, in order; NULL: none is given any more
    size_t asked;
} Planner;

static inline void on_event(json_t *event, void *self_)
{
    Planner *self = self_;
    if (!g_str_equal(json_get_text(event, "type"), "question"))
        return;
    self->asked++;
    const char *text = self->answers && *self->answers ? *self->answers++ : NULL;
    agent_session_answer_text(self->fixture->session, json_get_text(event, "id"), text, false,
                              NULL);
}

/* `answers` NULL: nobody can be asked. */
static inline Planner *planner_new(const char *settings, const char *const *answers)
{
    Planner *self = g_new0(Planner, 1);
    self->fixture = session_fixture_new(settings);
    self->tools = tool_set_new(table);
    self->answers = answers;
    g_autoptr(ToolSet) offered = tool_set_select(
        self->tools, tool_context_settings(self->fixture->agent->context), NULL, NULL);
    AgentSessionOptions *options = &self->fixture->options;
    options->all_tools = self->tools;
    options->tools = offered;
    options->tables = &tables;
    options->can_choose = answers != NULL;
    session_fixture_open(self->fixture);
    options->tools = NULL;
    agent_session_subscribe(self->fixture->session,
                            &(SubscriberSpec) { DETAIL_NONE, true, on_event, self, true });
    return self;
}

static inline void planner_free(Planner *self)
{
    session_fixture_free(self->fixture);
    tool_set_unref(self->tools);
    g_free(self);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Planner, planner_free)

static inline SseServer *server_of(const Planner *self)
{
    return self->fixture->agent->server;
}

/* With a prompt, until all has come to its end. */
static inline void plan(Planner *self, const char *prompt)
{
    g_autofree char *arguments = g_strdup_printf("{\"enabled\":true,\"prompt\":\"%s\"}", prompt);
    assert_true(session_fixture_command(self->fixture, "set_plan_mode", arguments, NULL));
    session_fixture_wait(self->fixture);
    assert_null(self->fixture->error);
}

static inline void set_plan_mode(Planner *self, bool is_wanted)
{
    assert_true(session_fixture_command(self->fixture, "set_plan_mode",
                                        is_wanted ? "{\"enabled\":true}" : "{\"enabled\":false}",
                                        NULL));
    session_fixture_wait(self->fixture);
}

static inline json_t *state_of(const Planner *self)
{
    return agent_session_state(self->fixture->session);
}

static inline void assert_mode(const Planner *self, const char *mode)
{
    g_autoptr(json_t) state = state_of(self);
    assert_string_equal(json_get_text(state, "mode"), mode);
}

static inline char *tools_of(const Planner *self)
{
    g_autoptr(json_t) state = state_of(self);
    GString *names = g_string_new(NULL);
    size_t i;
    json_t *tool;
    json_array_foreach (json_get_array(state, "dumpTools"), i, tool)
        g_string_append_printf(names, "%s%s", i > 0 ? " " : "", json_get_text(tool, "name"));
    return g_string_free(names, FALSE);
}

/* The modes that the session file has on record, in order. Caller frees. */
static inline char *modes_of_file(const char *path)
{
    g_autofree char *data = NULL;
    assert_true(file_read(path, 1 << 20, &data, NULL, NULL));
    g_auto(GStrv) lines = g_strsplit(data, "\n", -1);
    GString *modes = g_string_new(NULL);
    for (char **line = lines; *line; line++) {
        g_autoptr(json_t) entry = NULL;
        if (!json_parse_text(*line, &entry, NULL) ||
            g_strcmp0(json_get_text(entry, "type"), "mode_change") != 0)
            continue;
        const char *file = json_get_text(json_get_object(entry, "data"), "planFilePath");
        g_string_append_printf(modes, "%s%s%s%s", modes->len > 0 ? " " : "",
                               json_get_text(entry, "mode"), file ? "=" : "", file ? file : "");
    }
    return g_string_free(modes, FALSE);
}

static inline char *session_path_of(const Planner *self)
{
    g_autoptr(json_t) state = state_of(self);
    return g_strdup(json_get_text(state, "sessionFile"));
}

static inline char *local_path(const char *session_path, const char *name)
{
    g_autofree char *stem = g_strndup(session_path, strlen(session_path) - strlen(".jsonl"));
    return g_build_filename(stem, "local", name, NULL);
}
