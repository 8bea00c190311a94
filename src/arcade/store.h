/*
 * Connections to the agent-tools database for the threads that serve requests: taken for one
 * request, given back, kept for the next. Thread safe; a Db itself belongs to whoever took it.
 */
#pragma once

#include "agenttools/state.h"

typedef struct Store Store;

Store *store_new(const char *path);
void store_free(Store *self); // all were given back
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Store, store_free)

/* Its calls obey `cancel` until it is given back. */
bool store_take(Store *self, Cancel *cancel, Db **ret_db, GError **error);
void store_give(Store *self, Db *db); // NULL is allowed

/* Open comments that belong to a run: its own, and those without a run on its artifacts. */
bool store_count_open(Db *db, const char *run_id, int64_t *ret_count, GError **error);
