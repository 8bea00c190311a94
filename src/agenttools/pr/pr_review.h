/*
 * submit-review in the making (agent-tools-cli §2.6): the comments, where each goes, and what was
 * posted. Shared by the pr_review*.c files; private to this folder. One thread.
 */
#pragma once

#include "agenttools/pr/pr_common.h"

typedef struct ReviewArgs {
    PrTarget target;
    int64_t pr_number;
    const char *body, *event, *commit_id, *on_invalid_line, *on_pending_review, *idempotency_key;
    const json_t *comments; // NULL: none
    bool is_dry_run;
} ReviewArgs;

typedef enum { // "placed_as"
    PLACED_NOT_POSTED,
    PLACED_INLINE,
    PLACED_FILE,
    PLACED_BODY,
    PLACED_ISSUE_COMMENT,
} Placed;

typedef struct ReviewComment {
    size_t index;  // in the input
    DiffSpot spot; // line 0: of a file comment without one
    const char *body;
    bool is_file;                     // subject_type
    const struct ReviewComment *same; // an earlier one that says the same there; NULL
    DiffPlace place;
    int64_t nearest_line; // 0: none
    Placed planned;
    Placed placed;
    char *problem; // why it was not placed as planned; NULL
} ReviewComment;

typedef struct Review {
    Pr *pr;
    const ReviewArgs *args;
    ReviewComment *comments;
    size_t count;
    char *commit_id;     // of the comments; NULL without comments
    char *body;          // as posted
    GPtrArray *overflow; // of ReviewComment *: planned for the body, which is full
    int64_t review_id;
    char *html_url, *state;
    bool is_recovered, was_there;
    json_t *deleted_pending; // NULL: none
    json_t *general;         // ids of general comments
} Review;

void review_clear(Review *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Review, review_clear)

/* False when it added problems of the arguments to the answer (pr_review_plan.c). */
bool review_read(Review *self);

/* Plans (pr_review_plan.c): classifies all comments by the diff and says where each goes.
   `trusts_unverifiable`: what cannot be checked may be inline. */
void review_plan(Review *self, const DiffPlaces *diff, bool trusts_unverifiable);
/* on_invalid_line "fail": adds an error for each comment that has no place; false when there are.
 */
bool review_check_lines(Review *self);
/* What marks the body of a review with an idempotency_key; "" without one. Caller frees. */
char *review_key_text(const ReviewArgs *args);
/* Sets body and overflow from the plan. */
void review_compose(Review *self);
/* One or more texts for general comments; array of char *, the first holds the first comment. */
GPtrArray *review_general_texts(const GPtrArray *comments);
/* "Line 900: " in front, when it is a line comment. Caller frees. */
char *review_file_text(const ReviewComment *comment);
/* {body, event, commit_id?, comments?}; `has_inline` false: the body alone. New reference. */
json_t *review_request(const Review *self, bool has_inline);

/* Requests (pr_review_post.c). Errors are REST_ERROR, or of answer_error(). */
bool review_fetch_diff(Review *self, DiffPlaces **ret_diff, GError **error);
bool review_find_key(Review *self, GError **error); // sets was_there
/* Posts the review once, whatever becomes of GitHub's answers. */
bool review_post(Review *self, bool has_inline, GError **error);
bool review_post_file_comment(Review *self, const ReviewComment *comment, GError **error);
bool review_post_line_comment(Review *self, const ReviewComment *comment, GError **error);
bool review_post_general(Review *self, const char *text, GError **error);

/* A pending review of this account is in the way (pr_review_post.c): says so, or deletes it. */
bool review_clear_pending(Review *self, GError **error);

/* `data` (pr_review.c). New reference. */
json_t *review_data(const Review *self);
