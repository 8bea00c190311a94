/*
 * The JSON input of an operation (agent-tools-cli §1.3): stricter than json_parse(), with the error
 * texts of the specification.
 */
#pragma once

#include "base/json.h"

#define LIMIT_AGENT_INPUT_BYTES ((size_t)8 * 1024 * 1024)

/* One object and nothing after it; at most LIMIT_AGENT_INPUT_BYTES, 64 levels, no duplicate keys.
   Errors of answer_error(): NO_INPUT, INVALID_JSON, VALIDATION (too large). */
bool agent_input_parse(const char *data, size_t size, json_t **ret_object, GError **error);
