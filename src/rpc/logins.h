/*
 * Keys that a client's person stores (agent-core §2.11, §6.3): `get_login_providers` and `login`.
 *
 * A login without a key asks for it with the dialog `input`, whose answer is the key; its response
 * comes when that is stored. What was asked is forgotten when the input ends.
 */
#pragma once

#include "rpc/link.h"

typedef struct RpcLogins RpcLogins;

/* The link is borrowed. */
RpcLogins *rpc_logins_new(RpcLink *link);
void rpc_logins_free(RpcLogins *self);

/* {"providers":[{"id","name","available","authenticated","source"?}]}. New reference. */
json_t *rpc_logins_providers(RpcLogins *self);
/* `key` NULL: it is asked for, and `id` (the command's; may be NULL) gets its response later;
 *ret_data stays NULL. NOT_FOUND: Unknown provider: X. */
bool rpc_logins_login(RpcLogins *self, const char *provider, const char *key, const json_t *id,
                      json_t **ret_data, GError **error);
/* An `extension_ui_response`; true: it was to one of our dialogs. */
bool rpc_logins_answer(RpcLogins *self, const json_t *response);
/* Nobody can answer any more: those who wait are told. */
void rpc_logins_cancel(RpcLogins *self);
