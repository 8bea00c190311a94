/*
 * Run artifacts (agent-tools-cli §4.7, §5.5 rule 5): files that `emit` registered, known by a
 * document id, and the one way to open them.
 *
 * A document belongs to every run that registered it. Files are only ever reached through an
 * artifact: a lexical check, then the real path must lie inside the storage root as it was at
 * registration (for `absolute`: be that very file); regular files only.
 */
#pragma once

#include "agenttools/state.h"

typedef struct RunArtifact {
    char *doc_id;
    char *path;         // relative to root_path; for `absolute` the absolute path
    char *storage_root; // "work_dir", "project", "absolute"
    char *root_path;    // absolute, as at registration; for `absolute` the file's directory
    char *type;         // markdown, code, diagram, diff, report, other
    char *feature, *step, *subflow; // of the newest registration; NULL when not given
    char *sha256;                   // of the content at registration; NULL: no file then
    int64_t created_at;
} RunArtifact;

void run_artifact_free(RunArtifact *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RunArtifact, run_artifact_free)

/* NULL in *ret_artifact when there is none. */
bool run_artifact_get(Db *db, const char *doc_id, RunArtifact **ret_artifact, GError **error);
/* Array of RunArtifact *, in order of registration; owns them. `run_id` NULL: of all runs. */
bool run_artifact_list(Db *db, const char *run_id, GPtrArray **ret_artifacts, GError **error);
bool run_artifact_is_in_run(Db *db, const char *doc_id, const char *run_id, bool *ret_is_in_run,
                            GError **error);

/* Absolute path, not checked for links. Caller frees. */
char *run_artifact_file(const RunArtifact *self);

/* The whole file through the safe open, NUL-terminated; at most `max_bytes` (VALIDATION beyond).
   Errors of answer.h: PERMISSION when the path or a link leaves the root or it is no regular file,
   NOT_FOUND when it is gone. */
bool run_artifact_read(const RunArtifact *self, size_t max_bytes, char **ret_data, size_t *ret_size,
                       GError **error);
/* The same for a picture beside it: `relative` is resolved against the artifact's directory. */
bool run_artifact_read_beside(const RunArtifact *self, const char *relative, size_t max_bytes,
                              char **ret_data, size_t *ret_size, GError **error);
/* Replaces the content: temporary file in the same directory, same mode, fsync, rename, after the
   same checks. `expected_sha256` (may be NULL) must be that of the file now, else CONFLICT. */
bool run_artifact_write(const RunArtifact *self, const char *data, size_t size,
                        const char *expected_sha256, GError **error);

/* 64 hexadecimal digits. Caller frees. */
char *content_sha256(const char *data, size_t size);
