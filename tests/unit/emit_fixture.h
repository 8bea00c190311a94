/*
 * Scaffolding for tests of emit: a project without git in a private directory tree, a database of
 * its own, and events written short.
 */
#pragma once

#include "operation_fixture.h"

#include "agenttools/agenttools.h"
#include "agenttools/state.h"
#include "base/path.h"

typedef struct EmitFixture {
    ToolFixture *tools; // cwd is the project; it holds .rp1
    char *project;      // real path
    int64_t now_ms;     // the time of the calls
} EmitFixture;

static inline int64_t emit_fixture_now(void *self)
{
    return ((EmitFixture *)self)->now_ms;
}

static inline int emit_setup(void **state)
{
    static const char *const unset[] = { "RP1_ROOT", "RP1_WORK_ROOT", "RP1_KB_ROOT", "RP1_DB",
                                         "KEDGE_CONFIG_DIR" };
    for (size_t i = 0; i < G_N_ELEMENTS(unset); i++)
        g_unsetenv(unset[i]);
    EmitFixture *self = g_new0(EmitFixture, 1);
    self->tools = tool_fixture_new(NULL, false);
    self->project = path_real(self->tools->cwd);
    self->now_ms = G_GINT64_CONSTANT(1772600767089); // 2026-03-04T05:06:07.089Z
    const ToolClock clock = { .now_ms = emit_fixture_now, .user_data = self };
    tool_context_set_clock(self->tools->context, &clock);
    g_autofree char *db = g_build_filename(self->tools->root, "state.db", NULL);
    g_setenv("KEDGE_STATE_DB", db, true);
    g_setenv("HOME", self->tools->root, true);
    g_autofree char *rp1 = g_build_filename(self->project, ".rp1", "work", NULL);
    assert_true(file_make_dirs(rp1, 0700, NULL));
    *state = self;
    return 0;
}

static inline int emit_teardown(void **state)
{
    EmitFixture *self = *state;
    g_unsetenv("KEDGE_STATE_DB");
    tool_fixture_free(self->tools);
    g_free(self->project);
    g_free(self);
    return 0;
}

/* JSON of `{'type': …}` with runId R and workflow build where they are not given. New reference. */
static inline json_t *emit_arguments(const char *text)
{
    json_t *arguments = json_of(text);
    if (!json_object_get(arguments, "runId"))
        json_set_text(arguments, "runId", "R");
    if (!json_object_get(arguments, "workflow"))
        json_set_text(arguments, "workflow", "build");
    return arguments;
}

/* The envelope of one emit call. New reference. */
static inline json_t *emit_call(const EmitFixture *self, const char *arguments)
{
    return operation_call(self->tools, &operation_emit, emit_arguments(arguments));
}

/* "step status" or "step/unit status", with further fields after it: `"step status", 'allowSkip':
   true`. */
static inline json_t *emit_status(const EmitFixture *self, const char *change, const char *more)
{
    g_auto(GStrv) words = g_strsplit(change, " ", 2);
    g_auto(GStrv) place = g_strsplit(words[0], "/", 2);
    g_autofree char *unit = place[1] ? g_strdup_printf("'unit':'%s',", place[1]) : g_strdup("");
    g_autofree char *text =
        g_strdup_printf("{'type':'status_change','step':'%s',%s'data':{'status':'%s'}%s%s}",
                        place[0], unit, words[1], more ? "," : "", more ? more : "");
    return emit_call(self, text);
}

static inline const char *emit_error_of(const json_t *envelope)
{
    return json_string_value(json_array_get(json_get_array(envelope, "errors"), 0));
}

static inline const json_t *emit_details_of(const json_t *envelope)
{
    return json_array_get(json_get_array(envelope, "error_details"), 0);
}

/* These must succeed; the second may skip steps. */
static inline void emit_do_with(const EmitFixture *self, const char *change, const char *more)
{
    g_autoptr(json_t) envelope = emit_status(self, change, more);
    if (!json_get_bool(envelope, "success", false))
        fail_msg("%s: %s", change, emit_error_of(envelope));
}

static inline void emit_do(const EmitFixture *self, const char *change)
{
    emit_do_with(self, change, NULL);
}

static inline void emit_skip_to(const EmitFixture *self, const char *change)
{
    emit_do_with(self, change, "'allowSkip':true");
}

/* `arguments` as emit_call(); must succeed. */
static inline void emit_event(const EmitFixture *self, const char *arguments)
{
    g_autoptr(json_t) envelope = emit_call(self, arguments);
    if (!json_get_bool(envelope, "success", false))
        fail_msg("%s: %s", arguments, emit_error_of(envelope));
}

/* `arguments` of end-run. */
static inline void emit_end(const EmitFixture *self, const char *arguments)
{
    json_decref(operation_data(self->tools, &operation_emit_end_run, arguments));
}

/* Must fail with exactly that. */
static inline void emit_refuse(const EmitFixture *self, const char *name, const char *change,
                               const char *code, const char *want)
{
    g_autoptr(json_t) envelope = emit_status(self, change, NULL);
    if (json_get_bool(envelope, "success", false))
        fail_msg("%s: %s is accepted", name, change);
    assert_text(name, emit_error_of(envelope), want);
    assert_text(name, json_get_text(emit_details_of(envelope), "code"), code);
}

static inline Db *emit_open_db(void)
{
    Db *db = NULL;
    g_autoptr(GError) error = NULL;
    if (!state_open(NULL, NULL, &db, NULL, &error))
        fail_msg("%s", error->message);
    return db;
}

static inline int64_t emit_query_int(const char *sql)
{
    g_autoptr(Db) db = emit_open_db();
    g_autoptr(DbQuery) query = NULL;
    bool has_row = false;
    assert_true(db_query(db, &query, NULL, sql, ""));
    assert_true(db_query_step(query, &has_row, NULL));
    assert_true(has_row);
    return db_query_int(query, 0);
}

/* "step/unit status" of every status_change in order, joined with ", ". Caller frees. */
static inline char *emit_log_of(const char *run_id)
{
    g_autoptr(Db) db = emit_open_db();
    g_autoptr(DbQuery) query = NULL;
    GString *text = g_string_new(NULL);
    bool has_row = true;
    assert_true(db_query(db, &query, NULL,
                         "SELECT step || coalesce('/' || unit, '') || ' ' || "
                         "json_extract(data, '$.status') FROM event WHERE run_id = ? AND "
                         "type = 'status_change' ORDER BY id",
                         "s", run_id));
    while (db_query_step(query, &has_row, NULL) && has_row)
        g_string_append_printf(text, "%s%s", text->len > 0 ? ", " : "", db_query_text(query, 0));
    return g_string_free(text, FALSE);
}

#define EMIT_TEST(name) cmocka_unit_test_setup_teardown(name, emit_setup, emit_teardown)
