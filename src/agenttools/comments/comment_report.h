/*
 * Comments as JSON (agent-tools-cli §7.2), with the lines around them. Pure.
 */
#pragma once

#include "agenttools/comments/comment_text.h"
#include "base/json.h"
#include "lang/lexer.h"

typedef struct CommentLines { // where the lines of a text begin
    const CommentText *text;  // borrowed
    GArray *starts;           // size_t
} CommentLines;

void comment_lines_init(CommentLines *self, const CommentText *text);
void comment_lines_clear(CommentLines *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CommentLines, comment_lines_clear)

/* `context` lines before and after, as arrays; -1: one, as a text each. New reference. */
json_t *comment_to_json(const Comment *comment, const CommentLines *lines, const char *path,
                        int64_t context);
