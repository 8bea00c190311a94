/*
 * HTTP over libcurl's multi interface, one transfer at a time on the caller's thread.
 *
 * The library is opened at the first request, because loading it costs more than the rest of the
 * program's start. A client keeps idle pairs of multi and easy handle, each for the server that it
 * has asked last; a multi owns its connections, so taking that server's pair is what makes the next
 * request reuse a connection. All waiting is one curl_multi_poll() that also watches the cancel
 * descriptor.
 */
#define CURL_DISABLE_TYPECHECK
#include "base/http.h"

#include "base/library.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/timefmt.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <pthread.h>

#define CURL_LIBRARY     "libcurl.so.4"
#define HTTP_MAX_IDLE    8             // handle pairs kept
#define HTTP_MAX_WAIT_MS (60 * 1000)   // one sleep, when there is no deadline
#define MAX_HOST_BYTES   ((size_t)300) // of a message
#define GATHER_AFTER     8             // pieces in close succession
#define GATHER_BYTES     4096          // a larger piece is one of many: nothing is held up then

typedef struct CurlApi {
    CURLcode (*global_init)(long);
    CURL *(*easy_init)(void);
    void (*easy_cleanup)(CURL *);
    void (*easy_reset)(CURL *);
    CURLcode (*easy_setopt)(CURL *, CURLoption, ...);
    CURLcode (*easy_getinfo)(CURL *, CURLINFO, ...);
    const char *(*easy_strerror)(CURLcode);
    struct curl_slist *(*slist_append)(struct curl_slist *, const char *);
    void (*slist_free_all)(struct curl_slist *);
    CURLM *(*multi_init)(void);
    CURLMcode (*multi_cleanup)(CURLM *);
    CURLMcode (*multi_add_handle)(CURLM *, CURL *);
    CURLMcode (*multi_remove_handle)(CURLM *, CURL *);
    CURLMcode (*multi_perform)(CURLM *, int *);
    CURLMcode (*multi_poll)(CURLM *, struct curl_waitfd[], unsigned int, int, int *);
    CURLMsg *(*multi_info_read)(CURLM *, int *);
} CurlApi;

// Written once, under curl_once.
static CurlApi curl;
static bool is_curl_loaded;
static pthread_once_t curl_once = PTHREAD_ONCE_INIT;

static void curl_load(void)
{
#define CURL_ROW(name) LIBRARY_SYMBOL(CurlApi, "curl_", name)
    static const LibrarySymbol symbols[] = {
        CURL_ROW(global_init),         CURL_ROW(easy_init),     CURL_ROW(easy_cleanup),
        CURL_ROW(easy_reset),          CURL_ROW(easy_setopt),   CURL_ROW(easy_getinfo),
        CURL_ROW(easy_strerror),       CURL_ROW(slist_append),  CURL_ROW(slist_free_all),
        CURL_ROW(multi_init),          CURL_ROW(multi_cleanup), CURL_ROW(multi_add_handle),
        CURL_ROW(multi_remove_handle), CURL_ROW(multi_perform), CURL_ROW(multi_poll),
        CURL_ROW(multi_info_read),
    };
#undef CURL_ROW
    is_curl_loaded =
        library_open(CURL_LIBRARY, symbols, G_N_ELEMENTS(symbols), &curl, sizeof(curl)) &&
        curl.global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
}

typedef struct Handles {
    CURLM *multi;
    CURL *easy;
    char *origin; // "https://api.example.com"
} Handles;

struct HttpClient {
    pthread_mutex_t lock;
    GPtrArray *idle; // of Handles, the one used last at the end; guarded by lock
};

static void handles_free(Handles *self)
{
    if (!self)
        return;
    if (self->easy)
        curl.easy_cleanup(self->easy);
    if (self->multi)
        curl.multi_cleanup(self->multi);
    g_free(self->origin);
    g_free(self);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Handles, handles_free)

HttpClient *http_client_new(void)
{
    HttpClient *self = g_new0(HttpClient, 1);
    pthread_mutex_init(&self->lock, NULL);
    self->idle = g_ptr_array_new_with_free_func((GDestroyNotify)handles_free);
    return self;
}

void http_client_free(HttpClient *self)
{
    if (!self)
        return;
    g_ptr_array_unref(self->idle);
    pthread_mutex_destroy(&self->lock);
    g_free(self);
}

/* "api.example.com/path" of "https://api.example.com/path". */
static const char *behind_scheme(const char *url)
{
    const char *mark = strstr(url, "://");
    return mark ? mark + strlen("://") : url;
}

/* "https://api.example.com" of it. Caller frees. */
static char *origin_of(const char *url)
{
    const char *start = behind_scheme(url);
    return g_strndup(url, (size_t)(start - url) + strcspn(start, "/?#"));
}

static Handles *take_idle_locked(HttpClient *self, const char *origin)
{
    for (guint i = self->idle->len; i > 0; i--) {
        const Handles *handles = self->idle->pdata[i - 1];
        if (strcmp(handles->origin, origin) == 0)
            return g_ptr_array_steal_index(self->idle, i - 1);
    }
    return NULL;
}

static bool client_take(HttpClient *self, const char *url, Handles **ret_handles, GError **error)
{
    g_autofree char *origin = origin_of(url);
    pthread_mutex_lock(&self->lock);
    Handles *idle = take_idle_locked(self, origin);
    pthread_mutex_unlock(&self->lock);
    if (idle) {
        *ret_handles = idle;
        return true;
    }

    g_autoptr(Handles) handles = g_new0(Handles, 1);
    handles->origin = g_steal_pointer(&origin);
    handles->multi = curl.multi_init();
    handles->easy = curl.easy_init();
    if (!handles->multi || !handles->easy)
        return fail_with(error, KEDGE_ERROR_NETWORK, "libcurl cannot make a handle");
    *ret_handles = g_steal_pointer(&handles);
    return true;
}

static void client_give_back(HttpClient *self, Handles *handles)
{
    curl.easy_reset(handles->easy); // forgets the transfer; keeps connections, names, TLS sessions
    Handles *oldest = NULL;
    pthread_mutex_lock(&self->lock);
    if (self->idle->len >= HTTP_MAX_IDLE)
        oldest = g_ptr_array_steal_index(self->idle, 0);
    g_ptr_array_add(self->idle, handles);
    pthread_mutex_unlock(&self->lock);
    handles_free(oldest);
}

void http_response_clear(HttpResponse *self)
{
    g_clear_pointer(&self->body, g_free);
    g_clear_pointer(&self->headers, g_strfreev);
    self->body_size = 0;
    self->status = 0;
}

const char *http_response_header(const HttpResponse *self, const char *name)
{
    size_t size = strlen(name);
    for (char **header = self->headers; header && *header; header++) {
        if (strncmp(*header, name, size) == 0 && (*header)[size] == ':')
            return *header + size + (((*header)[size + 1] == ' ') ? 2 : 1);
    }
    return NULL;
}

/* One request under way. */
typedef struct Transfer {
    const HttpRequest *request;
    int status;
    GPtrArray *headers;
    GString *body; // NULL while on_body takes the pieces
    size_t header_bytes;
    size_t body_bytes;
    gint64 started_at; // monotonic
    gint64 last_piece_at;
    size_t gathered_bytes; // of the body, at the last look of transfer_gather()
    gint64 gathered_at;
    unsigned close_count;
    bool has_body_begun;
    bool is_cut;             // an error answer's maximum was reached: what we have is enough
    GError *error;           // of a callback
    bool is_error_of_caller; // its on_body said so
    struct curl_slist *request_headers;
    char curl_text[CURL_ERROR_SIZE];
} Transfer;

static void transfer_clear(Transfer *self)
{
    g_clear_pointer(&self->headers, g_ptr_array_unref);
    if (self->body)
        g_string_free(self->body, TRUE);
    g_clear_error(&self->error);
    if (self->request_headers)
        curl.slist_free_all(self->request_headers);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Transfer, transfer_clear)

static bool transfer_is_complete(const Transfer *self)
{
    return self->is_cut || (self->request->is_complete && *self->request->is_complete);
}

/* curl's callbacks return how much they took; anything else than `size` ends the transfer. */
static size_t on_header(char *data, size_t unit, size_t count, void *transfer_)
{
    Transfer *self = transfer_;
    size_t size = unit * count;
    self->header_bytes += size;
    if (self->header_bytes > LIMIT_HTTP_HEADER_BYTES) {
        fail_with(&self->error, KEDGE_ERROR_LIMIT, "the answer has more than %zu bytes of headers",
                  LIMIT_HTTP_HEADER_BYTES);
        return 0;
    }
    g_autofree char *line = g_strndup(data, size);
    g_strstrip(line);
    if (str_has_prefix(line, "HTTP/")) {
        // a 1xx answer may have come before: what counts is the last one
        const char *space = strchr(line, ' ');
        self->status = space ? (int)g_ascii_strtoll(space + 1, NULL, 10) : 0;
        g_ptr_array_set_size(self->headers, 0);
        return size;
    }
    char *colon = strchr(line, ':');
    if (!colon)
        return size;
    *colon = '\0';
    g_autofree char *name = g_ascii_strdown(line, -1);
    g_ptr_array_add(self->headers,
                    g_strdup_printf("%s: %s", g_strchomp(name), g_strchug(colon + 1)));
    return size;
}

static bool transfer_collect(Transfer *self, const char *data, size_t size)
{
    if (!self->body)
        self->body = g_string_new(NULL);
    if (self->status >= 300) {
        size_t room = LIMIT_HTTP_ERROR_BYTES - self->body->len;
        g_string_append_len(self->body, data, (gssize)MIN(size, room));
        self->is_cut = size > room;
        return !self->is_cut;
    }
    g_string_append_len(self->body, data, (gssize)size);
    return true;
}

static bool transfer_hand_on(Transfer *self, const char *data, size_t size)
{
    const HttpRequest *request = self->request;
    bool is_ok = request->on_body(data, size, request->user_data, &self->error);
    self->is_error_of_caller = !is_ok;
    return is_ok;
}

static size_t on_piece(char *data, size_t unit, size_t count, void *transfer_)
{
    Transfer *self = transfer_;
    const HttpRequest *request = self->request;
    size_t size = unit * count;
    self->has_body_begun = true;
    self->body_bytes += size;
    size_t max = request->max_body_bytes > 0 ? request->max_body_bytes : LIMIT_HTTP_BODY_BYTES;
    if (self->status < 300 && self->body_bytes > max) {
        fail_with(&self->error, KEDGE_ERROR_LIMIT, "the answer is larger than %zu bytes", max);
        return 0;
    }
    bool is_ok = true;
    if (request->on_body && self->status < 300)
        is_ok = transfer_is_complete(self) || transfer_hand_on(self, data, size);
    else
        is_ok = transfer_collect(self, data, size);
    self->last_piece_at = time_monotonic_ms();
    return is_ok ? size : 0;
}

/* How long we may sleep; TIMEOUT when a deadline has passed. */
static bool transfer_wait_ms(const Transfer *self, int *ret_wait_ms, GError **error)
{
    const HttpRequest *request = self->request;
    gint64 now = time_monotonic_ms();
    gint64 wait = HTTP_MAX_WAIT_MS;
    if (transfer_is_complete(self)) {
        wait = MAX(self->last_piece_at + HTTP_DRAIN_MS - now, 0);
    } else if ((!self->has_body_begun || self->status >= 300) &&
               request->first_byte_timeout_ms > 0) { // an error's whole text comes at once
        gint64 left = self->started_at + request->first_byte_timeout_ms - now;
        if (left <= 0)
            return fail_with(
                error, KEDGE_ERROR_TIMEOUT,
                "the request timed out while waiting for the first event (%" G_GINT64_FORMAT " ms)",
                request->first_byte_timeout_ms);
        wait = MIN(wait, left);
    } else if (self->has_body_begun && request->idle_timeout_ms > 0) {
        gint64 left = self->last_piece_at + request->idle_timeout_ms - now;
        if (left <= 0)
            return fail_with(
                error, KEDGE_ERROR_TIMEOUT,
                "the stream stalled while waiting for the next event (%" G_GINT64_FORMAT " ms)",
                request->idle_timeout_ms);
        wait = MIN(wait, left);
    }
    if (request->timeout_ms > 0) {
        gint64 left = self->started_at + request->timeout_ms - now;
        if (left <= 0)
            return fail_with(error, KEDGE_ERROR_TIMEOUT,
                             "the request timed out after %" G_GINT64_FORMAT " ms",
                             request->timeout_ms);
        wait = MIN(wait, left);
    }
    *ret_wait_ms = (int)wait;
    return true;
}

static bool transfer_fail(const Transfer *self, CURLcode code, GError **error)
{
    const char *text = self->curl_text[0] ? self->curl_text : curl.easy_strerror(code);
    switch (code) {
    case CURLE_OPERATION_TIMEDOUT:
        return fail_with(error, KEDGE_ERROR_TIMEOUT, "connection error: %s", text);
    case CURLE_UNSUPPORTED_PROTOCOL: // of the answer: the address was checked
    case CURLE_WEIRD_SERVER_REPLY:
        return fail_with(error, KEDGE_ERROR_PROTOCOL, "connection error: %s", text);
    case CURLE_URL_MALFORMAT:
        return fail_with(error, KEDGE_ERROR_PROTOCOL, "bad address: %s", text);
    case CURLE_OUT_OF_MEMORY: // its word for one header line beyond its own limit
    case (CURLcode)100:       // CURLE_TOO_LARGE of newer versions
        return fail_with(error, KEDGE_ERROR_LIMIT, "the answer has a header line that is too long");
    default:
        return fail_with(error, KEDGE_ERROR_NETWORK, "connection error: %s", text);
    }
}

/* Sleeps until something happens or the token fires. */
static bool transfer_wait(CURLM *multi, Cancel *cancel, int wait_ms)
{
    CancelWaiter waiter;
    cancel_wait_begin(cancel, wait_ms, &waiter);
    struct curl_waitfd extra = { .fd = waiter.fd, .events = CURL_WAIT_POLLIN };
    unsigned extra_count = waiter.fd >= 0 ? 1 : 0;
    CURLMcode code = curl.multi_poll(multi, &extra, extra_count, waiter.timeout_ms, NULL);
    cancel_wait_end(&waiter);
    return code == CURLM_OK;
}

/* A model's tokens are read some at a time: each by itself costs a wakeup and most of libcurl's
   work. False when cancelled. */
static bool transfer_gather(Transfer *self, Cancel *cancel, GError **error)
{
    gint64 gather_ms = self->request->gather_ms;
    size_t size = self->body_bytes - self->gathered_bytes;
    if (gather_ms <= 0 || size == 0)
        return true;
    bool is_close = size < GATHER_BYTES && self->last_piece_at - self->gathered_at <= 2 * gather_ms;
    self->close_count = is_close ? self->close_count + 1 : 0;
    self->gathered_bytes = self->body_bytes;
    self->gathered_at = self->last_piece_at;
    if (self->close_count < GATHER_AFTER || transfer_is_complete(self))
        return true;
    return cancel_sleep(cancel, gather_ms, error);
}

/* Runs the transfer that was added to the multi handle. */
static bool transfer_run(Transfer *self, CURLM *multi, Cancel *cancel, GError **error)
{
    for (;;) {
        if (!cancel_check(cancel, error))
            return false;
        int running = 0;
        if (curl.multi_perform(multi, &running) != CURLM_OK)
            return fail_with(error, KEDGE_ERROR_NETWORK, "connection error: libcurl failed");
        if (running == 0)
            break;
        if (!transfer_gather(self, cancel, error))
            return false;
        int wait_ms = 0;
        if (!transfer_wait_ms(self, &wait_ms, error))
            return false;
        if (wait_ms == 0 && transfer_is_complete(self))
            return true;
        if (!transfer_wait(multi, cancel, wait_ms))
            return fail_with(error, KEDGE_ERROR_NETWORK, "connection error: libcurl cannot wait");
    }
    int left = 0;
    const CURLMsg *message = curl.multi_info_read(multi, &left);
    CURLcode code = message ? message->data.result : CURLE_OK;
    if (self->error)
        return pass_error(error, &self->error);
    if (code != CURLE_OK && !transfer_is_complete(self))
        return transfer_fail(self, code, error);
    return true;
}

static bool transfer_set_headers(Transfer *self, GError **error)
{
    const char *const *headers = self->request->headers;
    // "Expect: 100-continue" costs a round trip, and some servers never answer it
    struct curl_slist *list = curl.slist_append(NULL, "Expect:");
    for (size_t i = 0; headers && headers[i]; i++) {
        if (strpbrk(headers[i], "\r\n")) {
            curl.slist_free_all(list);
            size_t name_size = strcspn(headers[i], ":\r\n");
            return fail_with(error, KEDGE_ERROR_USAGE, "the header %.*s holds a line break",
                             (int)name_size, headers[i]);
        }
        list = curl.slist_append(list, headers[i]);
    }
    self->request_headers = list;
    return true;
}

static void transfer_set_method(const Transfer *self, CURL *easy)
{
    const HttpRequest *request = self->request;
    const char *method = request->method ? request->method : (request->body ? "POST" : "GET");
    if (strcmp(method, "HEAD") == 0) {
        curl.easy_setopt(easy, CURLOPT_NOBODY, 1L);
        return;
    }
    if (request->body || strcmp(method, "POST") == 0) {
        curl.easy_setopt(easy, CURLOPT_POSTFIELDS, request->body ? request->body : "");
        curl.easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body_size);
    }
    curl.easy_setopt(easy, CURLOPT_CUSTOMREQUEST, method);
}

/* "api.example.com" or "127.0.0.1:8080" of "https://user@api.example.com/path"; no credentials. */
static char *host_of(const char *url)
{
    const char *start = behind_scheme(url);
    size_t size = strcspn(start, "/?#");
    const char *at = memrchr(start, '@', size);
    if (at) {
        size -= (size_t)(at + 1 - start);
        start = at + 1;
    }
    return g_strndup(start, MIN(size, MAX_HOST_BYTES));
}

bool http_is_loopback(const char *host)
{
    struct in_addr four;
    struct in6_addr six;
    if (inet_pton(AF_INET, host, &four) == 1)
        return ntohl(four.s_addr) >> IN_CLASSA_NSHIFT == IN_LOOPBACKNET;
    if (inet_pton(AF_INET6, host, &six) == 1)
        return IN6_IS_ADDR_LOOPBACK(&six);
    return str_equal_nocase(host, "localhost");
}

/* A proxy cannot reach what is meant by 127.0.0.1 here. */
static bool is_for_us(const char *url)
{
    g_autofree char *host = host_of(url);
    bool is_bracketed = *host == '[';
    size_t size = strcspn(host + is_bracketed, is_bracketed ? "]" : ":");
    g_autofree char *bare = g_strndup(host + is_bracketed, size);
    return http_is_loopback(bare);
}

static bool transfer_setup(Transfer *self, CURL *easy, GError **error)
{
    const HttpRequest *request = self->request;
    if (g_ascii_strncasecmp(request->url, "http://", 7) != 0 &&
        g_ascii_strncasecmp(request->url, "https://", 8) != 0)
        return fail_with(error, KEDGE_ERROR_PROTOCOL, "bad address: neither http nor https");
    if (!transfer_set_headers(self, error))
        return false;

    gint64 connect_ms =
        request->connect_timeout_ms > 0 ? request->connect_timeout_ms : HTTP_CONNECT_TIMEOUT_MS;
    curl.easy_setopt(easy, CURLOPT_URL, request->url);
    curl.easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    if (is_for_us(request->url))
        curl.easy_setopt(easy, CURLOPT_PROXY, "");
    curl.easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl.easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
    curl.easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    curl.easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
    curl.easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)connect_ms);
    curl.easy_setopt(easy, CURLOPT_FRESH_CONNECT, request->is_sent_once ? 1L : 0L);
    curl.easy_setopt(easy, CURLOPT_USERAGENT, "kedge/" KEDGE_VERSION);
    curl.easy_setopt(easy, CURLOPT_HTTPHEADER, self->request_headers);
    curl.easy_setopt(easy, CURLOPT_ERRORBUFFER, self->curl_text);
    curl.easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
    curl.easy_setopt(easy, CURLOPT_HEADERDATA, self);
    curl.easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_piece);
    curl.easy_setopt(easy, CURLOPT_WRITEDATA, self);
#if LIBCURL_VERSION_NUM >= 0x075700
    // a cancelled request need not wait for its name to be resolved
    curl.easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
#endif
    if (!request->on_body) // a decoder would hold back the pieces of a stream
        curl.easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "");
    transfer_set_method(self, easy);
    return true;
}

static bool transfer_was_sent(CURL *easy)
{
    long size = 0;
    return curl.easy_getinfo(easy, CURLINFO_REQUEST_SIZE, &size) != CURLE_OK || size > 0;
}

static void transfer_give(Transfer *self, HttpResponse *ret_response)
{
    ret_response->status = self->status;
    g_ptr_array_add(self->headers, NULL);
    ret_response->headers = (char **)g_ptr_array_free(g_steal_pointer(&self->headers), FALSE);
    bool is_taken = self->request->on_body && self->status < 300;
    ret_response->body_size = self->body ? self->body->len : 0;
    if (self->body)
        ret_response->body = g_string_free(g_steal_pointer(&self->body), FALSE);
    else
        ret_response->body = is_taken ? NULL : g_strdup("");
}

/* Who did not answer: curl's words say it only sometimes. */
static void name_host(const Transfer *self, GError **error)
{
    if (!error || !*error || self->is_error_of_caller || error_is(*error, KEDGE_ERROR_CANCELLED))
        return;
    g_autofree char *host = host_of(self->request->url);
    if (*host == '\0' || strstr((*error)->message, host))
        return;
    char *message = g_strdup_printf("%s (%s)", (*error)->message, host);
    g_free((*error)->message);
    (*error)->message = message;
}

bool http_request(HttpClient *self, const HttpRequest *request, Cancel *cancel,
                  HttpResponse *ret_response, GError **error)
{
    if (request->was_sent)
        *request->was_sent = false;
    if (!cancel_check(cancel, error))
        return false;
    pthread_once(&curl_once, curl_load);
    if (!is_curl_loaded)
        return fail_with(error, KEDGE_ERROR_NOT_FOUND, "network requests need %s", CURL_LIBRARY);

    g_auto(Transfer) transfer = {
        .request = request,
        .headers = g_ptr_array_new_with_free_func(g_free),
        .started_at = time_monotonic_ms(),
    };
    Handles *handles = NULL;
    if (!client_take(self, request->url, &handles, error))
        return false;
    bool is_ok = transfer_setup(&transfer, handles->easy, error);
    if (is_ok && curl.multi_add_handle(handles->multi, handles->easy) != CURLM_OK)
        is_ok = fail_with(error, KEDGE_ERROR_NETWORK, "libcurl refuses the request");
    if (is_ok) {
        is_ok = transfer_run(&transfer, handles->multi, cancel, error);
        if (!is_ok)
            name_host(&transfer, error);
        if (request->was_sent)
            *request->was_sent = transfer_was_sent(handles->easy);
        curl.multi_remove_handle(handles->multi, handles->easy);
    }
    client_give_back(self, handles);
    if (is_ok)
        transfer_give(&transfer, ret_response);
    return is_ok;
}
