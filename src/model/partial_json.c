/*
 * A tolerant JSON reader: recursive descent that keeps what it has when the text ends or stops
 * making sense. Depth is bounded by LIMIT_JSON_DEPTH.
 */
#include "model/partial_json.h"

#include "base/limits.h"

typedef struct Reader {
    const char *p;
    const char *end;
    int depth;
    bool is_broken; // the text ended or is wrong here: every level returns what it has
} Reader;

static json_t *read_value(Reader *reader);

static bool reader_skip_blanks(Reader *reader)
{
    while (reader->p < reader->end && strchr(" \t\r\n", *reader->p) && *reader->p)
        reader->p++;
    return reader->p < reader->end;
}

static bool reader_take(Reader *reader, char c)
{
    if (!reader_skip_blanks(reader) || *reader->p != c)
        return false;
    reader->p++;
    return true;
}

/* Four hex digits at p. */
static bool read_hex4(const char *p, const char *end, gunichar *ret_unit)
{
    if (end - p < 4)
        return false;
    gunichar unit = 0;
    for (int i = 0; i < 4; i++) {
        int digit = g_ascii_xdigit_value(p[i]);
        if (digit < 0)
            return false;
        unit = unit * 16 + (gunichar)digit;
    }
    *ret_unit = unit;
    return true;
}

/* p is behind "\u". False when the escape is no escape. */
static bool read_unicode_escape(Reader *reader, GString *out)
{
    gunichar unit = 0, low = 0;
    if (!read_hex4(reader->p, reader->end, &unit))
        return false;
    reader->p += 4;
    bool is_high = unit >= 0xd800 && unit < 0xdc00;
    if (is_high && reader->end - reader->p >= 6 && reader->p[0] == '\\' && reader->p[1] == 'u' &&
        read_hex4(reader->p + 2, reader->end, &low) && low >= 0xdc00 && low < 0xe000) {
        reader->p += 6;
        unit = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
    }
    bool is_text = unit != 0 && (unit < 0xd800 || unit >= 0xe000);
    g_string_append_unichar(out, is_text ? unit : 0xfffd);
    return true;
}

static void read_escape(Reader *reader, GString *out)
{
    static const char letters[] = "\"\\/bfnrt";
    static const char meanings[] = "\"\\/\b\f\n\r\t";
    char c = *reader->p++;
    const char *found = c ? strchr(letters, c) : NULL;
    if (found) {
        g_string_append_c(out, meanings[found - letters]);
        return;
    }
    if (c == 'u') {
        if (read_unicode_escape(reader, out))
            return;
        if (reader->end - reader->p < 4 &&
            !memchr(reader->p, '"', (size_t)(reader->end - reader->p))) {
            reader->p = reader->end; // cut in the middle of its digits
            return;
        }
    }
    g_string_append_c(out, '\\'); // a Windows path, a regular expression: meant as it stands
    g_string_append_c(out, c);
}

/* p is behind the opening quote. *ret_is_whole: the closing quote was there. */
static char *read_string(Reader *reader, size_t *ret_size, bool *ret_is_whole)
{
    GString *out = g_string_new(NULL);
    *ret_is_whole = false;
    while (reader->p < reader->end) {
        char c = *reader->p++;
        if (c == '"') {
            *ret_is_whole = true;
            break;
        }
        if (c != '\\')
            g_string_append_c(out, c);
        else if (reader->p < reader->end)
            read_escape(reader, out);
    }
    if (!*ret_is_whole)
        reader->is_broken = true;
    *ret_size = out->len;
    return g_string_free(out, FALSE);
}

static json_t *read_object(Reader *reader)
{
    json_t *object = json_object();
    if (reader_take(reader, '}'))
        return object;
    while (!reader->is_broken) {
        size_t size = 0;
        bool is_whole = false;
        if (!reader_take(reader, '"'))
            break;
        g_autofree char *key = read_string(reader, &size, &is_whole);
        if (!is_whole || !reader_take(reader, ':'))
            break;
        json_t *value = read_value(reader);
        if (!value)
            break;
        json_set_take(object, key, value);
        if (reader_take(reader, ','))
            continue;
        if (!reader_take(reader, '}'))
            break;
        return object;
    }
    reader->is_broken = true;
    return object;
}

static json_t *read_array(Reader *reader)
{
    json_t *array = json_array();
    if (reader_take(reader, ']'))
        return array;
    while (!reader->is_broken) {
        json_t *value = read_value(reader);
        if (!value)
            break;
        json_append_take(array, value);
        if (reader_take(reader, ','))
            continue;
        if (!reader_take(reader, ']'))
            break;
        return array;
    }
    reader->is_broken = true;
    return array;
}

/* true, false, null and numbers: only when something follows, since more of them may be coming. */
static json_t *read_word(Reader *reader)
{
    const char *start = reader->p;
    while (reader->p < reader->end && (g_ascii_isalnum(*reader->p) || strchr("+-.", *reader->p)) &&
           *reader->p)
        reader->p++;
    json_t *value = NULL;
    if (reader->p > start && reader->p < reader->end)
        json_parse(start, (size_t)(reader->p - start), &value, NULL);
    if (!value)
        reader->is_broken = true;
    return value;
}

static json_t *read_value(Reader *reader)
{
    if (!reader_skip_blanks(reader))
        return NULL;
    char c = *reader->p;
    if (c == '"') {
        reader->p++;
        size_t size = 0;
        bool is_whole = false;
        g_autofree char *text = read_string(reader, &size, &is_whole);
        return json_text_n(text, size);
    }
    if (c != '{' && c != '[')
        return read_word(reader);
    if (reader->depth >= LIMIT_JSON_DEPTH)
        return NULL;
    reader->p++;
    reader->depth++;
    json_t *value = c == '{' ? read_object(reader) : read_array(reader);
    reader->depth--;
    return value;
}

/* `text` with bad escapes and raw control characters taken as they stand. May be NULL. */
static json_t *read_tolerantly(const char *text, size_t size, bool *ret_is_complete)
{
    Reader reader = { .p = text, .end = text + size };
    json_t *value = read_value(&reader);
    *ret_is_complete = value && !reader.is_broken && !reader_skip_blanks(&reader);
    return value;
}

json_t *partial_json_parse(const char *text, size_t size, bool *ret_is_complete)
{
    Reader blanks = { .p = text, .end = text + size };
    bool is_complete = !reader_skip_blanks(&blanks);
    json_t *value = NULL;
    if (!is_complete) {
        is_complete = json_parse(text, size, &value, NULL);
        if (!is_complete)
            value = read_tolerantly(text, size, &is_complete);
        is_complete = is_complete && (json_is_object(value) || json_is_null(value));
    }
    if (ret_is_complete)
        *ret_is_complete = is_complete;
    if (json_is_object(value))
        return value;
    json_decref(value);
    return json_object();
}
