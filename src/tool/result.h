/*
 * ToolResult: what a call answers with (agent-tools §1.1, §1.3): text and image blocks for the
 * model, `details` for programs, and the facts from which the notice is made in one place
 * (tool/notice.c). One thread at a time.
 */
#pragma once

#include "base/json.h"
#include "tool/origin.h"
#include "tool/truncate.h"

typedef enum { RESULT_HEAD, RESULT_TAIL } ResultDirection;

typedef struct ToolResult {
    json_t *content; // array of blocks
    json_t *details; // object; NULL until something is set
    json_t *meta;    // details.meta in the making; NULL until something is set
    Origin origin;   // of the text
    bool is_error;
    KedgeError failure; // why, when is_error; FAILED when the tool itself said so
    GPtrArray *refused; // of JudgedAction *, of a call that the policy or a person refused, when
                        // it is known what it would have done; else NULL
} ToolResult;

void tool_result_clear(ToolResult *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ToolResult, tool_result_clear)

void tool_result_add_text(ToolResult *self, const char *text);
void tool_result_add_image(ToolResult *self, const char *base64, const char *mime_type);
/* All text blocks joined with LF. Caller frees. */
char *tool_result_text(const ToolResult *self);

/* Known secrets out of everything (common §10 rule 4): before the model, a session or a file gets
 * it. */
void tool_result_mask(ToolResult *self);

/* The details object, made when needed; borrowed. */
json_t *tool_result_details(ToolResult *self);

/* The thing of GitHub that the answer is about: `details.github`, and the origin. */
void tool_result_set_github(ToolResult *self, const GithubMark *mark);

void tool_result_set_source_path(ToolResult *self, const char *path);
void tool_result_set_source_url(ToolResult *self, const char *url);
void tool_result_set_source_internal(ToolResult *self, const char *url);

/* Does nothing when nothing was cut. `start_line` is 1-based (head); `total_file_lines` 0: the
   cut's own; `artifact_id` may be NULL. */
void tool_result_set_truncation(ToolResult *self, const Truncated *cut, ResultDirection direction,
                                size_t start_line, size_t total_file_lines,
                                const char *artifact_id);

typedef struct ResultCounts { // truncationFromSummary: a sink's counts
    bool is_truncated;
    size_t total_lines, total_bytes, output_lines, output_bytes, max_bytes;
} ResultCounts;
void tool_result_set_truncation_counts(ToolResult *self, const ResultCounts *counts,
                                       ResultDirection direction, size_t start_line,
                                       size_t total_file_lines, const char *artifact_id);

/* The artifact of the truncation that was set holds the beginning and the end only. */
void tool_result_set_artifact_cut(ToolResult *self);
/* The total of the truncation that was set is a lower bound: the rest was not counted. */
void tool_result_set_total_at_least(ToolResult *self);

/* `name` is matchLimit, resultLimit or headLimit. Nothing for `reached` 0. */
void tool_result_set_limit(ToolResult *self, const char *name, size_t reached);
void tool_result_set_column_limit(ToolResult *self, size_t max_column);
/* A line of its own behind the notice, in brackets: what a layer has to say of the call. */
void tool_result_add_note(ToolResult *self, const char *text);
