/*
 * A field table (field.h) as a table of Markdown, for the reference pages that are made of the
 * program's own tables. Pure; thread safe.
 */
#pragma once

#include "base/field.h"

/* Appends one row for each field that is not hidden, those of nested objects as `list[].name`;
 * nothing when there is none. */
void field_reference_append(GString *out, const FieldDef *fields);
