/*
 * What the files of the field tables share (field.h). Private to them.
 */
#pragma once

#include "base/field.h"

#define FIELD_MAX_NAME_CHARS 100 // of a field name from outside, in a problem

bool field_is_of_type(FieldType type, const json_t *value);
/* Does a value of the right type keep to min, max, max_chars, refuses_blank, max_items? */
bool field_fits(const FieldDef *field, const json_t *value);
bool field_fits_item(const FieldDef *field, const json_t *item); // of a list of integers or strings
/* "a positive integer", "one of: a, b". Caller frees. */
char *field_describe(const FieldDef *field);
char *field_describe_item(const FieldDef *field);

/* A value of the type made from one that is not of it, as a model tends to write it: "5" for 5, a
   bare item for a list. NULL: nothing sensible can be made. New reference. */
json_t *field_coerce(FieldType type, const json_t *value);

/* The name of a known field that is nearest to `name`, or NULL. Borrowed from the table. */
const char *field_nearest(const FieldDef *fields, const char *name);

/* The default as JSON; NULL: none. New reference. */
json_t *field_default(const FieldDef *field);
/* Fills the struct from accepted values, which get the defaults of those that are absent. */
void field_store_all(const FieldDef *fields, json_t *checked, char *args);
