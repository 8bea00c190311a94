/*
 * What models are asked for besides answers, such as names and summaries, costs as much as these.
 * The session keeps its usage in custom entries "kedge.usage", which say nothing to a model and
 * count in `kedge stats`.
 */
#pragma once

#include "session/session.h"

typedef struct UsageNotes UsageNotes;

UsageNotes *usage_notes_new(void);
void usage_notes_free(UsageNotes *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(UsageNotes, usage_notes_free)

/* An answer of a model and what it was for ("title"); from any thread. One that has no usage is not
   kept. `self` NULL: no one keeps any. */
void usage_notes_add(UsageNotes *self, const char *purpose, const json_t *answer);
/* What has come so far, as entries after the leaf; by whoever has the session. */
void usage_notes_append(UsageNotes *self, Session *session);
