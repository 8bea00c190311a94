/*
 * Queries into JSON, as agent:// takes them (agent-tools §4.3): `.items[1].name`. Pure.
 */
#pragma once

#include "base/json.h"

#include <glib.h>

typedef struct QueryToken {
    bool is_index;
    int64_t index;
    char *key; // of a member; NULL for an index
} QueryToken;

/* Of QueryToken; free with g_ptr_array_unref(). USAGE "Invalid query: …". */
bool url_query_parse(const char *query, GPtrArray **ret_tokens, GError **error);
/* Borrowed from `value`; NULL: there is no such thing. */
const json_t *url_query_apply(const json_t *value, const GPtrArray *tokens);
/* "/a/0/b c/" → ".a[0]['b c']". Caller frees. */
char *url_query_of_path(const char *path);
