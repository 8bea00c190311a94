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

/* What it goes on with; the messages are not read. */
void context_build_setup(EntryList *entries, const EntryHead *leaf, SessionContext *ret_context);

/* Of a path to the leaf, what the context's messages are made of, in their order. */
GPtrArray *context_message_heads(EntryList *entries, const GPtrArray *path);

/* Where on a path to the leaf what the context holds begins. */
guint context_first_on_path(EntryList *entries, const GPtrArray *path);
