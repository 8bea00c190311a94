/*
 * Routes about artifacts and their files (routes.h).
 */
#include "agenttools/answer.h"
#include "agenttools/feedback/edit_merge.h"
#include "agenttools/feedback/edits.h"
#include "arcade/markdown.h"
#include "arcade/routes.h"
#include "arcade/server.h"
#include "arcade/views.h"
#include "base/str.h"
#include "base/timefmt.h"
#include "base/utf8.h"

#include <sys/stat.h>

#define PICTURE_BYTES ((size_t)16 * 1024 * 1024)

typedef struct Document { // an artifact with its file as it is now
    RunArtifact *artifact;
    char *data;   // NULL: gone, or too large
    size_t size;  // also of one that is too large
    char *sha256; // NULL with data
    bool is_gone;
} Document;

static void document_clear(Document *self)
{
    run_artifact_free(self->artifact);
    g_free(self->data);
    g_free(self->sha256);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Document, document_clear)

/* That it is too large was said by the safe open: the path has been checked. */
static void document_measure(Document *self)
{
    g_autofree char *path = run_artifact_file(self->artifact);
    struct stat st;
    if (stat(path, &st) == 0)
        self->size = (size_t)st.st_size;
}

/* A file that is gone or too large is no failure; one that may not be opened is. */
static bool read_document(Db *db, const char *doc_id, Document *ret_document, GError **error)
{
    g_auto(Document) document = { 0 };
    g_autoptr(GError) problem = NULL;
    if (!view_find_artifact(db, doc_id, &document.artifact, error))
        return false;
    if (run_artifact_read(document.artifact, LIMIT_EDIT_BYTES, &document.data, &document.size,
                          &problem)) {
        document.sha256 = content_sha256(document.data, document.size);
    } else if (answer_error_is(problem, ANSWER_NOT_FOUND)) {
        document.is_gone = true;
    } else if (answer_error_is(problem, ANSWER_VALIDATION)) {
        document_measure(&document);
    } else {
        return pass_error(error, &problem);
    }
    *ret_document = document;
    document = (Document) { 0 };
    return true;
}

/* The same with its content. */
static bool read_whole(Db *db, const char *doc_id, Document *ret_document, GError **error)
{
    g_auto(Document) document = { 0 };
    if (!read_document(db, doc_id, &document, error))
        return false;
    if (document.is_gone)
        return reply_fail(error, 404, "Artifact file is missing: %s", document.artifact->path);
    if (!document.data)
        return reply_fail(error, 413, "%s is larger than %zu bytes", document.artifact->path,
                          LIMIT_EDIT_BYTES);
    *ret_document = document;
    document = (Document) { 0 };
    return true;
}

static bool is_text(const Document *document)
{
    return document->data && g_utf8_validate_len(document->data, document->size, NULL);
}

static bool is_markdown(const RunArtifact *artifact)
{
    static const char *const endings[] = { ".md", ".mdx", ".markdown" };
    for (size_t i = 0; i < G_N_ELEMENTS(endings); i++) {
        size_t size = strlen(artifact->path), end = strlen(endings[i]);
        if (size >= end && str_equal_nocase(artifact->path + size - end, endings[i]))
            return true;
    }
    return g_strcmp0(artifact->type, "markdown") == 0;
}

bool route_artifact(ArcadeRequest *request, Db *db, ArcadeReply *reply, GError **error)
{
    g_auto(Document) document = { 0 };
    g_autoptr(json_t) edits = NULL;
    if (!read_document(db, request->id, &document, error) ||
        !edit_list_pending(db, NULL, request->id, NULL, time_now_ms(), &edits, error))
        return false;
    hub_look_at(request->arcade->hub, request->id);
    g_autofree char *path = run_artifact_file(document.artifact);
    json_t *view = view_artifact(document.artifact);
    json_add(view,
             "exists:%i size:%jd sha256:%s? isBinary:%i isTooLarge:%i editable:%i "
             "pendingEdits:%p",
             !document.is_gone, (gint64)document.size, document.sha256,
             document.data && !is_text(&document), !document.data && !document.is_gone,
             is_text(&document) && access(path, W_OK) == 0, g_steal_pointer(&edits));
    reply_json(reply, 200, view);
    return true;
}

static bool is_known(const ArcadeRequest *request, const char *etag)
{
    const char *known = request_header(request, "if-none-match");
    return known && strstr(known, etag) != NULL;
}

bool route_content(ArcadeRequest *request, Db *db, ArcadeReply *reply, GError **error)
{
    g_auto(Document) document = { 0 };
    if (!read_whole(db, request->id, &document, error))
        return false;
    reply_set_etag(reply, document.sha256);
    if (is_known(request, reply->etag)) {
        reply->status = 304;
        return true;
    }
    reply_bytes(reply, "text/plain; charset=utf-8", g_steal_pointer(&document.data), document.size);
    return true;
}

bool route_html(ArcadeRequest *request, Db *db, ArcadeReply *reply, GError **error)
{
    g_auto(Document) document = { 0 };
    if (!read_whole(db, request->id, &document, error))
        return false;
    if (!is_markdown(document.artifact))
        return reply_fail(error, 415, "%s is not Markdown", document.artifact->path);
    g_autofree char *text = utf8_from_bytes(document.data, document.size);
    g_autofree char *html = NULL;
    if (!markdown_to_html(text, strlen(text), &html, error))
        return false;
    reply_json(reply, 200, json_make("html:%s sha256:%s", html, document.sha256));
    return true;
}

/* By its first bytes; SVG is a program of its own and shown as text. NULL: not a picture. */
static const char *picture_type(const char *data, size_t size)
{
    static const struct {
        const char *type, *magic;
        size_t size;
    } types[] = {
        { "image/png", "\x89PNG\r\n\x1a\n", 8 },
        { "image/jpeg", "\xff\xd8\xff", 3 },
        { "image/gif", "GIF87a", 6 },
        { "image/gif", "GIF89a", 6 },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(types); i++)
        if (size >= types[i].size && memcmp(data, types[i].magic, types[i].size) == 0)
            return types[i].type;
    if (size >= 12 && memcmp(data, "RIFF", 4) == 0 && memcmp(data + 8, "WEBP", 4) == 0)
        return "image/webp";
    return NULL;
}

bool route_picture(ArcadeRequest *request, Db *db, ArcadeReply *reply, GError **error)
{
    const char *path = request_query(request, "path");
    g_autoptr(RunArtifact) artifact = NULL;
    g_autofree char *data = NULL;
    size_t size = 0;
    if (!path)
        return reply_fail(error, 400, "path is required");
    if (!view_find_artifact(db, request->id, &artifact, error) ||
        !run_artifact_read_beside(artifact, path, PICTURE_BYTES, &data, &size, error))
        return false;
    const char *type = picture_type(data, size);
    if (!type && g_str_has_suffix(path, ".svg") && g_utf8_validate_len(data, size, NULL))
        type = "text/plain; charset=utf-8";
    if (!type)
        return reply_fail(error, 415, "%s is no picture (png, jpeg, gif, webp, svg)", path);
    reply_bytes(reply, type, g_steal_pointer(&data), size);
    return true;
}

typedef struct SaveArgs {
    const char *base, *content, *run_id;
} SaveArgs;

static const FieldDef save_fields[] = {
    { "base", FIELD_STRING, offsetof(SaveArgs, base), .is_required = true },
    { "content", FIELD_STRING, offsetof(SaveArgs, content), .is_required = true },
    { "runId", FIELD_STRING, offsetof(SaveArgs, run_id), .is_required = true },
    { 0 },
};

/* If-Match has the hash of the base, between quotes. */
static bool check_condition(const ArcadeRequest *request, const char *base, GError **error)
{
    const char *condition = request_header(request, "if-match");
    if (!condition)
        return reply_fail(error, 428, "If-Match with the sha256 of the base is needed");
    g_autofree char *sha256 = content_sha256(base, strlen(base));
    g_autofree char *wanted = g_strdup_printf("\"%s\"", sha256);
    return strcmp(condition, wanted) == 0 ||
           reply_fail(error, 400, "If-Match must be the sha256 of the base, %s", wanted);
}

/* Line ends as edits.h wants them. Caller frees. */
static char *with_line_feeds(const char *content)
{
    GString *text = g_string_new(content);
    g_string_replace(text, "\r\n", "\n", 0);
    return g_string_free(text, FALSE);
}

/* The file is another by now: the reply says which, and in which lines both changed it. */
static bool fail_changed(Db *db, const char *doc_id, const GError *problem, ArcadeReply *reply,
                         GError **error)
{
    json_t *details = answer_error_details(problem);
    reply->error_details = json_object();
    if (details)
        json_object_update(reply->error_details, details);
    if (!json_object_get(reply->error_details, "sha256")) {
        g_auto(Document) now = { 0 };
        bool is_read = read_document(db, doc_id, &now, NULL);
        json_set_take(reply->error_details, "sha256", json_text(is_read ? now.sha256 : NULL));
    }
    return reply_fail(error, 412, "%s", problem->message);
}

static void reply_saved(ArcadeReply *reply, const EditSaved *saved)
{
    json_t *answer = json_make("sha256:%s editId:%p", saved->sha256,
                               saved->edit_id ? json_integer(saved->edit_id) : json_null());
    if (saved->merged) {
        json_add(answer, "merged:%i content:%s fromElsewhere:%p", true, saved->merged,
                 line_ranges_json(saved->from_elsewhere));
    }
    reply_json(reply, 200, answer);
    reply_set_etag(reply, saved->sha256);
}

bool route_save(ArcadeRequest *request, Db *db, ArcadeReply *reply, GError **error)
{
    SaveArgs args = { 0 };
    g_autoptr(RunArtifact) artifact = NULL;
    if (!request_decode(request, save_fields, &args, error) ||
        !check_condition(request, args.base, error) ||
        !view_find_artifact(db, request->id, &artifact, error))
        return false;
    g_autofree char *content = with_line_feeds(args.content);
    const EditDraft draft = {
        .run_id = args.run_id, .author = "user", .base = args.base, .content = content
    };
    g_auto(EditSaved) saved = { 0 };
    g_autoptr(GError) problem = NULL;
    if (!edit_save(db, artifact, &draft, time_now_ms(), &saved, &problem)) {
        if (answer_error_is(problem, ANSWER_CONFLICT))
            return fail_changed(db, artifact->doc_id, problem, reply, error);
        return pass_error(error, &problem);
    }
    reply_saved(reply, &saved);
    return true;
}

bool route_suggest(ArcadeRequest *request, Db *db, ArcadeReply *reply, GError **error)
{
    SaveArgs args = { 0 };
    g_autoptr(RunArtifact) artifact = NULL;
    if (!request_decode(request, save_fields, &args, error) ||
        !view_find_artifact(db, request->id, &artifact, error))
        return false;
    g_autofree char *content = with_line_feeds(args.content);
    const EditDraft draft = {
        .run_id = args.run_id, .author = "user", .base = args.base, .content = content
    };
    g_autoptr(json_t) edit = NULL;
    int64_t edit_id = 0;
    if (!edit_suggest(db, artifact, &draft, time_now_ms(), &edit_id, error) ||
        !edit_get(db, edit_id, &edit, error))
        return false;
    reply_json(reply, 201, g_steal_pointer(&edit));
    return true;
}
