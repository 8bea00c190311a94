/*
 * A real Arcade on a port of the kernel's choice, with a database, a project directory and one run
 * in a temporary directory; and a plain HTTP client that can say anything.
 */
#pragma once

#include "unit.h"

#include "agenttools/state.h"
#include "arcade/arcade.h"

#define FIXTURE_RUN  "R1"
#define FIXTURE_DOC  "11111111-1111-4111-8111-111111111111" // design.md
#define FIXTURE_TEXT "# Design\n\nIt runs before init.\n"

typedef struct ArcadeFixture {
    char *dir;     // of everything
    char *project; // where the artifacts are
    char *database;
    Db *db; // the test's own connection
    Arcade *arcade;
} ArcadeFixture;

/* cmocka's setup and teardown: with a run that has one artifact. */
int arcade_setup(void **state);
int arcade_teardown(void **state);

/* `token` NULL: a new one. */
void fixture_start(ArcadeFixture *self, const char *token, unsigned port);
void fixture_stop(ArcadeFixture *self);

void fixture_run(ArcadeFixture *self, const char *sql); // fails the test when it does
void fixture_add_run(ArcadeFixture *self, const char *run_id);
/* Registers `path` (relative to the project) and, where `content` is given, writes it. */
void fixture_add_artifact(ArcadeFixture *self, const char *run_id, const char *doc_id,
                          const char *path, const char *content);
void fixture_write(const ArcadeFixture *self, const char *path, const char *content);
char *fixture_read(const ArcadeFixture *self, const char *path); // NULL: not there

typedef struct Ask {    // of one request; NULL: as a good client does
    const char *method; // GET, or POST with a body
    const char *path;
    const char *host;    // "": no Host
    const char *token;   // "": no Authorization
    const char *headers; // further lines, each with \r\n
    const char *type;    // Content-Type of a body; "": none
    const char *body;
} Ask;

typedef struct Reply {
    unsigned status;
    char *head; // with the status line
    char *body;
    size_t body_size;
    json_t *json; // of the body, or NULL
} Reply;

void ask_reply_clear(Reply *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Reply, ask_reply_clear)

/* One connection each. */
void fixture_ask(const ArcadeFixture *self, const Ask *ask, Reply *ret_reply);
/* GET with the token; the status. */
unsigned fixture_get(const ArcadeFixture *self, const char *path, Reply *ret_reply);
/* A write with the token. */
unsigned fixture_send(const ArcadeFixture *self, const char *method, const char *path,
                      const char *headers, const char *body, Reply *ret_reply);

/* A connection of the test's own; -1 when it is refused. Close it. */
int fixture_connect(const ArcadeFixture *self, const char *address);
void socket_send(int fd, const char *text);
/* Reads until `needle` came, at most 10 s; all that came. Caller frees. */
char *socket_read_until(int fd, const char *needle);
/* False when it is open for `timeout_ms`. */
bool socket_is_closed(int fd, int timeout_ms);

char *header_of(const Reply *reply, const char *name); // NULL when absent; caller frees
const char *error_code_of(const Reply *reply);
