/*
 * YAML out of JSON (yaml_write.h): plain words where no one could read them as something else,
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
        if (*p == ' ' || *p == ':' ? !is_inner : !g_ascii_isalnum(*p) && !strchr("_./@+~-", *p))
            return false;
    }
    g_autofree char *lower = g_ascii_strdown(text, -1);
    return !g_strv_contains(reserved, lower);
}

/* What JSON lets stand, but a reader of YAML 1.1 refuses, or takes for the end of a line. */
static bool is_odd(gunichar c)
{
    return (c >= 0x7f && c <= 0x9f) || c == 0x2028 || c == 0x2029 || c == 0xfeff ||
           (c >= 0xfdd0 && c <= 0xfdef) || (c & 0xfffe) == 0xfffe;
}

void yaml_write_quoted(const char *text, GString *out)
{
    g_autoptr(json_t) value = json_text(text);
    g_autofree char *quoted = json_to_text(value);
    for (const char *p = quoted; *p; p = g_utf8_next_char(p)) {
        gunichar c = g_utf8_get_char(p);
        if (is_odd(c))
            g_string_append_printf(out, c > 0xffff ? "\\U%08x" : "\\u%04x", c);
        else
            g_string_append_unichar(out, c);
    }
}

static void write_text(const char *text, GString *out)
{
    if (is_plain(text))
        g_string_append(out, text);
    else
        yaml_write_quoted(text, out);
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
    json_each (list, index, item) {
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
        json_each_member (value, name, item)
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

// ---- block style ----

/* May stand as it is below `|`: several lines, the first of which shows the indentation. */
static bool is_literal(const char *text)
{
    if (!strchr(text, '\n') || strchr(" \t\n", *text) || g_str_has_suffix(text, "\n\n"))
        return false;
    for (const char *p = text; *p; p = g_utf8_next_char(p)) {
        gunichar c = g_utf8_get_char(p);
        if ((c < ' ' && c != '\n' && c != '\t') || is_odd(c))
            return false;
    }
    return true;
}

static void write_literal(const char *text, size_t indent, GString *out)
{
    bool is_ended = g_str_has_suffix(text, "\n");
    g_string_append(out, is_ended ? " |\n" : " |-\n");
    for (const char *line = text; *line;) {
        size_t size = strcspn(line, "\n");
        if (size > 0)
            write_indent(indent, out);
        g_string_append_len(out, line, (gssize)size);
        g_string_append_c(out, '\n');
        line += size + (line[size] == '\n');
    }
}

static bool is_short_list(const json_t *list)
{
    g_autoptr(GString) line = g_string_new(NULL);
    json_each (list, index, item) {
        if (json_is_array(item) || json_is_object(item))
            return false;
    }
    yaml_write_inline(list, line);
    return line->len <= MAX_INLINE_LIST;
}

static void write_map(const json_t *map, size_t indent, bool is_begun, GString *out);

/* Behind "key:" or "-", whose column is `indent`; ends the line. */
static void write_value(const json_t *value, size_t indent, GString *out)
{
    if (json_object_size(value) > 0) {
        g_string_append_c(out, '\n');
        write_map(value, indent + INDENT_STEP, false, out);
    } else if (json_array_size(value) > 0 && !is_short_list(value)) {
        g_string_append_c(out, '\n');
        yaml_write_items(value, indent + INDENT_STEP, out);
    } else if (json_is_string(value) && is_literal(json_string_value(value))) {
        write_literal(json_string_value(value), indent + INDENT_STEP, out);
    } else {
        g_string_append_c(out, ' ');
        yaml_write_inline(value, out);
        g_string_append_c(out, '\n');
    }
}

/* `is_begun`: its first key follows a "- ". */
static void write_map(const json_t *map, size_t indent, bool is_begun, GString *out)
{
    json_each_member (map, key, item) {
        if (!is_begun)
            write_indent(indent, out);
        is_begun = false;
        write_text(key, out);
        g_string_append_c(out, ':');
        write_value(item, indent, out);
    }
}

void yaml_write_items(const json_t *list, size_t indent, GString *out)
{
    json_each (list, index, item) {
        write_indent(indent, out);
        g_string_append_c(out, '-');
        if (json_object_size(item) > 0) {
            g_string_append_c(out, ' ');
            write_map(item, indent + INDENT_STEP, true, out);
        } else {
            write_value(item, indent, out);
        }
    }
}
