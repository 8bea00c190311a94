/* See form_query.h. */
#include "github/urls/form_query.h"

#include <string.h>

/* "+" is a blank; what does not decode stays as it is. Caller frees. */
static char *decode(const char *text, size_t length)
{
    g_autofree char *plain = g_strndup(text, length);
    g_strdelimit(plain, "+", ' ');
    char *decoded = g_uri_unescape_string(plain, NULL);
    return decoded ? decoded : g_steal_pointer(&plain);
}

GHashTable *form_query_parse(const char *query)
{
    GHashTable *values = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    g_auto(GStrv) pairs = g_strsplit(query, "&", -1);
    for (char **pair = pairs; *pair; pair++) {
        size_t length = strcspn(*pair, "=");
        const char *value = (*pair)[length] == '=' ? *pair + length + 1 : "";
        g_autofree char *key = decode(*pair, length);
        if (*key && !g_hash_table_contains(values, key))
            g_hash_table_insert(values, g_steal_pointer(&key), decode(value, strlen(value)));
    }
    return values;
}

char *form_query_take(GHashTable *query, const char *key)
{
    const char *value = g_hash_table_lookup(query, key);
    return value && *value ? g_strdup(value) : NULL;
}
