/*
 * Agent messages into what a model is sent (agent-core §2.2): other roles become user text, history
 * is repaired so that every tool call has its result, foreign thinking is turned into text.
 */
#pragma once

#include "model/model.h"

/* New array of messages with roles user, developer, assistant, toolResult only, ids normalised for
   the model's api. The input is not changed. */
json_t *convert_history(const json_t *messages, const Model *model);
