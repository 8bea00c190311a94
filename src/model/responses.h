/*
 * The request half of the OpenAI Responses format (agent-core §2.6). Private to this room.
 *
 * A tool call's id is stored as "CALL|ITEM"; a text's signature is its item's id, or
 * {"v":1,"id":…,"phase":…}; a thinking block's signature is its whole item as JSON text.
 */
#pragma once

#include "model/wire.h"

char *responses_make_url(const Model *model);
void responses_add_azure_headers(const ProviderRequest *request, GPtrArray *headers);
void responses_write_head(const ProviderRequest *request, const BodyFacts *facts, json_t *head);
void responses_write_tail(const ProviderRequest *request, const BodyFacts *facts, json_t *tail);
void responses_write_system(const ProviderRequest *request, json_t *out);
void responses_write_user(const Model *model, const json_t *message, bool is_after_tool,
                          json_t *out);
void responses_write_assistant(const Model *model, const json_t *message, json_t *out);
bool responses_has_lost(const json_t *message);
void responses_write_results(const Model *model, const json_t *results, json_t *out);
