/*
 * What the feedback operations share (agent-tools-cli §5.2).
 */
#pragma once

#include "agenttools/feedback/edits.h"
#include "agenttools/operation.h"

/* Arguments structs have these members under the same names. */
// clang-format off
#define FEEDBACK_RUN_FIELD(Args)                                                                   \
    { "runId", FIELD_STRING, offsetof(Args, run_id), .is_required = true, .refuses_blank = true,   \
      .problem = "--run-id is required and must be non-empty",                                     \
      .help = "Run whose feedback this is" }
#define FEEDBACK_ANNOTATION_FIELD(Args)                                                            \
    { "annotationId", FIELD_INTEGER, offsetof(Args, annotation_id), .is_required = true, .min = 1, \
      .problem = "Invalid annotation ID: '{value}'. Must be a positive integer.",                  \
      .missing = "annotationId is required and must be a positive integer",                        \
      .help = "Root annotation of the thread" }
// clang-format on

/* The database, with its warnings in `answer`, and in it the run. NOT_FOUND `Run "R" was not
   found`. */
bool feedback_open(OperationCall *call, const char *run_id, Answer *answer, Db **ret_db,
                   GError **error);
