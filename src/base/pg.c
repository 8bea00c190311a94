/*
 * PostgreSQL over libpq's asynchronous interface (pg.h): everything that could wait is a poll() on
 * the socket and the cancel descriptor.
 */
#include "base/pg.h"

#include "base/library.h"
#include "base/str.h"
#include "base/timefmt.h"

#include <libpq-fe.h>
#include <poll.h>
#include <pthread.h>

#define PQ_LIBRARY    "libpq.so.5"
#define STATEMENT_MS  (60 * 1000) // the longest wait for one statement
#define MESSAGE_BYTES 500         // of a server's error text

typedef struct PqApi {
    PGconn *(*connectStartParams)(const char *const *, const char *const *, int);
    PostgresPollingStatusType (*connectPoll)(PGconn *);
    ConnStatusType (*status)(const PGconn *);
    int (*socket)(const PGconn *);
    char *(*errorMessage)(const PGconn *);
    void (*finish)(PGconn *);
    int (*setnonblocking)(PGconn *, int);
    PQnoticeProcessor (*setNoticeProcessor)(PGconn *, PQnoticeProcessor, void *);
    int (*sendQueryParams)(PGconn *, const char *, int, const Oid *, const char *const *,
                           const int *, const int *, int);
    int (*flush)(PGconn *);
    int (*consumeInput)(PGconn *);
    int (*isBusy)(PGconn *);
    PGresult *(*getResult)(PGconn *);
    ExecStatusType (*resultStatus)(const PGresult *);
    char *(*resultErrorField)(const PGresult *, int);
    char *(*resultErrorMessage)(const PGresult *);
    void (*clear)(PGresult *);
    int (*ntuples)(const PGresult *);
    int (*getisnull)(const PGresult *, int, int);
    char *(*getvalue)(const PGresult *, int, int);
    char *(*cmdTuples)(PGresult *);
    PGcancel *(*getCancel)(PGconn *);
    int (*cancel)(PGcancel *, char *, int);
    void (*freeCancel)(PGcancel *);
    PGnotify *(*notifies)(PGconn *);
    void (*freemem)(void *);
} PqApi;

// Written once, under pq_once.
static PqApi pq;
static bool is_pq_loaded;
static pthread_once_t pq_once = PTHREAD_ONCE_INIT;

static void pq_load(void)
{
#define PQ_ROW(name) LIBRARY_SYMBOL(PqApi, "PQ", name)
    static const LibrarySymbol symbols[] = {
        PQ_ROW(connectStartParams),
        PQ_ROW(connectPoll),
        PQ_ROW(status),
        PQ_ROW(socket),
        PQ_ROW(errorMessage),
        PQ_ROW(finish),
        PQ_ROW(setnonblocking),
        PQ_ROW(setNoticeProcessor),
        PQ_ROW(sendQueryParams),
        PQ_ROW(flush),
        PQ_ROW(consumeInput),
        PQ_ROW(isBusy),
        PQ_ROW(getResult),
        PQ_ROW(resultStatus),
        PQ_ROW(resultErrorField),
        PQ_ROW(resultErrorMessage),
        PQ_ROW(clear),
        PQ_ROW(ntuples),
        PQ_ROW(getisnull),
        PQ_ROW(getvalue),
        PQ_ROW(cmdTuples),
        PQ_ROW(getCancel),
        PQ_ROW(cancel),
        PQ_ROW(freeCancel),
        PQ_ROW(notifies),
        PQ_ROW(freemem),
    };
#undef PQ_ROW
    is_pq_loaded = library_open(PQ_LIBRARY, symbols, G_N_ELEMENTS(symbols), &pq, sizeof(pq));
}

struct Pg {
    PGconn *connection;
    char state[6]; // SQLSTATE of the last failure
};

struct PgRows {
    PGresult *result;
};

// libpq's texts have several lines, the first of which says it.
static char *one_line(const char *text)
{
    g_auto(GStrv) lines = g_strsplit(text ? text : "", "\n", -1);
    g_autoptr(GString) joined = g_string_new(NULL);
    for (char **line = lines; *line; line++) {
        if (*g_strstrip(*line))
            g_string_append_printf(joined, "%s%s", joined->len > 0 ? " " : "", *line);
    }
    return str_truncate(joined->str, MESSAGE_BYTES);
}

static bool fail_lost(Pg *self, GError **error)
{
    g_autofree char *text = one_line(pq.errorMessage(self->connection));
    return fail_with(error, KEDGE_ERROR_NETWORK, "PostgreSQL: %s", text);
}

// `until_ms` is monotonic. *ret_is_ready false: the time is over.
static bool wait_for(Pg *self, short events, int64_t until_ms, Cancel *cancel, bool *ret_is_ready,
                     GError **error)
{
    struct pollfd socket = { .fd = pq.socket(self->connection), .events = events };
    for (;;) {
        if (!cancel_check(cancel, error))
            return false;
        int64_t left = until_ms - time_monotonic_ms();
        cancel_poll(cancel, &socket, 1, MAX(left, 0));
        *ret_is_ready = socket.revents != 0;
        if (*ret_is_ready || left <= 0)
            return true;
    }
}

static void ignore_notice(void *data G_GNUC_UNUSED, const char *message G_GNUC_UNUSED)
{
}

// What libpq says of a URL that it cannot read quotes the URL, password and all.
static bool fail_unreadable(GError **error)
{
    return fail_with(error, KEDGE_ERROR_NETWORK, "PostgreSQL: the connection URL cannot be read");
}

static bool connect_fully(Pg *self, int64_t until_ms, Cancel *cancel, GError **error)
{
    PostgresPollingStatusType want = PGRES_POLLING_WRITING;
    while (want != PGRES_POLLING_OK) {
        if (want == PGRES_POLLING_FAILED || pq.status(self->connection) == CONNECTION_BAD)
            return fail_lost(self, error);
        bool is_ready = false;
        short events = want == PGRES_POLLING_READING ? POLLIN : POLLOUT;
        if (!wait_for(self, events, until_ms, cancel, &is_ready, error))
            return false;
        if (!is_ready)
            return fail_with(error, KEDGE_ERROR_TIMEOUT, "PostgreSQL: no connection in time");
        want = pq.connectPoll(self->connection);
    }
    return true;
}

bool pg_open(const char *url, int64_t timeout_ms, Cancel *cancel, Pg **ret_pg, GError **error)
{
    pthread_once(&pq_once, pq_load);
    if (!is_pq_loaded)
        return fail_with(error, KEDGE_ERROR_NOT_FOUND,
                         "PostgreSQL support needs libpq; install it or use a sqlite: URL");
    static const char *const keys[] = { "dbname", "client_encoding", "fallback_application_name",
                                        NULL };
    const char *const values[] = { url, "UTF8", "kedge", NULL };
    g_autoptr(Pg) self = g_new0(Pg, 1);
    self->connection = pq.connectStartParams(keys, values, 1);
    if (!self->connection)
        return fail_with(error, KEDGE_ERROR_NETWORK, "PostgreSQL: libpq makes no connection");
    const char *message = pq.errorMessage(self->connection);
    if (pq.socket(self->connection) < 0 &&
        (strstr(message, url) || strstr(message, "percent-encoded")))
        return fail_unreadable(error);
    pq.setNoticeProcessor(self->connection, ignore_notice, NULL);
    if (!connect_fully(self, time_monotonic_ms() + timeout_ms, cancel, error))
        return false;
    pq.setnonblocking(self->connection, 1);
    *ret_pg = g_steal_pointer(&self);
    return true;
}

void pg_close(Pg *self)
{
    if (!self)
        return;
    pq.finish(self->connection);
    g_free(self);
}

const char *pg_error_state(const Pg *self)
{
    return self->state;
}

bool pg_is_lost(const Pg *self)
{
    return pq.status(self->connection) == CONNECTION_BAD;
}

// Tells the server to stop what it does, and takes what it still answers.
static void stop_statement(Pg *self)
{
    char text[256];
    PGcancel *request = pq.getCancel(self->connection);
    if (request)
        pq.cancel(request, text, sizeof text);
    pq.freeCancel(request);
    pq.setnonblocking(self->connection, 0);
    for (PGresult *rest; (rest = pq.getResult(self->connection));)
        pq.clear(rest);
    pq.setnonblocking(self->connection, 1);
}

static bool send_all(Pg *self, int64_t until_ms, Cancel *cancel, GError **error)
{
    int status;
    while ((status = pq.flush(self->connection)) == 1) {
        bool is_ready = false;
        if (!wait_for(self, POLLIN | POLLOUT, until_ms, cancel, &is_ready, error))
            return false;
        if (!is_ready)
            return fail_with(error, KEDGE_ERROR_TIMEOUT, "PostgreSQL: the server does not read");
        if (!pq.consumeInput(self->connection))
            return fail_lost(self, error);
    }
    return status == 0 || fail_lost(self, error);
}

static bool pg_receive(Pg *self, int64_t until_ms, Cancel *cancel, GError **error)
{
    while (pq.isBusy(self->connection)) {
        bool is_ready = false;
        if (!wait_for(self, POLLIN, until_ms, cancel, &is_ready, error))
            return false;
        if (!is_ready)
            return fail_with(error, KEDGE_ERROR_TIMEOUT, "PostgreSQL: no answer in %d s",
                             STATEMENT_MS / 1000);
        if (!pq.consumeInput(self->connection))
            return fail_lost(self, error);
    }
    return true;
}

// The one result of the statement; the connection is ready for the next one then.
static PGresult *take_result(Pg *self)
{
    PGresult *result = pq.getResult(self->connection);
    for (PGresult *rest; (rest = pq.getResult(self->connection));)
        pq.clear(rest);
    return result;
}

static bool check_result(Pg *self, const PGresult *result, GError **error)
{
    ExecStatusType status = result ? pq.resultStatus(result) : PGRES_FATAL_ERROR;
    if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK)
        return true;
    const char *state = result ? pq.resultErrorField(result, PG_DIAG_SQLSTATE) : NULL;
    g_strlcpy(self->state, state ? state : "", sizeof self->state);
    if (!result || pg_is_lost(self))
        return fail_lost(self, error);
    const char *message = pq.resultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    g_autofree char *text = one_line(message ? message : pq.resultErrorMessage(result));
    return fail_with(error, KEDGE_ERROR_FAILED, "PostgreSQL: %s", text);
}

bool pg_query(Pg *self, const char *sql, int count, const char *const *values, Cancel *cancel,
              PgRows **ret_rows, GError **error)
{
    *self->state = '\0';
    if (!cancel_check(cancel, error))
        return false;
    if (!pq.sendQueryParams(self->connection, sql, count, NULL, values, NULL, NULL, 0))
        return fail_lost(self, error);
    int64_t until_ms = time_monotonic_ms() + STATEMENT_MS;
    if (!send_all(self, until_ms, cancel, error) || !pg_receive(self, until_ms, cancel, error)) {
        if (!pg_is_lost(self))
            stop_statement(self);
        return false;
    }
    g_autoptr(PgRows) rows = g_new0(PgRows, 1);
    rows->result = take_result(self);
    if (!check_result(self, rows->result, error))
        return false;
    if (ret_rows)
        *ret_rows = g_steal_pointer(&rows);
    return true;
}

static bool take_notification(Pg *self)
{
    bool is_told = false;
    for (PGnotify *told; (told = pq.notifies(self->connection)); is_told = true)
        pq.freemem(told);
    return is_told;
}

bool pg_wait(Pg *self, int64_t timeout_ms, Cancel *cancel, bool *ret_is_told, GError **error)
{
    int64_t until_ms = time_monotonic_ms() + timeout_ms;
    for (;;) {
        *ret_is_told = take_notification(self);
        if (*ret_is_told)
            return true;
        bool is_ready = false;
        if (!wait_for(self, POLLIN, until_ms, cancel, &is_ready, error))
            return false;
        if (!is_ready)
            return true;
        if (!pq.consumeInput(self->connection))
            return fail_lost(self, error);
    }
}

void pg_rows_free(PgRows *self)
{
    if (!self)
        return;
    pq.clear(self->result);
    g_free(self);
}

int pg_rows_count(const PgRows *self)
{
    return pq.ntuples(self->result);
}

const char *pg_rows_text(const PgRows *self, int row, int column)
{
    return pq.getisnull(self->result, row, column) ? NULL : pq.getvalue(self->result, row, column);
}

int64_t pg_rows_int(const PgRows *self, int row, int column)
{
    const char *text = pg_rows_text(self, row, column);
    int64_t value = 0;
    return text && str_parse_int(text, &value) ? value : 0;
}

int64_t pg_rows_changed(const PgRows *self)
{
    int64_t value = 0;
    return str_parse_int(pq.cmdTuples(self->result), &value) ? value : 0;
}
