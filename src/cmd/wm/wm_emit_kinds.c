/*
 * The flags of each kind of item, and what their help teaches (wm_emit_kinds.h).
 */
#include "cmd/wm/wm_emit_kinds.h"

#define TEXT(index, name_, value, text)                                                            \
    {                                                                                              \
        .name = (name_), .type = FIELD_STRING, .offset = offsetof(WmEmitFlags, texts[index]),      \
        .value_name = (value), .help = (text)                                                      \
    }
#define LIST(index, name_, text)                                                                   \
    {                                                                                              \
        .name = (name_), .type = FIELD_STRING_LIST, .offset = offsetof(WmEmitFlags, lists[index]), \
        .value_name = "A,B", .help = (text)                                                        \
    }
#define NUMBER(index, name_, text)                                                                 \
    {                                                                                              \
        .name = (name_), .type = FIELD_INTEGER, .offset = offsetof(WmEmitFlags, numbers[index]),   \
        .help = (text)                                                                             \
    }
#define BODY(text)                                                                                 \
    TEXT(0, "body", "TEXT", text),                                                                 \
    {                                                                                              \
        .name = "body_file", .type = FIELD_STRING, .offset = offsetof(WmEmitFlags, body_file),     \
        .value_name = "FILE", .help = "Take the body from FILE; - is standard input"               \
    }
#define TARGET(text)                                                                               \
    {                                                                                              \
        .name = "target", .type = FIELD_STRING, .offset = offsetof(WmEmitFlags, target),           \
        .value_name = "N|ID", .help = (text)                                                       \
    }
#define TEMPORARY_ID                                                                               \
    {                                                                                              \
        .name = "temporary_id", .type = FIELD_STRING,                                              \
        .offset = offsetof(WmEmitFlags, temporary_id), .value_name = "ID",                         \
        .help = "A name such as tmp_1 by which later items speak of this one: --target tmp_1, "    \
                "#tmp_1 in a body"                                                                 \
    }
#define CONVERSATION "Issue or pull request (0: the triggering one)"
#define ISSUE        "Issue (0: the triggering one)"
#define PULL_REQUEST "Pull request (0: the triggering one)"
#define END                                                                                        \
    {                                                                                              \
        0                                                                                          \
    }

static const FieldDef create_pull_request_fields[] = {
    TEXT(1, "title", "TEXT", "Title; the policy's prefix is put before it"),
    BODY("Description"),
    { .name = "draft",
      .type = FIELD_BOOLEAN,
      .offset = offsetof(WmEmitFlags, is_draft),
      .help = "As a draft, or with --draft=false not (default: the policy's)" },
    LIST(0, "labels", "Labels beside those of the policy"),
    TEMPORARY_ID,
    END,
};
static const FieldDef add_comment_fields[] = {
    BODY("Text (required)"),
    TARGET(CONVERSATION),
    END,
};
static const FieldDef labels_fields[] = {
    LIST(0, "labels", "Labels (required)"),
    TARGET(CONVERSATION),
    END,
};
static const FieldDef create_issue_fields[] = {
    TEXT(1, "title", "TEXT", "Title (required); the policy's prefix is put before it"),
    BODY("Description"),
    LIST(0, "labels", "Labels beside those of the policy"),
    LIST(1, "assignees", "Logins beside those of the policy"),
    TEMPORARY_ID,
    END,
};
#define UPDATE(target)                                                                             \
    TEXT(1, "title", "TEXT", "New title"), BODY("Text for the description"),                       \
        TEXT(2, "operation", "HOW",                                                                \
             "What becomes of the old description: replace (default), append, prepend, "           \
             "replace-island"),                                                                    \
        TARGET(target)
static const FieldDef update_pull_request_fields[] = { UPDATE(PULL_REQUEST), END };
static const FieldDef update_issue_fields[] = {
    UPDATE(ISSUE),
    TEXT(3, "status", "STATUS", "open or closed"),
    END,
};
static const FieldDef close_issue_fields[] = {
    TEXT(1, "comment", "TEXT", "Said before it is closed"),
    TEXT(2, "state_reason", "REASON",
         "completed, not-planned or duplicate (default: the policy's)"),
    TARGET(ISSUE),
    END,
};
static const FieldDef close_pull_request_fields[] = {
    TEXT(1, "comment", "TEXT", "Said before it is closed"),
    TARGET(PULL_REQUEST),
    END,
};
static const FieldDef add_reviewer_fields[] = {
    LIST(0, "reviewers", "Logins, or org/team (required)"),
    TARGET(PULL_REQUEST),
    END,
};
static const FieldDef review_comment_fields[] = {
    BODY("Text (required)"),
    TEXT(1, "commit_id", "SHA", "Commit of the diff (required)"),
    TEXT(2, "path", "FILE", "File in the diff (required)"),
    NUMBER(0, "line", "Line in the file (required)"),
    TEXT(3, "side", "SIDE",
         "LEFT: the old file, RIGHT: the new one (required, unless the policy "
         "has one)"),
    NUMBER(1, "start_line", "First line, of several"),
    TARGET(PULL_REQUEST),
    END,
};
static const FieldDef review_fields[] = {
    TEXT(1, "event", "EVENT", "APPROVE, REQUEST_CHANGES or COMMENT (required)"),
    BODY("Text; an approval needs none"),
    TEXT(2, "commit_id", "SHA", "Commit that was reviewed (default: the newest)"),
    TARGET(PULL_REQUEST),
    END,
};
static const FieldDef reply_fields[] = {
    BODY("Text (required)"),
    NUMBER(0, "comment_id", "Review comment to answer (required)"),
    TARGET(PULL_REQUEST),
    END,
};
static const FieldDef thread_fields[] = {
    TEXT(1, "thread_id", "ID", "GraphQL id of the thread, PRRT_… (required)"),
    TARGET(PULL_REQUEST),
    END,
};
static const FieldDef push_fields[] = { TARGET(PULL_REQUEST), END };
static const FieldDef noop_fields[] = { TEXT(1, "message", "TEXT", "Why there is nothing to do"),
                                        END };
static const FieldDef missing_tool_fields[] = {
    TEXT(1, "tool", "NAME", "What is missing"),
    TEXT(2, "reason", "TEXT", "What it would have been for"),
    END,
};
static const FieldDef missing_data_fields[] = {
    TEXT(1, "what", "TEXT", "What is missing"),
    TEXT(2, "reason", "TEXT", "What it would have been for"),
    END,
};

#define NEED(...) ((const char *const[]) { __VA_ARGS__, NULL })

const WmEmitKind wm_emit_kinds[] = {
    { WM_CREATE_PULL_REQUEST, "Open a pull request with the commits of this branch",
      create_pull_request_fields, NULL,
      "create-pull-request --title \"Fix the parser\" --body-file body.md" },
    { WM_ADD_COMMENT, "Comment on an issue or pull request", add_comment_fields, NEED("body"),
      "add-comment --body \"Done in 3f2a1c.\"" },
    { WM_ADD_LABELS, "Add labels", labels_fields, NEED("labels"),
      "add-labels --labels bug,docs --target 12" },
    { WM_REMOVE_LABELS, "Remove labels", labels_fields, NEED("labels"),
      "remove-labels --labels triage" },
    { WM_CREATE_ISSUE, "Open an issue", create_issue_fields, NEED("title"),
      "create-issue --title \"Flaky test\" --body \"…\" --temporary-id tmp_1" },
    { WM_UPDATE_PULL_REQUEST, "Change title or description of a pull request",
      update_pull_request_fields, NULL, "update-pull-request --body \"…\" --operation append" },
    { WM_UPDATE_ISSUE, "Change title, description or status of an issue", update_issue_fields, NULL,
      "update-issue --body \"…\" --operation append" },
    { WM_CLOSE_ISSUE, "Close an issue", close_issue_fields, NULL,
      "close-issue --comment \"Fixed by #12.\" --state-reason completed" },
    { WM_CLOSE_PULL_REQUEST, "Close a pull request", close_pull_request_fields, NULL,
      "close-pull-request --comment \"Superseded by #12.\" --target 9" },
    { WM_ADD_REVIEWER, "Ask for reviews", add_reviewer_fields, NEED("reviewers"),
      "add-reviewer --reviewers octocat,acme/core" },
    { WM_CREATE_REVIEW_COMMENT, "Comment on lines of a pull request", review_comment_fields,
      NEED("body", "commit_id", "path", "line"),
      "create-pull-request-review-comment --path src/a.c --line 12 --side RIGHT \\\n"
      "      --commit-id 3f2a1c… --body \"This leaks.\"" },
    { WM_SUBMIT_REVIEW, "Review a pull request", review_fields, NEED("event"),
      "submit-pull-request-review --event REQUEST_CHANGES --body \"See the comments.\"" },
    { WM_REPLY_TO_REVIEW_COMMENT, "Answer a review comment", reply_fields,
      NEED("body", "comment_id"),
      "reply-to-pull-request-review-comment --comment-id 284312630 --body \"Done.\"" },
    { WM_RESOLVE_REVIEW_THREAD, "Resolve a review thread", thread_fields, NEED("thread_id"),
      "resolve-pull-request-review-thread --thread-id PRRT_kwDO…" },
    { WM_PUSH_TO_PULL_REQUEST_BRANCH, "Push the commits of this branch to its pull request",
      push_fields, NULL, "push-to-pull-request-branch" },
    { WM_NOOP, "Say that there is nothing to do", noop_fields, NULL,
      "noop --message \"The issue is answered already.\"" },
    { WM_MISSING_TOOL, "Say that a tool was missing", missing_tool_fields, NULL,
      "missing-tool --tool docker --reason \"to run the tests\"" },
    { WM_MISSING_DATA, "Say that data was missing", missing_data_fields, NULL,
      "missing-data --what \"the log\" --reason \"the link is dead\"" },
    { 0 },
};
