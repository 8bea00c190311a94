/*
 * What the files of the field tables share (field.h). Private to them.
 */
#pragma once

#include "base/field.h"

#define FIELD_MAX_NAME_CHARS 100 // of a field name from outside, in a problem
#define FIELD_MAX_PROBLEMS   50  // that are named, enough to fix an input by

bool field_is_of_type(FieldType type, const json_t *value);
/* Does a value of the right type keep to min, max, max_chars, refuses_blank, max_items? */
bool field_fits(const FieldDef *field, const json_t *value);
bool field_fits_item(const FieldDef *field, const json_t *item); // of a list of integers or strings
/* Adds one, unless there are FIELD_MAX_PROBLEMS; takes the texts, of which `claim` may be NULL. */
void field_problem_add(GPtrArray *problems, FieldFault fault, const char *path, char *text,
                       char *claim);
/* The same of a line "<path>: <claim>"; and how many there are beyond those, of `count`. */
void field_problem_add_line(GPtrArray *problems, FieldFault fault, const char *path, char *claim);
void field_problems_end(GPtrArray *problems, size_t count);
/* "a positive integer", "one of: a, b". Caller frees. */
char *field_describe(const FieldDef *field);
char *field_describe_item(const FieldDef *field);

/* A value of the type made from one that is not of it, as a model tends to write it: "5" for 5, a
   bare item for a list. NULL: nothing sensible can be made. New reference. */
json_t *field_coerce(FieldType type, const json_t *value);

/* How faults are told. `value` may be NULL; `name` is the last part of an unknown field's path, and
   `nearest` a known one like it, or NULL. */
typedef struct FieldWording {
    bool has_brackets; // of an item's place: "a[1]"; else "a.1"
    bool
        is_like_schema; // what is missing comes first, and null for a required field is not missing
    void (*report)(void *report, FieldFault fault, const FieldDef *field, const char *path,
                   const json_t *value);
    void (*report_unknown)(void *report, const char *path, const char *name, const char *nearest);
} FieldWording;

typedef struct FieldChecker {
    const FieldWording *wording;
    void *report; // handed to the wording's functions
    bool coerces; // what parses as the wanted type (common §5)
} FieldChecker;

/* A new object of the accepted values, without defaults but in items of lists; NULL when the input
   is no object. NULL and null count as {}. Whether there were faults, the report knows. */
json_t *field_check_input(const FieldChecker *self, const FieldDef *fields,
                          const json_t *arguments);

/* The name of a known field that is nearest to `name`, or NULL. Borrowed from the table. */
const char *field_nearest(const FieldDef *fields, const char *name);

/* The default as JSON; NULL: none. New reference. */
json_t *field_default(const FieldDef *field);
/* Fills the struct from accepted values, which get the defaults of those that are absent. */
void field_store_all(const FieldDef *fields, json_t *checked, char *args);
