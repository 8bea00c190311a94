/*
 * A model server for unit tests: plays canned answers of the OpenAI chat protocol on 127.0.0.1, one
 * per request, and keeps what it was asked. Runs on a thread of its own; one connection at a time.
 */
#pragma once

#include "base/json.h"

typedef struct SseServer SseServer;

SseServer *sse_server_new(void);
void sse_server_free(SseServer *self); // ends an answer that hangs
int sse_server_port(const SseServer *self);

/* What the next request without an answer gets, in order; requests beyond get status 500. */
void sse_server_add_text(SseServer *self, const char *text);
void sse_server_add_text_ending(SseServer *self, const char *text, const char *finish_reason);
/* `calls` is a JSON array of {"id","name","arguments"}; a text "arguments" is sent as it stands. */
void sse_server_add_calls(SseServer *self, const char *calls);
/* The same with another finish reason; NULL: the stream breaks off behind the calls. */
void sse_server_add_calls_ending(SseServer *self, const char *calls, const char *finish_reason);
void sse_server_add_error(SseServer *self, int status, const char *message);
/* Sends `text`, then nothing until the client goes away. */
void sse_server_add_hanging(SseServer *self, const char *text);

typedef struct SseDemands { // what a request must be, or it is refused before its answer has a turn
    size_t max_bytes;       // else 413 with a page of a proxy; 0: any
    int by_turns_status;    // of the refusal of two messages of a role in a row, results and calls
                            // left out as the templates of local servers do; 0: any
} SseDemands;
void sse_server_set_demands(SseServer *self, SseDemands demands);

/* Tokens that every answer reports; the default is 10 and 5. */
void sse_server_set_usage(SseServer *self, int prompt_tokens, int completion_tokens);

size_t sse_server_request_count(SseServer *self);
/* The body of request `index`; borrowed while the server lives. NULL: there was none. */
const json_t *sse_server_request(SseServer *self, size_t index);
/* The messages of a request as "role:text role:text …", without the system message. Caller frees.
 */
char *sse_server_conversation(SseServer *self, size_t index);
