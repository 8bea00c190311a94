/*
 * The answer of an agent-tools operation: one ToolResult envelope (agent-tools-cli §1.2).
 *
 * {success, tool, data?, errors?, error_details?, warnings?}, keys in this order. An operation
 * fills an Answer; operation.c makes the envelope of it. One thread at a time.
 */
#pragma once

#include "base/json.h"

/* The codes of error_details[]. */
#define ANSWER_CODES(X)                                                                            \
    X(ANSWER_USAGE, "usage")                                                                       \
    X(ANSWER_NO_INPUT, "no_input")                                                                 \
    X(ANSWER_INVALID_JSON, "invalid_json")                                                         \
    X(ANSWER_VALIDATION, "validation")                                                             \
    X(ANSWER_AUTH_MISSING, "auth_missing")                                                         \
    X(ANSWER_PERMISSION, "permission")                                                             \
    X(ANSWER_NOT_FOUND, "not_found")                                                               \
    X(ANSWER_RATE_LIMITED, "rate_limited")                                                         \
    X(ANSWER_UNPROCESSABLE, "unprocessable")                                                       \
    X(ANSWER_CONFLICT, "conflict")                                                                 \
    X(ANSWER_INVALID_TRANSITION, "invalid_transition")                                             \
    X(ANSWER_INVALID_STATE, "invalid_state")                                                       \
    X(ANSWER_LEASE_LOST, "lease_lost")                                                             \
    X(ANSWER_UNAVAILABLE, "unavailable")                                                           \
    X(ANSWER_TIMEOUT, "timeout")                                                                   \
    X(ANSWER_GIT, "git")                                                                           \
    X(ANSWER_IO, "io")                                                                             \
    X(ANSWER_DIAGRAM_INVALID, "diagram_invalid")                                                   \
    X(ANSWER_INTERNAL, "internal")

#define ANSWER_CODE(code, name) code,
typedef enum { ANSWER_CODES(ANSWER_CODE) } AnswerCode;

const char *answer_code_name(AnswerCode code); // "usage" …

typedef struct Answer Answer;

Answer *answer_new(void);
void answer_free(Answer *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Answer, answer_free)

/* `data` of the envelope; takes the reference; json_null() is an answer too. On failure it is shown
   as well: set it only when a partial result is of use. */
void answer_set_data(Answer *self, json_t *data);
void answer_warn(Answer *self, const char *format, ...) G_GNUC_PRINTF(2, 3);
void answer_warn_all(Answer *self, const GPtrArray *warnings); // of char *

/*
 * Failure. A function that fails for one reason returns a GError made by answer_error(); an
 * operation with several problems adds each with answer_fail() and returns true. `details` (may be
 * NULL; the reference is taken) holds further keys of this error_details item: field, line, hint,
 * retryable …. Messages are whole phrases for a person, as the specification words them.
 */
bool answer_error(GError **error, AnswerCode code, json_t *details, const char *format, ...)
    G_GNUC_PRINTF(4, 5); // false
void answer_fail(Answer *self, AnswerCode code, json_t *details, const char *format, ...)
    G_GNUC_PRINTF(4, 5);
/* Adds what `error` says: of answer_error() with code and details, of KEDGE_ERROR with the code
   that fits. */
void answer_add_error(Answer *self, const GError *error);
bool answer_has_failed(const Answer *self);
/* Is `error` one of answer_error() with this code? */
bool answer_error_is(const GError *error, AnswerCode code);

/* What answer_error() was given; NULL: nothing, or another error. Borrowed from `error`. */
json_t *answer_error_details(const GError *error);

/* {"hint": hint} and {"field": field}, for `details`. */
json_t *answer_hint(const char *hint);
json_t *answer_field(const char *field);
/* A field is not as it should be: VALIDATION, with its name. */
bool answer_error_field(GError **error, const char *field, const char *format, ...)
    G_GNUC_PRINTF(3, 4); // false
void answer_fail_field(Answer *self, const char *field, const char *format, ...)
    G_GNUC_PRINTF(3, 4);

/* The envelope. New reference. */
json_t *answer_envelope(const Answer *self, const char *tool);
/* Its text: two spaces or one line; no exponents, control characters escaped. Caller frees. */
char *answer_text(const json_t *envelope, bool is_compact);
