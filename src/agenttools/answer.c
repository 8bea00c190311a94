/*
 * The envelope: putting it together, and its text (answer.h).
 */
#include "agenttools/answer.h"

#include "base/redact.h"

struct Answer {
    json_t *data; // NULL: none
    json_t *errors, *error_details, *warnings;
};

#define ANSWER_NAME(code, name) name,
static const char *const code_names[] = { ANSWER_CODES(ANSWER_NAME) };

const char *answer_code_name(AnswerCode code)
{
    return code_names[code];
}

/* The GError of answer_error() carries the details (GLib's extended error domains). */
typedef struct AnswerErrorPrivate {
    json_t *details; // NULL: none
} AnswerErrorPrivate;

static void answer_error_private_init(AnswerErrorPrivate *self)
{
    self->details = NULL;
}

static void answer_error_private_copy(const AnswerErrorPrivate *from, AnswerErrorPrivate *to)
{
    to->details = json_incref(from->details);
}

static void answer_error_private_clear(AnswerErrorPrivate *self)
{
    json_decref(self->details);
}

#define ANSWER_ERROR (answer_error_quark())
static GQuark answer_error_quark(void);
G_DEFINE_EXTENDED_ERROR(AnswerError, answer_error)

Answer *answer_new(void)
{
    Answer *self = g_new0(Answer, 1);
    self->errors = json_array();
    self->error_details = json_array();
    self->warnings = json_array();
    return self;
}

void answer_free(Answer *self)
{
    if (!self)
        return;
    json_decref(self->data);
    json_decref(self->errors);
    json_decref(self->error_details);
    json_decref(self->warnings);
    g_free(self);
}

void answer_set_data(Answer *self, json_t *data)
{
    json_decref(self->data);
    self->data = data;
}

void answer_warn(Answer *self, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    g_autofree char *text = g_strdup_vprintf(format, ap);
    va_end(ap);
    g_autofree char *clean = redact_text(text);
    json_append_take(self->warnings, json_text(clean));
}

void answer_warn_all(Answer *self, const GPtrArray *warnings)
{
    for (unsigned i = 0; i < warnings->len; i++)
        answer_warn(self, "%s", (const char *)warnings->pdata[i]);
}

bool answer_error(GError **error, AnswerCode code, json_t *details, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    GError *made = g_error_new_valist(ANSWER_ERROR, (int)code, format, ap);
    va_end(ap);
    answer_error_get_private(made)->details = details;
    return pass_error(error, &made);
}

bool answer_error_is(const GError *error, AnswerCode code)
{
    return g_error_matches(error, ANSWER_ERROR, (int)code);
}

json_t *answer_error_details(const GError *error)
{
    return error->domain == ANSWER_ERROR ? answer_error_get_private(error)->details : NULL;
}

static json_t *details_of(const char *key, const char *text)
{
    json_t *details = json_object();
    json_set_text(details, key, text);
    return details;
}

json_t *answer_hint(const char *hint)
{
    return details_of("hint", hint);
}

json_t *answer_field(const char *field)
{
    return details_of("field", field);
}

bool answer_error_field(GError **error, const char *field, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    g_autofree char *message = g_strdup_vprintf(format, ap);
    va_end(ap);
    return answer_error(error, ANSWER_VALIDATION, answer_field(field), "%s", message);
}

/* Takes `details`. */
static void answer_add(Answer *self, AnswerCode code, json_t *details, const char *message)
{
    g_autofree char *clean = redact_text(message);
    json_t *item = json_make("code:%s message:%s", answer_code_name(code), clean);
    if (details)
        json_object_update_missing(item, details);
    json_decref(details);
    json_append_take(self->errors, json_text(clean));
    json_append_take(self->error_details, item);
}

void answer_fail(Answer *self, AnswerCode code, json_t *details, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    g_autofree char *message = g_strdup_vprintf(format, ap);
    va_end(ap);
    answer_add(self, code, details, message);
}

void answer_fail_field(Answer *self, const char *field, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    g_autofree char *message = g_strdup_vprintf(format, ap);
    va_end(ap);
    answer_add(self, ANSWER_VALIDATION, answer_field(field), message);
}

static AnswerCode code_of(const GError *error)
{
    if (error->domain != KEDGE_ERROR)
        return ANSWER_INTERNAL;
    switch ((KedgeError)error->code) {
    case KEDGE_ERROR_USAGE:
    case KEDGE_ERROR_LIMIT:
        return ANSWER_VALIDATION;
    case KEDGE_ERROR_NOT_FOUND:
        return ANSWER_NOT_FOUND;
    case KEDGE_ERROR_DENIED:
        return ANSWER_PERMISSION;
    case KEDGE_ERROR_NETWORK:
    case KEDGE_ERROR_TIMEOUT:
        return ANSWER_UNAVAILABLE;
    case KEDGE_ERROR_IO:
    case KEDGE_ERROR_PROTOCOL:
        return ANSWER_IO;
    default:
        return ANSWER_INTERNAL;
    }
}

void answer_add_error(Answer *self, const GError *error)
{
    if (error->domain == ANSWER_ERROR) {
        json_t *details = answer_error_get_private(error)->details;
        answer_add(self, (AnswerCode)error->code, json_incref(details), error->message);
        return;
    }
    AnswerCode code = code_of(error);
    answer_add(self, code, json_make("retryable:%i?", code == ANSWER_UNAVAILABLE), error->message);
}

bool answer_has_failed(const Answer *self)
{
    return json_array_size(self->errors) > 0;
}

json_t *answer_envelope(const Answer *self, const char *tool)
{
    bool has_failed = answer_has_failed(self);
    json_t *envelope = json_make("success:%i tool:%s", !has_failed, tool);
    if (self->data || !has_failed)
        json_set_take(envelope, "data", self->data ? json_incref(self->data) : json_null());
    if (has_failed) {
        json_set_take(envelope, "errors", json_incref(self->errors));
        json_set_take(envelope, "error_details", json_incref(self->error_details));
    }
    if (json_array_size(self->warnings) > 0)
        json_set_take(envelope, "warnings", json_incref(self->warnings));
    return envelope;
}

/* The end of the JSON string that begins at `p`. */
static const char *skip_string(const char *p)
{
    for (p++; *p && *p != '"'; p++)
        if (*p == '\\' && p[1])
            p++;
    return *p ? p + 1 : p;
}

/* DEL and the C1 controls, which a terminal obeys, become \u00XX; JSON text has no others. */
static void append_string(GString *out, const char *start, const char *end)
{
    for (const char *p = start; p < end; p++) {
        unsigned char first = (unsigned char)p[0], second = (unsigned char)p[1];
        if (first == 0x7f) {
            g_string_append(out, "\\u007F");
        } else if (first == 0xc2 && second >= 0x80 && second <= 0x9f) {
            g_string_append_printf(out, "\\u%04X", second);
            p++;
        } else {
            g_string_append_c(out, *p);
        }
    }
}

/* 1.5e+3 → 1500.0: the same digits, the point where the exponent puts it. */
static void append_number(GString *out, const char *start, const char *end)
{
    g_autofree char *number = g_strndup(start, (size_t)(end - start));
    char *mark = strpbrk(number, "eE");
    if (!mark) {
        g_string_append(out, number);
        return;
    }
    *mark = '\0';
    gint64 exponent = g_ascii_strtoll(mark + 1, NULL, 10); // of a double: at most 324
    const char *digits = number + (*number == '-');
    const char *point = strchr(digits, '.');
    gint64 whole = point ? point - digits : (gint64)strlen(digits); // digits before the point
    g_autoptr(GString) all = g_string_new(digits);
    if (point)
        g_string_erase(all, whole, 1);
    whole += exponent;
    for (; whole <= 0; whole++)
        g_string_prepend_c(all, '0');
    while ((gint64)all->len <= whole)
        g_string_append_c(all, '0');
    g_string_insert_c(all, whole, '.');
    g_string_append_printf(out, "%s%s", *number == '-' ? "-" : "", all->str);
}

char *answer_text(const json_t *envelope, bool is_compact)
{
    g_autofree char *text = is_compact ? json_to_text(envelope) : json_to_pretty(envelope);
    GString *out = g_string_sized_new(strlen(text) + 16);
    for (const char *p = text, *next = NULL; *p; p = next) {
        next = p + 1;
        if (*p == '"') {
            next = skip_string(p);
            append_string(out, p, next);
        } else if (*p == '-' || g_ascii_isdigit(*p)) {
            next = p + strspn(p, "+-.0123456789eE");
            append_number(out, p, next);
        } else {
            g_string_append_c(out, *p);
        }
    }
    return g_string_free(out, FALSE);
}
