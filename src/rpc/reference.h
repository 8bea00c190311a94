/*
 * The commands of `--mode rpc` described, from the tables that carry them out.
 */
#pragma once

#include "base/json.h"

/* A page of Markdown. Caller frees. */
char *rpc_reference_markdown(void);
/* JSON Schema of a line that a client sends. New reference. */
json_t *rpc_reference_schema(void);
