/*
 * JSON façade over jansson: bounded, sanitised, with autoptr.
 *
 * jansson does the parsing. One pass over the text before it keeps the limits and fixes what
 * jansson refuses and others send: lone surrogates, \u0000, integers beyond 64 bits. Text that
 * needs no fixing, which is nearly all, is not copied.
 */
#include "base/json.h"

#include "base/file.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/utf8.h"

#include <math.h>
#include <stdint.h>

typedef struct Scan {
    const char *start;
    const char *p;
    const char *end;
    const char *copied; // what lies before it is in `fixed`
    GString *mended;    // NULL until the first repair
    size_t depth;
} Scan;

// Takes text up to `until`, puts `text` in its place for what follows up to `resume`.
static void scan_mend(Scan *self, const char *until, const char *text, const char *resume)
{
    if (!self->mended)
        self->mended = g_string_sized_new((size_t)(self->end - self->start) + 64);
    g_string_append_len(self->mended, self->copied, until - self->copied);
    g_string_append(self->mended, text);
    self->copied = resume;
}

// The value of `\uXXXX` at `p`; false when none is there.
static bool read_escape(const char *p, const char *end, unsigned *ret_value)
{
    if (end - p < 6 || p[0] != '\\' || p[1] != 'u')
        return false;
    unsigned value = 0;
    for (int i = 2; i < 6; i++) {
        int digit = g_ascii_xdigit_value(p[i]);
        if (digit < 0)
            return false;
        value = value << 4 | (unsigned)digit;
    }
    *ret_value = value;
    return true;
}

// At a backslash inside a string.
static void scan_escape(Scan *self)
{
    const char *p = self->p;
    unsigned first, second;
    if (!read_escape(p, self->end, &first)) {
        self->p = MIN(p + 2, self->end);
        return;
    }
    self->p = p + 6;
    bool is_high = first >= 0xd800 && first <= 0xdbff;
    if (is_high && read_escape(p + 6, self->end, &second) && second >= 0xdc00 && second <= 0xdfff)
        self->p = p + 12;
    else if (first == 0 || (first >= 0xd800 && first <= 0xdfff))
        scan_mend(self, p, "\\ufffd", p + 6);
}

static void scan_string(Scan *self)
{
    self->p++;
    while (self->p < self->end) {
        if (*self->p == '"') {
            self->p++;
            return;
        }
        if (*self->p == '\\')
            scan_escape(self);
        else
            self->p++;
    }
}

static void scan_number(Scan *self)
{
    const char *start = self->p;
    while (self->p < self->end && (*self->p == '-' || g_ascii_isdigit(*self->p)))
        self->p++;
    size_t length = (size_t)(self->p - start);
    // 18 digits always fit; what goes on with . e E is a double already.
    if (length <= 18 || (self->p < self->end && memchr(".eE", *self->p, 3)))
        return;
    g_autofree char *digits = g_strndup(start, length);
    int64_t value;
    if (!str_parse_int(digits, &value))
        scan_mend(self, self->p, ".0", self->p);
}

static bool scan_error_depth(const Scan *self, GError **error)
{
    size_t line = str_count_lines(self->start, (size_t)(self->p - self->start));
    return fail_with(error, KEDGE_ERROR_LIMIT, "line %zu: JSON nested deeper than %d levels", line,
                     LIMIT_JSON_DEPTH);
}

static bool scan_document(Scan *self, GError **error)
{
    while (self->p < self->end) {
        char c = *self->p;
        if (c == '"') {
            scan_string(self);
        } else if (c == '-' || g_ascii_isdigit(c)) {
            scan_number(self);
        } else {
            if (c == '[' || c == '{') {
                if (++self->depth > LIMIT_JSON_DEPTH)
                    return scan_error_depth(self, error);
            } else if ((c == ']' || c == '}') && self->depth > 0) {
                self->depth--;
            }
            self->p++;
        }
    }
    return true;
}

static bool fail_with_json_error(const json_error_t *where, GError **error)
{
    // jansson quotes the input and may cut it inside a character.
    g_autofree char *text = utf8_from_bytes(where->text, strlen(where->text));
    return fail_with(error, KEDGE_ERROR_PROTOCOL, "line %d column %d: %s", MAX(where->line, 1),
                     MAX(where->column, 1), text);
}

// `text` is valid UTF-8.
static bool parse_valid(const char *text, size_t size, json_t **ret_value, bool *ret_is_mended,
                        GError **error)
{
    Scan scan = { .start = text, .p = text, .end = text + size, .copied = text };
    bool is_within_limits = scan_document(&scan, error);
    g_autofree char *mended = NULL;
    *ret_is_mended = *ret_is_mended || scan.mended;
    if (scan.mended) {
        g_string_append_len(scan.mended, scan.copied, scan.end - scan.copied);
        size = scan.mended->len;
        mended = g_string_free(scan.mended, FALSE);
        text = mended;
    }
    if (!is_within_limits)
        return false;

    json_error_t where;
    json_t *value = json_loadb(text, size, JSON_DECODE_ANY, &where);
    if (!value)
        return fail_with_json_error(&where, error);
    *ret_value = value;
    return true;
}

bool json_parse(const char *text, size_t size, json_t **ret_value, GError **error)
{
    bool is_mended;
    return json_parse_mended(text, size, ret_value, &is_mended, error);
}

bool json_parse_mended(const char *text, size_t size, json_t **ret_value, bool *ret_is_mended,
                       GError **error)
{
    *ret_is_mended = false;
    if (size > LIMIT_JSON_BYTES) {
        g_autofree char *limit = str_format_bytes(LIMIT_JSON_BYTES);
        return fail_with(error, KEDGE_ERROR_LIMIT, "JSON text is larger than %s", limit);
    }
    size_t mark = utf8_bom_size(text, size);
    text += mark;
    size -= mark;
    if (g_utf8_validate_len(text, size, NULL))
        return parse_valid(text, size, ret_value, ret_is_mended, error);
    g_autofree char *valid = utf8_from_bytes(text, size);
    *ret_is_mended = true;
    return parse_valid(valid, strlen(valid), ret_value, ret_is_mended, error);
}

bool json_parse_text(const char *text, json_t **ret_value, GError **error)
{
    return json_parse(text, strlen(text), ret_value, error);
}

bool json_read_file(const char *path, json_t **ret_value, GError **error)
{
    g_autofree char *data = NULL;
    size_t size;
    if (!file_read(path, LIMIT_CONFIG_FILE_BYTES, &data, &size, error))
        return false;
    if (json_parse(data, size, ret_value, error))
        return true;
    g_prefix_error(error, "%s: ", path);
    return false;
}

/*
 * jansson prints doubles with 17 digits, 0.1 as 0.10000000000000001. Returns the least number of
 * digits, 15 to 17, with which every double in `value` reads back the same; nearly always 15.
 */
static int real_precision(const json_t *value, int precision)
{
    switch (json_typeof(value)) {
    case JSON_REAL:
        for (; precision < 17; precision++) {
            char text[64];
            g_snprintf(text, sizeof(text), "%.*g", precision, json_real_value(value));
            if (strtod(text, NULL) == json_real_value(value))
                break;
        }
        break;
    case JSON_ARRAY:
        json_each (value, index, item)
            precision = real_precision(item, precision);
        break;
    case JSON_OBJECT:
        json_each_member (value, key, item)
            precision = real_precision(item, precision);
        break;
    default:
        break;
    }
    return precision;
}

static char *json_dump(const json_t *value, size_t flags)
{
    if (!value)
        return g_strdup("null");
    int precision = real_precision(value, 15);
    char *text = json_dumps(value, flags | JSON_ENCODE_ANY | JSON_REAL_PRECISION(precision));
    // Only a value that holds itself cannot be printed.
    g_assert(text != NULL);
    return text; // g_free() is free()
}

char *json_to_text(const json_t *value)
{
    return json_dump(value, JSON_COMPACT);
}

char *json_to_pretty(const json_t *value)
{
    return json_dump(value, JSON_INDENT(2));
}

char *json_to_indented(const json_t *value, unsigned blanks)
{
    return json_dump(value, JSON_INDENT(blanks));
}

char *json_to_canonical(const json_t *value)
{
    return json_dump(value, JSON_COMPACT | JSON_SORT_KEYS);
}

void json_free(void *value)
{
    json_decref(value);
}

json_t *json_text(const char *text)
{
    return text == NULL ? json_null() : json_text_n(text, strlen(text));
}

json_t *json_text_n(const char *text, size_t size)
{
    if (!text)
        return json_null();
    if (size == 0 || g_utf8_validate_len(text, size, NULL))
        return json_stringn_nocheck(text, size);
    g_autofree char *valid = utf8_from_bytes(text, size);
    return json_string_nocheck(valid);
}

void json_set_text(json_t *object, const char *key, const char *text)
{
    if (text)
        json_set_take(object, key, json_text(text));
}

void json_set_int(json_t *object, const char *key, gint64 value)
{
    json_set_take(object, key, json_integer(value));
}

void json_set_bool(json_t *object, const char *key, bool value)
{
    json_set_take(object, key, json_boolean(value));
}

void json_set_take(json_t *object, const char *key, json_t *value)
{
    if (!value)
        return;
    g_autofree char *valid = NULL;
    if (!g_utf8_validate(key, -1, NULL))
        key = valid = utf8_from_bytes(key, strlen(key));
    json_object_set_new_nocheck(object, key, value);
}

void json_append_take(json_t *array, json_t *value)
{
    if (value)
        json_array_append_new(array, value);
}

/* The value of a conversion that ends at a blank; NULL: it is left out. */
static json_t *make_value(const char *conversion, va_list *values)
{
    bool is_optional = conversion[strcspn(conversion, " ") - 1] == '?';
    if (str_has_prefix(conversion, "%s")) {
        const char *text = va_arg(*values, const char *);
        return text || is_optional ? json_text(text) : NULL;
    }
    if (str_has_prefix(conversion, "%p"))
        return va_arg(*values, json_t *);
    bool is_boolean = str_has_prefix(conversion, "%i");
    json_int_t number;
    if (str_has_prefix(conversion, "%jd"))
        number = (json_int_t)va_arg(*values, intmax_t);
    else if (str_has_prefix(conversion, "%zu"))
        number = (json_int_t)va_arg(*values, size_t);
    else if (str_has_prefix(conversion, "%u"))
        number = (json_int_t)va_arg(*values, unsigned);
    else
        number = va_arg(*values, int);
    g_assert(is_boolean || strchr("jzud", conversion[1]));
    if (is_optional && number == 0)
        return NULL;
    return is_boolean ? json_boolean(number) : json_integer(number);
}

static void add_members(json_t *object, const char *format, va_list *values)
{
    for (const char *at = format; *at != '\0'; at += strspn(at, " ")) {
        const char *colon = strchr(at, ':');
        g_autofree char *key = g_strndup(at, (size_t)(colon - at));
        json_set_take(object, key, make_value(colon + 1, values));
        at = colon + strcspn(colon, " ");
    }
}

json_t *json_make(const char *format, ...)
{
    json_t *object = json_object();
    va_list values;
    va_start(values, format);
    add_members(object, format, &values);
    va_end(values);
    return object;
}

void json_add(json_t *object, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    add_members(object, format, &values);
    va_end(values);
}

const char *json_get_text(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

gint64 json_get_int(const json_t *object, const char *key, gint64 fallback)
{
    const json_t *value = json_object_get(object, key);
    if (json_is_integer(value))
        return json_integer_value(value);
    double number = json_real_value(value);
    // 2^63 itself does not fit.
    bool is_whole =
        json_is_real(value) && floor(number) == number && number >= -0x1p63 && number < 0x1p63;
    return is_whole ? (gint64)number : fallback;
}

double json_get_number(const json_t *object, const char *key, double fallback)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : fallback;
}

bool json_get_bool(const json_t *object, const char *key, bool fallback)
{
    const json_t *value = json_object_get(object, key);
    return json_is_boolean(value) ? json_is_true(value) : fallback;
}

json_t *json_get_array(const json_t *object, const char *key)
{
    json_t *value = json_object_get(object, key);
    return json_is_array(value) ? value : NULL;
}

json_t *json_get_object(const json_t *object, const char *key)
{
    json_t *value = json_object_get(object, key);
    return json_is_object(value) ? value : NULL;
}

json_t *json_get_path(const json_t *object, const char *dotted)
{
    g_auto(GStrv) keys = g_strsplit(dotted, ".", -1);
    json_t *value = (json_t *)object;
    for (size_t i = 0; keys[i] && value; i++)
        value = json_object_get(value, keys[i]);
    return value;
}

#if defined(__SANITIZE_THREAD__)
#define HAS_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define HAS_THREAD_SANITIZER 1
#endif
#endif

#ifdef HAS_THREAD_SANITIZER
/* Values are shared by reference between threads, and jansson counts references atomically. But its
   inline functions look at the count without (is it -1, a constant?), and the library itself is not
   instrumented, so what its counting orders is not seen. */
const char *__tsan_default_suppressions(void);
const char *__tsan_default_suppressions(void)
{
    return "race:^json_incref$\nrace:^json_decref$\ncalled_from_lib:libjansson.so\n";
}
#endif
