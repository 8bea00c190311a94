/*
 * Handing a conversation on: a model writes down what whoever goes on has to know, and a new
 * session begins with that (agent-core §3.8, §6.3). Blocks the calling worker.
 */
#pragma once

#include "conversation/engine.h"

/* `instructions` (may be NULL) say what the document is to look at. *ret_data: {"savedPath"?}, new
   reference; NULL when `cancel` fired, and then, as on failure, nothing has changed. USAGE: Nothing
   to hand off (no messages yet). */
bool handoff_run(Engine *engine, const char *instructions, Cancel *cancel, json_t **ret_data,
                 GError **error);
/* The same because the conversation is over its threshold: told as a compaction is. */
bool handoff_run_automatically(Engine *engine, Cancel *cancel);
