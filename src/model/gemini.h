/*
 * The request half of the Google Gemini format (agent-core §2.7). Private to this room.
 */
#pragma once

#include "model/wire.h"

char *gemini_make_url(const Model *model);
char *vertex_make_url(const Model *model);
void gemini_add_headers(const ProviderRequest *request, GPtrArray *headers);
void gemini_write_head(const ProviderRequest *request, const BodyFacts *facts, json_t *head);
void gemini_write_tail(const ProviderRequest *request, const BodyFacts *facts, json_t *tail);
void gemini_write_user(const Model *model, const json_t *message, bool is_after_tool, json_t *out);
void gemini_write_assistant(const Model *model, const json_t *message, json_t *out);
void gemini_write_results(const Model *model, const json_t *results, json_t *out);
