/*
 * The agent-tools database: where it is, its schema, and the feed (state.h).
 */
#include "agenttools/state.h"

#include "agenttools/answer.h"
#include "base/dirs.h"
#include "base/env.h"
#include "base/timefmt.h"

#define FEED_ROWS 10000

/* Never changed once released: a new version is a new text at the end. */
static const char *const migrations[] = {
    "CREATE TABLE run ("
    " id TEXT PRIMARY KEY, workflow TEXT NOT NULL, feature_id TEXT, project_path TEXT,"
    " root_path TEXT, work_root TEXT, name TEXT, harness TEXT, current_step TEXT,"
    " status TEXT NOT NULL DEFAULT 'not_started'," // as the last event left it (agent-tools-cli
                                                   // §4.5)
    " waiting_event INTEGER,"                      // the waiting_for_user that nothing followed yet
    " outcome TEXT," // of end-run or --close-run: cancelled, abandoned, completed
    " created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, ended_at INTEGER);"
    "CREATE INDEX run_by_activity ON run(updated_at DESC, id);"
    "CREATE INDEX run_by_feature ON run(feature_id, workflow, project_path);"
    "CREATE TABLE event ("
    " id INTEGER PRIMARY KEY AUTOINCREMENT, run_id TEXT NOT NULL REFERENCES run(id),"
    " type TEXT NOT NULL, step TEXT, unit TEXT, data TEXT, parent_step_id TEXT, event_key TEXT,"
    " created_at INTEGER NOT NULL);"
    "CREATE INDEX event_by_run ON event(run_id, id);"
    "CREATE UNIQUE INDEX event_by_key ON event(run_id, event_key) WHERE event_key IS NOT NULL;"
    "CREATE TABLE step_state (" // what the log says last of each step; unit '' is the step itself
    " run_id TEXT NOT NULL REFERENCES run(id), step TEXT NOT NULL, unit TEXT NOT NULL,"
    " status TEXT NOT NULL, event_id INTEGER NOT NULL, PRIMARY KEY (run_id, step, unit))"
    " WITHOUT ROWID;"
    // the log is append-only (agent-tools-cli §4.1)
    "CREATE TRIGGER event_no_update BEFORE UPDATE ON event"
    " BEGIN SELECT raise(ABORT, 'events are never changed'); END;"
    "CREATE TRIGGER event_no_delete BEFORE DELETE ON event"
    " BEGIN SELECT raise(ABORT, 'events are never deleted'); END;"
    "CREATE TABLE artifact ("
    " doc_id TEXT PRIMARY KEY, project_path TEXT, storage_root TEXT NOT NULL, root_path TEXT NOT "
    "NULL,"
    " path TEXT NOT NULL, type TEXT NOT NULL, sha256 TEXT,"
    " created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL);"
    "CREATE INDEX artifact_by_path ON artifact(path, storage_root);"
    "CREATE TABLE run_artifact (" // a document belongs to every run that registered it
    " run_id TEXT NOT NULL REFERENCES run(id), doc_id TEXT NOT NULL REFERENCES artifact(doc_id),"
    " feature TEXT, step TEXT, subflow TEXT, created_at INTEGER NOT NULL,"
    " updated_at INTEGER NOT NULL DEFAULT 0," // of the last repeat
    " PRIMARY KEY (run_id, doc_id));"
    "CREATE INDEX run_artifact_by_doc ON run_artifact(doc_id);"
    "CREATE TABLE annotation ("
    " id INTEGER PRIMARY KEY AUTOINCREMENT, doc_id TEXT REFERENCES artifact(doc_id),"
    " run_id TEXT REFERENCES run(id),"
    " parent_id INTEGER REFERENCES annotation(id) ON DELETE CASCADE,"
    " content TEXT NOT NULL, status TEXT NOT NULL DEFAULT 'open', author TEXT NOT NULL,"
    " anchor TEXT, orphaned INTEGER NOT NULL DEFAULT 0,"
    " created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL);"
    "CREATE INDEX annotation_by_doc ON annotation(doc_id, id);"
    "CREATE INDEX annotation_by_run ON annotation(run_id, id);"
    "CREATE INDEX annotation_by_parent ON annotation(parent_id, id);"
    "CREATE TABLE edit ("
    " id INTEGER PRIMARY KEY AUTOINCREMENT, doc_id TEXT NOT NULL REFERENCES artifact(doc_id),"
    " run_id TEXT REFERENCES run(id), author TEXT NOT NULL, mode TEXT NOT NULL,"
    " base_content TEXT, new_content TEXT, status TEXT NOT NULL DEFAULT 'pending', reason TEXT,"
    " created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL);"
    "CREATE INDEX edit_by_doc ON edit(doc_id, status, id);"
    "CREATE TABLE feed ("
    " id INTEGER PRIMARY KEY AUTOINCREMENT, type TEXT NOT NULL, run_id TEXT, doc_id TEXT, data "
    "TEXT,"
    " created_at INTEGER NOT NULL);"
    "CREATE TABLE task ("
    " id INTEGER PRIMARY KEY AUTOINCREMENT, type TEXT NOT NULL, description TEXT NOT NULL,"
    " status TEXT NOT NULL DEFAULT 'pending', payload TEXT, project_path TEXT, result TEXT,"
    " error TEXT, priority INTEGER NOT NULL DEFAULT 0, run_id TEXT,"
    " attempts INTEGER NOT NULL DEFAULT 0, max_attempts INTEGER NOT NULL DEFAULT 3,"
    " available_at INTEGER NOT NULL,"
    " delayed_until INTEGER," // available_at while it is in the future, as far as anyone looked
    " blockers INTEGER NOT NULL DEFAULT 0," // dependencies that are not completed
    " idempotency_key TEXT, input_digest TEXT,"
    " on_dependency_failure TEXT NOT NULL DEFAULT 'block',"
    " lease_owner TEXT, lease_token TEXT,"
    " lease_expires_at INTEGER," // only while in progress; NULL: never
    " heartbeat_at INTEGER,"
    " created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, started_at INTEGER,"
    " finished_at INTEGER,"
    " ready INTEGER GENERATED ALWAYS AS (CASE WHEN status = 'pending' AND blockers = 0 AND"
    " delayed_until IS NULL THEN 1 END) VIRTUAL);" // may be picked up
    "CREATE UNIQUE INDEX task_by_key ON task(coalesce(project_path, ''), idempotency_key)"
    " WHERE idempotency_key IS NOT NULL;"
    "CREATE INDEX task_by_status ON task(status, id);"
    // one for each way to pick up: nothing that waits is looked at
    // (the last two columns of the first are for filters that go through it in order)
    "CREATE INDEX task_ready ON task(ready, priority DESC, id, project_path, type)"
    " WHERE ready IS NOT NULL;"
    "CREATE INDEX task_ready_by_type ON task(type, ready, priority DESC, id)"
    " WHERE ready IS NOT NULL;"
    "CREATE INDEX task_ready_by_project ON task(project_path, ready, priority DESC, id)"
    " WHERE ready IS NOT NULL;"
    "CREATE INDEX task_by_expiry ON task(lease_expires_at) WHERE lease_expires_at IS NOT NULL;"
    "CREATE INDEX task_by_delay ON task(delayed_until) WHERE delayed_until IS NOT NULL;"
    "CREATE TABLE task_dep ("
    " task_id INTEGER NOT NULL REFERENCES task(id) ON DELETE CASCADE,"
    " depends_on INTEGER NOT NULL, PRIMARY KEY (task_id, depends_on)) WITHOUT ROWID;"
    "CREATE INDEX task_dep_reverse ON task_dep(depends_on, task_id);"
    "CREATE TABLE task_event ("
    " id INTEGER PRIMARY KEY AUTOINCREMENT,"
    " task_id INTEGER NOT NULL REFERENCES task(id) ON DELETE CASCADE,"
    " at INTEGER NOT NULL, from_status TEXT, to_status TEXT NOT NULL, worker TEXT, note TEXT);"
    "CREATE INDEX task_event_by_task ON task_event(task_id, id);",
    // what a person answers to a waiting run; when a comment's text was changed last
    "ALTER TABLE annotation ADD COLUMN answer_to INTEGER REFERENCES event(id);"
    "ALTER TABLE annotation ADD COLUMN edited_at INTEGER;"
    "CREATE INDEX annotation_by_answer ON annotation(answer_to) WHERE answer_to IS NOT NULL;",
    NULL,
};

char *state_path(void)
{
    const char *given = env_get_raw("KEDGE_STATE_DB");
    if (!given)
        given = env_get_raw("RP1_DB");
    if (given)
        return g_strdup(given);
    g_autofree char *root = dirs_config_root();
    return g_build_filename(root, "agent-tools.db", NULL);
}

bool state_open(const char *path, Cancel *cancel, Db **ret_db, GPtrArray *warnings, GError **error)
{
    g_autofree char *own = path ? NULL : state_path();
    g_autoptr(GError) failure = NULL;
    if (db_open(path ? path : own, migrations, cancel, ret_db, warnings, &failure))
        return true;
    if (error_is(failure, KEDGE_ERROR_CANCELLED))
        return pass_error(error, &failure);
    if (error_is(failure, KEDGE_ERROR_DENIED))
        return answer_error(error, ANSWER_INVALID_STATE, NULL, "%s", failure->message);
    if (error_is(failure, KEDGE_ERROR_TIMEOUT))
        return answer_error(error, ANSWER_UNAVAILABLE, json_make("retryable:%i", true), "%s",
                            failure->message);
    return answer_error(error, ANSWER_IO, answer_hint("KEDGE_STATE_DB names another database"),
                        "%s", failure->message);
}

bool feed_append(Db *db, const char *type, const char *run_id, const char *doc_id,
                 const json_t *data, int64_t now_ms, GError **error)
{
    g_autofree char *text = data ? json_to_text(data) : NULL;
    return db_run(
               db, error,
               "INSERT INTO feed (type, run_id, doc_id, data, created_at) VALUES (?, ?, ?, ?, ?)",
               "ssssi", type, run_id, doc_id, text, now_ms) &&
           db_run(db, error, "DELETE FROM feed WHERE id <= (SELECT max(id) FROM feed) - ?", "i",
                  (int64_t)FEED_ROWS);
}

json_t *state_time(DbQuery *query, int column)
{
    if (db_query_is_null(query, column))
        return json_null();
    g_autofree char *text = time_format_iso(db_query_int(query, column));
    return json_text(text);
}

json_t *state_json(DbQuery *query, int column)
{
    const char *text = db_query_text(query, column);
    json_t *value = NULL;
    return text && json_parse_text(text, &value, NULL) ? value : json_null();
}

json_t *state_text(DbQuery *query, int column)
{
    return json_text(db_query_text(query, column));
}
