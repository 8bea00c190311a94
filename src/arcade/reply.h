/*
 * What Arcade answers to a request, and failures as HTTP knows them.
 */
#pragma once

#include "base/json.h"

#include <stdint.h>
#include <sys/types.h>

typedef struct ReplySource { // of a body without an end
    void *data;              // owned; NULL: there is no such body
    /* Blocks until there is more; -1: there is none. */
    ssize_t (*fill)(void *data, uint64_t position, char *buffer, size_t size);
    void (*free)(void *data);
} ReplySource;

typedef struct ArcadeReply {
    unsigned status;
    const char *content_type;      // constant; NULL: no body
    const char *cache_control;     // constant; NULL: no-store
    GBytes *body;                  // owned; NULL: empty
    char *etag;                    // with its quotes
    char *content_security_policy; // NULL: that of every answer
    char *allow;                   // methods, of a 405
    ReplySource source;            // in place of `body`
    json_t *error_details;         // further keys of the error object, should the route fail
} ArcadeReply;

void reply_clear(ArcadeReply *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ArcadeReply, reply_clear)

/* Takes the reference. */
void reply_json(ArcadeReply *self, unsigned status, json_t *value);
/* Takes `data` (of g_malloc). `content_type` is constant. */
void reply_bytes(ArcadeReply *self, const char *content_type, char *data, size_t size);
void reply_set_etag(ArcadeReply *self, const char *sha256);

/* Fails with an HTTP status. Messages are sentences for a person. */
bool reply_fail(GError **error, unsigned status, const char *format, ...)
    G_GNUC_PRINTF(3, 4); // false

/* Makes the reply that `error` is: of reply_fail(), of answer.h, or of KEDGE_ERROR;
   {"error": {"code": …, "message": …}}. What was set before, but for `allow`, is dropped. */
void reply_error(ArcadeReply *self, const GError *error);
