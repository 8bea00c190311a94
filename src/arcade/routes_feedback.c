/*
 * Routes about edits and annotations (routes.h). What comes this way is said by the person.
 */
#include "agenttools/answer.h"
#include "agenttools/emit/runs.h"
#include "agenttools/feedback/annotations.h"
#include "agenttools/feedback/edits.h"
#include "arcade/routes.h"
#include "arcade/views.h"
#include "base/str.h"
#include "base/timefmt.h"

#define AUTHOR "user"

bool route_edit(ArcadeRequest *request, Db *db, ArcadeReply *reply, GError **error)
{
    int64_t id = 0;
    g_autoptr(json_t) edit = NULL;
    if (!request_id(request, &id, error) || !edit_get(db, id, &edit, error))
        return false;
    reply_json(reply, 200, g_steal_pointer(&edit));
    return true;
}

bool route_withdraw(ArcadeRequest *request, Db *db, ArcadeReply *reply, GError **error)
{
    int64_t id = 0;
    g_autoptr(json_t) edit = NULL;
    if (!request_id(request, &id, error) || !edit_withdraw(db, id, time_now_ms(), error) ||
        !edit_get(db, id, &edit, error))
        return false;
    reply_json(reply, 200, g_steal_pointer(&edit));
    return true;
}

typedef struct AcceptArgs {
    const char *run_id;
} AcceptArgs;

static const FieldDef accept_fields[] = {
    { "runId", FIELD_STRING, offsetof(AcceptArgs, run_id), .is_required = true },
    { 0 },
};

/* The artifact of an edit that the person may accept: a suggestion, shown for the run. */
static bool find_suggestion(Db *db, int64_t id, const char *run_id, RunArtifact **ret_artifact,
                            GError **error)
{
    g_autoptr(json_t) edit = NULL;
    g_autoptr(RunArtifact) artifact = NULL;
    int64_t chosen = 0;
    if (!edit_get(db, id, &edit, error))
        return false;
    if (g_strcmp0(json_get_text(edit, "mode"), "suggested") != 0)
        return reply_fail(error, 409, "Edit %" G_GINT64_FORMAT " is in the file already", id);
    if (!view_find_artifact(db, json_get_text(edit, "docId"), &artifact, error) ||
        !edit_choose(db, artifact, run_id, id, &chosen, error))
        return false;
    *ret_artifact = g_steal_pointer(&artifact);
    return true;
}

bool route_accept(ArcadeRequest *request, Db *db, ArcadeReply *reply, GError **error)
{
    int64_t id = 0;
    AcceptArgs args = { 0 };
    g_autoptr(RunArtifact) artifact = NULL;
    g_auto(EditOutcome) outcome = { 0 };
    g_autofree char *data = NULL;
    size_t size = 0;
    g_autoptr(GError) problem = NULL;
    if (!request_id(request, &id, error) || !request_decode(request, accept_fields, &args, error) ||
        !find_suggestion(db, id, args.run_id, &artifact, error))
        return false;
    if (!edit_accept(db, artifact, id, time_now_ms(), &outcome, &problem)) {
        reply->error_details = json_incref(answer_error_details(problem)); // conflicts
        return pass_error(error, &problem);
    }
    json_t *answer = json_make("accepted:%i applied:%i", true, outcome.is_applied);
    bool is_read = run_artifact_read(artifact, LIMIT_EDIT_BYTES, &data, &size, NULL);
    g_autofree char *sha256 = is_read ? content_sha256(data, size) : NULL;
    json_set_take(answer, "sha256", json_text(sha256));
    reply_json(reply, 200, answer);
    return true;
}

static json_t *routes_feedback_texts(const GPtrArray *strings)
{
    json_t *array = json_array();
    for (unsigned i = 0; i < strings->len; i++)
        json_append_take(array, json_text(strings->pdata[i]));
    return array;
}

static bool check_status(const char *status, GError **error)
{
    static const char *const statuses[] = { "open", "resolved", "all", NULL };
    return !status || g_strv_contains(statuses, status) ||
           reply_fail(error, 400, "Invalid status: '%s'. Must be one of: open, resolved, all",
                      status);
}

bool route_annotations(ArcadeRequest *request, Db *db, ArcadeReply *reply, GError **error)
{
    const AnnotationFilter filter = {
        .run_id = request_query(request, "runId"),
        .doc_id = request_query(request, "docId"),
        .status = request_query(request, "status"),
    };
    g_autoptr(RunArtifact) artifact = NULL;
    g_autoptr(json_t) run = NULL;
    g_autoptr(GPtrArray) warnings = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(json_t) annotations = NULL;
    if (!filter.run_id && !filter.doc_id)
        return reply_fail(error, 400, "runId or docId is required");
    if (!check_status(filter.status, error) ||
        (filter.doc_id && !view_find_artifact(db, filter.doc_id, &artifact, error)) ||
        (filter.run_id && !run_get(db, filter.run_id, time_now_ms(), &run, error)) ||
        !annotation_list(db, &filter, warnings, &annotations, error))
        return false;
    json_t *answer = json_make("annotations:%p", g_steal_pointer(&annotations));
    if (warnings->len > 0)
        json_set_take(answer, "warnings", routes_feedback_texts(warnings));
    reply_json(reply, 200, answer);
    return true;
}

static bool reply_thread(Db *db, int64_t id, unsigned status, ArcadeReply *reply, GError **error)
{
    g_autoptr(json_t) thread = NULL;
    if (!annotation_get(db, id, &thread, error))
        return false;
    reply_json(reply, status, g_steal_pointer(&thread));
    return true;
}

typedef struct AnnotateArgs {
    const char *doc_id, *run_id, *content;
    const json_t *anchor;
} AnnotateArgs;

static const FieldDef annotate_fields[] = {
    { "docId", FIELD_STRING, offsetof(AnnotateArgs, doc_id) },
    { "runId", FIELD_STRING, offsetof(AnnotateArgs, run_id) },
    { "anchor", FIELD_JSON, offsetof(AnnotateArgs, anchor) },
    { "content", FIELD_STRING, offsetof(AnnotateArgs, content), .is_required = true },
    { 0 },
};

bool route_annotate(ArcadeRequest *request, Db *db, ArcadeReply *reply, GError **error)
{
    AnnotateArgs args = { 0 };
    if (!request_decode(request, annotate_fields, &args, error))
        return false;
    const AnnotationDraft draft = {
        .doc_id = args.doc_id,
        .run_id = args.run_id,
        .anchor = args.anchor,
        .content = args.content,
        .author = AUTHOR,
    };
    int64_t id = 0;
    return annotation_create(db, &draft, time_now_ms(), &id, error) &&
           reply_thread(db, id, 201, reply, error);
}

typedef struct AnswerArgs {
    int64_t event_id;
    const char *content;
} AnswerArgs;

static const FieldDef answer_fields[] = {
    { "eventId", FIELD_INTEGER, offsetof(AnswerArgs, event_id), .is_required = true },
    { "content", FIELD_STRING, offsetof(AnswerArgs, content), .is_required = true },
    { 0 },
};

bool route_answer(ArcadeRequest *request, Db *db, ArcadeReply *reply, GError **error)
{
    AnswerArgs args = { 0 };
    int64_t id = 0;
    return request_decode(request, answer_fields, &args, error) &&
           annotation_answer(db, request->id, args.event_id, args.content, AUTHOR, time_now_ms(),
                             &id, error) &&
           reply_thread(db, id, 201, reply, error);
}

/* The author of a comment, which may be a reply in the thread; borrowed. */
static const char *author_of(const json_t *thread, int64_t id)
{
    if (json_get_int(thread, "id", 0) == id)
        return json_get_text(thread, "author");
    json_each (json_get_array(thread, "replies"), index, each)
        if (json_get_int(each, "id", 0) == id)
            return json_get_text(each, "author");
    return NULL;
}

/* What an agent said stays as it said it. */
static bool check_own(Db *db, int64_t id, GError **error)
{
    g_autoptr(json_t) thread = NULL;
    if (!annotation_get(db, id, &thread, error))
        return false;
    const char *author = author_of(thread, id);
    bool is_own = author && (strcmp(author, AUTHOR) == 0 || str_has_prefix(author, AUTHOR ":"));
    return is_own || reply_fail(error, 403, "Only your own comments can be changed or deleted");
}

typedef struct ChangeArgs {
    const char *content, *status;
} ChangeArgs;

static const char *const status_values[] = { "open", "resolved", NULL };

static const FieldDef change_fields[] = {
    { "content", FIELD_STRING, offsetof(ChangeArgs, content) },
    { "status", FIELD_ENUM, offsetof(ChangeArgs, status), .values = status_values },
    { 0 },
};

bool route_change_annotation(ArcadeRequest *request, Db *db, ArcadeReply *reply, GError **error)
{
    int64_t id = 0;
    ChangeArgs args = { 0 };
    if (!request_id(request, &id, error) || !request_decode(request, change_fields, &args, error))
        return false;
    if (!args.content && !args.status)
        return reply_fail(error, 400, "content or status is required");
    bool was_so = false;
    if (args.content && (!check_own(db, id, error) ||
                         !annotation_set_content(db, id, args.content, time_now_ms(), error)))
        return false;
    if (args.status && !annotation_set_status(db, id, strcmp(args.status, "resolved") == 0,
                                              time_now_ms(), &was_so, error))
        return false;
    return reply_thread(db, id, 200, reply, error);
}

bool route_delete_annotation(ArcadeRequest *request, Db *db, ArcadeReply *reply, GError **error)
{
    int64_t id = 0;
    if (!request_id(request, &id, error) || !check_own(db, id, error) ||
        !annotation_delete(db, id, time_now_ms(), error))
        return false;
    reply_json(reply, 200, json_make("deleted:%i", true));
    return true;
}

typedef struct ReplyArgs {
    const char *content;
} ReplyArgs;

static const FieldDef reply_fields[] = {
    { "content", FIELD_STRING, offsetof(ReplyArgs, content), .is_required = true },
    { 0 },
};

bool route_reply(ArcadeRequest *request, Db *db, ArcadeReply *reply, GError **error)
{
    int64_t id = 0, reply_id = 0;
    ReplyArgs args = { 0 };
    g_autoptr(json_t) thread = NULL;
    if (!request_id(request, &id, error) || !request_decode(request, reply_fields, &args, error) ||
        !annotation_reply(db, id, args.content, AUTHOR, time_now_ms(), &reply_id, error) ||
        !annotation_get(db, id, &thread, error))
        return false;
    reply_json(reply, 201,
               json_make("replyId:%jd annotation:%p", reply_id, g_steal_pointer(&thread)));
    return true;
}
