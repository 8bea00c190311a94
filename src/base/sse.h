/*
 * Server-sent events: bytes in, events out. Bounded by LIMIT_SSE_EVENT_BYTES an event. LF, CR and
 * CRLF line ends, comments, multi-line data, a BOM at the start. Not thread safe.
 */
#pragma once

#include "base/error.h"

typedef struct SseParser SseParser;

/* `event` is "" when the stream named none; `data` is NUL-terminated, lines joined with LF.
   False stops: set *error. */
typedef bool (*SseEventFunc)(const char *event, const char *data, size_t size, void *user_data,
                             GError **error);

SseParser *sse_parser_new(SseEventFunc func, void *user_data);
void sse_parser_free(SseParser *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SseParser, sse_parser_free)

bool sse_parser_push(SseParser *self, const char *data, size_t size, GError **error);
/* The stream ended: an event without its blank line is delivered too. */
bool sse_parser_finish(SseParser *self, GError **error);
