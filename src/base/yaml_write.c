/*
 * YAML out of JSON (yaml_write.h): plain words where nobody could read them as something else,
 * JSON's quotes everywhere else, which YAML 1.2 reads alike.
 */
#include "base/yaml_write.h"

#include <string.h>

#define INDENT_STEP     2
#define MAX_INLINE_LIST 72 // bytes of a list that stays on its key's line

/* A word that every YAML reader takes for text, also one of YAML 1.1. */
static bool is_plain(const char *text)
{
    static const char *const reserved[] = { "null", "true", "false", "yes", "no",
                                            "on",   "off",  "y",     "n",   NULL };
    if (!g_ascii_isalpha(*text) && *text != '/' && *text != '_')
        return false;
    for (const char *p = text; *p; p++) {
        bool is_inner = p[1] != '\0' && p[1] != ' ';
        if (*p == ' ' || *p == ':' ? !is_inner
                                   : !g_ascii_isalnum(*p) && strchr("_./@+~-", *p) == NULL)
            return false;
    }
    g_autofree char *lower = g_ascii_strdown(text, -1);
    return !g_strv_contains(reserved, lower);
}

static void write_text(const char *text, GString *out)
{
    if (is_plain(text)) {
        g_string_append(out, text);
        return;
    }
    g_autoptr(json_t) value = json_text(text);
    g_autofree char *quoted = json_to_text(value);
    g_string_append(out, quoted);
}

void yaml_write_inline(const json_t *value, GString *out)
{
    const char *key = NULL;
    json_t *item = NULL;
    size_t index = 0;
    if (json_is_string(value)) {
        write_text(json_string_value(value), out);
    } else if (json_is_array(value)) {
        g_string_append_c(out, '[');
        json_array_foreach (value, index, item) {
            g_string_append(out, index > 0 ? ", " : "");
            yaml_write_inline(item, out);
        }
        g_string_append_c(out, ']');
    } else if (json_is_object(value)) {
        g_string_append_c(out, '{');
        json_object_foreach ((json_t *)value, key, item) {
            g_string_append(out, index++ > 0 ? ", " : "");
            write_text(key, out);
            g_string_append(out, ": ");
            yaml_write_inline(item, out);
        }
        g_string_append_c(out, '}');
    } else {
        g_autofree char *text = json_to_text(value);
        g_string_append(out, text);
    }
}

static void write_indent(size_t indent, GString *out)
{
    for (size_t i = 0; i < indent; i++)
        g_string_append_c(out, ' ');
}

static void write_list(const json_t *list, size_t indent, const char *newline, GString *out)
{
    size_t index = 0;
    json_t *item = NULL;
    json_array_foreach (list, index, item) {
        g_string_append(out, newline);
        write_indent(indent, out);
        g_string_append(out, "- ");
        yaml_write_inline(item, out);
    }
}

void yaml_write_pair(const char *key, const json_t *value, size_t indent, const char *newline,
                     GString *out)
{
    write_indent(indent, out);
    write_text(key, out);
    g_string_append_c(out, ':');
    if (json_object_size(value) > 0) {
        g_string_append(out, newline);
        const char *name = NULL;
        json_t *item = NULL;
        json_object_foreach ((json_t *)value, name, item)
            yaml_write_pair(name, item, indent + INDENT_STEP, newline, out);
        return;
    }
    g_autoptr(GString) line = g_string_new(NULL);
    yaml_write_inline(value, line);
    if (json_array_size(value) > 1 && line->len > MAX_INLINE_LIST)
        write_list(value, indent + INDENT_STEP, newline, out);
    else
        g_string_append_printf(out, " %s", line->str);
    g_string_append(out, newline);
}
