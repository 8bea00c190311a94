/*
 * Scaffolding for tests of the queue: an empty store, a clock that only tests move, and scenarios
 * written as tables of calls.
 */
#pragma once

#include "operation_fixture.h"

#include "agenttools/agenttools.h"
#include "agenttools/state.h"

#define TASK_START_MS INT64_C(1772600767089) // 2026-03-04T05:06:07.089Z

typedef struct TaskFixture {
    ToolFixture *tool;
    char *db_path;
    int64_t now_ms;
    GArray *sleeps;                             // int64_t, of --wait
    GPtrArray *tokens;                          // lease tokens, in order of pickup
    void (*on_sleep)(struct TaskFixture *self); // what others do meanwhile
} TaskFixture;

static inline int64_t task_fixture_now(void *self)
{
    return ((TaskFixture *)self)->now_ms;
}

static inline bool task_fixture_sleep(void *self_, int64_t duration_ms, Cancel *cancel,
                                      GError **error)
{
    TaskFixture *self = self_;
    g_array_append_val(self->sleeps, duration_ms);
    self->now_ms += duration_ms;
    if (self->on_sleep)
        self->on_sleep(self);
    return cancel_check(cancel, error);
}

/* `settings` as json_of(), or NULL. */
static inline TaskFixture *task_fixture_new(const char *settings)
{
    TaskFixture *self = g_new0(TaskFixture, 1);
    self->tool = tool_fixture_new(settings, false);
    self->now_ms = TASK_START_MS;
    self->sleeps = g_array_new(FALSE, FALSE, sizeof(int64_t));
    self->tokens = g_ptr_array_new_with_free_func(g_free);
    self->db_path = g_build_filename(self->tool->root, "state.db", NULL);
    g_setenv("KEDGE_STATE_DB", self->db_path, TRUE);
    g_unsetenv("KEDGE_TASK_DB");
    const ToolClock clock = { task_fixture_now, task_fixture_sleep, self };
    tool_context_set_clock(self->tool->context, &clock);
    return self;
}

static inline void task_fixture_free(TaskFixture *self)
{
    tool_fixture_free(self->tool);
    g_array_unref(self->sleeps);
    g_ptr_array_unref(self->tokens);
    g_free(self->db_path);
    g_free(self);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TaskFixture, task_fixture_free)

/* Is all of `want` in `got`? Arrays have the same length; objects may have more members. */
static inline bool json_contains(const json_t *got, const json_t *want)
{
    const char *key;
    json_t *value;
    size_t index;
    if (json_is_object(want)) {
        json_object_foreach ((json_t *)want, key, value)
            if (!json_contains(json_object_get(got, key), value))
                return false;
        return json_is_object(got);
    }
    if (!json_is_array(want))
        return json_equal(got, want);
    json_array_foreach (want, index, value)
        if (!json_contains(json_array_get(got, index), value))
            return false;
    return json_is_array(got) && json_array_size(got) == json_array_size(want);
}

typedef struct TaskStep {
    const char *name; // "cli-C-04"; NULL: as the step before
    int64_t later_ms; // the time that passes first
    const OperationDef *operation;
    const char *arguments; // as json_of(); $1 is the token of the first pickup
    const char *want;      // as json_of(), all of it is in data; NULL: it fails
    const char *error;     // whole text of the failure
    const char *code;
} TaskStep;

static inline char *task_fixture_fill_in(const TaskFixture *self, const char *text)
{
    GString *out = g_string_new(text);
    for (unsigned i = 0; i < self->tokens->len; i++) {
        char mark[8];
        g_snprintf(mark, sizeof mark, "$%u", i + 1);
        g_string_replace(out, mark, self->tokens->pdata[i], 0);
    }
    return g_string_free(out, FALSE);
}

static inline void task_fixture_step(TaskFixture *self, const TaskStep *step, const char *name)
{
    self->now_ms += step->later_ms;
    g_autofree char *arguments = task_fixture_fill_in(self, step->arguments);
    if (!step->want) {
        g_autofree char *error =
            operation_error(self->tool, step->operation, arguments, step->code);
        assert_text(name, error, step->error);
        return;
    }
    g_autoptr(json_t) data = operation_data(self->tool, step->operation, arguments);
    g_autoptr(json_t) want = json_of(step->want);
    if (!json_contains(data, want)) {
        g_autofree char *text = json_to_pretty(data);
        fail_msg("%s: %s %s\n--- got\n%s\n--- lacks\n%s", name, step->operation->tool.name,
                 arguments, text, step->want);
    }
    const char *token = json_get_text(data, "leaseToken");
    if (token)
        g_ptr_array_add(self->tokens, g_strdup(token));
}

/* The steps end with one without an operation. */
static inline void task_fixture_play(TaskFixture *self, const TaskStep *steps)
{
    const char *name = "";
    for (; steps->operation; steps++) {
        name = steps->name ? steps->name : name;
        task_fixture_step(self, steps, name);
    }
}

/* A scenario on a store of its own. */
static inline void task_play(const TaskStep *steps)
{
    g_autoptr(TaskFixture) fixture = task_fixture_new(NULL);
    task_fixture_play(fixture, steps);
}
