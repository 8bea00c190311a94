/*
 * Names of tool calls within a conversation (agent-core §2.2): each call has one, and no two have
 * the same, whatever servers send. Some send none, some count from call_0 in every answer.
 *
 * Belongs to one thread.
 */
#pragma once

#include "model/repair_notes.h"

typedef struct CallIds CallIds;

CallIds *call_ids_new(void);
void call_ids_free(CallIds *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CallIds, call_ids_free)

/* The id of a call that arrived with `id`: the same when it is new; ID_2, ID_3, … when it was used
   before; call_N, N counting the conversation's calls, when it is empty. Caller frees. */
char *call_ids_take(CallIds *self, const char *id);

/* Takes over a conversation that exists: the same for all its calls, results following theirs in
   order of appearance. New reference; messages that need no change are shared. What had another
   id is noted (NULL: no one asks). */
json_t *call_ids_adopt(CallIds *self, const json_t *messages, RepairNotes *notes);
