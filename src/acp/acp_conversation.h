/*
 * One session of an editor: an AgentSession, whose events become `session/update` and
 * `session/request_permission`.
 *
 * Belongs to the loop's thread.
 */
#pragma once

#include "base/line_server.h"
#include "conversation/agent_session.h"

typedef struct AcpConversation AcpConversation;

/* Takes the session; the link is borrowed. `id` is what the editor calls it, also where the session
   is a copy with an id of its own; NULL: the session's. */
AcpConversation *acp_conversation_new(LineServer *link, AgentSession *session, const char *id);
void acp_conversation_free(AcpConversation *self);

const char *acp_conversation_id(const AcpConversation *self);
/* The messages so far, as updates. */
void acp_conversation_replay(AcpConversation *self);
/* A word of ours, as a message. */
void acp_conversation_say(AcpConversation *self, const char *text);
/* Which commands the editor can offer, "/compact"; again when they change. */
void acp_conversation_offer_commands(AcpConversation *self);
/* A message, or one of those commands. `id` is the request's, answered when it has ended. USAGE. */
bool acp_conversation_prompt(AcpConversation *self, const json_t *id, const json_t *blocks,
                             GError **error);
void acp_conversation_cancel(AcpConversation *self);
/* The answer to a request of ours; false: it is none of this conversation's. */
bool acp_conversation_take_answer(AcpConversation *self, const json_t *response);

/* A slow editor: events wait, or go on. */
void acp_conversation_hold(AcpConversation *self, bool is_held);
bool acp_conversation_is_settled(const AcpConversation *self);
