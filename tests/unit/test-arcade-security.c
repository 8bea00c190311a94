/*
 * Who may ask Arcade anything, and what every answer carries (agent-tools-cli §5.5), through real
 * sockets.
 */
#include "arcade_fixture.h"

#include "arcade/assets.h"
#include "arcade/connections.h"
#include "arcade/guard.h"
#include "arcade/request.h"
#include "base/str.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <sys/socket.h>

static const char wrong_token[] =
    "0000000000000000000000000000000000000000000000000000000000000000";

/* cli-E-08: every other address of this machine. */
static void test_loopback_only(void **state)
{
    const ArcadeFixture *fixture = *state;
    int fd = fixture_connect(fixture, "127.0.0.1");
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(fixture_connect(fixture, "127.0.0.2"), -1);
    struct ifaddrs *all = NULL;
    assert_int_equal(getifaddrs(&all), 0);
    for (const struct ifaddrs *each = all; each; each = each->ifa_next) {
        char text[INET_ADDRSTRLEN] = "";
        if (!each->ifa_addr || each->ifa_addr->sa_family != AF_INET)
            continue;
        inet_ntop(AF_INET, &((struct sockaddr_in *)each->ifa_addr)->sin_addr, text, sizeof(text));
        if (strcmp(text, "127.0.0.1") != 0 && fixture_connect(fixture, text) != -1)
            fail_msg("it listens on %s", text);
    }
    freeifaddrs(all);
}

/* cli-E-09, and what else a request may say of where it comes from. */
static void test_checks(void **state)
{
    const ArcadeFixture *fixture = *state;
    g_autofree char *local = g_strdup_printf("localhost:%u", arcade_port(fixture->arcade));
    g_autofree char *six = g_strdup_printf("[::1]:%u", arcade_port(fixture->arcade));
    g_autofree char *own = g_strdup_printf("Origin: http://%s\r\n", local);
    g_autofree char *twice = g_strdup_printf("Host: %s\r\n", local);
    const struct {
        const char *name;
        Ask ask;
        unsigned status;
        const char *code;
    } cases[] = {
        { "good", { .path = "/api/v1/runs" }, 200, NULL },
        { "no token", { .path = "/api/v1/runs", .token = "" }, 401, "unauthorized" },
        { "wrong token", { .path = "/api/v1/runs", .token = wrong_token }, 401, "unauthorized" },
        { "short token", { .path = "/api/v1/runs", .token = "00" }, 401, "unauthorized" },
        { "another host", { .path = "/api/v1/runs", .host = "evil.example" }, 403, "permission" },
        { "another port", { .path = "/api/v1/runs", .host = "127.0.0.1:1" }, 403, "permission" },
        { "localhost", { .path = "/api/v1/runs", .host = local }, 200, NULL },
        { "::1", { .path = "/api/v1/runs", .host = six }, 200, NULL },
        { "two hosts", { .path = "/api/v1/runs", .headers = twice }, 400, "validation" },
        { "another origin",
          { .path = "/api/v1/runs", .headers = "Origin: http://evil.example\r\n" },
          403,
          "permission" },
        { "origin null",
          { .path = "/api/v1/runs", .headers = "Origin: null\r\n" },
          403,
          "permission" },
        { "own origin", { .path = "/api/v1/runs", .headers = own }, 200, NULL },
        { "cross-site",
          { .path = "/api/v1/runs", .headers = "Sec-Fetch-Site: cross-site\r\n" },
          403,
          "permission" },
        { "same-site",
          { .path = "/api/v1/runs", .headers = "Sec-Fetch-Site: same-site\r\n" },
          403,
          "permission" },
        { "same-origin",
          { .path = "/api/v1/runs", .headers = "Sec-Fetch-Site: same-origin\r\n" },
          200,
          NULL },
        { "cli-E-27 a link elsewhere to the page",
          { .path = "/",
            .headers = "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: "
                       "document\r\n" },
          200,
          NULL },
        { "cli-E-27 in a frame",
          { .path = "/",
            .headers = "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: "
                       "iframe\r\n" },
          403,
          "permission" },
        { "cli-E-27 a link to the API",
          { .path = "/api/v1/runs",
            .headers = "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: "
                       "document\r\n" },
          403,
          "permission" },
        { "typed by the user", { .path = "/", .headers = "Sec-Fetch-Site: none\r\n" }, 200, NULL },
        { "page of another host", { .path = "/", .host = "evil.example" }, 403, "permission" },
        { "page without token", { .path = "/", .token = "" }, 200, NULL },
        { "health without token", { .path = "/api/v1/health", .token = "" }, 200, NULL },
        { "a nonce that is none",
          { .path = "/api/v1/health?nonce=xyz", .token = "" },
          400,
          "validation" },
        { "what is not there, without token",
          { .path = "/api/v1/x", .token = "" },
          401,
          "unauthorized" },
        { "what is not there", { .path = "/api/v1/x" }, 404, "not_found" },
        { "no page", { .path = "/x" }, 404, "not_found" },
        { "half a page", { .path = "/runs/" }, 404, "not_found" },
        { "dots", { .path = "/assets/../api/v1/runs", .token = "" }, 404, "not_found" },
        { "a slash inside a word", { .path = "/runs/a%2fb" }, 404, "not_found" },
        { "NUL", { .path = "/api/v1/health%00" }, 404, "not_found" },
        { "bad escape", { .path = "/api/v1/runs?q=%zz" }, 400, "validation" },
        { "OPTIONS",
          { .method = "OPTIONS", .path = "/api/v1/runs", .token = "" },
          405,
          "method_not_allowed" },
        { "OPTIONS of the page", { .method = "OPTIONS", .path = "/" }, 405, "method_not_allowed" },
        { "DELETE of runs",
          { .method = "DELETE", .path = "/api/v1/runs" },
          405,
          "method_not_allowed" },
        { "TRACE", { .method = "TRACE", .path = "/api/v1/runs" }, 405, "method_not_allowed" },
        { "write without type",
          { .path = "/api/v1/annotations", .body = "{}", .type = "" },
          415,
          "unsupported_media_type" },
        { "write of a form",
          { .path = "/api/v1/annotations", .body = "{}", .type = "text/plain" },
          415,
          "unsupported_media_type" },
        { "write with a charset",
          { .path = "/api/v1/annotations",
            .body = "{}",
            .type = "Application/JSON; charset=utf-8" },
          400,
          "validation" },
        { "write of no JSON", { .path = "/api/v1/annotations", .body = "{" }, 400, "validation" },
        { "write of an array", { .path = "/api/v1/annotations", .body = "[]" }, 400, "validation" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(Reply) reply = { 0 };
        fixture_ask(fixture, &cases[i].ask, &reply);
        const char *code = error_code_of(&reply);
        if (reply.status != cases[i].status || g_strcmp0(code, cases[i].code) != 0)
            fail_msg("%s: got %u %s, want %u %s", cases[i].name, reply.status, code,
                     cases[i].status, cases[i].code);
    }
}

/* libmicrohttpd 1.0 refuses it by itself, as malformed. */
static void test_no_host(void **state)
{
    g_auto(Reply) reply = { 0 };
    fixture_ask(*state, &(Ask) { .path = "/api/v1/runs", .host = "" }, &reply);
    bool is_ours = reply.status == 403 && g_strcmp0(error_code_of(&reply), "permission") == 0;
    if (!is_ours && reply.status != 400)
        fail_msg("got %u", reply.status);
}

/* cli-E-10: of whatever is answered. */
static void test_headers(void **state)
{
    static const char *const wanted[] = {
        "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src "
        "'self' blob: data:; connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action "
        "'none'; "
        "frame-ancestors 'none'",
        "X-Content-Type-Options: nosniff",
        "Referrer-Policy: no-referrer",
        "Cross-Origin-Resource-Policy: same-origin",
        "Cross-Origin-Opener-Policy: same-origin",
        "Cache-Control: no-store",
    };
    static const Ask asks[] = {
        { .path = "/" },
        { .path = "/runs/R1/artifact/x" },
        { .path = "/api/v1/runs" },
        { .path = "/api/v1/health" },
        { .path = "/api/v1/artifacts/" FIXTURE_DOC "/content" },
        { .path = "/api/v1/runs", .token = "" },
        { .path = "/api/v1/runs",
          .host = "evil.example",
          .headers = "Origin: http://evil.example\r\n" },
        { .path = "/nothing" },
        { .path = "/api/v1/runs", .method = "OPTIONS" },
        { .path = "/api/v1/runs", .method = "HEAD" },
        { .path = "/api/v1/annotations", .body = "{" },
    };
    const ArcadeFixture *fixture = *state;
    for (size_t i = 0; i < G_N_ELEMENTS(asks); i++) {
        g_auto(Reply) reply = { 0 };
        fixture_ask(fixture, &asks[i], &reply);
        for (size_t j = 0; j < G_N_ELEMENTS(wanted); j++)
            if (!strstr(reply.head, wanted[j]))
                fail_msg("%s: no %s in\n%s", asks[i].path, wanted[j], reply.head);
        if (strstr(reply.head, "Set-Cookie") || strstr(reply.head, "Access-Control"))
            fail_msg("%s: %s", asks[i].path, reply.head);
    }
}

static void test_allow_and_head(void **state)
{
    const ArcadeFixture *fixture = *state;
    g_auto(Reply) reply = { 0 };
    fixture_ask(fixture, &(Ask) { .method = "DELETE", .path = "/api/v1/artifacts/x/content" },
                &reply);
    g_autofree char *allow = header_of(&reply, "Allow");
    assert_string_equal(allow, "GET, PUT");
    ask_reply_clear(&reply);
    fixture_ask(fixture, &(Ask) { .method = "HEAD", .path = "/api/v1/runs" }, &reply);
    assert_int_equal(reply.status, 200);
    assert_int_equal(reply.body_size, 0);
}

static void test_assets(void **state)
{
    const ArcadeFixture *fixture = *state;
    g_auto(Reply) reply = { 0 };
    fixture_get(fixture, "/", &reply);
    g_autofree char *type = header_of(&reply, "Content-Type");
    assert_string_equal(type, "text/html; charset=utf-8");
    g_autofree char *script = g_strdup_printf("/assets/%s/arcade.js", asset_hash);
    if (!strstr(reply.body, script))
        fail_msg("the page does not load %s", script);
    ask_reply_clear(&reply);
    fixture_ask(fixture, &(Ask) { .path = script, .token = "" }, &reply);
    assert_int_equal(reply.status, 200);
    g_autofree char *cache = header_of(&reply, "Cache-Control");
    assert_string_equal(cache, "public, max-age=31536000, immutable");
    g_autofree char *script_type = header_of(&reply, "Content-Type");
    assert_string_equal(script_type, "text/javascript; charset=utf-8");
    assert_int_equal(fixture_get(fixture, "/assets/0000000000000000/arcade.js", &reply), 404);
    g_autofree char *shell = g_strdup_printf("/assets/%s/index.html", asset_hash);
    assert_int_equal(fixture_get(fixture, shell, &reply), 404);
    assert_null(assets_find(asset_hash, "none.js"));
    const Asset *page = assets_page();
    assert_null(g_strstr_len((const char *)page->data, (gssize)page->size, "@assets@"));
}

static char *letters(size_t size)
{
    char *text = g_malloc(size + 1);
    memset(text, 'a', size);
    text[size] = '\0';
    return text;
}

static void test_sizes(void **state)
{
    const ArcadeFixture *fixture = *state;
    g_auto(Reply) reply = { 0 };
    g_autofree char *value = letters(REQUEST_HEADER_BYTES);
    g_autofree char *header = g_strdup_printf("X-Long: %s\r\n", value);
    fixture_ask(fixture, &(Ask) { .path = "/api/v1/runs", .headers = header }, &reply);
    assert_int_equal(reply.status, 431);
    g_autofree char *policy = header_of(&reply, "Referrer-Policy");
    assert_non_null(policy);

    ask_reply_clear(&reply);
    g_autofree char *body = letters(REQUEST_BODY_BYTES + 1);
    fixture_ask(fixture, &(Ask) { .path = "/api/v1/annotations", .body = body }, &reply);
    assert_int_equal(reply.status, 413);
    assert_string_equal(error_code_of(&reply), "too_large");

    // of a length that is not said before
    ask_reply_clear(&reply);
    GString *chunked = g_string_new(NULL);
    g_string_printf(chunked, "%zx\r\n%s\r\n0\r\n\r\n", strlen(body), body);
    int fd = fixture_connect(fixture, "127.0.0.1");
    g_autofree char *head = g_strdup_printf(
        "POST /api/v1/annotations HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nAuthorization: Bearer %s\r\n"
        "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n",
        arcade_port(fixture->arcade), arcade_token(fixture->arcade));
    socket_send(fd, head);
    socket_send(fd, chunked->str);
    g_autofree char *answer = socket_read_until(fd, "too_large");
    assert_true(str_has_prefix(answer, "HTTP/1.1 413 "));
    g_string_free(chunked, TRUE);
    close(fd);
}

/* agent-tools-cli §5.5 rule 7: ten wrong tokens a second, and the right one passes all the same. */
static void test_failed_tokens(void **state)
{
    const ArcadeFixture *fixture = *state;
    g_autoptr(Guard) guard = NULL;
    g_autofree char *right = g_strdup_printf("Bearer %s", arcade_token(fixture->arcade));
    g_autofree char *wrong = g_strdup_printf("Bearer %s", wrong_token);
    assert_true(guard_new(1, arcade_token(fixture->arcade), &guard, NULL));
    for (int i = 0; i < GUARD_FAILURES_A_SECOND; i++) {
        g_autoptr(GError) error = NULL;
        assert_false(guard_check_token(guard, wrong, 1000 + i * 10, &error));
        assert_int_equal(error->code, 401);
    }
    g_autoptr(GError) error = NULL;
    assert_false(guard_check_token(guard, wrong, 1100, &error));
    assert_int_equal(error->code, 429);
    assert_true(guard_check_token(guard, right, 1100, NULL));
    g_clear_error(&error);
    assert_false(guard_check_token(guard, wrong, 2000, &error)); // the first is a second old
    assert_int_equal(error->code, 401);
    g_clear_error(&error);
    assert_false(guard_check_token(guard, wrong, 2001, &error));
    assert_int_equal(error->code, 429);
    g_clear_error(&error);
    assert_false(guard_check_token(guard, NULL, 2001, &error)); // none is no wrong one
    assert_int_equal(error->code, 401);
}

static void test_tokens(void **state G_GNUC_UNUSED)
{
    g_autoptr(Guard) first = NULL, second = NULL;
    assert_true(guard_new(1, NULL, &first, NULL));
    assert_true(guard_new(1, NULL, &second, NULL));
    assert_true(guard_is_token(guard_token(first)));
    assert_string_not_equal(guard_token(first), guard_token(second));
    assert_false(guard_is_token("abc"));
    assert_false(guard_is_token(NULL));
}

/* cli-E-28: those who do not show the token keep nobody out, and are ended in time. */
static void test_strangers(void **state)
{
    const ArcadeFixture *fixture = *state;
    int strangers[CONNECTIONS_STRANGERS];
    for (size_t i = 0; i < CONNECTIONS_STRANGERS; i++) {
        assert_true((strangers[i] = fixture_connect(fixture, "127.0.0.1")) >= 0);
        socket_send(strangers[i], "G");
    }
    // the person's page, and its requests
    g_auto(Reply) reply = { 0 };
    assert_int_equal(fixture_get(fixture, "/api/v1/runs", &reply), 200);
    assert_int_equal(fixture_get(fixture, "/", &reply), 200);
    // one more that says nothing, or nothing that counts
    static const char *const others[] = {
        "", "GET /api/v1/runs HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET /api/v1/runs HTTP/1.1\r\nAuthorization: Bearer 00\r\n\r\n", "GET /"
    };
    for (size_t i = 0; i < G_N_ELEMENTS(others); i++) {
        int other = fixture_connect(fixture, "127.0.0.1");
        if (others[i][0])
            socket_send(other, others[i]);
        g_autofree char *answer = socket_read_until(other, "\r\n\r\n");
        if (!str_has_prefix(answer, "HTTP/1.1 503 "))
            fail_msg("'%s': %s", others[i], answer);
        close(other);
    }
    // still sending: it does not help
    for (size_t i = 0; i < CONNECTIONS_STRANGERS; i++) {
        while (!socket_is_closed(strangers[i], 100))
            send(strangers[i], "E", 1, MSG_NOSIGNAL);
        close(strangers[i]);
    }
    bool has_room = false; // the server learns of it a moment later
    for (int tries = 0; tries < 200 && !has_room; tries++) {
        int other = fixture_connect(fixture, "127.0.0.1");
        socket_send(other, "GET /api/v1/health HTTP/1.1\r\nHost: x\r\n\r\n");
        g_autofree char *answer = socket_read_until(other, "\r\n\r\n");
        has_room = str_has_prefix(answer, "HTTP/1.1 403 ");
        close(other);
    }
    assert_true(has_room);
}

static ConnectionVerdict come(Connections *connections, int fd)
{
    int gone = -1;
    ConnectionVerdict verdict = connections_come(connections, fd, 1000, &gone);
    assert_int_equal(gone, -1);
    return verdict;
}

/* Where strangers and the hall are full, the one that has waited the longest goes. */
static void test_flood(void **state G_GNUC_UNUSED)
{
    g_autoptr(Guard) guard = NULL;
    assert_true(guard_new(1, NULL, &guard, NULL));
    Connections *connections = connections_new(guard, 0);
    int fd = 10000, gone = -1;
    for (int i = 0; i < CONNECTIONS_STRANGERS; i++)
        assert_int_equal(come(connections, fd++), CONNECTION_ADMITTED);
    int first = fd;
    for (int i = 0; i < CONNECTIONS_HALL; i++)
        assert_int_equal(come(connections, fd++), CONNECTION_IN_HALL);
    for (int i = 0; i < 3 * CONNECTIONS_HALL; i++) {
        assert_int_equal(connections_come(connections, fd++, 1000, &gone), CONNECTION_IN_HALL);
        assert_int_equal(gone, first++);
    }
    for (int i = 10000; i < fd; i++)
        connections_end(connections, i);
    connections_free(connections);
}

/* Who has shown the token stays, however long nothing is asked. */
static void test_connections(void **state G_GNUC_UNUSED)
{
    g_autoptr(Guard) guard = NULL;
    assert_true(guard_new(1, NULL, &guard, NULL));
    Connections *connections = connections_new(guard, 10);
    int pairs[3][2];
    for (size_t i = 0; i < G_N_ELEMENTS(pairs); i++) {
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pairs[i]), 0);
        assert_int_equal(come(connections, pairs[i][0]), CONNECTION_ADMITTED);
    }
    connections_know(connections, pairs[0][0]);
    connections_serve_page(connections, pairs[1][0], 1005);
    assert_int_equal(connections_sweep(connections, 1009), 1);
    assert_int_equal(connections_sweep(connections, 1010), 5);
    assert_false(socket_is_closed(pairs[0][1], 0));
    assert_false(socket_is_closed(pairs[1][1], 0));
    assert_true(socket_is_closed(pairs[2][1], 5000));
    assert_int_equal(connections_sweep(connections, 1015), -1);
    assert_true(socket_is_closed(pairs[1][1], 5000));
    connections_end(connections, pairs[1][0]);
    connections_end(connections, pairs[2][0]);
    // all that may be known
    for (int fd = 10000; fd < 10000 + CONNECTIONS_KNOWN - 1; fd++) {
        assert_int_equal(come(connections, fd), CONNECTION_ADMITTED);
        connections_know(connections, fd);
    }
    assert_int_equal(come(connections, 20000), CONNECTION_REFUSED);
    connections_end(connections, 10000);
    assert_int_equal(come(connections, 20000), CONNECTION_ADMITTED);
    connections_free(connections);
    for (size_t i = 0; i < G_N_ELEMENTS(pairs); i++) {
        close(pairs[i][0]);
        close(pairs[i][1]);
    }
}

/* One that says nothing, or stops in the middle, holds up nobody and is ended. */
static void test_slow_client(void **state)
{
    const ArcadeFixture *fixture = *state;
    int silent = fixture_connect(fixture, "127.0.0.1");
    int halfway = fixture_connect(fixture, "127.0.0.1");
    socket_send(halfway, "GET /api/v1/runs HTTP/1.1\r\nHost: 127");
    g_auto(Reply) reply = { 0 };
    assert_int_equal(fixture_get(fixture, "/api/v1/runs", &reply), 200);
    assert_true(socket_is_closed(silent, 8000));
    assert_true(socket_is_closed(halfway, 8000));
    close(silent);
    close(halfway);
}

/* cli-E-16: who knows the token can say so without saying the token. */
static void test_proof(void **state)
{
    static const char nonce[] = "000102030405060708090a0b0c0d0e0f";
    const ArcadeFixture *fixture = *state;
    g_auto(Reply) reply = { 0 };
    const char *token = arcade_token(fixture->arcade);
    g_autoptr(GHmac) hmac =
        g_hmac_new(G_CHECKSUM_SHA256, (const guchar *)token, GUARD_TOKEN_DIGITS);
    g_hmac_update(hmac, (const guchar *)nonce, (gssize)strlen(nonce));
    g_autofree char *path = g_strconcat("/api/v1/health?nonce=", nonce, NULL);
    fixture_ask(fixture, &(Ask) { .path = path, .token = "" }, &reply);
    assert_int_equal(reply.status, 200);
    assert_string_equal(json_get_text(reply.json, "proof"), g_hmac_get_string(hmac));
    assert_null(strstr(reply.body, token));
    ask_reply_clear(&reply);
    fixture_ask(fixture, &(Ask) { .path = "/api/v1/health", .token = "" }, &reply);
    assert_null(json_object_get(reply.json, "proof"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loopback_only),  cmocka_unit_test(test_checks),
        cmocka_unit_test(test_no_host),        cmocka_unit_test(test_headers),
        cmocka_unit_test(test_allow_and_head), cmocka_unit_test(test_assets),
        cmocka_unit_test(test_sizes),          cmocka_unit_test(test_failed_tokens),
        cmocka_unit_test(test_tokens),         cmocka_unit_test(test_strangers),
        cmocka_unit_test(test_connections),    cmocka_unit_test(test_flood),
        cmocka_unit_test(test_slow_client),    cmocka_unit_test(test_proof),
    };
    return cmocka_run_group_tests(tests, arcade_setup, arcade_teardown);
}
