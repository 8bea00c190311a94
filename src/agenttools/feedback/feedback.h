/*
 * What the feedback operations share (agent-tools-cli §5.2).
 */
#pragma once

#include "agenttools/emit/run_artifact.h"
#include "agenttools/feedback/edits.h"
#include "agenttools/operation.h"

/* Arguments structs have these members under the same names. */
#define FEEDBACK_RUN_FIELD(Args)                                                                   \
    {                                                                                              \
        "runId", FIELD_STRING, offsetof(Args, run_id),                                             \
            .is_required = true, .refuses_blank = true,                                            \
            .problem = "--run-id is required and must be non-empty",                               \
            .help = "Run whose feedback this is"                                                   \
    }
#define FEEDBACK_ANNOTATION_FIELD(Args)                                                            \
    {                                                                                              \
        "annotationId", FIELD_INTEGER, offsetof(Args, annotation_id),                              \
            .is_required = true, .min = 1,                                                         \
            .problem = "Invalid annotation ID: '{value}'. Must be a positive integer.",            \
            .missing = "annotationId is required and must be a positive integer",                  \
            .help = "Root annotation of the thread"                                                \
    }
#define FEEDBACK_DOC_FIELD(Args)                                                                   \
    {                                                                                              \
        "docId", FIELD_STRING, offsetof(Args, doc_id), .is_required = true, .refuses_blank = true, \
                                                       .help = "Artifact, as read names it"        \
    }
#define FEEDBACK_EDIT_FIELD(Args)                                                                  \
    {                                                                                              \
        "editId", FIELD_INTEGER, offsetof(Args, edit_id),                                          \
            .min = 1, .help = "Edit; needed when several of the artifact are pending"              \
    }

/* The database, with its warnings in `answer`, and in it the run. NOT_FOUND `Run "R" was not
   found`. */
bool feedback_open(OperationCall *call, const char *run_id, Answer *answer, Db **ret_db,
                   GError **error);
/* The same for an annotation of the run. */
bool feedback_open_annotation(OperationCall *call, const char *run_id, int64_t annotation_id,
                              Answer *answer, Db **ret_db, GError **error);

/* The same for an artifact of the run. */
bool feedback_open_artifact(OperationCall *call, const char *run_id, const char *doc_id,
                            Answer *answer, Db **ret_db, RunArtifact **ret_artifact,
                            GError **error);

/* What is said of an edit that was settled, in OperationDef.output; see feedback_answer_edit(). */
extern const char *const feedback_edit_modes[];
#define FEEDBACK_EDIT_OUTPUT(done, in_file, help_in_file)                                          \
    { done, FIELD_BOOLEAN, 0, .is_required = true, .help = "true" },                               \
        { "docId", FIELD_STRING, 0, .is_required = true, .help = "The artifact" },                 \
        { "editId", FIELD_INTEGER, 0, .is_required = true, .help = "The edit" },                   \
        { "mode",                                                                                  \
          FIELD_ENUM,                                                                              \
          0,                                                                                       \
          .is_required = true,                                                                     \
          .values = feedback_edit_modes,                                                           \
          .help = "direct: the file had it; suggested: it was only proposed" },                    \
    {                                                                                              \
        in_file, FIELD_BOOLEAN, 0, .is_required = true, .help = help_in_file                       \
    }

/* feedback_open_artifact(), and its edit: `edit_id`, or with 0 the only one. */
bool feedback_open_edit(OperationCall *call, const char *run_id, const char *doc_id,
                        int64_t edit_id, Answer *answer, Db **ret_db, RunArtifact **ret_artifact,
                        int64_t *ret_edit_id, GError **error);
/* `done` and `in_file` are keys: "accepted", "applied". */
void feedback_answer_edit(Answer *answer, const char *done, const char *doc_id,
                          const EditOutcome *outcome, const char *in_file);

/* Takes the texts out of `warnings` (of char *). */
void feedback_warn(Answer *answer, GPtrArray *warnings);
