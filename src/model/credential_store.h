/*
 * Keys that a person has stored (`kedge login`): table auth_credentials of agent.db in the agent
 * directory, mode 0600 (agent-core §2.11). A provider may have several.
 *
 * The values become known secrets (base/secrets.h) when they are read. Every call opens the
 * database for itself; one that only reads makes no file.
 */
#pragma once

#include "base/error.h"

#define CREDENTIAL_STORE_FILE "agent.db"

typedef struct StoredKey {
    char *provider;
    char *key;
} StoredKey;

/* USAGE: it is empty, too long, or has other characters than a header can carry. */
bool credential_key_check(const char *key, GError **error);

/* Of StoredKey: the usable ones, oldest first; empty when there is no file. */
bool credential_store_read(const char *path, GPtrArray **ret_keys, GError **error);

/* False in *ret_is_new: it was stored before. */
bool credential_store_add(const char *path, const char *provider, const char *key, bool *ret_is_new,
                          GError **error);

/* All of the provider's. */
bool credential_store_remove(const char *path, const char *provider, int64_t *ret_count,
                             GError **error);
