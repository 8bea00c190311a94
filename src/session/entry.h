/*
 * Making session headers and entries (agent-core §4.2, §4.3).
 * Internal to session. Pure but for the clock and the random numbers in ids.
 */
#pragma once

#include "base/json.h"

#define SESSION_VERSION 3

/* A header for a new session; `parent_session` may be NULL. */
json_t *entry_new_header(const char *cwd, const char *parent_session);

/* {"type","id","parentId","timestamp"}; the id is new to `index` (id → entry). `parent_id` NULL: a
 * root. */
json_t *entry_new(GHashTable *index, const char *type, const char *parent_id);

/* An id not in `index`: 8 hexadecimal digits. Caller frees. */
char *entry_new_id(GHashTable *index);

/* Borrowed; "" when absent. */
const char *entry_type(const json_t *entry);
const char *entry_id(const json_t *entry);
