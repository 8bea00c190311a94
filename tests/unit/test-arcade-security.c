/*
 * Who may ask Arcade anything, and what every answer carries (agent-tools-cli §5.5), through real
 * sockets.
 */
#include "arcade_fixture.h"

#include "arcade/assets.h"
#include "arcade/guard.h"
#include "arcade/request.h"

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
        { "typed by the user", { .path = "/", .headers = "Sec-Fetch-Site: none\r\n" }, 200, NULL },
        { "page of another host", { .path = "/", .host = "evil.example" }, 403, "permission" },
        { "page without token", { .path = "/", .token = "" }, 200, NULL },
        { "health without token", { .path = "/api/v1/health", .token = "" }, 200, NULL },
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
        "'self' blob: data:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
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
    assert_true(g_str_has_prefix(answer, "HTTP/1.1 413 "));
    g_string_free(chunked, TRUE);
    close(fd);
}

/* cli §5.5.7: ten wrong tokens a second, and the right one passes all the same. */
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

/* More connections than there is room for wait, and are served when others end. */
static void test_many_connections(void **state)
{
    enum { SILENT = 63, ASKING = 20 };
    const ArcadeFixture *fixture = *state;
    int silent[SILENT], asking[ASKING];
    for (size_t i = 0; i < SILENT; i++)
        assert_true((silent[i] = fixture_connect(fixture, "127.0.0.1")) >= 0);
    g_autofree char *request = g_strdup_printf(
        "GET /api/v1/health HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nConnection: close\r\n\r\n",
        arcade_port(fixture->arcade));
    for (size_t i = 0; i < ASKING; i++) {
        assert_true((asking[i] = fixture_connect(fixture, "127.0.0.1")) >= 0);
        socket_send(asking[i], request);
    }
    for (size_t i = 0; i < SILENT; i++)
        close(silent[i]);
    for (size_t i = 0; i < ASKING; i++) {
        g_autofree char *answer = socket_read_until(asking[i], "kedge-arcade");
        assert_true(g_str_has_prefix(answer, "HTTP/1.1 200 "));
        close(asking[i]);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loopback_only),  cmocka_unit_test(test_checks),
        cmocka_unit_test(test_no_host),        cmocka_unit_test(test_headers),
        cmocka_unit_test(test_allow_and_head), cmocka_unit_test(test_assets),
        cmocka_unit_test(test_sizes),          cmocka_unit_test(test_failed_tokens),
        cmocka_unit_test(test_tokens),         cmocka_unit_test(test_many_connections),
        cmocka_unit_test(test_slow_client),
    };
    return cmocka_run_group_tests(tests, arcade_setup, arcade_teardown);
}
