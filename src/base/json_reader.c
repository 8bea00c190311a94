/*
 * Recursive descent over a text of valid UTF-8. Runs of ordinary characters are copied at once,
 * which is what makes it fast. The first problem ends the reading: every level returns what it has,
 * which only counts where the text is partial.
 */
#include "base/json_reader.h"

#include "base/limits.h"
#include "base/str.h"
#include "base/utf8.h"

#include <math.h>

#define INTEGER_MAX_DIGITS 18 // always fit 64 bits

typedef enum { DIALECT_PLAIN, DIALECT_PARTIAL, DIALECT_JSON5 } Dialect;

typedef struct Reader {
    Dialect dialect;
    const char *p, *end;
    const char *problem, *problem_at; // NULL: none so far
    GString *scratch;                 // a string with escapes
    int depth;
} Reader;

static json_t *read_value(Reader *self);

static bool json_reader_fail(Reader *self, const char *problem)
{
    if (!self->problem) {
        self->problem = problem;
        self->problem_at = self->p;
    }
    return false;
}

static char reader_peek(const Reader *self)
{
    return self->p < self->end ? *self->p : '\0';
}

// ---- between values ----

static void skip_json5_blanks(Reader *self)
{
    while (self->p < self->end) {
        gunichar c = g_utf8_get_char(self->p);
        if (g_unichar_isspace(c) || c == 0xfeff || c == '\v') {
            self->p = g_utf8_next_char(self->p);
        } else if (str_has_prefix(self->p, "//")) {
            self->p += strcspn(self->p, "\r\n");
        } else if (str_has_prefix(self->p, "/*")) {
            const char *end = strstr(self->p + 2, "*/");
            if (!end)
                json_reader_fail(self, "a comment does not end");
            self->p = end ? end + 2 : self->end;
        } else {
            return;
        }
    }
}

static void skip_blanks(Reader *self)
{
    while (self->p < self->end &&
           (*self->p == ' ' || *self->p == '\t' || *self->p == '\r' || *self->p == '\n'))
        self->p++;
    if (self->dialect == DIALECT_JSON5)
        skip_json5_blanks(self);
}

/* Takes `c` after blanks. */
static bool reader_take(Reader *self, char c)
{
    skip_blanks(self);
    if (reader_peek(self) != c)
        return false;
    self->p++;
    return true;
}

// ---- strings ----

/* So many hexadecimal digits at `p`. */
static bool read_hex(const Reader *self, const char *p, int count, gunichar *ret_value)
{
    gunichar value = 0;
    for (int i = 0; i < count; i++) {
        int digit = p + i < self->end ? g_ascii_xdigit_value(p[i]) : -1;
        if (digit < 0)
            return false;
        value = value << 4 | (gunichar)digit;
    }
    *ret_value = value;
    return true;
}

/* After "\u" and its digits, which are `unit`. */
static void append_unit(Reader *self, gunichar unit)
{
    gunichar low = 0;
    bool is_surrogate = unit >= 0xd800 && unit < 0xe000;
    if (self->dialect == DIALECT_PLAIN && (is_surrogate || unit == 0)) {
        json_reader_fail(self, "unusual");
        return;
    }
    if (is_surrogate && unit < 0xdc00 && self->end - self->p >= 6 && self->p[0] == '\\' &&
        self->p[1] == 'u' && read_hex(self, self->p + 2, 4, &low) && low >= 0xdc00 &&
        low < 0xe000) {
        self->p += 6;
        unit = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
        is_surrogate = false;
    }
    g_string_append_unichar(self->scratch, is_surrogate || unit == 0 ? 0xfffd : unit);
}

/* An escape that JSON does not have; `c` is after the backslash. */
static void read_odd_escape(Reader *self, char c)
{
    gunichar value = 0;
    bool is_json5 = self->dialect == DIALECT_JSON5;
    if (self->dialect == DIALECT_PLAIN) {
        json_reader_fail(self, "unusual");
    } else if (is_json5 && c == 'x' && read_hex(self, self->p, 2, &value)) {
        self->p += 2;
        g_string_append_unichar(self->scratch, value ? value : 0xfffd);
    } else if (is_json5 && (c == 'x' || c == 'u')) {
        self->p--;
        json_reader_fail(self, c == 'x' ? "\\x needs two hexadecimal digits"
                                        : "\\u needs four hexadecimal digits");
    } else if (is_json5 && (c == '\n' || c == '\r')) { // the line goes on
        self->p += c == '\r' && reader_peek(self) == '\n';
    } else if (is_json5) {
        g_string_append(self->scratch, c == 'v' ? "\v" : c == '0' ? "\xef\xbf\xbd" : "");
        if (c != 'v' && c != '0')
            g_string_append_c(self->scratch, c);
    } else if (c == 'u' && self->end - self->p < 4 &&
               !memchr(self->p, '"', (size_t)(self->end - self->p))) {
        self->p = self->end; // cut in the middle of its digits
    } else {                 // a Windows path, a regular expression: meant as it is
        g_string_append_c(self->scratch, '\\');
        g_string_append_c(self->scratch, c);
    }
}

/* After a backslash. */
static void read_escape(Reader *self)
{
    static const char names[] = "\"\\/bfnrt";
    static const char values[] = "\"\\/\b\f\n\r\t";
    if (self->p >= self->end)
        return;
    gunichar unit = 0;
    char c = *self->p++;
    const char *at = c ? strchr(names, c) : NULL;
    if (at) {
        g_string_append_c(self->scratch, values[at - names]);
    } else if (c == 'u' && read_hex(self, self->p, 4, &unit)) {
        self->p += 4;
        append_unit(self, unit);
    } else {
        read_odd_escape(self, c);
    }
}

/* Moves to the next quote, backslash or control character. */
static void skip_ordinary(Reader *self, char quote)
{
    const char *p = self->p;
    while (p < self->end && *p != quote && *p != '\\' && (unsigned char)*p >= 0x20)
        p++;
    self->p = p;
}

/* From its quote on. The text is borrowed until the next string. False: it has no end. */
static bool read_string(Reader *self, const char **ret_text, size_t *ret_size)
{
    char quote = *self->p++;
    const char *start = self->p;
    skip_ordinary(self, quote);
    if (self->p < self->end && *self->p == quote) {
        *ret_text = start;
        *ret_size = (size_t)(self->p++ - start);
        return true;
    }
    g_string_truncate(self->scratch, 0);
    g_string_append_len(self->scratch, start, self->p - start);
    while (self->p < self->end && *self->p != quote && !self->problem) {
        if (*self->p == '\\') {
            self->p++;
            read_escape(self);
        } else if (self->dialect == DIALECT_PARTIAL ||
                   (self->dialect == DIALECT_JSON5 && *self->p != '\n')) {
            g_string_append_c(self->scratch, *self->p++);
        } else {
            break; // a control character
        }
        start = self->p;
        skip_ordinary(self, quote);
        g_string_append_len(self->scratch, start, self->p - start);
    }
    *ret_text = self->scratch->str;
    *ret_size = self->scratch->len;
    if (self->p >= self->end || *self->p != quote)
        return json_reader_fail(self, "a string does not end");
    self->p++;
    return true;
}

// ---- numbers and words ----

/* NULL: it is none, or an integer of more digits than always fit. */
static json_t *plain_number(const char *start, size_t size)
{
    bool is_negative = *start == '-';
    const char *digits = start + is_negative, *end = digits;
    while (g_ascii_isdigit(*end))
        end++;
    size_t count = (size_t)(end - digits);
    if (count == 0 || (count > 1 && *digits == '0'))
        return NULL;
    if (end == start + size) {
        json_int_t value = 0;
        for (const char *p = digits; p < end; p++)
            value = count <= INTEGER_MAX_DIGITS ? value * 10 + (*p - '0') : 0;
        return count > INTEGER_MAX_DIGITS ? NULL : json_integer(is_negative ? -value : value);
    }
    // strtod() reads more than JSON has
    if (strspn(start, "+-.0123456789eE") < size || (*end == '.' && !g_ascii_isdigit(end[1])))
        return NULL;
    char *number_end = NULL;
    double value = g_ascii_strtod(start, &number_end);
    return number_end == start + size && isfinite(value) ? json_real(value) : NULL;
}

/* true, false, null and numbers: only when something follows, since more of them may be coming. */
static json_t *read_word(Reader *self)
{
    const char *start = self->p;
    while (self->p < self->end &&
           (g_ascii_isalnum(*self->p) || *self->p == '+' || *self->p == '-' || *self->p == '.'))
        self->p++;
    size_t size = (size_t)(self->p - start);
    json_t *value = NULL;
    if (size > 0 && self->p < self->end) {
        value = plain_number(start, size);
        bool is_number = *start == '-' || g_ascii_isdigit(*start);
        if (!value && (!is_number || self->dialect == DIALECT_PARTIAL))
            json_parse(start, size, &value, NULL);
    }
    if (!value)
        json_reader_fail(self, "unusual");
    return value;
}

static size_t name_length(const char *text)
{
    const char *p = text;
    while (g_ascii_isalnum(*p) || *p == '_' || *p == '$' || (unsigned char)*p >= 0x80)
        p++;
    return (size_t)(p - text);
}

/* Any number, after its sign. */
static json_t *read_json5_number(Reader *self, bool is_negative)
{
    json_t *value = NULL;
    const char *start = self->p;
    char *end = NULL;
    if (start[0] == '0' && (start[1] == 'x' || start[1] == 'X')) {
        guint64 number = g_ascii_strtoull(start, &end, 16);
        if (end == start + 2 || number > G_MAXINT64 || name_length(end) > 0) {
            json_reader_fail(self, "a hexadecimal number that cannot be held");
            return NULL;
        }
        self->p = end;
        return json_integer(is_negative ? -(json_int_t)number : (json_int_t)number);
    }
    size_t whole = strspn(start, "0123456789");
    size_t point = start[whole] == '.';
    size_t part = point ? strspn(start + whole + 1, "0123456789") : 0;
    const char *exponent = start + whole + point + part;
    size_t sign = *exponent && exponent[1] && strchr("+-", exponent[1]);
    size_t power = (*exponent == 'e' || *exponent == 'E') && whole + part > 0
                       ? 1 + sign + strspn(exponent + 1 + sign, "0123456789")
                       : 0;
    g_autofree char *text = g_strdup_printf(
        "%s%.*s%.*s%.*s", is_negative ? "-" : "", whole ? (int)whole : 1, whole ? start : "0",
        part ? (int)part + 1 : 0, start + whole, (int)power, exponent);
    if (whole + part == 0 || !json_parse_text(text, &value, NULL))
        json_reader_fail(self,
                         whole + part == 0 ? "expected a value" : "a number that JSON has not");
    else
        self->p = exponent + power;
    return value;
}

static json_t *read_json5_word(Reader *self)
{
    static const char *const words[] = { "true", "false", "null" };
    if (g_ascii_isdigit(reader_peek(self)) ||
        (reader_peek(self) && strchr("+-.", reader_peek(self)))) {
        bool is_negative = *self->p == '-';
        self->p += *self->p == '-' || *self->p == '+';
        return read_json5_number(self, is_negative);
    }
    size_t size = name_length(self->p);
    for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
        if (strlen(words[i]) == size && strncmp(self->p, words[i], size) == 0) {
            self->p += size;
            return i == 0 ? json_true() : i == 1 ? json_false() : json_null();
        }
    }
    json_reader_fail(self, "expected a value");
    return NULL;
}

// ---- lists and objects ----

static bool read_item(Reader *self, json_t *array)
{
    json_append_take(array, read_value(self));
    return !self->problem;
}

/* Borrowed until the next string. */
static bool read_key(Reader *self, const char **ret_text, size_t *ret_size)
{
    skip_blanks(self);
    bool is_json5 = self->dialect == DIALECT_JSON5;
    if (reader_peek(self) == '"' || (is_json5 && reader_peek(self) == '\''))
        return read_string(self, ret_text, ret_size);
    *ret_text = self->p;
    *ret_size = is_json5 && !g_ascii_isdigit(reader_peek(self)) ? name_length(self->p) : 0;
    if (*ret_size == 0)
        return json_reader_fail(self, "expected a key");
    self->p += *ret_size;
    return true;
}

static bool read_member(Reader *self, json_t *object)
{
    const char *text = NULL;
    size_t size = 0;
    if (!read_key(self, &text, &size) || self->problem)
        return false;
    // the value may use the scratch, too
    char short_key[64];
    g_autofree char *long_key = size < sizeof short_key ? NULL : g_strndup(text, size);
    char *key = long_key ? long_key : short_key;
    if (!long_key)
        memcpy(short_key, text, size);
    if (!reader_take(self, ':'))
        return json_reader_fail(self, "expected ':' after a key");
    json_t *value = read_value(self);
    if (value)
        json_object_setn_new_nocheck(object, key, size, value);
    return !self->problem;
}

static json_t *read_container(Reader *self)
{
    if (self->depth >= LIMIT_JSON_DEPTH) {
        json_reader_fail(self, "nested too deeply");
        return NULL;
    }
    self->depth++;
    bool is_object = *self->p++ == '{';
    char close = is_object ? '}' : ']';
    json_t *value = is_object ? json_object() : json_array();
    bool may_end = true; // not after a comma
    while (!(may_end && reader_take(self, close)) &&
           (is_object ? read_member(self, value) : read_item(self, value))) {
        if (reader_take(self, ',')) {
            may_end = self->dialect == DIALECT_JSON5;
            continue;
        }
        if (!reader_take(self, close))
            json_reader_fail(self, is_object ? "expected ',' or '}'" : "expected ',' or ']'");
        break;
    }
    self->depth--;
    return value;
}

/* NULL after a problem; before one also what there is of a value. */
static json_t *read_value(Reader *self)
{
    skip_blanks(self);
    char c = reader_peek(self);
    bool is_json5 = self->dialect == DIALECT_JSON5;
    if (c == '{' || c == '[')
        return read_container(self);
    if (c != '"' && !(is_json5 && c == '\''))
        return is_json5 ? read_json5_word(self) : read_word(self);
    const char *text = NULL;
    size_t size = 0;
    read_string(self, &text, &size);
    return json_stringn_nocheck(text, size);
}

/* `text` is valid. Everything up to the end, or to the problem. */
static json_t *read_all(Reader *self, Dialect dialect, const char *text, size_t size)
{
    g_autoptr(GString) scratch = g_string_new(NULL);
    *self = (Reader) { .dialect = dialect, .p = text, .end = text + size, .scratch = scratch };
    json_t *value = read_value(self);
    skip_blanks(self);
    if (self->p < self->end)
        json_reader_fail(self, "expected nothing after the value");
    return value;
}

// ---- the dialects ----

json_t *json_parse_plain(const char *text, size_t size)
{
    Reader reader;
    if (!g_utf8_validate_len(text, size, NULL))
        return NULL;
    g_autoptr(json_t) value = read_all(&reader, DIALECT_PLAIN, text, size);
    return reader.problem ? NULL : g_steal_pointer(&value);
}

json_t *json_parse_line(const char *text, size_t size)
{
    json_t *value = json_parse_plain(text, size);
    if (!value)
        json_parse(text, size, &value, NULL);
    return value;
}

json_t *json_parse_partial(const char *text, size_t size, bool *ret_is_complete)
{
    json_t *value = NULL;
    size_t blanks = 0;
    while (blanks < size && strchr(" \t\r\n", text[blanks]) && text[blanks])
        blanks++;
    bool is_complete = blanks == size || json_parse(text, size, &value, NULL);
    if (!is_complete) {
        Reader reader;
        g_autofree char *valid = utf8_from_bytes(text, size);
        value = read_all(&reader, DIALECT_PARTIAL, valid, strlen(valid));
        is_complete = !reader.problem;
    }
    is_complete = is_complete && (!value || json_is_object(value) || json_is_null(value));
    if (ret_is_complete)
        *ret_is_complete = is_complete;
    if (json_is_object(value))
        return value;
    json_decref(value);
    return json_object();
}

bool json_parse_json5(const char *text, json_t **ret_value, GError **error)
{
    Reader reader;
    g_autofree char *valid = g_utf8_make_valid(text, -1);
    g_autoptr(json_t) value = read_all(&reader, DIALECT_JSON5, valid, strlen(valid));
    if (!reader.problem) {
        *ret_value = g_steal_pointer(&value);
        return true;
    }
    unsigned line = 1;
    const char *begin = valid;
    for (const char *at = valid; at < reader.problem_at; at++) {
        line += *at == '\n';
        begin = *at == '\n' ? at + 1 : begin;
    }
    return fail_with(error, KEDGE_ERROR_PROTOCOL, "line %u column %ld: %s", line,
                     g_utf8_strlen(begin, reader.problem_at - begin) + 1, reader.problem);
}
