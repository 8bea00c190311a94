/*
 * The files of run artifacts: when the content of one is another than the feed last said, a row of
 * type `artifact` with {docId, sha256} is appended (sha256 null: the file is gone). What changed
 * while no one watched is said at the first look.
 *
 * inotify says that a look is worth while; a look asks for the state of each file, and reads those
 * that changed. One thread at a time.
 */
#pragma once

#include "agenttools/state.h"

#define WATCH_MAX_ARTIFACTS 1000 // the newest, and those that somebody looks at
#define WATCH_POLL_MS       1000 // a look is due, whatever inotify says: a directory may have moved

typedef struct Watch Watch;

Watch *watch_new(void);
void watch_free(Watch *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Watch, watch_free)

int watch_fd(const Watch *self); // for poll(): readable when a file may have changed; -1: never

/* Watches this document too, however old it is, from the next look on. */
void watch_add(Watch *self, const char *doc_id);

/* *ret_has_said: rows were appended. */
bool watch_look(Watch *self, Db *db, bool *ret_has_said, GError **error);
