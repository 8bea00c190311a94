/*
 * The POST of a model request, and what its failures say.
 */
#include "model/transport.h"

#include "base/env.h"
#include "base/timefmt.h"
#include "base/utf8.h"

#include <math.h>
#include <stdint.h>

#define TRANSPORT_FIRST_EVENT_MS (100 * 1000)
#define TRANSPORT_IDLE_MS        (120 * 1000)
#define TRANSPORT_GATHER_MS      16 // as often as events are told of (agent-core §3.9)
#define TRANSPORT_MAX_DELAY_MS   (7.0 * 24 * 3600 * 1000)
#define TRANSPORT_TEXT_CHARS     2000 // of a server's message
#define TRANSPORT_HEAD_BYTES     4096 // of an answer that is no event stream

typedef struct Reception {
    const TransportRequest *request;
    SseParser *parser;
    GString *head; // the answer's start, kept until the first event
    bool has_events;
    size_t received; // of the answer, when something of it came last
    gint64 received_at;
} Reception;

static void reception_clear(Reception *self)
{
    sse_parser_free(self->parser);
    g_string_free(self->head, TRUE);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Reception, reception_clear)

static bool on_event(const char *event, const char *data, size_t size, void *reception_,
                     GError **error)
{
    Reception *self = reception_;
    self->has_events = true;
    return self->request->on_event(event, data, size, self->request->user_data, error);
}

/* A server that only shows that it lives (comments, pings, empty pieces) is never idle. */
static bool check_silence(Reception *self, GError **error)
{
    const TransportRequest *request = self->request;
    gint64 now = time_monotonic_ms();
    if (*request->received != self->received || self->received_at == 0) {
        self->received = *request->received;
        self->received_at = now;
    }
    if (request->max_silence_ms == 0 || now - self->received_at <= request->max_silence_ms)
        return true;
    return fail_with(error, KEDGE_ERROR_LIMIT,
                     "the server keeps the connection busy, but has sent nothing of an answer for "
                     "%" G_GINT64_FORMAT " s: the request was given up; the setting "
                     "retry.maxSilence says how long that may be",
                     request->max_silence_ms / 1000);
}

static bool on_body(const char *data, size_t size, void *reception_, GError **error)
{
    Reception *self = reception_;
    if (!self->has_events && self->head->len < TRANSPORT_HEAD_BYTES)
        g_string_append_len(self->head, data,
                            (gssize)MIN(size, TRANSPORT_HEAD_BYTES - self->head->len));
    return sse_parser_push(self->parser, data, size, error) &&
           ((self->request->is_complete && *self->request->is_complete) ||
            check_silence(self, error));
}

/* `Wed, 21 Oct 2026 07:28:00 GMT`, in any locale. */
static bool parse_http_date(const char *text, gint64 *ret_at_ms)
{
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    char month[4] = "";
    int day, year, hour, minute, second;
    const char *comma = strchr(text, ',');
    if (!comma || sscanf(comma + 1, " %2d %3s %4d %2d:%2d:%2d GMT", &day, month, &year, &hour,
                         &minute, &second) != 6)
        return false;
    const char *found = strlen(month) == 3 ? strstr(months, month) : NULL;
    if (!found || (found - months) % 3 != 0)
        return false;
    g_autoptr(GDateTime) date =
        g_date_time_new_utc(year, (int)(found - months) / 3 + 1, day, hour, minute, second);
    if (!date)
        return false;
    *ret_at_ms = g_date_time_to_unix(date) * 1000;
    return true;
}

gint64 transport_header_delay_ms(const HttpResponse *response, const char *name, gint64 now_ms)
{
    const char *text = http_response_header(response, name);
    if (!text || !*text)
        return -1;
    char *end = NULL;
    double number = g_ascii_strtod(text, &end);
    double delay;
    gint64 date_ms;
    if (end != text && *end == '\0' && isfinite(number)) {
        bool is_ms = g_str_has_suffix(name, "-ms");
        if (number > 1e12) // milliseconds since the epoch
            delay = number - (double)now_ms;
        else if (number > 1e9 && !is_ms) // seconds since the epoch
            delay = number * 1000 - (double)now_ms;
        else
            delay = is_ms ? number : number * 1000;
    } else if (parse_http_date(text, &date_ms)) {
        delay = (double)(date_ms - now_ms);
    } else {
        return -1;
    }
    return (gint64)(CLAMP(delay, 0.0, TRANSPORT_MAX_DELAY_MS) + 0.5);
}

/* The word that tells kinds of errors apart; text or number in other people's JSON. */
static char *error_kind(const json_t *error)
{
    static const char *const keys[] = { "code", "type", "status" };
    for (size_t i = 0; i < G_N_ELEMENTS(keys); i++) {
        const json_t *value = json_object_get(error, keys[i]);
        if (json_is_string(value) && json_string_length(value) > 0)
            return utf8_ellipsize(json_string_value(value), 100);
        if (json_is_integer(value))
            return g_strdup_printf("%" JSON_INTEGER_FORMAT, json_integer_value(value));
    }
    return NULL;
}

static const char *first_text(const json_t *object)
{
    static const char *const keys[] = { "message", "detail", "error", "msg" };
    for (size_t i = 0; i < G_N_ELEMENTS(keys); i++) {
        const char *text = json_get_text(object, keys[i]);
        if (text && *text)
            return text;
    }
    return NULL;
}

char *transport_error_message(const json_t *body)
{
    if (json_is_array(body)) // Google's
        body = json_array_get(body, 0);
    const json_t *error = json_get_object(body, "error");
    if (!error)
        error = body;
    const char *message = first_text(error);
    g_autofree char *kind = error_kind(error);
    if (!message && !json_get_object(body, "error"))
        return NULL; // "type" alone is no message
    // what a router passes on of the server behind it
    const json_t *metadata = json_get_object(error, "metadata");
    const char *raw = json_get_text(metadata, "raw");

    GString *text = g_string_new(message ? message : "error");
    if (raw && *raw)
        g_string_append_printf(text, ": %s", raw);
    if (kind && !strstr(text->str, kind))
        g_string_append_printf(text, " (%s)", kind);
    char *shown = utf8_ellipsize(text->str, TRANSPORT_TEXT_CHARS);
    g_string_free(text, TRUE);
    return shown;
}

/* The message in a body of any kind; NULL when it is blank. */
static char *body_message(const char *data, size_t size)
{
    g_autoptr(json_t) json = NULL;
    char *message = NULL;
    if (json_parse(data, size, &json, NULL))
        message = transport_error_message(json);
    if (message)
        return message;
    g_autofree char *text = utf8_from_bytes(data, size);
    g_strstrip(text);
    if (!*text)
        return NULL;
    if (*text == '<')
        return g_strdup("the server answered with a web page");
    return utf8_ellipsize(text, TRANSPORT_TEXT_CHARS);
}

/* "14:05", or "2026-03-04 14:05" when that is another day. Caller frees. */
static char *local_time_text(gint64 at_ms, gint64 now_ms)
{
    struct tm at, now;
    if (!time_to_local((time_t)(at_ms / 1000), &at) ||
        !time_to_local((time_t)(now_ms / 1000), &now))
        return time_format_iso(at_ms);
    bool is_today = at.tm_year == now.tm_year && at.tm_yday == now.tm_yday;
    char text[64];
    strftime(text, sizeof text, is_today ? "%H:%M" : "%Y-%m-%d %H:%M", &at);
    return g_strdup(text);
}

static void append_try_again(GString *text, gint64 delay_ms, gint64 max_wait_ms, gint64 now_ms)
{
    // up to the next minute: at that time it must work
    gint64 minutes = (delay_ms + 59999) / 60000;
    gint64 at_ms = (now_ms + delay_ms + 59999) / 60000 * 60000;
    g_autofree char *at = local_time_text(at_ms, now_ms);
    g_string_append_printf(text,
                           ". Try again after %s (in %" G_GINT64_FORMAT
                           " min); retry.maxWait is %" G_GINT64_FORMAT " s.",
                           at, minutes, max_wait_ms / 1000);
}

char *transport_status_text(const HttpResponse *response, gint64 max_wait_ms, gint64 now_ms)
{
    static const char *const names[] = { "retry-after", "x-ratelimit-reset-ms",
                                         "x-ratelimit-reset" };
    gint64 delay_ms = -1;
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
        delay_ms = MAX(delay_ms, transport_header_delay_ms(response, names[i], now_ms));

    GString *text = g_string_new(NULL);
    g_string_printf(text, "HTTP %d", response->status);
    g_autofree char *message =
        response->body ? body_message(response->body, response->body_size) : NULL;
    if (message)
        g_string_append_printf(text, ": %s", message);
    else
        g_string_append(text, " (no body)");
    if (delay_ms >= 0)
        g_string_append_printf(text, " retry-after-ms=%" G_GINT64_FORMAT, delay_ms);
    if (max_wait_ms > 0 && delay_ms > max_wait_ms)
        append_try_again(text, delay_ms, max_wait_ms, now_ms);
    return g_string_free(text, FALSE);
}

/* A 2xx answer has ended. */
static bool reception_finish(Reception *self, const HttpResponse *response, GError **error)
{
    if (self->request->is_complete && *self->request->is_complete)
        return true;
    if (!sse_parser_finish(self->parser, error))
        return false;
    const char *type = http_response_header(response, "content-type");
    if (self->has_events || !type || strstr(type, "event-stream"))
        return true; // what is missing the wire format will say
    g_autofree char *message = body_message(self->head->str, self->head->len);
    return fail_with(error, KEDGE_ERROR_PROTOCOL, "HTTP %d: %s", response->status,
                     message ? message : "the answer is no event stream");
}

bool transport_stream(HttpClient *http, const TransportRequest *request, Cancel *cancel,
                      GError **error)
{
    g_auto(Reception) reception = { .request = request, .head = g_string_new(NULL) };
    reception.received_at = time_monotonic_ms();
    reception.parser = sse_parser_new(on_event, &reception);
    const HttpRequest post = {
        .method = "POST",
        .url = request->url,
        .headers = request->headers,
        .body = request->body,
        .body_size = request->body_size,
        .first_byte_timeout_ms = env_int("STREAM_FIRST_EVENT_TIMEOUT_MS", TRANSPORT_FIRST_EVENT_MS),
        .idle_timeout_ms = env_int("STREAM_IDLE_TIMEOUT_MS", TRANSPORT_IDLE_MS),
        .gather_ms = TRANSPORT_GATHER_MS,
        .max_body_bytes =
            SIZE_MAX, // pings may go on for hours; each event and the message are bounded
        .on_body = on_body,
        .user_data = &reception,
        .is_complete = request->is_complete,
    };
    g_auto(HttpResponse) response = { 0 };
    if (!http_request(http, &post, cancel, &response, error))
        return false;
    if (response.status >= 200 && response.status < 300)
        return reception_finish(&reception, &response, error);
    g_autofree char *text = transport_status_text(&response, request->max_wait_ms, time_now_ms());
    return fail_with(error, KEDGE_ERROR_FAILED, "%s", text);
}
