/*
 * base/callback_server.c: the awaited request among others, pieces, idle and hostile connections.
 */
#include "base/str.h"
#include "unit.h"

#include "base/callback_server.h"
#include "base/fd.h"
#include "base/limits.h"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>

#define PATH "/callback/s3cr3t"

static int connect_to(const CallbackServer *server)
{
    struct sockaddr_in address = { .sin_family = AF_INET,
                                   .sin_port = htons((uint16_t)callback_server_port(server)),
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
    return fd;
}

static void say(int fd, const char *text)
{
    assert_int_equal(send(fd, text, strlen(text), MSG_NOSIGNAL), strlen(text));
}

/* Steps until the other side has closed `fd`, or the query is there. */
static char *step_until_answered(CallbackServer *server, int fd, GString *answer)
{
    char *query = NULL;
    char data[4096];
    for (;;) {
        struct pollfd fds[] = { { .fd = callback_server_fd(server), .events = POLLIN },
                                { .fd = fd, .events = POLLIN } };
        assert_true(poll(fds, 2, 10000) > 0);
        if (fds[0].revents && !query)
            query = callback_server_step(server);
        ssize_t got = fds[1].revents ? recv(fd, data, sizeof(data), 0) : 0;
        if (got > 0)
            g_string_append_len(answer, data, got);
        if (fds[1].revents && got <= 0)
            return query;
    }
}

static CallbackServer *start(void)
{
    CallbackServer *server = NULL;
    assert_true(callback_server_new(PATH, &server, NULL));
    return server;
}

static void test_requests(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *request, *query;
    } cases[] = {
        { "GET " PATH "?code=abc HTTP/1.1\r\nHost: localhost\r\n\r\n", "code=abc" },
        { "GET " PATH " HTTP/1.1\r\n\r\n", "" },
        { "GET " PATH "?a=b&c=%20d HTTP/1.0\r\nCookie: x\r\n\r\n", "a=b&c=%20d" },
        { "GET /favicon.ico HTTP/1.1\r\n\r\n", NULL },
        { "GET /callback/other?code=abc HTTP/1.1\r\n\r\n", NULL },
        { "GET " PATH "x?code=abc HTTP/1.1\r\n\r\n", NULL },
        { "POST " PATH "?code=abc HTTP/1.1\r\n\r\n", NULL },
        { "GET " PATH "?code=abc\r\n\r\n", NULL },
        { "\r\n\r\n", NULL },
    };
    g_autoptr(CallbackServer) server = start();
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(Fd) fd = connect_to(server);
        GString *answer = g_string_new(NULL);
        say(fd, cases[i].request);
        g_autofree char *query = step_until_answered(server, fd, answer);
        const char *want = cases[i].query ? "HTTP/1.1 200 OK\r\n" : "HTTP/1.1 404 Not Found\r\n";
        if (g_strcmp0(query, cases[i].query) != 0 || !str_has_prefix(answer->str, want))
            fail_msg("%s: got '%s', %s", cases[i].request, query, answer->str);
        g_string_free(answer, TRUE);
    }
}

static void test_pieces(void **state G_GNUC_UNUSED)
{
    static const char request[] = "GET " PATH "?code=1 HTTP/1.1\r\nHost: x\r\n\r\n";
    g_autoptr(CallbackServer) server = start();
    g_auto(Fd) fd = connect_to(server);
    for (const char *letter = request; letter[1]; letter++) {
        g_autofree char *piece = g_strndup(letter, 1);
        say(fd, piece);
        assert_null(callback_server_step(server));
    }
    say(fd, "\n");
    GString *answer = g_string_new(NULL);
    g_autofree char *query = step_until_answered(server, fd, answer);
    assert_string_equal(query, "code=1");
    g_string_free(answer, TRUE);
}

/* A browser's spare connections, and somebody who opens many and says nothing or too much. */
static void test_crowd(void **state G_GNUC_UNUSED)
{
    g_autoptr(CallbackServer) server = start();
    int fds[4 * LIMIT_CALLBACK_CONNECTIONS];
    for (size_t i = 0; i < G_N_ELEMENTS(fds); i++) {
        fds[i] = connect_to(server);
        assert_null(callback_server_step(server));
    }
    g_auto(Fd) loud = connect_to(server);
    assert_null(callback_server_step(server));
    g_autofree char *much = g_strnfill(LIMIT_CALLBACK_REQUEST_BYTES, 'x');
    GString *answer = g_string_new(NULL);
    say(loud, much);
    g_autofree char *none = step_until_answered(server, loud, answer);
    assert_null(none);

    g_auto(Fd) fd = connect_to(server);
    say(fd, "GET " PATH "?code=1 HTTP/1.1\r\n\r\n");
    g_autofree char *query = step_until_answered(server, fd, answer);
    assert_string_equal(query, "code=1");
    for (size_t i = 0; i < G_N_ELEMENTS(fds); i++)
        fd_close(fds[i]);
    g_string_free(answer, TRUE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_requests),
        cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_crowd),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
