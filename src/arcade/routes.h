/*
 * What Arcade answers (agent-tools-cli §5.6): one function per row, and the page's own files.
 *
 * JSON in and out. An edit and an annotation look as in feedback/edits.h and
 * feedback/annotations.h. Writes, DELETE too, need Content-Type: application/json. Besides what the
 * specification says:
 *
 * - GET mermaid: {available}; /mermaid/frame draws then.
 * - GET runs: each run has openAnnotations; nextCursor is null at the end.
 * - GET runs/ID: steps are {id, label, status, units?}; artifacts as GET artifacts/ID without what
 *   is about the file; waiting is as get-run has it, or null.
 * - GET runs/ID/events: also limit (500); nextAfter is null when there are no more.
 * - GET artifacts/ID: {docId, path, name, storageRoot, type, feature, step, subflow, createdAt,
 *   exists, size, sha256, isBinary, isTooLarge, editable, pendingEdits: [edit]}; sha256 is null for
 *   a file that is gone or larger than 5 MiB.
 * - GET artifacts/ID/html: of Markdown only, else 415; 413: show the source.
 * - PUT artifacts/ID/content: editId is null when nothing changed and no edit is pending; 412 has
 *   error.sha256, that of the file now, null when it is gone.
 * - DELETE edits/ID: the edit, withdrawn.
 * - POST edits/ID/accept: of suggestions only; 409 has error.conflicts.
 * - GET annotations: warnings: [text] when there are any; runId or docId is needed.
 * - POST annotations: docId may be absent for a comment on the run as a whole.
 * - PATCH annotations/ID: the thread; content and DELETE only for comments of the user.
 * - DELETE annotations/ID: {deleted: true}.
 * - POST annotations/ID/replies: {replyId, annotation: the thread}.
 */
#pragma once

#include "arcade/request.h"
#include "base/db.h"

typedef struct Route {
    const char *method;
    const char *path; // a word * stands for any
    bool (*run)(ArcadeRequest *request, Db *db, ArcadeReply *reply, GError **error);
    bool is_open;     // needs no token
    bool needs_store; // `db` is NULL otherwise
} Route;

/* Sets request->id. 404; 405 with the methods that there are in *ret_allow (the caller's). */
bool routes_find(ArcadeRequest *request, const Route **ret_route, char **ret_allow, GError **error);
bool routes_is_api(const ArcadeRequest *request);
bool routes_is_page(const ArcadeRequest *request); // the shell page

bool route_runs(ArcadeRequest *request, Db *db, ArcadeReply *reply, GError **error);
bool route_run(ArcadeRequest *request, Db *db, ArcadeReply *reply, GError **error);
bool route_events(ArcadeRequest *request, Db *db, ArcadeReply *reply, GError **error);

bool route_mermaid(ArcadeRequest *request, Db *db, ArcadeReply *reply, GError **error);
bool route_frame(ArcadeRequest *request, Db *db, ArcadeReply *reply, GError **error);

bool route_artifact(ArcadeRequest *request, Db *db, ArcadeReply *reply, GError **error);
bool route_content(ArcadeRequest *request, Db *db, ArcadeReply *reply, GError **error);
bool route_html(ArcadeRequest *request, Db *db, ArcadeReply *reply, GError **error);
bool route_picture(ArcadeRequest *request, Db *db, ArcadeReply *reply, GError **error);
bool route_save(ArcadeRequest *request, Db *db, ArcadeReply *reply, GError **error);
bool route_suggest(ArcadeRequest *request, Db *db, ArcadeReply *reply, GError **error);

bool route_edit(ArcadeRequest *request, Db *db, ArcadeReply *reply, GError **error);
bool route_accept(ArcadeRequest *request, Db *db, ArcadeReply *reply, GError **error);
bool route_withdraw(ArcadeRequest *request, Db *db, ArcadeReply *reply, GError **error);
bool route_annotations(ArcadeRequest *request, Db *db, ArcadeReply *reply, GError **error);
bool route_annotate(ArcadeRequest *request, Db *db, ArcadeReply *reply, GError **error);
bool route_answer(ArcadeRequest *request, Db *db, ArcadeReply *reply, GError **error);
bool route_change_annotation(ArcadeRequest *request, Db *db, ArcadeReply *reply, GError **error);
bool route_delete_annotation(ArcadeRequest *request, Db *db, ArcadeReply *reply, GError **error);
bool route_reply(ArcadeRequest *request, Db *db, ArcadeReply *reply, GError **error);
