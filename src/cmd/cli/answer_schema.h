/*
 * `--json-schema FILE`: the last answer is one JSON object that is valid against a schema, for
 * scripts. The model is told with the last prompt, and again when its answer is not.
 *
 * What of JSON Schema is checked: base/json_schema.h.
 */
#pragma once

#include "cmd/cli/input.h"

enum { ANSWER_SCHEMA_MAX_RETRIES = 2 };

/* The schema in a file. USAGE: it is none, or not that of an object; its errors name the file. */
bool answer_schema_load(const char *path, json_t **ret_schema, GError **error);
/* Tells the model of it with the last of the prompts. */
void answer_schema_add(const json_t *schema, InitialInput *input);
/* The object in an answer's text; a code fence around it is passed over. On failure *ret_problem
   says what the model has to fix. Both belong to the caller. */
bool answer_schema_check(const json_t *schema, const char *text, json_t **ret_answer,
                         char **ret_problem);
/* The prompt that asks again. New reference. */
json_t *answer_schema_ask_again(const char *problem);
