/*
 * The conversation while it lasts: the messages as they go to the model, the session that keeps
 * them, and whoever is told of them. The one place where a message becomes part of it.
 *
 * Belongs to one thread at a time: the run's while one is on, else the owner's.
 */
#pragma once

#include "agent/agent_events.h"
#include "agent/server_facts.h"
#include "agent/setup.h"
#include "model/body.h"
#include "model/call_ids.h"
#include "model/repair_notes.h"
#include "session/session.h"

typedef struct Conversation {
    Session *session;          // borrowed
    const AgentEvents *events; // borrowed
    bool is_waiting;           // the messages are in the session's file until someone needs them
    int64_t waiting_tokens;    // about, of those after `measured`
    json_t *messages;
    json_t *entry_ids;      // for each of them, the session's entry
    RepairNotes *loaded;    // what they needed when they were taken from the session
    json_t *told_repairs;   // ids of the entries that were told of last; NULL: none
    unsigned loads;         // how often they were taken from the session
    CallIds *call_ids;      // of all its tool calls: each is there once
    BodyCache *bodies;      // what was sent of it
    ServerFacts *servers;   // what they have taught; kept when the messages are loaded again
    LeftOut told_left_out;  // of what the person was told
    json_t *run_messages;   // what agent_end tells; NULL between runs
    json_t *last_answer;    // the newest assistant message; NULL: none
    size_t answer_index;    // in `messages`, of the answer that came last
    char *before_answer;    // the session's entry before it; NULL: it has no entry here
    json_t *measured;       // the newest good answer whose usage is that of `messages`; NULL: none
    size_t measured_index;  // in `messages`
    char *model, *thinking; // as the session has them on record; NULL: not yet
} Conversation;

/* The messages of a session's leaf as a conversation begins with them: calls named by `ids`, known
   keys masked but in the messages of the set `said` (may be NULL), strong repairs remembered.
   `path` has the entries of the context, or all to the leaf. What was done is noted. New reference.
 */
json_t *conversation_take_over(const SessionContext *saved, const GPtrArray *path, CallIds *ids,
                               GHashTable *said, RepairNotes *notes);

/* Of what the session already holds: `last_answer`, `measured` and the setup are there; the
   messages wait in its file, since months of work that are only looked at must not take memory. */
void conversation_init(Conversation *self, Session *session, const AgentEvents *events);
/* Reads the messages, once; the agent calls it before whatever works on them. */
void conversation_fill(Conversation *self);
void conversation_clear(Conversation *self);

/* The session's leaf or what is before it has changed: reads the messages again. */
void conversation_reload(Conversation *self);

/* Another form of the messages (takes the reference), as many as there are; the session keeps
   what it has. */
void conversation_replace(Conversation *self, json_t *messages);

/* What the messages take, as the server of the model (NULL: whichever) counted them for the last
   answer, and about what came since. */
int64_t conversation_tokens(const Conversation *self, const Model *model);
/* Of these what it counted. A server that answers although it counts more than the model's window
   counts something else, a whole session say: it is not believed. 0: no one knows. */
int64_t conversation_counted_tokens(const Conversation *self, const Model *model);
/* What was there when a compaction or a handoff had made room, as the next answer has it, without
   what came in between; 0: there was none, or no one knows. */
int64_t conversation_tokens_left(const Conversation *self, const Model *model);
/* Until the next answer no one knows. */
void conversation_forget_measure(Conversation *self);

/* The same for a message that did not stream: message_start comes first. */
void conversation_add_whole(Conversation *self, json_t *message);
/* An answer of the model, message_start told already. */
void conversation_add_answer(Conversation *self, json_t *message);
/* The last answer, if it failed, and the results its calls got are not sent again; the session
   keeps them. */
void conversation_forget_answer(Conversation *self);

/* The same for an answer that failed or was stopped, when nothing but results comes after it,
   also where it was taken over. Between runs. */
void conversation_forget_failure(Conversation *self);
/* There is a message that has no answer, or such an answer only. */
bool conversation_is_open(const Conversation *self);

/* The same, and the session goes on from what was before the answer: it is not there either when
   the conversation is loaded again. */
void conversation_drop_answer(Conversation *self);

/* Notes in the session which model and thinking level answer from now on, where that changed.
   `is_temporary`: it is not what a session that is opened again goes on with. */
void conversation_record_setup(Conversation *self, const TurnSetup *setup, bool is_temporary);
