/*
 * The rules that watch a conversation's answers while they arrive (agent-core §3.11): which have
 * fired, and what the model is told of them. Of the prompting thread.
 *
 * Only the person's own rules are taken: a rule speaks to the model in the person's name, so those
 * that a repository brings along wait until somebody can say that it is trusted.
 */
#pragma once

#include "agent/conversation.h"
#include "model/provider.h"
#include "tool/settings.h"

typedef struct StreamRules StreamRules;

/* The rules of AGENT_DIR/rules. NULL: there are none, or ttsr.enabled is off. What fired before is
   read from the conversation's session. What is wrong is a warning of the conversation. */
StreamRules *stream_rules_load(const char *agent_dir, const char *cwd, const Settings *settings,
                               Conversation *conversation);
void stream_rules_free(StreamRules *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(StreamRules, stream_rules_free)

/* Before a request. */
void stream_rules_begin(StreamRules *self);
/* An event of the provider. True: the answer is to be stopped. Looks at nothing more once `cancel`
   has fired. */
bool stream_rules_see(StreamRules *self, const json_t *event, ModelStream *stream, Cancel *cancel);
/* The same of the whole answer. */
bool stream_rules_have_stopped(const StreamRules *self);
/* An answer came to its end. */
void stream_rules_count_turn(StreamRules *self);

/* The message for the rules that this answer broke; NULL: it broke none. New reference. */
json_t *stream_rules_take(StreamRules *self);
/* A message is in the conversation: when it is one of the above, its rules have fired, and are on
   record. One that never comes there leaves them as they were. */
void stream_rules_note_delivered(StreamRules *self, const json_t *message);
/* An answer that was stopped is kept (ttsr.contextMode). */
bool stream_rules_keep_answers(const StreamRules *self);
