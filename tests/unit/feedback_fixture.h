/*
 * Scaffolding for tests of annotations and edits: a database with the runs R and S, and artifacts
 * that are real files.
 */
#pragma once

#include "operation_fixture.h"

#include "agenttools/answer.h"
#include "agenttools/emit/artifact_register.h"
#include "agenttools/state.h"

#define T0 1772600767089 // 2026-03-04T05:06:07.089Z

typedef struct FeedbackFixture {
    ToolFixture *tool;
    Db *db;
} FeedbackFixture;

static inline void feedback_fixture_sql(const FeedbackFixture *self, const char *sql)
{
    g_autoptr(GError) error = NULL;
    if (!db_exec(self->db, sql, &error))
        fail_msg("%s: %s", sql, error->message);
}

static inline FeedbackFixture *feedback_fixture_new(void)
{
    FeedbackFixture *self = g_new0(FeedbackFixture, 1);
    self->tool = tool_fixture_new(NULL, false);
    g_autofree char *path = g_build_filename(self->tool->root, "state.db", NULL);
    g_setenv("KEDGE_STATE_DB", path, TRUE);
    assert_true(state_open(NULL, NULL, &self->db, NULL, NULL));
    feedback_fixture_sql(self, "INSERT INTO run (id, workflow, created_at, updated_at) VALUES"
                               " ('R', 'build', 1, 1), ('S', 'build', 2, 2)");
    return self;
}

static inline void feedback_fixture_free(FeedbackFixture *self)
{
    db_close(self->db);
    tool_fixture_free(self->tool);
    g_unsetenv("KEDGE_STATE_DB");
    g_free(self);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(FeedbackFixture, feedback_fixture_free)

static inline void feedback_fixture_put(const FeedbackFixture *self, const char *path,
                                        const char *text)
{
    tool_fixture_put(self->tool, path, text);
}

/* Registers a file with the document id `doc_id` in the run. */
static inline void feedback_fixture_register(const FeedbackFixture *self, const char *doc_id,
                                             const char *path, const char *run_id)
{
    g_autoptr(GError) error = NULL;
    if (!db_run(self->db, &error,
                "INSERT OR IGNORE INTO artifact (doc_id, storage_root, root_path, path, type,"
                " created_at, updated_at) VALUES (?, 'project', ?, ?, ?, 1, 1)",
                "ssss", doc_id, self->tool->cwd, path, artifact_type_of(path)) ||
        !db_run(self->db, &error,
                "INSERT INTO run_artifact (run_id, doc_id, created_at) VALUES (?, ?, 1)", "ss",
                run_id, doc_id))
        fail_msg("%s", error->message);
}

/* The text of a file. Caller frees. */
static inline char *feedback_fixture_text(const FeedbackFixture *self, const char *path)
{
    g_autofree char *file = g_build_filename(self->tool->cwd, path, NULL);
    char *text = NULL;
    assert_true(file_read(file, 16 * 1024 * 1024, &text, NULL, NULL));
    return text;
}

static inline RunArtifact *feedback_fixture_artifact(const FeedbackFixture *self,
                                                     const char *doc_id)
{
    RunArtifact *artifact = NULL;
    assert_true(run_artifact_get(self->db, doc_id, &artifact, NULL));
    assert_non_null(artifact);
    return artifact;
}

static inline int64_t feedback_fixture_count(const FeedbackFixture *self, const char *sql)
{
    g_autoptr(DbQuery) query = NULL;
    bool has_row = false;
    assert_true(db_query(self->db, &query, NULL, sql, ""));
    assert_true(db_query_step(query, &has_row, NULL) && has_row);
    return db_query_int(query, 0);
}

/* The newest row of the feed as "type run doc data". Caller frees. */
static inline char *feedback_fixture_feed(const FeedbackFixture *self)
{
    g_autoptr(DbQuery) query = NULL;
    bool has_row = false;
    assert_true(db_query(self->db, &query, NULL,
                         "SELECT type || ' ' || coalesce(run_id, '-') || ' ' || coalesce(doc_id,"
                         " '-') || ' ' || coalesce(data, '-') FROM feed ORDER BY id DESC LIMIT 1",
                         ""));
    assert_true(db_query_step(query, &has_row, NULL));
    return g_strdup(has_row ? db_query_text(query, 0) : "");
}

/* The error that must have come, with its code; cleared. */
static inline void assert_answer(const char *name, bool is_good, GError **error, AnswerCode code,
                                 const char *want)
{
    if (is_good)
        fail_msg("%s: does not fail", name);
    assert_text(name, (*error)->message, want);
    if (!answer_error_is(*error, code))
        fail_msg("%s: not %s", name, answer_code_name(code));
    g_clear_error(error);
}

/* The text at `key` must be there and have that part. */
static inline void assert_member(const char *name, const json_t *object, const char *key,
                                 const char *part)
{
    const char *text = json_get_text(object, key);
    assert_contains(name, text ? text : "(none)", part);
}

/* `value` as JSON text must be `want`, written as json_of(). */
static inline void assert_json(const char *name, const json_t *value, const char *want)
{
    g_autoptr(json_t) wanted = json_of(want);
    g_autofree char *got_text = json_to_text(value);
    g_autofree char *want_text = json_to_text(wanted);
    assert_text(name, got_text, want_text);
}
