/*
 * The part of JSON Schema that stops a bad call before it reaches the program that owns the tool:
 * `type` (a name or a list of names), `required`, `properties`, `items` (one schema for all),
 * `enum`, and `additionalProperties: false`. Everything else ($ref, anyOf, pattern, bounds, …) is
 * left to the owner, who knows its own schema. Pure; thread safe.
 */
#pragma once

#include "base/field.h"

/* Can the schema describe arguments: an object schema whose parts have the right shapes? USAGE
   says what is wrong. */
bool json_schema_is_of_object(const json_t *schema, GError **error);

/*
 * Checks `arguments` (an object; NULL and null count as {}). FIELD_LENIENT first coerces what
 * parses as the wanted type, and leaves out nulls of optional properties that may not be null.
 * *ret_checked is a new object, with values shared; on failure `problems` has what field_decode()
 * would give.
 */
bool json_schema_check(const json_t *schema, const json_t *arguments, FieldMode mode,
                       json_t **ret_checked, GPtrArray *problems);

/* Does the schema itself refuse a property of this name at its top level? */
bool json_schema_refuses(const json_t *schema, const char *name);
