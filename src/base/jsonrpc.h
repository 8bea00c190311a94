/*
 * JSON-RPC 2.0 messages: making them, and telling what a received one is. How they travel (one a
 * line: line_channel.h) is not known here. Pure.
 */
#pragma once

#include "base/json.h"

enum { // error codes of JSON-RPC 2.0
    JSONRPC_PARSE_ERROR = -32700,
    JSONRPC_INVALID_REQUEST = -32600,
    JSONRPC_METHOD_NOT_FOUND = -32601,
    JSONRPC_INVALID_PARAMS = -32602,
    JSONRPC_INTERNAL_ERROR = -32603,
};

/* New references. `id` is borrowed (NULL: JSON null); `result` and `params` are taken (NULL: {}).
 */
json_t *jsonrpc_result(const json_t *id, json_t *result);
json_t *jsonrpc_error(const json_t *id, int code, const char *message);
json_t *jsonrpc_request(const json_t *id, const char *method, json_t *params);
json_t *jsonrpc_notification(const char *method, json_t *params);

typedef enum {
    JSONRPC_INVALID,
    JSONRPC_REQUEST,
    JSONRPC_NOTIFICATION,
    JSONRPC_RESPONSE, // a result or an error
} JsonrpcKind;

/* What a received object is; a request's id is a string or an integer. */
JsonrpcKind jsonrpc_classify(const json_t *message);
