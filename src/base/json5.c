/*
 * JSON5 is written as plain JSON, which the parser for that reads (json5.h).
 */
#include "base/json5.h"

#include "base/limits.h"

typedef struct Json5 {
    const char *start, *at;
    GString *out;
    unsigned depth;
} Json5;

static bool fail_at(const Json5 *self, GError **error, const char *problem)
{
    unsigned line = 1;
    const char *begin = self->start;
    for (const char *at = self->start; at < self->at; at++) {
        if (*at == '\n') {
            line++;
            begin = at + 1;
        }
    }
    return fail_with(error, KEDGE_ERROR_PROTOCOL, "line %u column %ld: %s", line,
                     g_utf8_strlen(begin, self->at - begin) + 1, problem);
}

/* White space and comments. */
static bool skip_blank(Json5 *self, GError **error)
{
    for (;;) {
        gunichar c = g_utf8_get_char(self->at);
        if (c != 0 && (g_unichar_isspace(c) || c == 0xfeff || c == '\v')) {
            self->at = g_utf8_next_char(self->at);
        } else if (g_str_has_prefix(self->at, "//")) {
            self->at += strcspn(self->at, "\r\n");
        } else if (g_str_has_prefix(self->at, "/*")) {
            const char *end = strstr(self->at + 2, "*/");
            if (!end)
                return fail_at(self, error, "a comment does not end");
            self->at = end + 2;
        } else {
            return true;
        }
    }
}

static void append_quoted(GString *out, gunichar c)
{
    if (c == '"' || c == '\\')
        g_string_append_printf(out, "\\%c", (char)c);
    else if (c < 0x20)
        g_string_append_printf(out, "\\u%04x", c);
    else
        g_string_append_unichar(out, c);
}

/* Behind a backslash; `at` is then behind the escape. */
static bool convert_escape(Json5 *self, GError **error)
{
    static const char letters[] = "bfnrtv0", values[] = "\b\f\n\r\t\v";
    char c = *self->at;
    const char *letter = c ? strchr(letters, c) : NULL;
    if (c == '\0')
        return fail_at(self, error, "a string does not end");
    if (c == 'u') {
        g_string_append(self->out, "\\u"); // four digits follow, or the parser complains
        self->at++;
    } else if (c == 'x') {
        if (!g_ascii_isxdigit(self->at[1]) || !g_ascii_isxdigit(self->at[2]))
            return fail_at(self, error, "\\x needs two hexadecimal digits");
        append_quoted(self->out, (gunichar)(g_ascii_xdigit_value(self->at[1]) * 16 +
                                            g_ascii_xdigit_value(self->at[2])));
        self->at += 3;
    } else if (letter) {
        append_quoted(self->out, (unsigned char)values[letter - letters]);
        self->at++;
    } else if (c == '\r' || c == '\n') { // the line goes on
        self->at += g_str_has_prefix(self->at, "\r\n") ? 2 : 1;
    } else {
        append_quoted(self->out, g_utf8_get_char(self->at));
        self->at = g_utf8_next_char(self->at);
    }
    return true;
}

static bool convert_string(Json5 *self, GError **error)
{
    char quote = *self->at++;
    g_string_append_c(self->out, '"');
    while (*self->at != quote) {
        if (*self->at == '\0' || *self->at == '\n')
            return fail_at(self, error, "a string does not end");
        if (*self->at == '\\') {
            self->at++;
            if (!convert_escape(self, error))
                return false;
        } else {
            append_quoted(self->out, g_utf8_get_char(self->at));
            self->at = g_utf8_next_char(self->at);
        }
    }
    self->at++;
    g_string_append_c(self->out, '"');
    return true;
}

static size_t word_length(const char *text)
{
    const char *at = text;
    while (g_ascii_isalnum(*at) || *at == '_' || *at == '$' || (unsigned char)*at >= 0x80)
        at++;
    return (size_t)(at - text);
}

static bool convert_hex(Json5 *self, bool is_negative, GError **error)
{
    char *end = NULL;
    guint64 value = g_ascii_strtoull(self->at, &end, 16);
    if (end == self->at + 2 || value > G_MAXINT64 || word_length(end) > 0)
        return fail_at(self, error, "a hexadecimal number that cannot be held");
    self->at = end;
    g_string_append_printf(self->out, "%s%" G_GUINT64_FORMAT, is_negative ? "-" : "", value);
    return true;
}

static bool convert_number(Json5 *self, GError **error)
{
    bool is_negative = *self->at == '-';
    if (*self->at == '-' || *self->at == '+')
        self->at++;
    if (self->at[0] == '0' && (self->at[1] == 'x' || self->at[1] == 'X'))
        return convert_hex(self, is_negative, error);
    size_t whole = strspn(self->at, "0123456789");
    size_t point = self->at[whole] == '.';
    size_t part = point ? strspn(self->at + whole + 1, "0123456789") : 0;
    if (whole + part == 0)
        return fail_at(self, error, "expected a value");
    g_string_append_printf(self->out, "%s%.*s", is_negative ? "-" : "", whole ? (int)whole : 1,
                           whole ? self->at : "0");
    if (part > 0)
        g_string_append_len(self->out, self->at + whole, (gssize)(part + 1));
    self->at += whole + point + part;
    if (*self->at == 'e' || *self->at == 'E') {
        size_t sign = self->at[1] == '-' || self->at[1] == '+';
        size_t exponent = 1 + sign + strspn(self->at + 1 + sign, "0123456789");
        g_string_append_len(self->out, self->at, (gssize)exponent);
        self->at += exponent;
    }
    return true;
}

static bool convert_value(Json5 *self, GError **error);

static bool convert_key(Json5 *self, GError **error)
{
    if (*self->at == '"' || *self->at == '\'')
        return convert_string(self, error);
    size_t size = word_length(self->at);
    if (size == 0 || g_ascii_isdigit(*self->at))
        return fail_at(self, error, "expected a key");
    g_string_append_printf(self->out, "\"%.*s\"", (int)size, self->at);
    self->at += size;
    return true;
}

static bool convert_member(Json5 *self, GError **error)
{
    if (!convert_key(self, error) || !skip_blank(self, error))
        return false;
    if (*self->at != ':')
        return fail_at(self, error, "expected ':' after a key");
    self->at++;
    g_string_append_c(self->out, ':');
    return convert_value(self, error);
}

/* An object or an array. */
static bool convert_container(Json5 *self, GError **error)
{
    bool is_object = *self->at++ == '{';
    char end = is_object ? '}' : ']';
    g_string_append_c(self->out, is_object ? '{' : '[');
    for (bool is_first = true;; is_first = false) {
        if (!skip_blank(self, error))
            return false;
        if (*self->at == end)
            break;
        if (!is_first)
            g_string_append_c(self->out, ',');
        if (!(is_object ? convert_member(self, error) : convert_value(self, error)) ||
            !skip_blank(self, error))
            return false;
        if (*self->at == ',')
            self->at++;
        else if (*self->at != end)
            return fail_at(self, error, is_object ? "expected ',' or '}'" : "expected ',' or ']'");
    }
    self->at++;
    g_string_append_c(self->out, end);
    return true;
}

static bool convert_word(Json5 *self, GError **error)
{
    static const char *const words[] = { "true", "false", "null" };
    size_t size = word_length(self->at);
    for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
        if (strlen(words[i]) == size && strncmp(self->at, words[i], size) == 0) {
            g_string_append(self->out, words[i]);
            self->at += size;
            return true;
        }
    }
    return fail_at(self, error, "expected a value");
}

static bool convert_value(Json5 *self, GError **error)
{
    if (!skip_blank(self, error))
        return false;
    if (*self->at == '{' || *self->at == '[') {
        if (++self->depth > LIMIT_JSON_DEPTH)
            return fail_at(self, error, "nested too deeply");
        bool is_good = convert_container(self, error);
        self->depth--;
        return is_good;
    }
    if (*self->at == '"' || *self->at == '\'')
        return convert_string(self, error);
    if (g_ascii_isdigit(*self->at) || (*self->at && strchr("+-.", *self->at)))
        return convert_number(self, error);
    return convert_word(self, error);
}

bool json5_parse(const char *text, json_t **ret_value, GError **error)
{
    g_autofree char *valid = g_utf8_make_valid(text, -1);
    g_autoptr(GString) out = g_string_new(NULL);
    Json5 self = { .start = valid, .at = valid, .out = out };
    if (!convert_value(&self, error) || !skip_blank(&self, error))
        return false;
    if (*self.at)
        return fail_at(&self, error, "expected nothing after the value");
    return json_parse(out->str, out->len, ret_value, error);
}
