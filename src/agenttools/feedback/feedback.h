/*
 * What the feedback operations share (agent-tools-cli §5.2).
 */
#pragma once

#include "agenttools/emit/run_artifact.h"
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

/* Takes the texts out of `warnings` (of char *). */
void feedback_warn(Answer *answer, GPtrArray *warnings);
