/* See browser_login.h. */
#include "model/browser_login.h"

#include "base/json.h"
#include "base/limits.h"
#include "base/secrets.h"
#include "base/str.h"
#include "model/credential_store.h"
#include "model/transport.h"
#include "model/wire.h"

#include <errno.h>
#include <sys/random.h>

#define RANDOM_BYTES        32 // of the verifier
#define EXCHANGE_TIMEOUT_MS (30 * 1000)
#define EXCHANGE_BYTES      (64 * KIB)
#define CALLBACK            "/callback/"
#define KEY_PREFIX          "sk-"

// Who documents such a page (docs/models.md says who does not).
static const struct {
    const char *provider;
    const char *page;     // a path of the server
    const char *exchange; // behind the base URL
} pages[] = {
    { "openrouter", "/auth", "/auth/keys" },
};

struct BrowserLogin {
    char *provider, *page_url, *exchange_url;
    char *path;
    char *verifier;
};

static size_t find_page(const char *provider)
{
    size_t i = 0;
    while (i < G_N_ELEMENTS(pages) && strcmp(pages[i].provider, provider) != 0)
        i++;
    return i;
}

bool browser_login_exists(const char *provider)
{
    return find_page(provider) < G_N_ELEMENTS(pages);
}

/* base64url without padding (RFC 7636). Caller frees. */
static char *url_text(const guchar *bytes, size_t size)
{
    char *text = g_base64_encode(bytes, size);
    text[strcspn(text, "=")] = '\0';
    g_strdelimit(text, "+", '-');
    return g_strdelimit(text, "/", '_');
}

static char *random_text(void)
{
    guchar bytes[RANDOM_BYTES];
    size_t size = 0;
    while (size < sizeof(bytes)) {
        ssize_t got = getrandom(bytes + size, sizeof(bytes) - size, 0);
        if (got > 0)
            size += (size_t)got;
        else if (errno != EINTR)
            g_error("the kernel gives no random bytes: %s", g_strerror(errno));
    }
    char *text = url_text(bytes, sizeof(bytes));
    explicit_bzero(bytes, sizeof(bytes));
    return text;
}

static char *browser_login_challenge(const char *verifier)
{
    guint8 digest[32];
    gsize size = sizeof(digest);
    g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
    g_checksum_update(sum, (const guchar *)verifier, -1);
    g_checksum_get_digest(sum, digest, &size);
    return url_text(digest, size);
}

BrowserLogin *browser_login_new(const char *provider, const char *base_url)
{
    size_t page = find_page(provider);
    g_assert(page < G_N_ELEMENTS(pages));
    const char *host = strstr(base_url, "://");
    size_t origin = host ? (size_t)(host - base_url) + 3 : 0;
    origin += strcspn(base_url + origin, "/?#");
    BrowserLogin *self = g_new0(BrowserLogin, 1);
    self->provider = g_strdup(provider);
    self->page_url = g_strdup_printf("%.*s%s", (int)origin, base_url, pages[page].page);
    self->exchange_url = wire_join_url(base_url, pages[page].exchange);
    self->verifier = random_text();
    secrets_register(self->verifier);
    g_autofree char *state = random_text();
    self->path = g_strconcat(CALLBACK, state, NULL);
    return self;
}

void browser_login_free(BrowserLogin *self)
{
    if (!self)
        return;
    explicit_bzero(self->verifier, strlen(self->verifier));
    g_free(self->provider);
    g_free(self->page_url);
    g_free(self->exchange_url);
    g_free(self->path);
    g_free(self->verifier);
    g_free(self);
}

const char *browser_login_path(const BrowserLogin *self)
{
    return self->path;
}

char *browser_login_url(const BrowserLogin *self, unsigned port)
{
    // by this name, as the provider wants it; who listens there is 127.0.0.1
    g_autofree char *address = g_strdup_printf("http://localhost:%u%s", port, self->path);
    g_autofree char *callback = g_uri_escape_string(address, NULL, FALSE);
    g_autofree char *code = browser_login_challenge(self->verifier);
    return g_strdup_printf("%s?callback_url=%s&code_challenge=%s&code_challenge_method=S256",
                           self->page_url, callback, code);
}

bool browser_login_is_key(const char *text)
{
    return str_has_prefix(text, KEY_PREFIX);
}

static bool read_query(const BrowserLogin *self, const char *query, char **ret_code, GError **error)
{
    g_autoptr(GHashTable) fields = g_uri_parse_params(query, -1, "&", G_URI_PARAMS_WWW_FORM, NULL);
    const char *code = fields ? g_hash_table_lookup(fields, "code") : NULL;
    const char *problem = fields ? g_hash_table_lookup(fields, "error") : NULL;
    const char *words = fields ? g_hash_table_lookup(fields, "error_description") : NULL;
    if (problem)
        return fail_with(error, KEDGE_ERROR_DENIED, "%s refused the login: %s", self->provider,
                         words ? words : problem);
    if (!code || !*code)
        return fail_with(error, KEDGE_ERROR_USAGE, "there is no code in what the browser brought");
    *ret_code = g_strdup(code);
    return true;
}

bool browser_login_read_code(const BrowserLogin *self, const char *text, char **ret_code,
                             GError **error)
{
    const char *query = strchr(text, '?');
    if (strstr(text, "://")) {
        const char *path = strstr(text, CALLBACK);
        size_t size = strlen(self->path);
        if (!path || !query || strncmp(path, self->path, size) != 0 || path + size != query)
            return fail_with(error, KEDGE_ERROR_USAGE,
                             "this address is not the one of this login; open the page again");
        g_autofree char *rest = g_strndup(query + 1, strcspn(query + 1, "#"));
        return read_query(self, rest, ret_code, error);
    }
    if (strchr(text, '='))
        return read_query(self, text, ret_code, error);
    if (!credential_key_check(text, NULL))
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "that is neither a key nor a code nor the address of this login");
    *ret_code = g_strdup(text);
    return true;
}

static char *exchange_body(const BrowserLogin *self, const char *code)
{
    g_autoptr(json_t) body = json_make("code:%s code_verifier:%s code_challenge_method:%s", code,
                                       self->verifier, "S256");
    return json_to_text(body);
}

static bool read_key(const BrowserLogin *self, const HttpResponse *response, char **ret_key,
                     GError **error)
{
    g_autoptr(json_t) answer = NULL;
    if (response->status < 200 || response->status >= 300) {
        g_autofree char *problem = transport_status_text(response, 0, 0);
        return fail_with(error, KEDGE_ERROR_DENIED, "%s gave no key for the login: %s",
                         self->provider, problem);
    }
    if (!json_parse(response->body, response->body_size, &answer, NULL) ||
        !json_get_text(answer, "key"))
        return fail_with(error, KEDGE_ERROR_PROTOCOL, "%s gave no key for the login",
                         self->provider);
    const char *key = json_get_text(answer, "key");
    secrets_register(key);
    if (!credential_key_check(key, error)) {
        g_prefix_error(error, "what %s gave for the login: ", self->provider);
        return false;
    }
    *ret_key = g_strdup(key);
    return true;
}

bool browser_login_finish(const BrowserLogin *self, HttpClient *http, const char *code,
                          Cancel *cancel, char **ret_key, GError **error)
{
    g_autofree char *body = exchange_body(self, code);
    const char *const headers[] = { "content-type: application/json",
                                    "user-agent: kedge/" KEDGE_VERSION, NULL };
    const HttpRequest post = {
        .method = "POST",
        .url = self->exchange_url,
        .headers = headers,
        .body = body,
        .body_size = strlen(body),
        .timeout_ms = EXCHANGE_TIMEOUT_MS,
        .max_body_bytes = EXCHANGE_BYTES,
        .is_sent_once = true, // a code is good for one exchange
    };
    g_auto(HttpResponse) response = { 0 };
    bool is_ok = http_request(http, &post, cancel, &response, error);
    explicit_bzero(body, strlen(body));
    if (!is_ok) {
        g_prefix_error(error, "cannot change the code for a key: ");
        return false;
    }
    return read_key(self, &response, ret_key, error);
}
