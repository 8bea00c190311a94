/*
 * The request half of the Anthropic Messages format (agent-core §2.4). Private to this room.
 */
#pragma once

#include "model/wire.h"

char *anthropic_make_url(const Model *model);
void anthropic_add_headers(const ProviderRequest *request, GPtrArray *headers);
void anthropic_write_head(const ProviderRequest *request, const BodyFacts *facts, json_t *head);
void anthropic_write_tail(const ProviderRequest *request, const BodyFacts *facts, json_t *tail);
void anthropic_write_user(const Model *model, const json_t *message, bool is_after_tool,
                          json_t *out);
void anthropic_write_assistant(const Model *model, const json_t *message, json_t *out);
void anthropic_write_results(const Model *model, const json_t *results, json_t *out);
size_t anthropic_marker_place(const json_t *wire_message);
char *anthropic_make_marker(const Model *model);
