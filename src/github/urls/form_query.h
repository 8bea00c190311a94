/*
 * The query of an address: form-encoded, the first of a key's values counts. Pure.
 */
#pragma once

#include <glib.h>

/* char * → char *. `query` is without its "?". */
GHashTable *form_query_parse(const char *query);
/* A copy of the value; NULL when missing or empty. Caller frees. */
char *form_query_take(GHashTable *query, const char *key);
