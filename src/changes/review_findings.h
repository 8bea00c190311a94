/*
 * The findings of a review: what a model is asked for, what of its answer can be used, and how they
 * are shown. Pure.
 */
#pragma once

#include "base/json.h"

extern const char review_system[];

/* {summary, findings: [{severity, file, line?, endLine?, title, body?, suggestion?, inDiff}]}, the
   worst first. `files` as in review_diff.h. USAGE says what is wrong with the answer, for the
   model. New reference. */
bool review_findings_read(const char *answer, const json_t *files, json_t **ret_review,
                          GError **error);

/* As a person reads it. Caller frees. */
char *review_show(const json_t *review);

/* The body of GitHub's request for a pending review; what has no place in the diff is in its
   text. `commit` is the pull request's head. New reference. */
json_t *review_request_body(const json_t *review, const char *commit);
