/*
 * model/browser_login.c: the page's address, what comes back, and the exchange for a key.
 */
#include "base/str.h"
#include "model_fixture.h"

#include "http_server.h"
#include "model/browser_login.h"

static char *field_of(const char *url, const char *name)
{
    g_autoptr(GHashTable) fields =
        g_uri_parse_params(strchr(url, '?') + 1, -1, "&", G_URI_PARAMS_WWW_FORM, NULL);
    return g_strdup(g_hash_table_lookup(fields, name));
}

static void test_address(void **state G_GNUC_UNUSED)
{
    assert_true(browser_login_exists("openrouter"));
    assert_false(browser_login_exists("anthropic"));
    g_autoptr(BrowserLogin) login = browser_login_new("openrouter", "https://openrouter.ai/api/v1");
    g_autoptr(BrowserLogin) other = browser_login_new("openrouter", "https://openrouter.ai/api/v1");
    g_autofree char *url = browser_login_url(login, 4711);
    assert_true(str_has_prefix(url, "https://openrouter.ai/auth?"));
    g_autofree char *callback = field_of(url, "callback_url");
    g_autofree char *wanted = g_strconcat("http://localhost:4711", browser_login_path(login), NULL);
    assert_string_equal(callback, wanted);
    g_autofree char *method = field_of(url, "code_challenge_method");
    assert_string_equal(method, "S256");
    g_autofree char *challenge = field_of(url, "code_challenge");
    assert_int_equal(strlen(challenge), 43);
    assert_true(strlen(browser_login_path(login)) >= strlen("/callback/") + 43);
    assert_string_not_equal(browser_login_path(login), browser_login_path(other));
    g_autofree char *other_url = browser_login_url(other, 4711);
    assert_null(strstr(other_url, challenge));
}

static void test_answers(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *text; // PATH: that of the login
        const char *code, *problem;
    } cases[] = {
        { "code=abc", "abc", NULL },
        { "x=1&code=a%2Fb", "a/b", NULL },
        { "http://localhost:1PATH?code=abc", "abc", NULL },
        { "http://127.0.0.1:1PATH?code=abc#top", "abc", NULL },
        { "abc-def", "abc-def", NULL },
        { "", NULL, "neither a key nor a code" },
        { "two words", NULL, "neither a key nor a code" },
        { "code=", NULL, "no code" },
        { "x=1", NULL, "no code" },
        { "error=access_denied", NULL, "openrouter refused the login: access_denied" },
        { "error=x&error_description=not+you", NULL, "refused the login: not you" },
        { "http://localhost:1/callback/other?code=abc", NULL, "not the one of this login" },
        { "http://localhost:1PATHx?code=abc", NULL, "not the one of this login" },
        { "http://localhost:1PATH", NULL, "not the one of this login" },
        { "https://example.com/?code=abc", NULL, "not the one of this login" },
    };
    g_autoptr(BrowserLogin) login = browser_login_new("openrouter", "https://openrouter.ai/api/v1");
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(GStrv) parts = g_strsplit(cases[i].text, "PATH", -1);
        g_autofree char *text = g_strjoinv(browser_login_path(login), parts);
        g_autofree char *code = NULL;
        g_autoptr(GError) error = NULL;
        bool is_ok = browser_login_read_code(login, text, &code, &error);
        if (is_ok != (cases[i].code != NULL) || g_strcmp0(code, cases[i].code) != 0 ||
            (!is_ok && !strstr(error->message, cases[i].problem)))
            fail_msg("%s: got '%s', %s", cases[i].text, code, error ? error->message : "no error");
    }
    assert_true(browser_login_is_key("sk-or-v1-0123"));
    assert_false(browser_login_is_key("auth_code_0123"));
}

typedef struct Answer {
    const char *head, *body;
} Answer;

static bool serve(TestServer *server, int fd, const char *request G_GNUC_UNUSED,
                  unsigned number G_GNUC_UNUSED)
{
    const Answer *answer = server->data;
    g_autofree char *text = g_strdup_printf("HTTP/1.1 %s\r\nContent-Type: application/json\r\n"
                                            "Content-Length: %zu\r\nConnection: close\r\n\r\n%s",
                                            answer->head, strlen(answer->body), answer->body);
    test_send_text(fd, text);
    return false;
}

static void check_request(TestServer *server, const char *challenge)
{
    g_autofree char *request = test_server_request(server, 1);
    assert_true(str_has_prefix(request, "POST /api/v1/auth/keys HTTP/1.1\r\n"));
    g_autoptr(json_t) body = json_of(strstr(request, "\r\n\r\n") + 4);
    assert_string_equal(json_get_text(body, "code"), "the-code");
    assert_string_equal(json_get_text(body, "code_challenge_method"), "S256");
    guint8 digest[32];
    gsize size = sizeof(digest);
    g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
    g_checksum_update(sum, (const guchar *)json_get_text(body, "code_verifier"), -1);
    g_checksum_get_digest(sum, digest, &size);
    g_autofree char *text = g_base64_encode(digest, size);
    g_strdelimit(g_strdelimit(text, "+", '-'), "/", '_');
    text[strcspn(text, "=")] = '\0';
    assert_string_equal(text, challenge);
}

static void test_exchange(void **state G_GNUC_UNUSED)
{
    static const struct {
        Answer answer;
        const char *key, *problem;
    } cases[] = {
        { { "200 OK", "{\"key\":\"sk-or-v1-abc\",\"user_id\":\"u\"}" }, "sk-or-v1-abc", NULL },
        { { "403 Forbidden", "{\"error\":{\"message\":\"Invalid code\",\"code\":403}}" },
          NULL,
          "openrouter gave no key for the login: HTTP 403: Invalid code" },
        { { "302 Found\r\nLocation: http://127.0.0.1:1/", "" }, NULL, "HTTP 302" },
        { { "200 OK", "<html>" }, NULL, "openrouter gave no key for the login" },
        { { "200 OK", "{\"key\":7}" }, NULL, "openrouter gave no key for the login" },
        { { "200 OK", "{\"key\":\"two\\r\\nlines\"}" },
          NULL,
          "what openrouter gave for the login" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        Answer answer = cases[i].answer;
        TestServer *server = test_server_start(serve, &answer);
        g_autofree char *base = test_server_url(server, "/api/v1/");
        g_autoptr(BrowserLogin) login = browser_login_new("openrouter", base);
        g_autofree char *url = browser_login_url(login, 1);
        g_autofree char *challenge = field_of(url, "code_challenge");
        g_autoptr(HttpClient) http = http_client_new();
        g_autofree char *key = NULL;
        g_autoptr(GError) error = NULL;
        bool is_ok = browser_login_finish(login, http, "the-code", NULL, &key, &error);
        if (g_strcmp0(key, cases[i].key) != 0 ||
            (!is_ok && !strstr(error->message, cases[i].problem)))
            fail_msg("case %zu: got '%s', %s", i, key, error ? error->message : "no error");
        check_request(server, challenge);
        test_server_stop(server);
    }
}

int main(void)
{
    clean_environment();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_address),
        cmocka_unit_test(test_answers),
        cmocka_unit_test(test_exchange),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
