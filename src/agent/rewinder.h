/*
 * The checkpoint tool's part of a run (agent-tools §3.24): which place in the session is the open
 * checkpoint, and going back to it. What the session's entries say holds, so that a session that is
 * opened again has its checkpoint. Belongs to the conversation's thread.
 */
#pragma once

#include "agent/conversation.h"
#include "tool/context.h"

/* The entry that the open checkpoint is at; NULL: none is open. Caller frees. */
char *rewinder_find(const Session *session);
/* A run begins: what the session says of it. */
void rewinder_begin(const Session *session, ToolContext *context);
/* A turn has ended: when a report was given, the conversation goes on from the checkpoint, with the
   report in place of what followed, but for what people said meanwhile. A preview that waits is
   dropped, for it is not seen any more. Returns the message that says so, for the next turn; NULL:
   no report. */
json_t *rewinder_end_turn(Conversation *conversation, ToolContext *context);
/* What a model is told that ends its answer while a checkpoint is open. New reference. */
json_t *rewinder_warning(void);
