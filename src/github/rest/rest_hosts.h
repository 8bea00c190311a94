/*
 * What the REST calls of one conversation know of the servers they ask: the token that gh's login
 * gave for a host, and rate limits that still hold. Thread safe.
 */
#pragma once

#include "tool/context.h"

typedef struct RestHosts RestHosts;

RestHosts *rest_hosts_new(void);
void rest_hosts_free(RestHosts *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RestHosts, rest_hosts_free)
RestHosts *rest_hosts_of(ToolContext *context); // the context's; borrowed

/* `key` is credential_key(host), so that the token of a login goes with it. NULL: none is known
   for this host and key. Caller frees. */
char *rest_hosts_token(RestHosts *self, const char *host, const char *key);
void rest_hosts_keep_token(RestHosts *self, const char *host, const char *key, const char *token);
/* The server refused it: the next call asks gh again. */
void rest_hosts_forget_token(RestHosts *self, const char *host);

/* `scope` names server, token and what of it is limited. 0: nothing holds requests back. */
int64_t rest_hosts_limit_ms(RestHosts *self, const char *scope);
/* From now, an hour at most: whoever speaks of a longer one is asked again. 0: over. */
void rest_hosts_set_limit(RestHosts *self, const char *scope, int64_t wait_ms);
