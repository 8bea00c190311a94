/*
 * Approval and choices through the client: elicitation/create (common §4.3, gh-policy
 * §5.4). A worker asks and waits, but not forever; the main thread sends the question and takes the
 * answer.
 */
#pragma once

#include "base/line_server.h"
#include "tool/call.h"

typedef struct McpQuestions McpQuestions;

/* `link` is borrowed. `limit_ms`: how long a question waits for its answer. */
McpQuestions *mcp_questions_new(LineServer *link, int64_t limit_ms);
void mcp_questions_free(McpQuestions *self); // nobody may be asking any more
G_DEFINE_AUTOPTR_CLEANUP_FUNC(McpQuestions, mcp_questions_free)

/* A ToolDoor's `ask`, on a worker; `questions` is the McpQuestions. A question that nobody needs
   answered any more, because of the limit or the token, is withdrawn. */
bool mcp_questions_ask(const ToolQuestion *question, Cancel *cancel, bool *ret_approved,
                       void *questions, GError **error);

/* Its `choose`, likewise: a form with one field. */
bool mcp_questions_choose(const ToolChoice *choice, Cancel *cancel, ChoiceEnd *ret_end,
                          char **ret_text, void *questions, GError **error);

/* The client's answer to one of our requests; one that fits none is passed over. */
void mcp_questions_answer(McpQuestions *self, const json_t *response);
/* Nobody will answer any more: lets go of those who wait. */
void mcp_questions_give_up(McpQuestions *self);
