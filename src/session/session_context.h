/*
 * The part of buildSessionContext that a Session calls with the entries it has.
 * Internal to session.
 */
#pragma once

#include "session/entry_list.h"
#include "session/session.h"

/* `leaf` NULL gives an empty context. */
void context_build_from_leaf(EntryList *entries, const EntryHead *leaf,
                             SessionContext *ret_context);

/* Where on a path to the leaf what the context holds begins. */
guint context_first_on_path(EntryList *entries, const GPtrArray *path);
