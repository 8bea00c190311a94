/* See url_query.h. */
#include "tools/url/url_query.h"

#include "base/error.h"
#include "base/str.h"

#define IDENTIFIER_CHARS G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "_-"

static void token_free(void *data)
{
    QueryToken *token = data;
    g_free(token->key);
    g_free(token);
}

static void add_key(GPtrArray *tokens, char *key)
{
    QueryToken *token = g_new0(QueryToken, 1);
    token->key = key;
    g_ptr_array_add(tokens, token);
}

static bool is_number(const char *text)
{
    return *text && strspn(text, G_CSET_DIGITS) == strlen(text);
}

static void add_index(GPtrArray *tokens, const char *digits)
{
    QueryToken *token = g_new0(QueryToken, 1);
    token->is_index = true;
    if (!str_parse_int(digits, &token->index))
        token->index = INT64_MAX; // more than any array has
    g_ptr_array_add(tokens, token);
}

/* The string behind an opening quote, without its escapes, up to the bracket that closes it; moves
 *at behind that. NULL: nothing closes it. Caller frees. */
static char *take_quoted(const char **at)
{
    char quote = **at;
    const char *p = *at + 1;
    GString *text = g_string_new(NULL);
    for (; *p && *p != quote; p++) {
        if (*p == '\\' && p[1] && strchr("\"'\\", p[1]))
            p++;
        g_string_append_c(text, *p);
    }
    if (*p != quote || p[1] != ']') {
        g_string_free(text, TRUE);
        return NULL;
    }
    *at = p + 2;
    return g_string_free(text, FALSE);
}

/* Behind an opening bracket. */
static bool take_bracket(const char **at, const char *query, GPtrArray *tokens, GError **error)
{
    if (**at == '"' || **at == '\'') {
        char *key = take_quoted(at);
        if (!key)
            return fail_with(error, KEDGE_ERROR_USAGE, "Invalid query: missing ] in %s", query);
        add_key(tokens, key);
        return true;
    }
    const char *end = strchr(*at, ']');
    if (!end)
        return fail_with(error, KEDGE_ERROR_USAGE, "Invalid query: missing ] in %s", query);
    g_autofree char *inner = g_strstrip(g_strndup(*at, (size_t)(end - *at)));
    if (*inner == '\0')
        return fail_with(error, KEDGE_ERROR_USAGE, "Invalid query: empty [] in %s", query);
    if (is_number(inner))
        add_index(tokens, inner);
    else
        add_key(tokens, g_steal_pointer(&inner));
    *at = end + 1;
    return true;
}

bool url_query_parse(const char *query, GPtrArray **ret_tokens, GError **error)
{
    g_autoptr(GPtrArray) tokens = g_ptr_array_new_with_free_func(token_free);
    for (const char *at = query; *at;) {
        size_t length = strspn(at, IDENTIFIER_CHARS);
        if (*at == '.') {
            at++;
        } else if (*at == '[') {
            at++;
            if (!take_bracket(&at, query, tokens, error))
                return false;
        } else if (length > 0) {
            add_key(tokens, g_strndup(at, length));
            at += length;
        } else {
            int size = (int)(g_utf8_next_char(at) - at);
            return fail_with(error, KEDGE_ERROR_USAGE,
                             "Invalid query: unexpected token '%.*s' in %s", size, at, query);
        }
    }
    *ret_tokens = g_steal_pointer(&tokens);
    return true;
}

const json_t *url_query_apply(const json_t *value, const GPtrArray *tokens)
{
    for (unsigned i = 0; i < tokens->len && value; i++) {
        const QueryToken *token = tokens->pdata[i];
        value = token->is_index ? json_array_get(value, (size_t)token->index)
                                : json_object_get(value, token->key);
    }
    return value;
}

static void append_quoted(GString *out, const char *key)
{
    g_string_append(out, "['");
    for (const char *p = key; *p; p++) {
        if (*p == '\'' || *p == '\\')
            g_string_append_c(out, '\\');
        g_string_append_c(out, *p);
    }
    g_string_append(out, "']");
}

char *url_query_of_path(const char *path)
{
    GString *query = g_string_new(NULL);
    g_auto(GStrv) parts = g_strsplit(path, "/", -1);
    for (char **part = parts; *part; part++) {
        g_autofree char *decoded = g_uri_unescape_string(*part, NULL);
        const char *key = decoded && g_utf8_validate(decoded, -1, NULL) ? decoded : *part;
        if (*key == '\0')
            continue;
        if (is_number(key))
            g_string_append_printf(query, "[%s]", key);
        else if (strspn(key, IDENTIFIER_CHARS) == strlen(key))
            g_string_append_printf(query, ".%s", key);
        else
            append_quoted(query, key);
    }
    return g_string_free(query, FALSE);
}
