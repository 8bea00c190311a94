/*
 * Feedback as Markdown, for handing it over to a person or another agent. Pure.
 */
#pragma once

#include "base/json.h"

/* `data` is that of feedback read. Caller frees. */
char *feedback_markdown(const json_t *data);
