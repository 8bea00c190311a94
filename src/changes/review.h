/*
 * One review of a change, for `kedge review` and the terminal's /review: the files of a work tree
 * or of a pull request, and what a model finds wrong in them. Blocks; for a worker.
 */
#pragma once

#include "agent/summary.h"

typedef struct ReviewSpec { // all borrowed
    const char *cwd;
    const char *base;    // of the work tree: what it is compared with; NULL: where the branch began
    int64_t pr;          // this pull request instead; 0: none
    const char *repo;    // its repository, [HOST/]OWNER/REPO; NULL: that of the remote origin
    const char *context; // what the model should know apart from the diff; NULL
    bool is_pending;     // the findings go to the pull request as a review that is not submitted
    const SummaryContext *model;
    /* How far it is, in one line; NULL: not wanted. */
    void (*tell)(void *data, const char *text);
    void *data;
} ReviewSpec;

typedef struct ChangeReview {
    json_t *findings;   // {summary, findings} (review_findings.h)
    char *url;          // of the pending review; NULL: none
    unsigned untracked; // files of the work tree that are not part of it
} ChangeReview;

void change_review_clear(ChangeReview *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ChangeReview, change_review_clear)

/* *ret_review begins as { 0 }, and has findings also when they could not be posted. */
bool change_review(const ReviewSpec *spec, Cancel *cancel, ChangeReview *ret_review,
                   GError **error);
