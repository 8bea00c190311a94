/*
 * PostgreSQL client over libpq, which is loaded with dlopen() at the first connection.
 *
 * Every call blocks its own thread, waits on the socket together with the Cancel, and asks the
 * server to stop a statement that was cancelled. One Pg belongs to one thread at a time. Passwords
 * never appear in an error.
 */
#pragma once

#include "base/cancel.h"

#include <stdint.h>

typedef struct Pg Pg;
typedef struct PgRows PgRows;

/* `url` by libpq's own rules: postgres://…, PGPASSWORD and .pgpass included. NOT_FOUND when libpq
   is not installed; NETWORK when the server cannot be reached or refuses (message of libpq, one
   line); TIMEOUT, CANCELLED. */
bool pg_open(const char *url, int64_t timeout_ms, Cancel *cancel, Pg **ret_pg, GError **error);
void pg_close(Pg *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Pg, pg_close)

/*
 * One statement; `values` are `count` texts for $1 …, NULL for SQL NULL. `ret_rows` may be NULL.
 * NETWORK when the connection is lost (the Pg is of no more use), else FAILED with the server's
 * message; pg_error_state() tells more.
 */
bool pg_query(Pg *self, const char *sql, int count, const char *const *values, Cancel *cancel,
              PgRows **ret_rows, GError **error);

/* SQLSTATE of the last failure of pg_query(): "23505"; "" when there was none. Borrowed. */
const char *pg_error_state(const Pg *self);
/* The connection is gone. */
bool pg_is_lost(const Pg *self);

/* Waits for a notification of a LISTENed channel; *ret_is_told false after `timeout_ms`. */
bool pg_wait(Pg *self, int64_t timeout_ms, Cancel *cancel, bool *ret_is_told, GError **error);

void pg_rows_free(PgRows *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PgRows, pg_rows_free)
int pg_rows_count(const PgRows *self);
/* Borrowed; NULL for SQL NULL. */
const char *pg_rows_text(const PgRows *self, int row, int column);
int64_t pg_rows_int(const PgRows *self, int row, int column); // 0 for SQL NULL
int64_t pg_rows_changed(const PgRows *self);                  // rows that the statement touched
