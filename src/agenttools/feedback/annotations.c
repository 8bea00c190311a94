/*
 * Changing annotations. Each change is one transaction that begins by finding the row, so that what
 * is checked is still so when it is changed, and ends with a row of the feed.
 */
#include "agenttools/feedback/annotations.h"

#include "agenttools/answer.h"
#include "agenttools/emit/runs.h"
#include "agenttools/feedback/anchor.h"
#include "agenttools/feedback/artifact_view.h"
#include "base/utf8.h"

#define MAX_AUTHOR_CHARS 128

typedef struct Row {     // of an annotation, as far as changes need it
    int64_t id, root_id; // the same for a root
    char *doc_id, *run_id;
    bool is_resolved;
} Row;

static void row_clear(Row *self)
{
    g_clear_pointer(&self->doc_id, g_free);
    g_clear_pointer(&self->run_id, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Row, row_clear)

static bool annotations_find(Db *db, int64_t id, Row *ret_row, GError **error)
{
    g_autoptr(DbQuery) query = NULL;
    bool has_row = false;
    if (!db_query(db, &query, error,
                  "SELECT coalesce(parent_id, id), doc_id, run_id, status = 'resolved'"
                  " FROM annotation WHERE id = ?",
                  "i", id) ||
        !db_query_step(query, &has_row, error))
        return false;
    if (!has_row)
        return answer_error(error, ANSWER_NOT_FOUND, NULL,
                            "Annotation %" G_GINT64_FORMAT " not found", id);
    *ret_row = (Row) {
        .id = id,
        .root_id = db_query_int(query, 0),
        .doc_id = g_strdup(db_query_text(query, 1)),
        .run_id = g_strdup(db_query_text(query, 2)),
        .is_resolved = db_query_int(query, 3) != 0,
    };
    return true;
}

/* `author` NULL: the change does not tell. */
static bool feed_by(Db *db, const Row *row, const char *change, const char *author, int64_t now_ms,
                    GError **error)
{
    g_autoptr(json_t) data = json_make("annotationId:%jd rootId:%jd change:%s author:%s", row->id,
                                       row->root_id, change, author);
    return feed_append(db, "annotation", row->run_id, row->doc_id, data, now_ms, error);
}

static bool annotations_feed(Db *db, const Row *row, const char *change, int64_t now_ms,
                             GError **error)
{
    return feed_by(db, row, change, NULL, now_ms, error);
}

static bool touch_root(Db *db, const Row *row, int64_t now_ms, GError **error)
{
    return db_run(db, error, "UPDATE annotation SET updated_at = ? WHERE id = ?", "ii", now_ms,
                  row->root_id);
}

static bool check_content(const char *content, GError **error)
{
    if (utf8_is_blank(content))
        return answer_error_field(
            error, "content",
            "Validation failed: content is required and must be a non-empty string");
    size_t chars = utf8_length(content);
    return chars <= ANNOTATION_MAX_CHARS ||
           answer_error_field(error, "content",
                              "Validation failed: content is too long: %zu characters (limit %d)",
                              chars, ANNOTATION_MAX_CHARS);
}

/* "user", "agent", "user:ana" */
static bool check_author(const char *author, GError **error)
{
    const char *name = strchr(author, ':');
    size_t role = name ? (size_t)(name - author) : strlen(author);
    bool is_role = (role == 4 && strncmp(author, "user", role) == 0) ||
                   (role == 5 && strncmp(author, "agent", role) == 0);
    bool is_good =
        is_role && utf8_length(author) <= MAX_AUTHOR_CHARS && (!name || !utf8_is_blank(name + 1));
    return is_good || answer_error_field(
                          error, "author",
                          "Validation failed: author must be user or agent, or one of them with a "
                          "name: user:ana");
}

typedef struct Creation {
    const AnnotationDraft *draft;
    int64_t answer_to; // the event of the run that it answers; 0: none
    int64_t now_ms;
    int64_t id;
} Creation;

static bool check_waits(Db *db, const char *run_id, int64_t event_id, GError **error)
{
    g_autoptr(json_t) waiting = NULL;
    if (!run_waiting(db, run_id, &waiting, error))
        return false;
    if (json_get_int(waiting, "eventId", 0) == event_id)
        return true;
    return answer_error(error, ANSWER_INVALID_STATE, json_make("runId:%s", run_id),
                        "Run %s does not wait for an answer to event %" G_GINT64_FORMAT " any more",
                        run_id, event_id);
}

static bool create_in(Db *db, void *creation_, GError **error)
{
    Creation *creation = creation_;
    const AnnotationDraft *draft = creation->draft;
    g_autoptr(json_t) run = NULL;
    g_autoptr(RunArtifact) artifact = NULL;
    if (draft->run_id && !run_get(db, draft->run_id, creation->now_ms, &run, error))
        return false;
    if (draft->doc_id && !artifact_view_get(db, draft->doc_id, &artifact, error))
        return false;
    if (run && artifact && !artifact_view_check_run(db, draft->doc_id, draft->run_id, error))
        return false;
    if (creation->answer_to && !check_waits(db, draft->run_id, creation->answer_to, error))
        return false;
    bool has_anchor = draft->anchor && !json_is_null(draft->anchor);
    g_autofree char *anchor = has_anchor ? json_to_text(draft->anchor) : NULL;
    if (!db_run(db, error,
                "INSERT INTO annotation (doc_id, run_id, content, author, anchor, answer_to,"
                " created_at, updated_at) VALUES (?, ?, ?, ?, ?, nullif(?, 0), ?, ?)",
                "sssssiii", draft->doc_id, draft->run_id, draft->content, draft->author, anchor,
                creation->answer_to, creation->now_ms, creation->now_ms))
        return false;
    creation->id = db_last_id(db);
    const Row row = {
        .id = creation->id,
        .root_id = creation->id,
        .doc_id = (char *)draft->doc_id,
        .run_id = (char *)draft->run_id,
    };
    return annotations_feed(db, &row, "created", creation->now_ms, error);
}

bool annotation_create(Db *db, const AnnotationDraft *draft, int64_t now_ms, int64_t *ret_id,
                       GError **error)
{
    bool has_anchor = draft->anchor && !json_is_null(draft->anchor);
    if (!check_content(draft->content, error) || !check_author(draft->author, error) ||
        (has_anchor && !anchor_check(draft->anchor, error)))
        return false;
    if (!draft->doc_id && (has_anchor || !draft->run_id))
        return answer_error_field(error, "docId", "Validation failed: docId is required");
    Creation creation = { .draft = draft, .now_ms = now_ms };
    if (!db_transaction(db, create_in, &creation, error))
        return false;
    *ret_id = creation.id;
    return true;
}

bool annotation_answer(Db *db, const char *run_id, int64_t event_id, const char *content,
                       const char *author, int64_t now_ms, int64_t *ret_id, GError **error)
{
    const AnnotationDraft draft = { .run_id = run_id, .content = content, .author = author };
    Creation creation = { .draft = &draft, .answer_to = event_id, .now_ms = now_ms };
    if (!check_content(content, error) || !check_author(author, error) ||
        !db_transaction(db, create_in, &creation, error))
        return false;
    *ret_id = creation.id;
    return true;
}

typedef struct Reply {
    int64_t id; // of any annotation of the thread
    const char *content, *author;
    int64_t now_ms;
    int64_t reply_id;
} Reply;

static bool add_reply(Db *db, const Row *thread, Reply *reply, GError **error)
{
    if (!db_run(db, error,
                "INSERT INTO annotation (doc_id, run_id, parent_id, content, author, created_at,"
                " updated_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
                "ssissii", thread->doc_id, thread->run_id, thread->root_id, reply->content,
                reply->author, reply->now_ms, reply->now_ms))
        return false;
    reply->reply_id = db_last_id(db);
    const Row row = {
        .id = reply->reply_id,
        .root_id = thread->root_id,
        .doc_id = thread->doc_id,
        .run_id = thread->run_id,
    };
    return touch_root(db, thread, reply->now_ms, error) &&
           annotations_feed(db, &row, "replied", reply->now_ms, error);
}

static bool reply_in(Db *db, void *reply, GError **error)
{
    g_auto(Row) row = { 0 };
    return annotations_find(db, ((Reply *)reply)->id, &row, error) &&
           add_reply(db, &row, reply, error);
}

bool annotation_reply(Db *db, int64_t id, const char *content, const char *author, int64_t now_ms,
                      int64_t *ret_reply_id, GError **error)
{
    Reply reply = { .id = id, .content = content, .author = author, .now_ms = now_ms };
    if (!check_content(content, error) || !check_author(author, error) ||
        !db_transaction(db, reply_in, &reply, error))
        return false;
    *ret_reply_id = reply.reply_id;
    return true;
}

typedef struct StatusChange {
    bool is_resolved;
    bool was_so;
    Reply reply; // its content may be NULL: none
} StatusChange;

/* The thread's last reply, when it says just that; 0 otherwise. */
static bool find_same_reply(Db *db, int64_t root_id, const char *content, int64_t *ret_id,
                            GError **error)
{
    g_autoptr(DbQuery) query = NULL;
    bool has_row = false;
    if (!db_query(db, &query, error,
                  "SELECT id, content FROM annotation WHERE parent_id = ? ORDER BY id DESC LIMIT 1",
                  "i", root_id) ||
        !db_query_step(query, &has_row, error))
        return false;
    bool is_same = has_row && strcmp(db_query_text(query, 1), content) == 0;
    *ret_id = is_same ? db_query_int(query, 0) : 0;
    return true;
}

static bool change_status_in(Db *db, void *change_, GError **error)
{
    StatusChange *change = change_;
    Reply *reply = &change->reply;
    g_auto(Row) row = { 0 };
    if (!annotations_find(db, reply->id, &row, error))
        return false;
    if (row.root_id != row.id)
        return answer_error(error, ANSWER_INVALID_STATE, NULL,
                            "Annotation %" G_GINT64_FORMAT " is a reply, not a root annotation. "
                            "Only root annotations can be %s.",
                            row.id, change->is_resolved ? "resolved" : "reopened");
    change->was_so = row.is_resolved == change->is_resolved;
    if (reply->content && change->was_so &&
        !find_same_reply(db, row.id, reply->content, &reply->reply_id, error))
        return false;
    if (reply->content && reply->reply_id == 0 && !add_reply(db, &row, reply, error))
        return false;
    if (change->was_so)
        return true;
    return db_run(db, error, "UPDATE annotation SET status = ?, updated_at = ? WHERE id = ?", "sii",
                  change->is_resolved ? "resolved" : "open", reply->now_ms, row.id) &&
           feed_by(db, &row, change->is_resolved ? "resolved" : "reopened", reply->author,
                   reply->now_ms, error);
}

bool annotation_set_status(Db *db, int64_t id, bool is_resolved, int64_t now_ms, bool *ret_was_so,
                           GError **error)
{
    StatusChange change = {
        .is_resolved = is_resolved,
        .reply = { .id = id, .now_ms = now_ms },
    };
    if (!db_transaction(db, change_status_in, &change, error))
        return false;
    *ret_was_so = change.was_so;
    return true;
}

bool annotation_resolve(Db *db, int64_t id, const char *reply, const char *author, int64_t now_ms,
                        int64_t *ret_reply_id, bool *ret_was_so, GError **error)
{
    StatusChange change = {
        .is_resolved = true,
        .reply = { .id = id, .content = reply, .author = author, .now_ms = now_ms },
    };
    if ((reply && !check_content(reply, error)) || !check_author(author, error) ||
        !db_transaction(db, change_status_in, &change, error))
        return false;
    *ret_reply_id = change.reply.reply_id;
    *ret_was_so = change.was_so;
    return true;
}

static bool set_content_in(Db *db, void *change_, GError **error)
{
    const Reply *change = change_;
    g_auto(Row) row = { 0 };
    return annotations_find(db, change->id, &row, error) &&
           db_run(db, error,
                  "UPDATE annotation SET content = ?, updated_at = ?, edited_at = ? WHERE id = ?",
                  "siii", change->content, change->now_ms, change->now_ms, change->id) &&
           touch_root(db, &row, change->now_ms, error) &&
           annotations_feed(db, &row, "changed", change->now_ms, error);
}

bool annotation_set_content(Db *db, int64_t id, const char *content, int64_t now_ms, GError **error)
{
    Reply change = { .id = id, .content = content, .now_ms = now_ms };
    return check_content(content, error) && db_transaction(db, set_content_in, &change, error);
}

static bool delete_in(Db *db, void *change_, GError **error)
{
    const Reply *change = change_;
    g_auto(Row) row = { 0 };
    return annotations_find(db, change->id, &row, error) &&
           db_run(db, error, "DELETE FROM annotation WHERE id = ?", "i", change->id) &&
           touch_root(db, &row, change->now_ms, error) &&
           annotations_feed(db, &row, "deleted", change->now_ms, error);
}

bool annotation_delete(Db *db, int64_t id, int64_t now_ms, GError **error)
{
    Reply change = { .id = id, .now_ms = now_ms };
    return db_transaction(db, delete_in, &change, error);
}

bool annotation_check_run(Db *db, int64_t id, const char *run_id, GError **error)
{
    g_auto(Row) row = { 0 };
    if (!annotations_find(db, id, &row, error))
        return false;
    bool is_in_run = g_strcmp0(row.run_id, run_id) == 0;
    if (!row.run_id && row.doc_id &&
        !run_artifact_is_in_run(db, row.doc_id, run_id, &is_in_run, error))
        return false;
    return is_in_run ||
           answer_error(error, ANSWER_INVALID_STATE, NULL,
                        "Annotation %" G_GINT64_FORMAT " does not belong to run %s", id, run_id);
}
