/*
 * Text primitives of github-tool §0.1: normalising, taking apart, and the `label: value` lines that
 * every answer is made of.
 */
#include "github/text.h"

#include "base/str.h"
#include "base/utf8.h"

#define POSINT_MAX ((G_GINT64_CONSTANT(1) << 53) - 1)
#define SHA_SHOWN  12
#define MIN_FENCE  3
#define BREAK_MARK "\\n" // what some leave where a line was to end

/* CRLF and lone CR become LF, TAB becomes four spaces. */
static char *text_normalise(const char *text)
{
    GString *out = g_string_new(NULL);
    for (const char *p = text != NULL ? text : ""; *p != '\0'; p++) {
        if (*p == '\t') {
            g_string_append(out, "    ");
        } else if (*p != '\r') {
            g_string_append_c(out, *p);
        } else if (p[1] != '\n') {
            g_string_append_c(out, '\n');
        }
    }
    return g_string_free(out, false);
}

char *text_norm(const char *text)
{
    g_autofree char *plain = text_normalise(text);
    return utf8_trim(plain);
}

char *text_norm_block(const char *text)
{
    g_autofree char *plain = text_normalise(text);
    return utf8_trim_end(plain);
}

char *text_first_line(const char *text)
{
    return g_strndup(text, strcspn(text, "\n"));
}

static bool is_blank(gunichar c)
{
    return g_unichar_isspace(c) || c == 0x0b || c == 0x85 || c == 0xfeff;
}

char *text_one_line(const char *text)
{
    g_autofree char *trimmed = utf8_trim(text ? text : "");
    GString *out = g_string_new(NULL);
    bool is_in_blanks = false;
    for (const char *p = trimmed; *p != '\0'; p = g_utf8_next_char(p)) {
        gunichar c = g_utf8_get_char(p);
        if (!is_blank(c))
            g_string_append_unichar(out, c);
        else if (!is_in_blanks)
            g_string_append_c(out, ' ');
        is_in_blanks = is_blank(c);
    }
    return g_string_free(out, false);
}

char *text_sha12(const char *sha)
{
    return str_truncate(sha, SHA_SHOWN);
}

char *text_author(const json_t *user)
{
    const char *login = json_get_text(user, "login");
    if (!str_is_empty(login))
        return g_strconcat("@", login, NULL);
    const char *name = json_get_text(user, "name");
    return str_is_empty(name) ? NULL : g_strdup(name);
}

char *text_labels(const json_t *labels)
{
    GString *out = g_string_new(NULL);
    json_each (labels, i, label) {
        const char *name = json_get_text(label, "name");
        if (str_is_empty(name))
            continue;
        g_string_append_printf(out, "%s%s", out->len > 0 ? ", " : "", name);
    }
    bool is_missing = out->len == 0;
    return g_string_free(out, is_missing);
}

char *text_percent_encode(const char *text)
{
    GString *out = g_string_new(NULL);
    for (const char *p = text; *p != '\0'; p++) {
        if (g_ascii_isalnum(*p) || strchr("-_.!~*'()", *p))
            g_string_append_c(out, *p);
        else
            g_string_append_printf(out, "%%%02X", (unsigned char)*p);
    }
    return g_string_free(out, false);
}

/* What is after the mark begins a line: another break, a list item, a heading, a quotation. */
static bool begins_line(const char *text)
{
    size_t digits = strspn(text, "0123456789");
    return str_has_prefix(text, BREAK_MARK) || str_has_prefix(text, "- ") ||
           str_has_prefix(text, "* ") || str_has_prefix(text, "> ") || *text == '#' ||
           (digits > 0 && str_has_prefix(text + digits, ". "));
}

char *text_body_lines(const char *text)
{
    if (strchr(text, '\n') || !strstr(text, BREAK_MARK))
        return NULL;
    g_autoptr(GString) out = g_string_sized_new(strlen(text));
    bool is_clear = false, is_code = false;
    for (const char *at = text; *at;) {
        bool is_mark = !is_code && str_has_prefix(at, BREAK_MARK) && (at == text || at[-1] != '\\');
        is_code = is_code != (*at == '`');
        is_clear = is_clear || (is_mark && begins_line(at + strlen(BREAK_MARK)));
        g_string_append_c(out, is_mark ? '\n' : *at);
        at += is_mark ? strlen(BREAK_MARK) : 1;
    }
    return is_clear ? g_string_free(g_steal_pointer(&out), FALSE) : NULL;
}

bool text_parse_posint(const char *text, int64_t *ret_value)
{
    int64_t value;
    if (!text || !g_ascii_isdigit(*text) || !str_parse_int(text, &value))
        return false;
    if (value < 1 || value > POSINT_MAX)
        return false;
    *ret_value = value;
    return true;
}

void text_line(GString *out, const char *indent, const char *label, const char *value)
{
    g_autofree char *line = text_one_line(value);
    if (*line != '\0')
        g_string_append_printf(out, "%s%s: %s\n", indent, label, line);
}

void text_line_json(GString *out, const char *indent, const char *label, const json_t *object,
                    const char *key)
{
    g_autofree char *value = text_scalar(json_object_get(object, key));
    text_line(out, indent, label, value);
}

char *text_scalar(const json_t *value)
{
    if (json_is_string(value)) {
        const char *text = json_string_value(value);
        return str_is_empty(text) ? NULL : g_strdup(text);
    }
    if (json_is_real(value))
        return g_strdup_printf("%.15g", json_real_value(value)); // 41, not 41.0
    return json_is_integer(value) || json_is_boolean(value) ? json_to_text(value) : NULL;
}

char *text_fence(const char *text)
{
    size_t longest = 0;
    for (const char *at = strchr(text, '`'); at; at = strchr(at, '`')) {
        size_t run = strspn(at, "`");
        longest = MAX(longest, run);
        at += run;
    }
    return g_strnfill(longest >= MIN_FENCE ? longest + 1 : MIN_FENCE, '`');
}
