/*
 * Questions about images, for the tool inspect_image (agent-tools §3.23): which model of the
 * conversation's is asked, and the request, which the conversation's budget pays.
 *
 * An image goes only where a person has pointed: to the model of role `vision` or `default`, to
 * that of the conversation, or to another one of the conversation's provider. Blocks the calling
 * worker.
 */
#pragma once

#include "agent/summary.h"
#include "tool/vision.h"

/* `scope`: as in AgentOptions; may be NULL. NOT_FOUND: no model can be asked, with what to do.
   TIMEOUT, LIMIT (the budget is spent), CANCELLED, and the model's own problem. */
bool image_question_ask(const SummaryContext *context, const GArray *scope,
                        const VisionQuestion *question, Cancel *cancel, VisionAnswer *ret_answer,
                        GError **error);
