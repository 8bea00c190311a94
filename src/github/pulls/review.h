/*
 * The tool gh_review in the making: review threads of a pull request, read, answered, resolved, and
 * reviews sent (github-tool §8, items 7 and 9). Shared by the files of this folder, private to it.
 *
 * A GhReview is the slot of tool_call_prepare(): filled while judging, carried out unchanged after
 * the gate. One thread at a time.
 */
#pragma once

#include "github/pulls/pull_comment.h"
#include "github/safe/gh_call.h"

#define GH_REVIEW_MAX_COMMENTS 100 // of one review

typedef enum {
    GH_REVIEW_THREADS = 1 << 0,
    GH_REVIEW_REPLY = 1 << 1,
    GH_REVIEW_RESOLVE = 1 << 2,
    GH_REVIEW_UNRESOLVE = 1 << 3,
    GH_REVIEW_COMMENT = 1 << 4,
    GH_REVIEW_SUBMIT = 1 << 5,
} GhReviewOp;

typedef struct GhReviewArgs { // borrowed from the call's JSON; NULL or 0: not given
    const char *op, *repo, *thread, *path, *side, *start_side, *body, *suggestion, *event, *commit;
    int64_t number, line, start_line;
    bool is_unresolved, includes_pending;
    const json_t *comments;
} GhReviewArgs;

typedef struct GhReviewComment {
    DiffSpot spot; // line 0: about the whole file
    char *body;    // owned; with its suggestion
} GhReviewComment;

typedef struct GhReview {
    GhCall frame;             // first; how it ended, and how that is said and recorded
    const GhReviewArgs *args; // NULL: the arguments were not understood
    GhReviewOp op;
    GArray *comments;        // of GhReviewComment; of `comment` the one it makes
    const GhContext *target; // of the frame; has a repository once it is judged
    char *repo;              // HOST/OWNER/REPO, the same
} GhReview;

// ---- arguments (review_args.c): pure ----

GhReviewOp gh_review_op_of(const char *name);
/* Checks what the field table cannot, and sets self->comments. `given` are the arguments as JSON.
   USAGE. */
bool gh_review_take_args(GhReview *self, const json_t *given, GError **error);

// ---- words (review_words.c): pure ----

/* "src/a.c:10-12", "src/a.c:3 (LEFT)", on one line whatever the name is. Caller frees. */
char *gh_review_place_text(const GhReviewComment *comment);
/* What a person reads and is asked. Callers free. */
char *gh_review_summary(const GhReview *self);
char *gh_review_question(const GhReview *self, const char *summary);

// ---- GitHub (review_api.c): blocks; errors are gh's own ----

typedef struct GhReviewFacts {
    char *head_sha;
    bool is_own;        // the pull request is of who asks
    char *pending_id;   // of their review that is not sent; NULL: none
    char *pending_url;  // "" when GitHub does not say
    char *pending_body; // never NULL with an id
    int64_t pending_comments;
    json_t *thread; // of args->thread, when one is named
} GhReviewFacts;

void gh_review_facts_clear(GhReviewFacts *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(GhReviewFacts, gh_review_facts_clear)

/* NOT_FOUND for a thread of another pull request: what was allowed is allowed for this one only. */
bool gh_review_fetch_facts(ToolCall *call, const GhReview *self, GhReviewFacts *ret_facts,
                           GError **error);
/* POST to a path below /repos/OWNER/REPO. */
bool gh_review_post(ToolCall *call, const GhReview *self, const char *path, const json_t *body,
                    json_t **ret_answer, GError **error);
/* A mutation of GraphQL; *ret_answer is its `data`. */
bool gh_review_mutate(ToolCall *call, const GhReview *self, const char *query,
                      const json_t *variables, json_t **ret_answer, GError **error);

// ---- places (review_places.c): blocks ----

/* Is every comment about a line of the diff? USAGE names the lines that are. */
bool gh_review_check_places(ToolCall *call, const GhReview *self, GError **error);

// ---- operations ----

/* Each gives the answer's text without the header; caller frees. */
bool gh_review_read_threads(ToolCall *call, const GhReview *self, char **ret_text, GError **error);
bool gh_review_reply(ToolCall *call, const GhReview *self, char **ret_text, GError **error);
bool gh_review_resolve(ToolCall *call, const GhReview *self, char **ret_text, GError **error);
bool gh_review_comment(ToolCall *call, const GhReview *self, char **ret_text, GError **error);
bool gh_review_submit(ToolCall *call, const GhReview *self, char **ret_text, GError **error);

// ---- answers (review_answer.c) ----

/* The call's slot, made when it has none. */
GhReview *gh_review_of(ToolCall *call);
/* Notes what an error before or while judging means. Takes `cause`; returns false. */
bool gh_review_note_error(GhReview *self, GError *cause, GError **error);
/* Header, text or error, and record. `text` NULL: `failure` says why. */
void gh_review_answer(ToolCall *call, GhReview *self, const char *text, const GError *failure,
                      ToolResult *result);
/* Hook of the ToolDef. */
void gh_review_refused(ToolCall *call, const CallOutcome *outcome, ToolResult *result);
