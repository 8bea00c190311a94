/*
 * Telling what requests needed to be taken by their server (safety §8.3), as events:
 * {"type":"session_repair","rules":{"R11":1},"entries":["a1b2c3d4"],"strong":null}. A conversation
 * that needs the same in each request says so once.
 */
#pragma once

#include "agent/conversation.h"

/* Of the request that was made last. What is about the request alone, and no entry, is not told by
   itself: a model that called a tool without thinking is nothing to repair. */
void repair_report_tell(Conversation *conversation);
/* The conversation has another form since a server refused it: `before` has the messages as they
   were. */
void repair_report_tell_strong(const Conversation *conversation, const json_t *before,
                               const char *name);
