/*
 * Edits (agent-tools-cli §5.1): what a person changed in a run artifact (`direct`: on disk already)
 * or proposes (`suggested`). Used by the feedback operations and by Arcade; every change appends to
 * the feed in its transaction. Errors are those of answer.h, with the texts of agent-tools-cli
 * §5.2. Blocks on the database and on files; starts nothing.
 *
 * An edit as JSON: {editId, docId, runId, artifactPath, mode, patch, status, author, createdAt,
 * updatedAt}, and artifactMissing: true when the file is gone.
 *
 * A feed row of type `edit` says {editId, docId, mode, status}; one of type `artifact`, {docId,
 * sha256}, follows when the file was written.
 *
 * A file that is not UTF-8 text, or is larger than LIMIT_EDIT_BYTES, is not edited (VALIDATION).
 */
#pragma once

#include "agenttools/emit/run_artifact.h"

#define LIMIT_EDIT_BYTES ((size_t)5 * 1024 * 1024)

/* Pending edits, oldest first; `run_id`, `doc_id` may be NULL. A direct edit without any difference
   left is marked accepted and left out. */
bool edit_list_pending(Db *db, const char *run_id, const char *doc_id, GPtrArray *warnings,
                       int64_t now_ms, json_t **ret_edits, GError **error);
/* NOT_FOUND `Edit 9 not found`. */
bool edit_get(Db *db, int64_t edit_id, json_t **ret_edit, GError **error);

typedef struct EditDraft { // what a person sends; all borrowed
    const char *run_id;    // NULL: every run that has the artifact
    const char *author;
    const char *base;    // the text that the person had before them, line ends as they may be
    const char *content; // what became of it; uses LF
} EditDraft;

typedef struct EditSaved {
    int64_t edit_id;        // content that changes nothing is no edit: the pending direct one, or 0
    char *sha256;           // of the file now
    char *merged;           // the file's text now, when it had changed since `base`; else NULL
    GArray *from_elsewhere; // its lines (LineRange) that `content` does not have; NULL with it
} EditSaved;
void edit_saved_clear(EditSaved *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(EditSaved, edit_saved_clear)

/* The person's Save: writes the file (its line endings, byte-order mark and missing last newline
   kept, agent-tools-cli §5.6), with what became of it since `base` merged in, and is folded into a
   pending direct edit. CONFLICT (details: sha256, of the file now, and conflicts, its lines) when
   the merge has conflicts: nothing is written or stored then. */
bool edit_save(Db *db, const RunArtifact *artifact, const EditDraft *draft, int64_t now_ms,
               EditSaved *ret_saved, GError **error);
/* Stores a suggestion on its base; the file stays. VALIDATION when it changes nothing. */
bool edit_suggest(Db *db, const RunArtifact *artifact, const EditDraft *draft, int64_t now_ms,
                  int64_t *ret_edit_id, GError **error);

typedef struct EditOutcome {
    int64_t edit_id;
    char *mode;      // "direct", "suggested"
    bool is_applied; // the file has it now
} EditOutcome;
void edit_outcome_clear(EditOutcome *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(EditOutcome, edit_outcome_clear)

/* The pending edit that is meant: `edit_id`, or with 0 the only one. `run_id` (NULL: any): one that
   edit_list_pending() shows for it. */
bool edit_choose(Db *db, const RunArtifact *artifact, const char *run_id, int64_t edit_id,
                 int64_t *ret_edit_id, GError **error);

/* `edit_id` 0: the only pending one. A suggestion is merged into the file; CONFLICT (details:
   conflicts, lines of the file) leaves both as they are. */
bool edit_accept(Db *db, const RunArtifact *artifact, int64_t edit_id, int64_t now_ms,
                 EditOutcome *ret_outcome, GError **error);
/* `restores`: a direct edit is taken back in the file, by the same merge. `reason` may be NULL. */
bool edit_reject(Db *db, const RunArtifact *artifact, int64_t edit_id, const char *reason,
                 bool restores, int64_t now_ms, EditOutcome *ret_outcome, GError **error);
/* The person takes a suggestion back. */
bool edit_withdraw(Db *db, int64_t edit_id, int64_t now_ms, GError **error);
