/*
 * One request as the routes see it: method, path, query and headers decoded, the body as a JSON
 * object.
 */
#pragma once

#include "arcade/arcade.h"
#include "arcade/mhd.h"
#include "arcade/reply.h"
#include "base/field.h"

#define REQUEST_BODY_BYTES   ((size_t)12 * 1024 * 1024) // a base and a new text
#define REQUEST_HEADER_BYTES ((size_t)16 * 1024)        // names and values together

typedef struct ArcadeRequest {
    Arcade *arcade;
    int socket;   // borrowed, to see the other end go
    char *method; // GET also for HEAD
    bool is_head;
    char *path;   // as it came, without query
    char **words; // of the path, decoded; NULL when it cannot be
    const struct Route *route;
    const char *id;              // what the route's first * stands for
    GHashTable *query, *headers; // of char *; names of headers in lower case
    size_t header_bytes;
    bool is_ambiguous;  // a header that decides came twice
    bool is_unreadable; // the query is not URL-encoded UTF-8
    GString *body;
    size_t body_bytes; // of what came; more than in `body` when it is too large
    json_t *json;      // the body of a write, an object
} ArcadeRequest;

/* Reads all but the body. */
ArcadeRequest *request_new(Arcade *arcade, const MhdApi *mhd, struct MHD_Connection *connection,
                           const char *method, const char *path);
void request_free(ArcadeRequest *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ArcadeRequest, request_free)

bool request_is_write(const ArcadeRequest *self); // PUT, POST, PATCH, DELETE

/* Borrowed; NULL when absent. `name` in lower case. */
const char *request_header(const ArcadeRequest *self, const char *name);
const char *request_query(const ArcadeRequest *self, const char *name); // NULL for an empty one too
/* 400 unless it is absent (`fallback`) or within the limits. */
bool request_query_int(const ArcadeRequest *self, const char *name, int64_t min, int64_t max,
                       int64_t fallback, int64_t *ret_value, GError **error);
/* The `*` of the route as a positive number; 404 otherwise. */
bool request_id(const ArcadeRequest *self, int64_t *ret_id, GError **error);

/* Keeps as much of the body as is allowed. */
void request_add_body(ArcadeRequest *self, const char *data, size_t size);
/* Reads the body of a write into `json`; 400, 413. */
bool request_read_body(ArcadeRequest *self, GError **error);
/* Its fields into the struct at `args`, which borrows from `json`; 400 with all problems. */
bool request_decode(ArcadeRequest *self, const FieldDef *fields, void *args, GError **error);
