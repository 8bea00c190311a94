/*
 * Errors: one GError domain with few codes; a code exists only where some caller acts on it.
 *
 * Messages are lower case without a full stop (texts that a specification fixes excepted) and
 * say what was tried and with which value. Thread safe: errors are plain values.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

#define KEDGE_ERROR (kedge_error_quark())
GQuark kedge_error_quark(void);

typedef enum {
    KEDGE_ERROR_CANCELLED, // stopped on purpose: say nothing more
    KEDGE_ERROR_USAGE,     // exit code 2 on the command line
    KEDGE_ERROR_NOT_FOUND,
    KEDGE_ERROR_DENIED,  // policy, the user or the server's permissions said no
    KEDGE_ERROR_NETWORK, // worth retrying, like TIMEOUT
    KEDGE_ERROR_TIMEOUT,
    KEDGE_ERROR_PROTOCOL, // the other side, or a file, holds something we cannot use
    KEDGE_ERROR_LIMIT,    // one of our own maxima was reached
    KEDGE_ERROR_IO,       // a system call failed: file, disk, process
    KEDGE_ERROR_FAILED,   // the operation ran and says no; the message is all there is to know
} KedgeError;

/* Sets *error and returns false, so that callers can `return fail_with(…)`. */
bool fail_with(GError **error, KedgeError code, const char *format, ...) G_GNUC_PRINTF(3, 4);

/* As fail_with(), code IO, with ": <strerror(saved_errno)>" appended. */
bool fail_with_errno(GError **error, int saved_errno, const char *format, ...) G_GNUC_PRINTF(3, 4);

/* Hands *cause on as *error; false. *cause becomes NULL. */
bool pass_error(GError **error, GError **cause);

bool error_is(const GError *error, KedgeError code);
