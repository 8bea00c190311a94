/*
 * One POST whose answer is a stream of events: watchdogs and error texts (agent-core §2.8). Never
 * tries again by itself: there is one budget of retries, the agent's. Private to this room. Thread
 * safe.
 */
#pragma once

#include "base/http.h"
#include "base/json.h"
#include "base/sse.h"

typedef struct TransportRequest {
    const char *url;
    const char *const *headers;
    const char *body;
    size_t body_size;
    SseEventFunc on_event;
    void *user_data;
    const bool *is_complete; // see HttpRequest
    const size_t *received;  // grows with each piece of the answer
    gint64 max_silence_ms;   // in which it must have grown; 0: for ever
    gint64 max_wait_ms;      // a server that asks for more gets no other try; 0: not known
} TransportRequest;

/* Blocks until the stream has ended. The error's message is what errorMessage is to say. */
bool transport_stream(HttpClient *http, const TransportRequest *request, Cancel *cancel,
                      GError **error);

/* The server's words in an error object of any known shape, with its code or type in parentheses;
   NULL when there are none. Caller frees. */
char *transport_error_message(const json_t *body);

/* "HTTP 429: Slow down (rate_limit_error) retry-after-ms=1000"; with a delay above `max_wait_ms`
   (0: none is) also when to try again. Caller frees. */
char *transport_status_text(const HttpResponse *response, gint64 max_wait_ms, gint64 now_ms);

/* The delay that a header asks for, in ms, or -1: seconds, a date, or for the x-ratelimit names
   also a time since the epoch. At most 7 days. */
gint64 transport_header_delay_ms(const HttpResponse *response, const char *name, gint64 now_ms);
