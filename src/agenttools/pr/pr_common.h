/*
 * What the operations of github-pr share (agent-tools-cli §2.1–2.5): the input fields that name a
 * repository and a server, the REST client with its token, and errors as an Answer words them.
 *
 * A Pr belongs to one run() and one thread; its Rest may be shared.
 */
#pragma once

#include "agenttools/operation.h"
#include "github/pulls/pull_comment.h"
#include "github/pulls/pull_link.h"
#include "github/rest/rest.h"

#define PR_TIMEOUT_MS (120 * 1000)
#define PR_FLAGS      TOOL_OPEN_WORLD
#define PR_PARTS(name, operation)                                                                  \
    OPERATION_PARTS(name, "github-pr", operation, name##_output),                                  \
        .environment =                                                                             \
            "GITHUB_TOKEN, else GH_TOKEN: the token (GH_ENTERPRISE_TOKEN, "                        \
            "GITHUB_ENTERPRISE_TOKEN for other hosts than GitHub's); GITHUB_API_URL, else "        \
            "GH_HOST: the server; KEDGE_GITHUB_MAX_WAIT: seconds to wait for a rate limit"

typedef struct PrTarget { // input of every operation; borrowed
    const char *owner, *repo;
    const char *api_url, *host; // NULL: the environment's
    bool use_login;
    int64_t max_wait; // seconds; with has_max_wait
    bool has_max_wait;
} PrTarget;

// clang-format off
/* Fields of `type`, which has a member `PrTarget target`. */
#define PR_REPO_FIELDS(type)                                                                       \
    { "owner", FIELD_STRING, offsetof(type, target.owner), .is_required = true,                    \
      .refuses_blank = true, .help = "Repository owner (organization or user)" },                  \
    { "repo", FIELD_STRING, offsetof(type, target.repo), .is_required = true,                      \
      .refuses_blank = true, .help = "Repository name" }
#define PR_NUMBER_FIELD(type, member)                                                              \
    { "pr_number", FIELD_INTEGER, offsetof(type, member), .is_required = true, .min = 1,           \
      .help = "Pull request number" }
#define PR_SERVER_FIELDS(type)                                                                     \
    { "api_url", FIELD_STRING, offsetof(type, target.api_url),                                     \
      .help = "Base URL of the REST interface, such as https://git.example.com/api/v3" },          \
    { "host", FIELD_STRING, offsetof(type, target.host),                                           \
      .help = "GitHub host; it must be known (gh.knownHosts)" },                                   \
    { "use_login", FIELD_BOOLEAN, offsetof(type, target.use_login),                                \
      .help = "Without a token in the environment, use gh's login" },                              \
    { "max_wait", FIELD_INTEGER, offsetof(type, target.max_wait), .min = 0, .max = 3600,           \
      .has_offset = offsetof(type, target.has_max_wait),                                           \
      .help = "Seconds to wait at most for a rate limit; 0: never" }
// clang-format on

/* False when it added what is wrong with owner and repo to `answer`. Asks no server. */
bool pr_check_target(const PrTarget *target, Answer *answer);

/* For the judge() of an operation that posts: what a person is asked. True. */
bool pr_judge_write(const PrTarget *target, Judgement *ret_judgement, const char *format, ...)
    G_GNUC_PRINTF(3, 4);

bool pr_judge_read(const PrTarget *target, Judgement *ret_judgement); // of one that reads. True

typedef struct Pr { // one run of an operation
    OperationCall *call;
    const PrTarget *target;
    const char *operation; // "submit-review"
    Answer *answer;        // gets warnings
    Rest *rest;            // owned, as the link; all else is borrowed
    PullLink link;         // over the same; errors are REST_ERROR
    int64_t started_at;
    bool has_told_move;
} Pr;

void pr_clear(Pr *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Pr, pr_clear)

/* Finds server and token; no network but for gh's login. Errors of answer_error(). */
bool pr_open(OperationCall *call, const PrTarget *target, const char *operation, Answer *answer,
             Pr *ret_pr, GError **error);

/* rest_call() and rest_list() with this run's operation and cancel; a move of the repository
   becomes a warning. Their errors are REST_ERROR, for the caller to act on, or to hand to
   pr_fail(). */
bool pr_call(Pr *self, const RestCall *call, RestAnswer *ret_answer, GError **error);
bool pr_list(Pr *self, const char *path, const char *subject, json_t **ret_items, GError **error);
/* The warning, once. `moved_to` may be NULL. */
void pr_tell_move(Pr *self, const char *moved_to);

/* "OWNER/REPO pull request 42", "comment 7 in OWNER/REPO". Callers free. */
char *pr_subject(const Pr *self, int64_t number);
char *pr_comment_subject(const Pr *self, int64_t comment_id);

/* Hands `failure` on, and takes it: one of REST_ERROR with the code, status, request_id and hint
   that an answer shows; others as they are. False. */
bool pr_fail(GError *failure, GError **error);

/* A POST that must take effect once, whatever becomes of GitHub's answers. All borrowed. */
typedef struct PrPost {
    const char *what; // "reply", for the message
    const char *path, *subject;
    const json_t *body;
    bool needs_id; // an answer without one says nothing
    /* Where it is looked for: what has the same text, was made since this run began, and `is_it`
       (NULL: any) says yes to. */
    const char *list_path, *list_subject;
    bool (*is_it)(const json_t *item, const void *data);
    const void *data;
} PrPost;

/* Sends it, and a second time only where the first had no answer and was looked for in vain.
   *ret_item is GitHub's answer, or what was found, with *ret_found. REST_ERROR, or of
   answer_error(): "The review may have been posted; check before retrying". */
bool pr_post_once(Pr *self, const PrPost *post, json_t **ret_item, bool *ret_found, GError **error);
/* When the run began, for `since=`; it allows for a clock of GitHub's that is a minute late. Caller
   frees. */
char *pr_start_time(const Pr *self);
