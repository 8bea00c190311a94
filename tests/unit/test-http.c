/*
 * base/http.c against a server in this process.
 */
#include "base/str.h"
#include "unit.h"

#include "base/http.h"
#include "base/limits.h"
#include "base/timefmt.h"
#include "http_server.h"

#define OK_HEAD "HTTP/1.1 200 OK\r\nContent-Length: "

/* Answers that are always the same. */
static const struct {
    const char *path, *answer;
    bool is_kept_open;
} answers[] = {
    { "/hello ", OK_HEAD "5\r\nX-Odd-Name:  some value \r\n\r\nhello", true },
    { "/informed ", "HTTP/1.1 103 Early Hints\r\nX-A: 1\r\n\r\n" OK_HEAD "2\r\n\r\nok", true },
    { "/429 ", "HTTP/1.1 429 No\r\nRetry-After: 1\r\nContent-Length: 9\r\n\r\nslow down", true },
    { "/302 ", "HTTP/1.1 302 Found\r\nLocation: /hello\r\nContent-Length: 0\r\n\r\n", true },
    { "/dropped ", OK_HEAD "100\r\n\r\npart", false },
    { "/garbage ", "what is this?\r\n\r\n\x01\x02", false },
};

static void send_big_error(int fd)
{
    g_autofree char *body = g_strnfill(4 * LIMIT_HTTP_ERROR_BYTES, 'e');
    test_send_text(fd, "HTTP/1.1 500 No\r\nConnection: close\r\n\r\n");
    test_send_text(fd, body);
}

static void send_headers(int fd, int count, size_t size)
{
    g_autofree char *value = g_strnfill(size, 'h');
    test_send_text(fd, "HTTP/1.1 200 OK\r\n");
    for (int i = 0; i < count; i++) {
        g_autofree char *line = g_strdup_printf("X-%d: %s\r\n", i, value);
        test_send_text(fd, line);
    }
    test_send_text(fd, "Content-Length: 0\r\n\r\n");
}

/* Sends `text`, and no more until the client goes away. */
static void stall(TestServer *server, int fd, const char *text)
{
    test_send_text(fd, text);
    char byte;
    if (test_server_wait(server, fd, 10000) && recv(fd, &byte, 1, 0) <= 0) {
        pthread_mutex_lock(&server->lock);
        server->hangups++;
        pthread_mutex_unlock(&server->lock);
    }
}

static bool serve(TestServer *server, int fd, const char *request, unsigned number G_GNUC_UNUSED)
{
    const char *path = strchr(request, ' ') + 1;
    for (size_t i = 0; i < G_N_ELEMENTS(answers); i++) {
        if (str_has_prefix(path, answers[i].path)) {
            test_send_text(fd, answers[i].answer);
            return answers[i].is_kept_open;
        }
    }
    if (str_has_prefix(path, "/pieces ")) {
        test_send_text(fd, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n");
        test_server_sleep(server, 20);
        test_send_text(fd, "3\r\ntwo\r\n0\r\n\r\n");
        return true;
    }
    if (str_has_prefix(path, "/trickle ")) {
        test_send_text(fd, OK_HEAD "100\r\n\r\n");
        for (int i = 0; i < 100; i++) {
            test_send_text(fd, "x");
            test_server_sleep(server, 3);
        }
        return true;
    }
    if (str_has_prefix(path, "/big-error "))
        send_big_error(fd);
    else if (str_has_prefix(path, "/many-headers "))
        send_headers(fd, 200, 4096);
    else if (str_has_prefix(path, "/long-header "))
        send_headers(fd, 1, LIMIT_HTTP_HEADER_BYTES + 1);
    else if (str_has_prefix(path, "/silent "))
        stall(server, fd, "");
    else if (str_has_prefix(path, "/stalls "))
        stall(server, fd, OK_HEAD "100\r\n\r\npart");
    else if (str_has_prefix(path, "/slow-error "))
        stall(server, fd, "HTTP/1.1 500 No\r\nContent-Length: 100\r\n\r\npart");
    return false;
}

typedef struct Fixture {
    TestServer *server;
    HttpClient *client;
} Fixture;

static int setup(void **state)
{
    Fixture *self = g_new0(Fixture, 1);
    self->server = test_server_start(serve, NULL);
    self->client = http_client_new();
    *state = self;
    return 0;
}

static int teardown(void **state)
{
    Fixture *self = *state;
    http_client_free(self->client);
    test_server_stop(self->server);
    g_free(self);
    return 0;
}

/* `request`'s url is set here. */
static bool ask(Fixture *self, const char *path, HttpRequest request, Cancel *cancel,
                HttpResponse *ret_response, GError **error)
{
    g_autofree char *url = test_server_url(self->server, path);
    request.url = url;
    return http_request(self->client, &request, cancel, ret_response, error);
}

static void assert_fails(Fixture *self, const char *path, HttpRequest request, KedgeError code,
                         const char *text)
{
    g_auto(HttpResponse) response = { 0 };
    g_autoptr(GError) error = NULL;
    if (ask(self, path, request, NULL, &response, &error))
        fail_msg("%s: no error", path);
    if (!error_is(error, code) || !strstr(error->message, text))
        fail_msg("%s: got '%s' (%d), want '%s' (%d)", path, error->message, error->code, text,
                 code);
    assert_null(response.body);
}

static void test_get(void **state)
{
    g_auto(HttpResponse) response = { 0 };
    assert_true(ask(*state, "/hello", (HttpRequest) { 0 }, NULL, &response, NULL));
    assert_int_equal(response.status, 200);
    assert_string_equal(response.body, "hello");
    assert_int_equal(response.body_size, 5);
    assert_string_equal(http_response_header(&response, "x-odd-name"), "some value");
    assert_null(http_response_header(&response, "x-odd"));
    assert_null(http_response_header(&response, "etag"));
}

static void test_request_text(void **state)
{
    Fixture *self = *state;
    g_auto(HttpResponse) response = { 0 };
    const HttpRequest request = {
        .headers = (const char *const[]) { "Content-Type: text/x", "X-Mine: 1", NULL },
        .body = "a=1",
        .body_size = 3,
    };
    assert_true(ask(self, "/hello", request, NULL, &response, NULL));
    g_autofree char *sent = test_server_request(self->server, 1);
    assert_true(str_has_prefix(sent, "POST /hello HTTP/1.1\r\n"));
    assert_true(g_str_has_suffix(sent, "\r\n\r\na=1"));
    assert_non_null(strstr(sent, "\r\nX-Mine: 1\r\n"));
    assert_non_null(strstr(sent, "\r\nContent-Type: text/x\r\n"));
    assert_non_null(strstr(sent, "\r\nUser-Agent: kedge/" KEDGE_VERSION "\r\n"));
    assert_null(strstr(sent, "Expect"));

    static const struct {
        HttpRequest request;
        const char *want;
    } methods[] = {
        { { .method = "PATCH", .body = "x", .body_size = 1 }, "PATCH /hello HTTP/1.1\r\n" },
        { { .method = "DELETE" }, "DELETE /hello HTTP/1.1\r\n" },
        { { .method = "POST" }, "POST /hello HTTP/1.1\r\n" },
        { { 0 }, "GET /hello HTTP/1.1\r\n" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(methods); i++) {
        g_auto(HttpResponse) answer = { 0 };
        assert_true(ask(self, "/hello", methods[i].request, NULL, &answer, NULL));
        g_autofree char *text = test_server_request(self->server, (unsigned)i + 2);
        if (!str_has_prefix(text, methods[i].want))
            fail_msg("got '%s'", text);
    }
}

static void test_connection_is_kept(void **state)
{
    Fixture *self = *state;
    for (int i = 0; i < 4; i++) {
        g_auto(HttpResponse) response = { 0 };
        assert_true(
            ask(self, i % 2 ? "/pieces" : "/429", (HttpRequest) { 0 }, NULL, &response, NULL));
    }
    assert_int_equal(test_server_count(self->server, &self->server->connections), 1);
}

typedef struct Nested {
    Fixture *other;
    unsigned calls;
} Nested;

static bool ask_other(const char *data, size_t size, void *nested_, GError **error)
{
    Nested *nested = nested_;
    nested->calls++;
    g_auto(HttpResponse) response = { 0 };
    return ask(nested->other, "/429", (HttpRequest) { 0 }, NULL, &response, error);
}

/* A request to one server leaves the connection to another one to whoever needs it meanwhile. */
static void test_servers_do_not_share(void **state)
{
    Fixture *self = *state;
    Fixture other = { .server = test_server_start(serve, NULL), .client = self->client };
    g_auto(HttpResponse) first = { 0 };
    assert_true(ask(&other, "/429", (HttpRequest) { 0 }, NULL, &first, NULL));
    Nested nested = { .other = &other };
    g_auto(HttpResponse) response = { 0 };
    assert_true(ask(self, "/pieces", (HttpRequest) { .on_body = ask_other, .user_data = &nested },
                    NULL, &response, NULL));
    assert_true(nested.calls > 0);
    assert_int_equal(test_server_count(other.server, &other.server->connections), 1);
    assert_int_equal(test_server_count(self->server, &self->server->connections), 1);
    test_server_stop(other.server);
}

/* However many servers were asked, the last ones' connections are kept. */
static void test_many_servers(void **state)
{
    enum { SERVERS = 12 };
    Fixture *self = *state;
    Fixture others[SERVERS];
    for (int i = 0; i < SERVERS; i++) {
        others[i] = (Fixture) { .server = test_server_start(serve, NULL), .client = self->client };
        g_auto(HttpResponse) response = { 0 };
        assert_true(ask(&others[i], "/429", (HttpRequest) { 0 }, NULL, &response, NULL));
    }
    g_auto(HttpResponse) again = { 0 };
    assert_true(ask(&others[SERVERS - 1], "/429", (HttpRequest) { 0 }, NULL, &again, NULL));
    TestServer *last = others[SERVERS - 1].server;
    assert_int_equal(test_server_count(last, &last->connections), 1);
    for (int i = 0; i < SERVERS; i++)
        test_server_stop(others[i].server);
}

/* What must not go out twice takes a connection of its own, and it is known whether it went out. */
static void test_sent_once(void **state)
{
    Fixture *self = *state;
    bool was_sent = false;
    const HttpRequest once = { .method = "POST", .is_sent_once = true, .was_sent = &was_sent };
    for (unsigned i = 1; i <= 2; i++) {
        g_auto(HttpResponse) response = { 0 };
        assert_true(ask(self, "/429", once, NULL, &response, NULL));
        assert_true(was_sent);
        assert_int_equal(test_server_count(self->server, &self->server->connections), i);
    }
    was_sent = false;
    assert_fails(self, "/dropped", once, KEDGE_ERROR_NETWORK, "connection error: ");
    assert_true(was_sent);

    g_auto(HttpResponse) response = { 0 };
    HttpRequest nobody = once;
    nobody.url = "http://127.0.0.1:1/";
    assert_false(http_request(self->client, &nobody, NULL, &response, NULL));
    assert_false(was_sent);
    g_autoptr(Cancel) fired = cancel_new(NULL);
    cancel_fire(fired);
    was_sent = true;
    assert_false(ask(self, "/429", once, fired, &response, NULL));
    assert_false(was_sent);
}

static bool gather(const char *data, size_t size, void *out, GError **error G_GNUC_UNUSED)
{
    g_string_append_len(out, data, (gssize)size);
    return true;
}

static bool refuse(const char *data G_GNUC_UNUSED, size_t size G_GNUC_UNUSED,
                   void *user_data G_GNUC_UNUSED, GError **error)
{
    return fail_with(error, KEDGE_ERROR_PROTOCOL, "I do not like it");
}

static void test_streaming(void **state)
{
    GString *got = g_string_new(NULL);
    const HttpRequest request = { .on_body = gather, .user_data = got };
    g_auto(HttpResponse) response = { 0 };
    assert_true(ask(*state, "/pieces", request, NULL, &response, NULL));
    assert_string_equal(got->str, "onetwo");
    assert_null(response.body);

    g_auto(HttpResponse) refused = { 0 };
    assert_true(ask(*state, "/429", request, NULL, &refused, NULL));
    assert_string_equal(got->str, "onetwo");
    assert_string_equal(refused.body, "slow down");
    assert_string_equal(http_response_header(&refused, "retry-after"), "1");
    g_string_free(got, TRUE);

    assert_fails(*state, "/pieces", (HttpRequest) { .on_body = refuse }, KEDGE_ERROR_PROTOCOL,
                 "I do not like it");
}

static bool count_pieces(const char *data G_GNUC_UNUSED, size_t size, void *counts_,
                         GError **error G_GNUC_UNUSED)
{
    size_t *counts = counts_;
    counts[0]++;
    counts[1] += size;
    return true;
}

/* The first ones come each by itself. */
static void test_close_pieces_are_gathered(void **state)
{
    size_t counts[2] = { 0 };
    HttpRequest request = { .on_body = count_pieces, .user_data = counts, .gather_ms = 200 };
    g_auto(HttpResponse) response = { 0 };
    assert_true(ask(*state, "/trickle", request, NULL, &response, NULL));
    assert_int_equal(counts[1], 100);
    assert_in_range(counts[0], 1, 50);
}

static void test_statuses(void **state)
{
    g_auto(HttpResponse) informed = { 0 };
    assert_true(ask(*state, "/informed", (HttpRequest) { 0 }, NULL, &informed, NULL));
    assert_int_equal(informed.status, 200);
    assert_null(http_response_header(&informed, "x-a"));

    g_auto(HttpResponse) moved = { 0 };
    assert_true(ask(*state, "/302", (HttpRequest) { 0 }, NULL, &moved, NULL));
    assert_int_equal(moved.status, 302);
    assert_string_equal(moved.body, "");

    g_auto(HttpResponse) broken = { 0 };
    assert_true(ask(*state, "/big-error", (HttpRequest) { 0 }, NULL, &broken, NULL));
    assert_int_equal(broken.status, 500);
    assert_int_equal(broken.body_size, LIMIT_HTTP_ERROR_BYTES);
}

static void test_limits(void **state)
{
    HttpRequest none = { 0 };
    assert_fails(*state, "/many-headers", none, KEDGE_ERROR_LIMIT, "headers");
    assert_fails(*state, "/long-header", none, KEDGE_ERROR_LIMIT, "header");
    assert_fails(*state, "/hello", (HttpRequest) { .max_body_bytes = 4 }, KEDGE_ERROR_LIMIT,
                 "larger than 4 bytes");
}

static void test_failures(void **state)
{
    HttpRequest none = { 0 };
    assert_fails(*state, "/dropped", none, KEDGE_ERROR_NETWORK, "connection error: ");
    assert_fails(*state, "/dropped", none, KEDGE_ERROR_NETWORK, "(127.0.0.1:"); // who it was
    assert_fails(*state, "/garbage", none, KEDGE_ERROR_PROTOCOL, "connection error: ");
    assert_fails(
        *state, "/hello",
        (HttpRequest) { .headers = (const char *const[]) { "X-A: secret\r\nX-B: 2", NULL } },
        KEDGE_ERROR_USAGE, "the header X-A holds a line break");

    Fixture *self = *state;
    static const char *const urls[] = { "ftp://127.0.0.1/x", "file:///etc/passwd", "nonsense" };
    for (size_t i = 0; i < G_N_ELEMENTS(urls); i++) {
        g_auto(HttpResponse) response = { 0 };
        g_autoptr(GError) error = NULL;
        const HttpRequest request = { .url = urls[i] };
        assert_false(http_request(self->client, &request, NULL, &response, &error));
        assert_true(error_is(error, KEDGE_ERROR_PROTOCOL));
    }
    g_auto(HttpResponse) response = { 0 };
    g_autoptr(GError) error = NULL;
    const HttpRequest nobody = { .url = "http://127.0.0.1:1/" };
    assert_false(http_request(self->client, &nobody, NULL, &response, &error));
    assert_true(error_is(error, KEDGE_ERROR_NETWORK));
}

static void test_timeouts(void **state)
{
    assert_fails(*state, "/silent", (HttpRequest) { .first_byte_timeout_ms = 50 },
                 KEDGE_ERROR_TIMEOUT, "timed out while waiting for the first event");
    assert_fails(*state, "/stalls",
                 (HttpRequest) { .first_byte_timeout_ms = 5000, .idle_timeout_ms = 50 },
                 KEDGE_ERROR_TIMEOUT, "stalled while waiting for the next event");
    assert_fails(*state, "/slow-error",
                 (HttpRequest) { .first_byte_timeout_ms = 50, .idle_timeout_ms = 5000 },
                 KEDGE_ERROR_TIMEOUT, "timed out while waiting for the first event");
    assert_fails(*state, "/stalls", (HttpRequest) { .timeout_ms = 60 }, KEDGE_ERROR_TIMEOUT,
                 "timed out after 60 ms");
}

static bool fire(const char *data G_GNUC_UNUSED, size_t size G_GNUC_UNUSED, void *cancel,
                 GError **error G_GNUC_UNUSED)
{
    cancel_fire(cancel);
    return true;
}

static void *fire_later(void *cancel)
{
    g_usleep(50 * 1000);
    cancel_fire(cancel);
    return NULL;
}

static void assert_cancelled(Fixture *self, const char *path, HttpRequest request, Cancel *cancel)
{
    g_auto(HttpResponse) response = { 0 };
    g_autoptr(GError) error = NULL;
    gint64 start = time_monotonic_ms();
    assert_false(ask(self, path, request, cancel, &response, &error));
    assert_true(error_is(error, KEDGE_ERROR_CANCELLED));
    assert_true(time_monotonic_ms() - start < 5000); // not the server's 10 s
}

static void test_cancel(void **state)
{
    Fixture *self = *state;
    g_autoptr(Cancel) inside = cancel_new(NULL);
    assert_cancelled(self, "/stalls", (HttpRequest) { .on_body = fire, .user_data = inside },
                     inside);
    assert_cancelled(self, "/hello", (HttpRequest) { 0 }, inside); // fired already: nothing is sent

    g_autoptr(Cancel) outside = cancel_new(NULL);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, fire_later, outside), 0);
    assert_cancelled(self, "/silent", (HttpRequest) { 0 }, outside);
    pthread_join(thread, NULL);

    // both connections were closed, not kept
    for (int i = 0; i < 500 && test_server_count(self->server, &self->server->hangups) < 2; i++)
        g_usleep(10 * 1000);
    assert_int_equal(test_server_count(self->server, &self->server->hangups), 2);
    g_autofree char *third = test_server_request(self->server, 3);
    assert_null(third);

    // while it gathers: the pieces are there long before that
    g_autoptr(Cancel) gathering = cancel_new(NULL);
    assert_int_equal(pthread_create(&thread, NULL, fire_later, gathering), 0);
    assert_cancelled(self, "/trickle", (HttpRequest) { .gather_ms = 60 * 1000 }, gathering);
    pthread_join(thread, NULL);
}

static bool complete(const char *data G_GNUC_UNUSED, size_t size G_GNUC_UNUSED, void *is_complete,
                     GError **error G_GNUC_UNUSED)
{
    *(bool *)is_complete = true;
    return true;
}

static void test_complete_answer_needs_no_end(void **state)
{
    static const char *const paths[] = { "/stalls", "/dropped" };
    for (size_t i = 0; i < G_N_ELEMENTS(paths); i++) {
        bool is_complete = false;
        const HttpRequest request = { .on_body = complete,
                                      .user_data = &is_complete,
                                      .is_complete = &is_complete };
        g_auto(HttpResponse) response = { 0 };
        gint64 start = time_monotonic_ms();
        assert_true(ask(*state, paths[i], request, NULL, &response, NULL));
        assert_int_equal(response.status, 200);
        assert_true(time_monotonic_ms() - start < 5000);
    }
}

static void *ask_often(void *fixture)
{
    size_t good = 0;
    for (int i = 0; i < 20; i++) {
        g_auto(HttpResponse) response = { 0 };
        if (ask(fixture, "/hello", (HttpRequest) { 0 }, NULL, &response, NULL) &&
            strcmp(response.body, "hello") == 0)
            good++;
    }
    return GSIZE_TO_POINTER(good);
}

static void test_threads(void **state)
{
    pthread_t threads[4];
    for (size_t i = 0; i < G_N_ELEMENTS(threads); i++)
        assert_int_equal(pthread_create(&threads[i], NULL, ask_often, *state), 0);
    for (size_t i = 0; i < G_N_ELEMENTS(threads); i++) {
        void *good;
        pthread_join(threads[i], &good);
        assert_int_equal(GPOINTER_TO_SIZE(good), 20);
    }
}

static void test_is_loopback(void **state G_GNUC_UNUSED)
{
    static const char *const ours[] = { "localhost", "LocalHost", "127.0.0.1", "127.1.2.3", "::1" };
    static const char *const others[] = { "",          "example.com", "localhost.example.com",
                                          "128.0.0.1", "10.0.0.1",    "127.0.0.1.example.com",
                                          "::2" };
    for (size_t i = 0; i < G_N_ELEMENTS(ours); i++)
        assert_true(http_is_loopback(ours[i]));
    for (size_t i = 0; i < G_N_ELEMENTS(others); i++)
        assert_false(http_is_loopback(others[i]));
}

/* All tests are asked of 127.0.0.1, with a proxy in the environment that no one answers at. */
int main(void)
{
    static const char *const names[] = { "http_proxy", "all_proxy", "https_proxy" };
    g_unsetenv("no_proxy");
    g_unsetenv("NO_PROXY");
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
        g_setenv(names[i], "http://127.0.0.1:1", TRUE);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_is_loopback),
        cmocka_unit_test_setup_teardown(test_get, setup, teardown),
        cmocka_unit_test_setup_teardown(test_request_text, setup, teardown),
        cmocka_unit_test_setup_teardown(test_connection_is_kept, setup, teardown),
        cmocka_unit_test_setup_teardown(test_servers_do_not_share, setup, teardown),
        cmocka_unit_test_setup_teardown(test_many_servers, setup, teardown),
        cmocka_unit_test_setup_teardown(test_sent_once, setup, teardown),
        cmocka_unit_test_setup_teardown(test_streaming, setup, teardown),
        cmocka_unit_test_setup_teardown(test_close_pieces_are_gathered, setup, teardown),
        cmocka_unit_test_setup_teardown(test_statuses, setup, teardown),
        cmocka_unit_test_setup_teardown(test_limits, setup, teardown),
        cmocka_unit_test_setup_teardown(test_failures, setup, teardown),
        cmocka_unit_test_setup_teardown(test_timeouts, setup, teardown),
        cmocka_unit_test_setup_teardown(test_cancel, setup, teardown),
        cmocka_unit_test_setup_teardown(test_complete_answer_needs_no_end, setup, teardown),
        cmocka_unit_test_setup_teardown(test_threads, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
