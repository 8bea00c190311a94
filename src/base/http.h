/*
 * HTTP client over libcurl, which is loaded with dlopen() at the first request.
 *
 * One HttpClient serves many threads; each request blocks its own thread and obeys its Cancel
 * within milliseconds (curl_multi_poll + wakeup). Connections are kept and reused. TLS is always
 * checked; proxy variables count, but never for this machine itself. Redirects are not followed. At
 * most LIMIT_HTTP_HEADER_BYTES of headers.
 */
#pragma once

#include "base/cancel.h"

#define HTTP_CONNECT_TIMEOUT_MS (10 * 1000)
#define HTTP_DRAIN_MS           200

typedef struct HttpClient HttpClient;

HttpClient *http_client_new(void);
void http_client_free(HttpClient *self); // no request may be running
G_DEFINE_AUTOPTR_CLEANUP_FUNC(HttpClient, http_client_free)

/* Called on the requesting thread for every piece of a 2xx body. False stops the request; set
 * *error. */
typedef bool (*HttpBodyFunc)(const char *data, size_t size, void *user_data, GError **error);

typedef struct HttpRequest {
    const char *method; // NULL: GET, or POST with a body
    const char *url;
    const char *const *headers; // "Name: value", NULL-terminated; may be NULL
    const char *body;
    size_t body_size;
    int64_t connect_timeout_ms;    // 0: 10 s
    int64_t first_byte_timeout_ms; // headers and first body byte, or a whole error; 0: none
    int64_t idle_timeout_ms;       // between pieces; 0: none
    int64_t timeout_ms;            // the whole request; 0: none
    int64_t gather_ms;             // small pieces in close succession wait so long for more; 0: not
    size_t max_body_bytes;         // 0: LIMIT_HTTP_BODY_BYTES; LIMIT beyond
    HttpBodyFunc on_body; // NULL: the body is collected. Error answers are always collected
    void *user_data;
    // NULL, or what on_body sets when nothing more is wanted: the end of the answer is then awaited
    // for HTTP_DRAIN_MS only (so that the connection can be kept), and its absence is no error.
    const bool *is_complete;
    // On a connection of its own: when a kept one turns out to be closed, libcurl sends again by
    // itself, whatever the method.
    bool is_sent_once;
    bool *was_sent; // NULL, or set: false when surely no byte of the request left
} HttpRequest;

typedef struct HttpResponse {
    int status;
    char *body; // NUL-terminated, raw bytes; NULL when on_body took it
    size_t body_size;
    char **headers; // "name: value", names in lower case, NULL-terminated
} HttpResponse;

void http_response_clear(HttpResponse *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(HttpResponse, http_response_clear)

/* Borrowed value of the first header of that (lower-case) name, or NULL. */
const char *http_response_header(const HttpResponse *self, const char *name);

/* Its messages name the host. NETWORK (with curl's text), TIMEOUT ("… timed out while waiting for
   the first event" when no byte of the body came, "… stalled while waiting for the next event"
   later), CANCELLED, LIMIT; NOT_FOUND when libcurl is not installed. An HTTP error status is no
   error. Of an error answer's body the first LIMIT_HTTP_ERROR_BYTES are kept. */
bool http_request(HttpClient *self, const HttpRequest *request, Cancel *cancel,
                  HttpResponse *ret_response, GError **error);

/* Is the host this machine itself: localhost, 127.0.0.0/8, ::1? Without brackets and port. */
bool http_is_loopback(const char *host);
