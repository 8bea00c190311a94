/*
 * Lists of names, names of labels (labels.h).
 */
#include "wm/task/labels.h"

#include "base/glob.h"
#include "base/utf8.h"

bool wm_text_list_has(const json_t *list, const char *text)
{
    for (size_t i = 0; i < json_array_size(list); i++)
        if (g_strcmp0(json_string_value(json_array_get(list, i)), text) == 0)
            return true;
    return false;
}

static void add_text(json_t *list, const json_t *value)
{
    if (!json_is_string(value))
        return;
    g_autofree char *text = utf8_trim(json_string_value(value));
    if (text[0] != '\0' && !wm_text_list_has(list, text))
        json_append_take(list, json_text(text));
}

json_t *wm_text_list(const json_t *value)
{
    return wm_text_list_merge(NULL, value);
}

json_t *wm_text_list_merge(const json_t *first, const json_t *second)
{
    json_t *list = json_array();
    const json_t *parts[] = { first, second };
    for (size_t part = 0; part < G_N_ELEMENTS(parts); part++) {
        add_text(list, parts[part]); // one string for a list of one
        for (size_t i = 0; i < json_array_size(parts[part]); i++)
            add_text(list, json_array_get(parts[part], i));
    }
    return list;
}

bool wm_label_is_valid(const char *label)
{
    for (const char *at = label; *at; at = g_utf8_next_char(at))
        if (g_unichar_iscntrl(g_utf8_get_char(at)))
            return false;
    return label[0] != '\0' && utf8_length(label) <= WM_MAX_LABEL_CHARS;
}

/* The pattern as base/glob.h reads it, which knows more; NULL: malformed. */
static char *as_glob(const char *pattern)
{
    g_autoptr(GString) glob = g_string_new(NULL);
    for (const char *at = pattern; *at;) {
        if (*at == '*') {
            g_string_append_c(glob, '*');
            at += strspn(at, "*");
        } else if (*at == '\\') {
            if (at[1] == '\0')
                return NULL;
            const char *end = g_utf8_next_char(at + 1);
            g_string_append_len(glob, at, end - at);
            at = end;
        } else if (*at == '[') {
            const char *end = at + 1;
            while (*end && (*end != ']' || end == at + 1 + (at[1] == '^')))
                end += *end == '\\' && end[1] ? 2 : 1;
            if (!*end)
                return NULL;
            g_string_append_len(glob, at, end + 1 - at);
            at = end + 1;
        } else {
            if (strchr("{},", *at))
                g_string_append_c(glob, '\\');
            g_string_append_c(glob, *at++);
        }
    }
    return g_string_free(g_steal_pointer(&glob), FALSE);
}

static bool compile(const char *pattern, GRegex **ret_regex)
{
    g_autofree char *folded = g_utf8_casefold(pattern, -1), *glob = as_glob(folded);
    return glob && glob_compile(glob, ret_regex, NULL);
}

bool wm_label_pattern_is_valid(const char *pattern)
{
    g_autoptr(GRegex) regex = NULL;
    return compile(pattern, &regex);
}

bool wm_label_matches(const char *label, const char *pattern)
{
    g_autoptr(GRegex) regex = NULL;
    g_autofree char *folded = g_utf8_casefold(label, -1);
    return compile(pattern, &regex) && g_regex_match(regex, folded, 0, NULL);
}
