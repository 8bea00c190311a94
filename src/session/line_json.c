/*
 * Recursive descent over one line. Runs of ordinary characters are found with a table and copied at
 * once; that is the whole gain.
 */
#include "session/line_json.h"

#include "base/limits.h"

#include <math.h>

#define INTEGER_MAX_DIGITS 18 // always fit 64 bits

typedef struct Reader {
    const char *p, *end;
    GString *scratch; // a string with escapes
    int depth;
} Reader;

static json_t *read_value(Reader *self);

static void skip_blanks(Reader *self)
{
    while (self->p < self->end &&
           (*self->p == ' ' || *self->p == '\t' || *self->p == '\r' || *self->p == '\n'))
        self->p++;
}

/* Takes `c` after blanks. */
static bool take(Reader *self, char c)
{
    skip_blanks(self);
    if (self->p >= self->end || *self->p != c)
        return false;
    self->p++;
    return true;
}

/* Moves to the next quote, backslash or control character. */
static void skip_ordinary(Reader *self)
{
    const char *p = self->p;
    while (p < self->end && *p != '"' && *p != '\\' && (unsigned char)*p >= 0x20)
        p++;
    self->p = p;
}

/* XXXX of \uXXXX: a character of its own, not NUL and not half of a pair. */
static bool read_hex_escape(Reader *self)
{
    if (self->end - self->p < 4)
        return false;
    unsigned value = 0;
    for (int i = 0; i < 4; i++) {
        int digit = g_ascii_xdigit_value(self->p[i]);
        if (digit < 0)
            return false;
        value = value << 4 | (unsigned)digit;
    }
    if (value == 0 || (value >= 0xd800 && value <= 0xdfff))
        return false;
    self->p += 4;
    g_string_append_unichar(self->scratch, value);
    return true;
}

/* After a backslash. */
static bool read_escape(Reader *self)
{
    static const char names[] = "\"\\/bfnrt";
    static const char values[] = "\"\\/\b\f\n\r\t";
    if (self->p >= self->end)
        return false;
    char name = *self->p++;
    if (name == 'u')
        return read_hex_escape(self);
    const char *at = name ? strchr(names, name) : NULL;
    if (!at)
        return false;
    g_string_append_c(self->scratch, values[at - names]);
    return true;
}

/* After the opening quote. The text is borrowed until the next string. */
static bool read_string(Reader *self, const char **ret_text, size_t *ret_size)
{
    const char *start = self->p;
    skip_ordinary(self);
    if (self->p < self->end && *self->p == '"') {
        *ret_text = start;
        *ret_size = (size_t)(self->p++ - start);
        return true;
    }

    g_string_truncate(self->scratch, 0);
    while (self->p < self->end && *self->p != '"') {
        g_string_append_len(self->scratch, start, self->p - start);
        if (*self->p++ != '\\' || !read_escape(self))
            return false;
        start = self->p;
        skip_ordinary(self);
    }
    if (self->p >= self->end)
        return false;
    g_string_append_len(self->scratch, start, self->p - start);
    self->p++;
    *ret_text = self->scratch->str;
    *ret_size = self->scratch->len;
    return true;
}

static json_t *read_text(Reader *self)
{
    const char *text;
    size_t size;
    return read_string(self, &text, &size) ? json_stringn_nocheck(text, size) : NULL;
}

static size_t skip_digits(Reader *self)
{
    const char *start = self->p;
    while (self->p < self->end && g_ascii_isdigit(*self->p))
        self->p++;
    return (size_t)(self->p - start);
}

static json_t *read_fraction(Reader *self, const char *start)
{
    if (self->p < self->end && *self->p == '.') {
        self->p++;
        if (skip_digits(self) == 0)
            return NULL;
    }
    if (self->p < self->end && (*self->p == 'e' || *self->p == 'E')) {
        self->p++;
        if (self->p < self->end && (*self->p == '+' || *self->p == '-'))
            self->p++;
        if (skip_digits(self) == 0)
            return NULL;
    }
    char *number_end = NULL;
    double value = g_ascii_strtod(start, &number_end);
    return number_end == self->p && isfinite(value) ? json_real(value) : NULL;
}

static json_t *read_number(Reader *self)
{
    const char *start = self->p;
    bool is_negative = *start == '-';
    self->p += is_negative;
    const char *digits = self->p;
    size_t count = skip_digits(self);
    if (count == 0 || count > INTEGER_MAX_DIGITS || (count > 1 && *digits == '0'))
        return NULL;
    if (self->p < self->end && strchr(".eE", *self->p) && *self->p)
        return read_fraction(self, start);

    json_int_t value = 0;
    for (const char *p = digits; p < self->p; p++)
        value = value * 10 + (*p - '0');
    return json_integer(is_negative ? -value : value);
}

static json_t *read_word(Reader *self)
{
    static const char *const words[] = { "true", "false", "null" };
    for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
        size_t size = strlen(words[i]);
        if ((size_t)(self->end - self->p) < size || memcmp(self->p, words[i], size) != 0)
            continue;
        self->p += size;
        return i == 0 ? json_true() : i == 1 ? json_false() : json_null();
    }
    return NULL;
}

static bool read_items(Reader *self, json_t *array)
{
    if (take(self, ']'))
        return true;
    do {
        json_t *value = read_value(self);
        if (!value)
            return false;
        json_array_append_new(array, value);
    } while (take(self, ','));
    return take(self, ']');
}

static bool read_member(Reader *self, json_t *object)
{
    const char *text;
    size_t size;
    if (!take(self, '"') || !read_string(self, &text, &size))
        return false;
    // the value may use the scratch, too
    char short_key[64];
    g_autofree char *long_key = size < sizeof short_key ? NULL : g_strndup(text, size);
    char *key = long_key ? long_key : short_key;
    if (!long_key)
        memcpy(short_key, text, size);
    json_t *value = take(self, ':') ? read_value(self) : NULL;
    return value && json_object_setn_new_nocheck(object, key, size, value) == 0;
}

static bool read_members(Reader *self, json_t *object)
{
    if (take(self, '}'))
        return true;
    do {
        if (!read_member(self, object))
            return false;
    } while (take(self, ','));
    return take(self, '}');
}

static json_t *read_container(Reader *self)
{
    bool is_object = *self->p++ == '{';
    if (++self->depth > LIMIT_JSON_DEPTH)
        return NULL;
    g_autoptr(json_t) value = is_object ? json_object() : json_array();
    if (!(is_object ? read_members(self, value) : read_items(self, value)))
        return NULL;
    self->depth--;
    return g_steal_pointer(&value);
}

static json_t *read_value(Reader *self)
{
    skip_blanks(self);
    if (self->p >= self->end)
        return NULL;
    char c = *self->p;
    if (c == '{' || c == '[')
        return read_container(self);
    if (c == '-' || g_ascii_isdigit(c))
        return read_number(self);
    if (c != '"')
        return read_word(self);
    self->p++;
    return read_text(self);
}

json_t *line_json_parse(const char *text, size_t size)
{
    if (!g_utf8_validate_len(text, size, NULL))
        return NULL;
    g_autoptr(GString) scratch = g_string_new(NULL);
    Reader reader = { .p = text, .end = text + size, .scratch = scratch };
    g_autoptr(json_t) value = read_value(&reader);
    skip_blanks(&reader);
    return value && reader.p == reader.end ? g_steal_pointer(&value) : NULL;
}
