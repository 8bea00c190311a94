/* See glob.h. */
#include "base/glob.h"

#include "base/str.h"

bool glob_has_magic(const char *text)
{
    return strpbrk(text, "*?[{") != NULL;
}

static void append_literal(GString *out, const char *character, size_t size)
{
    g_autofree char *escaped = g_regex_escape_string(character, (int)size);
    g_string_append(out, escaped);
}

/* `**` counts as such only as a whole part of the path; with a slash behind it it also matches
   nothing at all. Returns what was used up. */
static size_t append_stars(GString *out, const char *at, const char *glob)
{
    size_t used = strspn(at, "*");
    bool is_part = used >= 2 && (at == glob || strchr("/{,", at[-1]));
    if (is_part && at[used] == '/') {
        g_string_append(out, "(?:.*/)?");
        return used + 1;
    }
    g_string_append(out, is_part && (!at[used] || strchr(",}", at[used])) ? ".*" : "[^/]*");
    return used;
}

/* Where the class that starts at `first` (behind [ and !) ends; NULL when it never does. */
static const char *class_end(const char *first)
{
    for (const char *p = first; *p; p++) {
        if (*p == ']' && p > first)
            return p;
        if (*p == '\\' && p[1])
            p++;
    }
    return NULL;
}

/* A class, which never matches a slash; or a literal [ when it never closes. */
static size_t append_class(GString *out, const char *glob)
{
    bool is_negated = glob[1] == '!' || glob[1] == '^';
    const char *first = glob + (is_negated ? 2 : 1), *end = class_end(first);
    if (!end) {
        g_string_append(out, "\\[");
        return 1;
    }
    g_string_append(out, is_negated ? "(?!/)[^" : "(?!/)[");
    for (const char *p = first; p < end; p++) {
        if (*p == '\\') {
            g_string_append_c(out, *p++);
            if (g_ascii_isalnum(*p)) // \d and the like mean nothing in a glob
                g_string_truncate(out, out->len - 1);
        } else if (*p == '[' || *p == ']' || *p == '^') {
            g_string_append_c(out, '\\');
        }
        g_string_append_c(out, *p);
    }
    g_string_append_c(out, ']');
    return (size_t)(end - glob) + 1;
}

bool glob_compile(const char *glob, GRegex **ret_regex, GError **error)
{
    g_autoptr(GString) out = g_string_new("\\A");
    unsigned depth = 0;
    for (const char *p = glob; *p;) {
        const char *next = g_utf8_next_char(p);
        if (*p == '*') {
            next = p + append_stars(out, p, glob);
        } else if (*p == '?') {
            g_string_append(out, "[^/]");
        } else if (*p == '[') {
            next = p + append_class(out, p);
        } else if (*p == '{') {
            g_string_append(out, "(?:");
            depth++;
        } else if (*p == ',' && depth > 0) {
            g_string_append_c(out, '|');
        } else if (*p == '}' && depth > 0) {
            g_string_append_c(out, ')');
            depth--;
        } else if (*p == '\\' && p[1]) {
            next = g_utf8_next_char(p + 1);
            append_literal(out, p + 1, (size_t)(next - p - 1));
        } else {
            append_literal(out, p, (size_t)(next - p));
        }
        p = next;
    }
    g_string_append(out, "\\z");
    g_autoptr(GError) regex_error = NULL;
    GRegex *regex = depth == 0
                        ? g_regex_new(out->str, G_REGEX_DOTALL | G_REGEX_OPTIMIZE, 0, &regex_error)
                        : NULL;
    if (!regex)
        return fail_with(error, KEDGE_ERROR_USAGE, "invalid glob: %s%s", glob,
                         depth > 0 ? " (a { is not closed)" : "");
    *ret_regex = regex;
    return true;
}

void glob_split(const char *entry, char **ret_base, char **ret_glob)
{
    size_t plain = strcspn(entry, "*?[{");
    while (plain > 0 && entry[plain - 1] != '/')
        plain--;
    const char *rest = entry + plain;
    if (plain == 0) {
        *ret_base = g_strdup(".");
        *ret_glob = str_has_prefix(rest, "**/") ? g_strdup(rest) : g_strconcat("**/", rest, NULL);
    } else {
        *ret_base = plain == 1 ? g_strdup("//") : g_strndup(entry, plain - 1);
        *ret_glob = g_strdup(rest);
    }
}
