/*
 * The part of buildSessionContext that a Session calls with the index it already has.
 * Internal to session.
 */
#pragma once

#include "session/session.h"

/* `index` is id → entry; `leaf` NULL gives an empty context. */
void context_build_from_leaf(GHashTable *index, json_t *leaf, SessionContext *ret_context);
