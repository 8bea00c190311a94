/*
 * model/transport.c, provider.c and provider_errors.c: failures, retries, watchdogs, abort, and
 * whole requests against a server in this process.
 */
#include "base/str.h"
#include "model_fixture.h"

#include "base/timefmt.h"
#include "http_server.h"
#include "model/transport.h"

#define KEY  "sk-test-0123456789"
#define HEAD "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
#define ANSWER_START                                                                               \
    "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m\"}}\n\n"      \
    "data: "                                                                                       \
    "{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":" \
    "\"\"}}\n\n"                                                                                   \
    "data: "                                                                                       \
    "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":"   \
    "\"par\"}}\n\n"
#define ANSWER_END                                                                                 \
    "data: "                                                                                       \
    "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":"   \
    "\"tial\"}}\n\n"                                                                               \
    "data: {\"type\":\"content_block_stop\",\"index\":0}\n\n"                                      \
    "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}\n\n"              \
    "data: {\"type\":\"message_stop\"}\n\n"
typedef enum {
    SCRIPT_ANSWER,
    SCRIPT_OPEN_END, // the answer, then the connection stays open
    SCRIPT_CUT,
    SCRIPT_SILENT,
    SCRIPT_STALL,
    SCRIPT_LIMITED,
    SCRIPT_LIMITED_LONG,
    SCRIPT_JSON,
    SCRIPT_TOO_LONG,
    SCRIPT_NO_BODY,
    SCRIPT_COMMENTS, // and nothing else, after the first piece
    SCRIPT_EMPTY_PIECES,
    SCRIPT_EMPTY_BLOCKS,
    SCRIPT_SLOW, // longer than a silence may be, with something in each
} Script;

static void send_json(int fd, const char *head, const char *body)
{
    g_autofree char *text = g_strdup_printf(
        "HTTP/1.1 %s\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s", head,
        strlen(body), body);
    test_send_text(fd, text);
}

static void send_429(int fd, const char *retry_after)
{
    g_autofree char *head = g_strdup_printf("429 Too Many\r\nRetry-After: %s", retry_after);
    send_json(fd, head, "{\"error\":{\"message\":\"Slow down " KEY "\",\"type\":\"rate_limit\"}}");
}

static void send_again_and_again(TestServer *server, int fd, const char *text)
{
    test_send_text(fd, HEAD ANSWER_START);
    for (int i = 0; i < 300; i++) {
        test_send_text(fd, text);
        test_server_sleep(server, 20);
    }
}

static bool serve(TestServer *server, int fd, const char *request G_GNUC_UNUSED,
                  unsigned number G_GNUC_UNUSED)
{
    switch (*(Script *)server->data) {
    case SCRIPT_ANSWER:
        test_send_text(fd, HEAD ANSWER_START);
        test_server_sleep(server, 10);
        test_send_text(fd, ANSWER_END);
        return false;
    case SCRIPT_OPEN_END:
        test_send_text(fd, HEAD ANSWER_START ANSWER_END);
        test_server_wait(server, fd, 10000);
        return false;
    case SCRIPT_CUT:
        test_send_text(fd, "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n" ANSWER_START);
        return false;
    case SCRIPT_STALL:
        test_send_text(fd, HEAD ANSWER_START);
        test_server_wait(server, fd, 10000);
        return false;
    case SCRIPT_SILENT:
        test_server_wait(server, fd, 10000);
        return false;
    case SCRIPT_LIMITED:
        send_429(fd, "0");
        return true;
    case SCRIPT_LIMITED_LONG:
        send_429(fd, "61");
        return true;
    case SCRIPT_JSON:
        send_json(fd, "200 OK", "{\"error\":{\"message\":\"not today\"}}");
        return true;
    case SCRIPT_TOO_LONG:
        send_json(fd, "400 Bad Request",
                  "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\","
                  "\"message\":\"prompt is too long: 9 > 8\"}}");
        return true;
    case SCRIPT_COMMENTS:
        send_again_and_again(server, fd, ": k\n\n");
        return false;
    case SCRIPT_EMPTY_PIECES:
        send_again_and_again(server, fd,
                             "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":"
                             "{\"type\":\"text_delta\",\"text\":\"\"}}\n\n");
        return false;
    case SCRIPT_EMPTY_BLOCKS:
        send_again_and_again(server, fd,
                             "data: {\"type\":\"content_block_start\",\"index\":1,"
                             "\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n"
                             "data: {\"type\":\"content_block_stop\",\"index\":1}\n\n");
        return false;
    case SCRIPT_SLOW:
        test_send_text(fd, HEAD ANSWER_START);
        for (int i = 0; i < 4; i++) {
            test_server_sleep(server, 100);
            test_send_text(fd, "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":"
                               "{\"type\":\"text_delta\",\"text\":\".\"}}\n\n");
        }
        test_send_text(fd, ANSWER_END);
        return false;
    case SCRIPT_NO_BODY:
        test_send_text(fd, "HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n");
        return true;
    }
    return false;
}

/* The message of one request to a server that keeps to the script. */
static json_t *run(Script script, Cancel *cancel, ProviderEventFunc on_event, void *data,
                   unsigned *ret_requests)
{
    g_autoptr(HttpClient) http = http_client_new();
    TestServer *server = test_server_start(serve, &script);
    g_autoptr(Model) model = test_model(MODEL_API_ANTHROPIC_MESSAGES);
    g_free(model->base_url);
    model->base_url = test_server_url(server, "");
    model->headers = json_of("{'X-Team':'core','ACCEPT':'text/x'}");
    g_autoptr(json_t) messages = json_of("[{'role':'user','content':'hi'}]");
    const ProviderRequest request = {
        .model = model,
        .api_key = KEY,
        .messages = messages,
        .max_retry_wait_ms = 60000,
        .max_silence_ms = script >= SCRIPT_COMMENTS ? 300 : 0,
    };
    json_t *message = provider_stream(http, &request, cancel, on_event, data);
    if (ret_requests)
        *ret_requests = test_server_count(server, &server->requests->len);
    test_server_stop(server);
    return message;
}

static void test_scripts(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name;
        Script script;
        const char *reason, *text, *error;
        unsigned requests;
        bool is_retryable;
    } cases[] = {
        { "answer", SCRIPT_ANSWER, "stop", "partial", NULL, 1, false },
        { "connection left open", SCRIPT_OPEN_END, "stop", "partial", NULL, 1, false },
        { "cut", SCRIPT_CUT, "error", "par",
          "Anthropic stream envelope error: connection error: ", 1, true },
        { "silent", SCRIPT_SILENT, "error", "",
          "the request timed out while waiting for the first event", 1, true },
        { "stall", SCRIPT_STALL, "error", "par",
          "the stream stalled while waiting for the next event", 1, true },
        { "limited", SCRIPT_LIMITED, "error", "",
          "HTTP 429: Slow down [REDACTED] (rate_limit) retry-after-ms=0", 1, true },
        { "limited for long", SCRIPT_LIMITED_LONG, "error", "",
          "HTTP 429: Slow down [REDACTED] (rate_limit) retry-after-ms=61000. Try again after ", 1,
          true },
        { "no stream", SCRIPT_JSON, "error", "", "HTTP 200: not today", 1, false },
        { "core-39, the error", SCRIPT_TOO_LONG, "error", "",
          "HTTP 400: prompt is too long: 9 > 8 (invalid_request_error)", 1, false },
        { "no body", SCRIPT_NO_BODY, "error", "", "HTTP 413 (no body)", 1, false },
    };
    g_setenv("KEDGE_STREAM_FIRST_EVENT_TIMEOUT_MS", "150", TRUE);
    g_setenv("KEDGE_STREAM_IDLE_TIMEOUT_MS", "150", TRUE);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        unsigned requests = 0;
        g_autoptr(json_t) message = run(cases[i].script, NULL, NULL, NULL, &requests);
        g_autofree char *text = message_text(message);
        const char *error = message_error(message);
        if (strcmp(message_stop_reason(message), cases[i].reason) != 0 ||
            strcmp(text, cases[i].text) != 0 || (error == NULL) != (cases[i].error == NULL) ||
            (error && !str_has_prefix(error, cases[i].error)) || requests != cases[i].requests)
            fail_msg("%s: got %s, '%s', '%s' after %u requests", cases[i].name,
                     message_stop_reason(message), text, error, requests);
        if (provider_error_is_retryable(error) != cases[i].is_retryable)
            fail_msg("%s: retryable is wrong", cases[i].name);
    }
    clean_environment();
}

/* What shows that a server lives is no answer. */
static void test_silence(void **state G_GNUC_UNUSED)
{
    static const Script scripts[] = { SCRIPT_COMMENTS, SCRIPT_EMPTY_PIECES, SCRIPT_EMPTY_BLOCKS };
    for (size_t i = 0; i < G_N_ELEMENTS(scripts); i++) {
        gint64 start = time_monotonic_ms();
        g_autoptr(json_t) message = run(scripts[i], NULL, NULL, NULL, NULL);
        assert_true(time_monotonic_ms() - start < 5000);
        g_autofree char *text = message_text(message);
        assert_true(str_has_prefix(text, "par")); // what had come is kept
        assert_non_null(strstr(message_error(message), "the setting retry.maxSilence"));
        assert_false(provider_error_is_retryable(message_error(message)));
    }
    g_autoptr(json_t) slow = run(SCRIPT_SLOW, NULL, NULL, NULL, NULL);
    assert_string_equal(message_stop_reason(slow), "stop");
}

static void fire_at_delta(const json_t *event, ModelStream *stream, void *cancel)
{
    if (strcmp(json_get_text(event, "type"), "text_delta") != 0)
        return;
    g_autofree char *text = message_text(model_stream_message(stream));
    assert_string_equal(text, "par");
    cancel_fire(cancel);
}

static void test_abort(void **state G_GNUC_UNUSED)
{
    // core-40
    g_autoptr(Cancel) cancel = cancel_new(NULL);
    gint64 start = time_monotonic_ms();
    g_autoptr(json_t) message = run(SCRIPT_STALL, cancel, fire_at_delta, cancel, NULL);
    assert_true(time_monotonic_ms() - start < 5000);
    assert_string_equal(message_stop_reason(message), "aborted");
    assert_string_equal(message_error(message), "Request was aborted");
    g_autofree char *text = message_text(message);
    assert_string_equal(text, "par");
}

static bool keep_request(TestServer *server G_GNUC_UNUSED, int fd,
                         const char *request G_GNUC_UNUSED, unsigned number G_GNUC_UNUSED)
{
    test_send_text(fd, HEAD ANSWER_START ANSWER_END);
    return false;
}

static void test_request(void **state G_GNUC_UNUSED)
{
    g_autoptr(HttpClient) http = http_client_new();
    TestServer *server = test_server_start(keep_request, NULL);
    g_autoptr(Model) model = test_model(MODEL_API_ANTHROPIC_MESSAGES);
    g_free(model->base_url);
    model->base_url = test_server_url(server, "/v1");
    model->headers = json_of("{'X-Team':'core','ACCEPT':'text/x'}");
    g_autoptr(json_t) messages = json_array();
    json_append_take(messages, message_user("bad \xff byte")); // core-41
    const ProviderRequest request = { .model = model, .api_key = KEY, .messages = messages };
    g_autoptr(json_t) message = provider_stream(http, &request, NULL, NULL, NULL);
    assert_string_equal(message_stop_reason(message), "stop");
    g_autofree char *sent = test_server_request(server, 1);
    test_server_stop(server);
    assert_true(str_has_prefix(sent, "POST /v1/messages HTTP/1.1\r\n"));
    static const char *const wanted[] = {
        "\r\nauthorization: Bearer " KEY "\r\n",
        "\r\nuser-agent: kedge/" KEDGE_VERSION "\r\n",
        "\r\nX-Team: core\r\n",
        "\r\nACCEPT: text/x\r\n",
        "\r\nanthropic-version: 2023-06-01\r\n",
        "bad \xef\xbf\xbd byte",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(wanted); i++) {
        if (!strstr(sent, wanted[i]))
            fail_msg("'%s' is not in '%s'", wanted[i], sent);
    }
    assert_null(strstr(sent, "text/event-stream"));
    assert_null(strstr(sent, "x-api-key")); // one of the two, never both
    assert_true(g_utf8_validate(sent, -1, NULL));
}

static void test_delays(void **state G_GNUC_UNUSED)
{
    const gint64 now = 1772600000000; // 2026-03-04T04:53:20Z
    static const struct {
        const char *header, *name;
        gint64 want;
    } cases[] = {
        { "retry-after: 1", "retry-after", 1000 },
        { "retry-after: 0.5", "retry-after", 500 },
        { "retry-after: Wed, 04 Mar 2026 04:54:20 GMT", "retry-after", 60000 },
        { "retry-after: Wed, 04 Mar 2026 04:00:00 GMT", "retry-after", 0 },
        { "retry-after: -5", "retry-after", 0 },
        { "retry-after: 99999999", "retry-after", 7 * 24 * 3600 * 1000LL },
        { "retry-after: soon", "retry-after", -1 },
        { "retry-after: Wed, 04 Mrz 2026 04:54:20 GMT", "retry-after", -1 },
        { "retry-after: nan", "retry-after", -1 },
        { "retry-after:", "retry-after", -1 },
        { "x-other: 1", "retry-after", -1 },
        { "x-ratelimit-reset: 1772600030", "x-ratelimit-reset", 30000 },
        { "x-ratelimit-reset: 1772600005000", "x-ratelimit-reset", 5000 },
        { "x-ratelimit-reset: 12", "x-ratelimit-reset", 12000 },
        { "x-ratelimit-reset-ms: 1500", "x-ratelimit-reset-ms", 1500 },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        char *headers[] = { (char *)cases[i].header, NULL };
        const HttpResponse response = { .status = 429, .headers = headers };
        gint64 got = transport_header_delay_ms(&response, cases[i].name, now);
        if (got != cases[i].want)
            fail_msg("%s: got %" G_GINT64_FORMAT, cases[i].header, got);
    }
    char *both[] = { (char *)"retry-after: 2", (char *)"x-ratelimit-reset-ms: 9000", NULL };
    const HttpResponse response = { .status = 503, .headers = both };
    g_autofree char *text = transport_status_text(&response, 9000, now);
    assert_string_equal(text, "HTTP 503 (no body) retry-after-ms=9000");
    g_autofree char *unknown = transport_status_text(&response, 0, now);
    assert_string_equal(unknown, text);
    assert_int_equal(provider_error_retry_after_ms(text), 9000);
    assert_int_equal(provider_error_retry_after_ms("nothing"), 0);
    assert_int_equal(provider_error_retry_after_ms(NULL), 0);
}

/* core-119: 2026-03-04T04:53:20Z is `now`, and the server wants an hour, a day, a moment. */
static void test_long_delays(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *header, *want;
    } cases[] = {
        { "retry-after: 3600", "HTTP 429 (no body) retry-after-ms=3600000. Try again after 10:54 "
                               "(in 60 min); retry.maxWait is 60 s." },
        { "retry-after: 86400",
          "HTTP 429 (no body) retry-after-ms=86400000. Try again after 2026-03-05 09:54 "
          "(in 1440 min); retry.maxWait is 60 s." },
        { "retry-after: 61", "HTTP 429 (no body) retry-after-ms=61000. Try again after 09:55 "
                             "(in 2 min); retry.maxWait is 60 s." },
        { "retry-after: 60", "HTTP 429 (no body) retry-after-ms=60000" },
    };
    g_setenv("TZ", "XXX-5", TRUE); // five hours east, whatever zones are installed
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        char *headers[] = { (char *)cases[i].header, NULL };
        const HttpResponse response = { .status = 429, .headers = headers };
        g_autofree char *text = transport_status_text(&response, 60000, 1772600001000);
        assert_string_equal(text, cases[i].want);
    }
    g_unsetenv("TZ");
}

static void test_error_bodies(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *body, *want;
    } cases[] = {
        { "{\"type\":\"error\",\"error\":{\"type\":\"a_error\",\"message\":\"M\"}}",
          "HTTP 500: M (a_error)" },
        { "{\"error\":{\"message\":\"M\",\"type\":\"t\",\"code\":\"c\"}}", "HTTP 500: M (c)" },
        { "{\"error\":{\"message\":\"M about c\",\"code\":\"c\"}}", "HTTP 500: M about c" },
        { "{\"error\":\"plain\"}", "HTTP 500: plain" },
        { "{\"message\":\"M\"}", "HTTP 500: M" },
        { "{\"detail\":\"D\"}", "HTTP 500: D" },
        { "[{\"error\":{\"code\":400,\"message\":\"M\",\"status\":\"S\"}}]", "HTTP 500: M (400)" },
        { "{\"error\":{\"message\":\"Provider returned "
          "error\",\"code\":429,\"metadata\":{\"raw\":\"why\"}}}",
          "HTTP 500: Provider returned error: why (429)" },
        { "<html>oops</html>", "HTTP 500: the server answered with a web page" },
        { "  gone \n", "HTTP 500: gone" },
        { "bad \xff byte", "HTTP 500: bad \xef\xbf\xbd byte" },
        { "{}", "HTTP 500: {}" },
        { "", "HTTP 500 (no body)" },
        { " \n", "HTTP 500 (no body)" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        const HttpResponse response = { .status = 500,
                                        .body = (char *)cases[i].body,
                                        .body_size = strlen(cases[i].body) };
        g_autofree char *got = transport_status_text(&response, 0, 0);
        if (strcmp(got, cases[i].want) != 0)
            fail_msg("%s: got '%s'", cases[i].body, got);
    }
    g_autofree char *huge = g_strnfill(50000, 'x');
    const HttpResponse response = { .status = 500, .body = huge, .body_size = strlen(huge) };
    g_autofree char *cut = transport_status_text(&response, 0, 0);
    assert_true(strlen(cut) < 2100);
}

static void test_classes(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *text;
        bool is_overflow, is_retryable;
    } cases[] = {
        { "HTTP 400: prompt is too long: 12000 tokens > 10000 maximum", true, false },
        { "HTTP 400: This model's maximum context length is 8192 tokens", true, false },
        { "Input token count of 5 exceeds the maximum", true, false },
        { "HTTP 413 (no body)", true, false },
        { "HTTP 413: the server answered with a web page", true, false },
        { "HTTP 400 (no body) retry-after-ms=5", true, false },
        { "HTTP 413: big (request_too_large)", true, false },
        { "the request exceeds the available context size", true, false },
        { "Anthropic stop_reason: model_context_window_exceeded", true, false },
        { "HTTP 429: too many tokens", true, false },
        { "HTTP 404 (no body)", false, false },
        { "HTTP 429: Slow down", false, true },
        { "HTTP 529: Overloaded (overloaded_error)", false, true },
        { "HTTP 408: x", false, true },
        { "HTTP 500 (no body)", false, true },
        { "HTTP 401: invalid key", false, false },
        { "HTTP 400: your rate limit of 500 is odd", false, false },
        { "Overloaded (overloaded_error)", false, true },
        { "connection error: Failed to connect", false, true },
        { "the request timed out while waiting for the first event (100000 ms)", false, true },
        { "the stream stalled while waiting for the next event (120000 ms)", false, true },
        { "Anthropic stream envelope error: the stream ended before message_stop", false, true },
        { "the stream ended early: neither a finish_reason nor [DONE]", false, true },
        { "Upstream died (502)", false, true },
        { "you asked for 5000 lines", false, false },
        { "you have exceeded your usage limit", false, true },
        { "Quota exceeded", false, true },
        { "Provider finish_reason: content_filter", false, false },
        { "Refusal", false, false },
        { "Request was aborted", false, false },
        { NULL, false, false },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        if (provider_error_is_overflow(cases[i].text) != cases[i].is_overflow)
            fail_msg("overflow: %s", cases[i].text);
        if (provider_error_is_retryable(cases[i].text) != cases[i].is_retryable)
            fail_msg("retryable: %s", cases[i].text);
    }
}

/* Bytes that are too many, and the limit that is named: as servers and proxies say it. */
static void test_too_large(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *text;
        bool is_too_large;
        size_t limit;
    } cases[] = {
        { "HTTP 413: the server answered with a web page", true, 0 },
        { "HTTP 413 (no body)", true, 0 },
        { "HTTP 413: Request exceeds the maximum size (request_too_large)", true, 0 },
        { "HTTP 413: Maximum content size limit (26214400) exceeded (26428490 bytes read)", true,
          26214400 },
        { "HTTP 400: Request payload size exceeds the limit: 20971520 bytes.", true, 20971520 },
        { "HTTP 400: Request size is too large. Request size is 30 MB. Max size is 20 MB", true,
          20000000 },
        { "HTTP 413: Body exceeded 1 MB limit", true, 1000000 },
        { "HTTP 500: PayloadTooLargeError: request entity too large", true, 0 },
        { "HTTP 413: Request too large for model `x` on tokens per minute (TPM): Limit 6000", false,
          6000 },
        { "HTTP 400: prompt is too long: 12000 tokens > 10000 maximum", false, 0 },
        { "HTTP 400: image exceeds 5 MB maximum: 5316852 bytes > 5242880 bytes", false, 5316852 },
        { "HTTP 413: limit 99999999999999999999999", true, 0 },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        size_t limit = provider_error_byte_limit(cases[i].text);
        if (provider_error_is_too_large(cases[i].text) != cases[i].is_too_large ||
            limit != cases[i].limit)
            fail_msg("%s: %zu", cases[i].text, limit);
        if (cases[i].is_too_large && (!provider_error_is_overflow(cases[i].text) ||
                                      provider_error_is_retryable(cases[i].text)))
            fail_msg("another class: %s", cases[i].text);
    }
}

/* An end that the wire does not know is none that says what is wrong with the answer. */
static void test_odd_ends(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *text;
        bool is_odd;
    } cases[] = {
        { "Provider finish_reason: eos_token", true },
        { "Provider finishReason: OTHER", true },
        { "Anthropic stop_reason: something_new", true },
        { "Provider finish_reason: content_filter", false },
        { "Provider finishReason: SAFETY: blocked", false },
        { "Provider finishReason: IMAGE_SAFETY", false },
        { "Provider finishReason: PROHIBITED_CONTENT", false },
        { "Provider finishReason: MALFORMED_FUNCTION_CALL", false },
        { "Anthropic stop_reason: model_context_window_exceeded", false },
        { "HTTP 500: Provider finish_reason: x", false },
        { NULL, false },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        if (provider_error_is_odd_end(cases[i].text) != cases[i].is_odd)
            fail_msg("%s", cases[i].text);
    }
}

/* User and assistant have to take turns: no retry would help. */
static void test_of_roles(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *text;
        bool is_of_roles;
    } cases[] = {
        { "HTTP 400: Conversation roles must alternate user/assistant/user/assistant/...", true },
        { "HTTP 500: Conversation roles must alternate user/assistant/user/assistant/...", true },
        { "HTTP 500: After the optional system message, conversation roles must alternate user and "
          "assistant roles except for tool calls and results.",
          true },
        { "HTTP 400: messages: roles must alternate between \"user\" and \"assistant\"", true },
        { "HTTP 400: user or tool message(s) should alternate with assistant message(s).", true },
        { "HTTP 400: Unexpected role 'user' after role 'tool'", true },
        { "HTTP 400: Expected last role User or Tool but got assistant", true },
        { "HTTP 422: consecutive messages of one role are not allowed", true },
        { "Error rendering prompt: Conversation roles must alternate user/assistant", true },
        { "HTTP 500: role arn:x could not be assumed after 3 tries", false },
        { "HTTP 503: no messages; an alternative model may help", false },
        { "HTTP 429: too many consecutive messages", false },
        { "HTTP 401: roles must alternate", false },
        { "HTTP 400: prompt is too long", false },
        { NULL, false },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        if (provider_error_is_of_roles(cases[i].text) != cases[i].is_of_roles)
            fail_msg("%s", cases[i].text);
        if (cases[i].is_of_roles && provider_error_is_retryable(cases[i].text))
            fail_msg("retryable: %s", cases[i].text);
    }
}

static void test_refused_keys(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *text;
        bool is_refused;
    } cases[] = {
        { "HTTP 401: invalid x-api-key (authentication_error)", true },
        { "HTTP 401 (no body)", true },
        { "HTTP 400: API key not valid. Please pass a valid API key. (INVALID_ARGUMENT)", true },
        { "HTTP 400: API key expired. Please renew the API key. (INVALID_ARGUMENT)", true },
        { "HTTP 403: Your API key was reported as leaked. (PERMISSION_DENIED)", true },
        { "HTTP 403: Your credit is used up (permission_error)", false },
        { "HTTP 400: invalid model (invalid_request_error)", false },
        { "HTTP 429: API key invalid", false },
        { "HTTP 500: invalid api key", false },
        { "invalid api key", false },
        { NULL, false },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        if (provider_error_is_refused_key(cases[i].text) != cases[i].is_refused)
            fail_msg("refused key: %s", cases[i].text);
    }
}

int main(void)
{
    clean_environment();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scripts),      cmocka_unit_test(test_long_delays),
        cmocka_unit_test(test_silence),      cmocka_unit_test(test_abort),
        cmocka_unit_test(test_request),      cmocka_unit_test(test_delays),
        cmocka_unit_test(test_error_bodies), cmocka_unit_test(test_classes),
        cmocka_unit_test(test_too_large),    cmocka_unit_test(test_of_roles),
        cmocka_unit_test(test_odd_ends),     cmocka_unit_test(test_refused_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
