/*
 * Quoting and unquoting of file names in diffs.
 */
#include "github/urls/diff_names.h"

#include "base/utf8.h"

#include <string.h>

/* The length of a quoted name with both its quotes; 0: none begins here. */
static size_t quoted_length(const char *text)
{
    if (*text != '"')
        return 0;
    for (size_t i = 1; text[i] != '\0'; i++) {
        if (text[i] == '"')
            return i + 1;
        if (text[i] == '\\' && text[i + 1] != '\0')
            i++;
    }
    return 0;
}

static unsigned octal_value(const char *digits)
{
    unsigned value = 0;
    for (int i = 0; i < 3; i++) {
        if (digits[i] < '0' || digits[i] > '7')
            return 256;
        value = value * 8 + (unsigned)(digits[i] - '0');
    }
    return value;
}

/* What follows a backslash; returns how many characters it takes. */
static size_t append_escape(GString *out, const char *at)
{
    static const char letters[] = "abtnvfr\"\\", bytes[] = "\a\b\t\n\v\f\r\"\\";
    unsigned value = octal_value(at);
    if (value > 0 && value < 256) {
        g_string_append_c(out, (char)value);
        return 3;
    }
    const char *letter = *at != '\0' ? strchr(letters, *at) : NULL;
    g_string_append_c(out, letter ? bytes[letter - letters] : *at);
    return 1;
}

static char *unquote(const char *text, size_t length)
{
    g_autoptr(GString) out = g_string_new(NULL);
    for (size_t i = 1; i + 1 < length; i++) {
        if (text[i] == '\\')
            i += append_escape(out, text + i + 1);
        else
            g_string_append_c(out, text[i]);
    }
    return utf8_from_bytes(out->str, out->len);
}

char *diff_name_unquote(const char *text)
{
    size_t length = quoted_length(text);
    if (length > 0)
        return unquote(text, length);
    size_t size = strlen(text);
    while (size > 0 && (text[size - 1] == '\r' || text[size - 1] == '\t'))
        size--;
    return g_strndup(text, size);
}

/* Without "a/" or "b/", which a name of another tool may lack. Takes `name` over. */
static char *without_prefix(char *name, const char *prefix)
{
    g_autofree char *whole = name;
    return g_strdup(g_str_has_prefix(whole, prefix) ? whole + strlen(prefix) : whole);
}

void diff_name_of_side(const char *text, const char *prefix, char **name)
{
    g_autofree char *plain = diff_name_unquote(text);
    if (strcmp(plain, "/dev/null") == 0)
        return;
    g_free(*name);
    *name = without_prefix(g_steal_pointer(&plain), prefix);
}

/* "a/X b/X". */
static bool is_twice(const char *text, char **ret_name)
{
    size_t size = strlen(text);
    if (size < 5 || size % 2 == 0 || !g_str_has_prefix(text, "a/"))
        return false;
    size_t half = size / 2;
    if (text[half] != ' ' || !g_str_has_prefix(text + half + 1, "b/") ||
        strncmp(text + 2, text + half + 3, half - 2) != 0)
        return false;
    *ret_name = g_strndup(text + 2, half - 2);
    return true;
}

void diff_names_of_header(const char *text, char **ret_old, char **ret_new)
{
    g_autofree char *line = g_strdup(text);
    size_t size = strlen(line);
    if (size > 0 && line[size - 1] == '\r')
        line[size - 1] = '\0';
    size_t first = quoted_length(line);
    if (first > 0 && line[first] == ' ') {
        *ret_old = without_prefix(unquote(line, first), "a/");
        *ret_new = without_prefix(diff_name_unquote(line + first + 1), "b/");
        return;
    }
    if (is_twice(line, ret_new)) {
        *ret_old = g_strdup(*ret_new);
        return;
    }
    char *second = strstr(line, " \"b/");
    if (!second)
        second = strstr(line, " b/");
    if (!second)
        return;
    *ret_new = without_prefix(diff_name_unquote(second + 1), "b/");
    *second = '\0';
    *ret_old = without_prefix(g_strdup(line), "a/");
}

char *diff_name_quote(const char *prefix, const char *name)
{
    bool must_quote = false;
    for (const char *p = name; *p != '\0'; p++)
        must_quote =
            must_quote || (unsigned char)*p <= ' ' || *p == '"' || *p == '\\' || *p == 0x7f;
    if (!must_quote)
        return g_strconcat(prefix, name, NULL);
    GString *out = g_string_new("\"");
    g_string_append(out, prefix);
    for (const char *p = name; *p != '\0'; p++) {
        static const char bytes[] = "\a\b\t\n\v\f\r\"\\", letters[] = "abtnvfr\"\\";
        const char *found = strchr(bytes, *p);
        if (found)
            g_string_append_printf(out, "\\%c", letters[found - bytes]);
        else if ((unsigned char)*p < ' ' || *p == 0x7f)
            g_string_append_printf(out, "\\%03o", (unsigned char)*p);
        else
            g_string_append_c(out, *p);
    }
    g_string_append_c(out, '"');
    return g_string_free(out, false);
}
