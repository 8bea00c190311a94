/*
 * JSON Type Definition (RFC 8927) as JSON Schema, for schemas of results (agent-tools §3.30). Pure;
 * thread safe.
 */
#pragma once

#include "base/json.h"

/* Has it the words of a type definition, and no `type` that only JSON Schema has? */
bool jtd_is(const json_t *schema);
/* New reference; NULL: it is no type definition, or nested deeper than 32, or refers in a ring,
   or has more than 10,000 parts once its references are resolved. */
json_t *jtd_to_schema(const json_t *definition);
