/*
 * Old tool output out of a conversation: cheaper than a summary, and often enough (agent-core
 * §3.8).
 */
#pragma once

#include "agent/conversation.h"

/* Tokens that went, about; 0: there was not enough to be worth it. The session file is written
   anew. */
int64_t prune_tool_output(Conversation *conversation);
