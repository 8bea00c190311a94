/*
 * The request half of the Anthropic Messages format (agent-core §2.4). Private to this room.
 */
#pragma once

#include "model/wire.h"

char *anthropic_make_url(const Model *model);
void anthropic_add_headers(const ProviderRequest *request, GPtrArray *headers);
json_t *anthropic_make_body(const ProviderRequest *request, const json_t *messages);
