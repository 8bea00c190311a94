/*
 * What a model is told in plan mode (agent-core §7.12). Messages are new references.
 */
#pragma once

#include "base/json.h"
#include "tool/plan_mode.h"

/* Before each prompt, not shown: that it is on, or, where the last of `messages` that says
   something of it says that, that it no longer is. NULL: nothing. */
json_t *plan_words_context(PlanMode *mode, const json_t *messages);
/* To a model that has ended its turn without a question or a plan. */
json_t *plan_words_reminder(PlanMode *mode);
/* Does an answer end with a question? NULL: no. */
bool plan_words_is_question(const json_t *answer);
/* The prompt that carries out the approved plan `file`. */
json_t *plan_words_execution(const char *file, const char *plan);
