/*
 * arcade.json, beside the database: which server serves it (agent-tools-cli §5.3). And processes,
 * by id and time of start, so that one that only got the number is never taken for the server.
 */
#pragma once

#include "base/error.h"

#include <stdint.h>

typedef struct ArcadeRecord {
    int64_t pid;
    int64_t started; // of the process, in ticks since the machine's start
    unsigned port;
    char *version, *token;
    char *database; // its name in the directory
} ArcadeRecord;

void record_clear(ArcadeRecord *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ArcadeRecord, record_clear)

/* The path of arcade.json for a database. Caller frees. */
char *record_path(const char *database);

/* False without an error when there is none, or what is there is no record. */
bool record_read(const char *path, ArcadeRecord *ret_record);
bool record_write(const char *path, const ArcadeRecord *record, GError **error); // mode 0600
/* Unless it is another's by now. */
void record_remove(const char *path, int64_t pid, int64_t started);

/* False when there is no such process, or it has ended and only waits for its parent. */
bool process_started(int64_t pid, int64_t *ret_started);
bool process_is_alive(const ArcadeRecord *record);

/* SIGTERM, after five seconds SIGKILL; returns when it has ended. A process that ended already is
   fine; one with another time of start is left alone. */
bool process_end(const ArcadeRecord *record, GError **error);
