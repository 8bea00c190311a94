/*
 * Annotations (agent-tools-cli §5.1): threads of comments on run artifacts. Used by the feedback
 * operations and by Arcade; every change appends to the feed in its transaction. Errors are those
 * of answer.h, with the texts of agent-tools-cli §5.2. Blocks on the database and on files; runs
 * nothing.
 *
 * An annotation as JSON: {id, docId, runId, artifactPath, content, anchor, line, endLine, status,
 * orphaned, author, replies: [{id, content, author, createdAt, editedAt?}], createdAt, updatedAt},
 * and artifactMissing: true when the file is gone, answerTo: the event that it answers, editedAt
 * when its text was changed. `line` is null without a place in the text.
 *
 * A feed row of type `annotation` says {annotationId, rootId, change, author?}, where change is
 * created, replied, resolved (by the author), reopened, changed or deleted; or {change: "moved"}
 * for all of a document.
 */
#pragma once

#include "agenttools/state.h"

#define ANNOTATION_MAX_CHARS 65536

typedef struct AnnotationFilter { // all borrowed; NULL or 0: any
    const char *run_id;           // those of the run, and those without a run on its artifacts
    const char *doc_id;
    const char *status; // "open", "resolved"; NULL or "all": both
    int64_t since_ms;   // updatedAt at or after
} AnnotationFilter;

/* Roots with all their replies, oldest first. Reads the artifacts' files and places the anchors
   again; what is found elsewhere is stored. `warnings` (of char *) gets the missing files. */
bool annotation_list(Db *db, const AnnotationFilter *filter, GPtrArray *warnings,
                     json_t **ret_annotations, GError **error);
/* One root (or, for a reply's id, its root). NOT_FOUND `Annotation 42 not found`. */
bool annotation_get(Db *db, int64_t id, json_t **ret_annotation, GError **error);

typedef struct AnnotationDraft { // all borrowed
    const char *doc_id;          // NULL: a comment on the run as a whole
    const char *run_id;          // NULL: every run that has the artifact
    const json_t *anchor;        // NULL: the whole artifact
    const char *content;         // 1 to 65,536 characters
    const char *author;          // "user", "agent", "user:ana"
} AnnotationDraft;
bool annotation_create(Db *db, const AnnotationDraft *draft, int64_t now_ms, int64_t *ret_id,
                       GError **error);
/* What a person answers to a run: INVALID_STATE (details: runId) when it does not wait for that
   event (any more). */
bool annotation_answer(Db *db, const char *run_id, int64_t event_id, const char *content,
                       const char *author, int64_t now_ms, int64_t *ret_id, GError **error);
/* Files it under the root. */
bool annotation_reply(Db *db, int64_t id, const char *content, const char *author, int64_t now_ms,
                      int64_t *ret_reply_id, GError **error);
/* Roots only. *ret_was_so: it had that status already. */
bool annotation_set_status(Db *db, int64_t id, bool is_resolved, int64_t now_ms, bool *ret_was_so,
                           GError **error);
/* Resolves with a reply (NULL: without one), both or neither. *ret_reply_id is 0 without one; a
   thread resolved already gets none that says what its last one says. */
bool annotation_resolve(Db *db, int64_t id, const char *reply, const char *author, int64_t now_ms,
                        int64_t *ret_reply_id, bool *ret_was_so, GError **error);
bool annotation_set_content(Db *db, int64_t id, const char *content, int64_t now_ms,
                            GError **error);
/* A root goes with its replies. */
bool annotation_delete(Db *db, int64_t id, int64_t now_ms, GError **error);
/* INVALID_STATE `Annotation 42 does not belong to run R`. */
bool annotation_check_run(Db *db, int64_t id, const char *run_id, GError **error);
