/*
 * The draft of a conversation that has no session file yet, in <agent dir>/drafts (agent-core
 * §4.10). The program that writes one holds it locked, so that a draft that nobody holds is that of
 * a program which has ended, however it did. One thread.
 */
#pragma once

#include "base/error.h"

typedef struct FirstDraft FirstDraft;

/* Makes the file; IO when that cannot be. */
FirstDraft *first_draft_open(const char *agent_dir, const char *cwd, GError **error);
bool first_draft_write(FirstDraft *self, const char *text, GError **error);
void first_draft_remove(FirstDraft *self); // takes it; NULL allowed
void first_draft_leave(FirstDraft *self);  // takes it, and the file stays; NULL allowed

/* The newest that a program has left in this directory; caller frees. NULL: there is none. *ret_own
   has it from now on, or is NULL where that cannot be written. What was left a month ago goes. */
char *first_draft_take(const char *agent_dir, const char *cwd, size_t max_bytes,
                       FirstDraft **ret_own);
