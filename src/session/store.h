/*
 * One session file on disk: advisory lock for its lifetime, appended lines, atomic replacement
 * (agent-core §4.7). Internal to session. One thread at a time.
 */
#pragma once

#include "base/error.h"
#include "session/line_file.h"

typedef struct Store Store;

typedef enum {
    STORE_LOCKED,    // ours to write
    STORE_BUSY,      // another process holds the lock: read only
    STORE_READ_ONLY, // no permission to write
} StoreState;

/* Opens an existing regular file. NOT_FOUND when it is missing. */
bool store_open(const char *path, Store **ret_store, StoreState *ret_state, GError **error);
/* Read only and without a lock. */
bool store_open_to_read(const char *path, Store **ret_store, GError **error);
/* Makes the file, mode 0600, and its directory; an error when it is already there and not empty, or
 * locked. */
bool store_create(const char *path, Store **ret_store, GError **error);
void store_close(Store *self); // NULL is allowed
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Store, store_close)

LineFile *store_file(const Store *self); // borrowed

/* Appends one line, which ends in LF, with one write(); a partial write is completed. It starts
   with LF when the file's last line is torn, whoever tore it. On failure the file is as before. */
bool store_append(Store *self, const char *line, size_t size, GError **error);
off_t store_appended_at(const Store *self); // where the last line that was appended begins

typedef enum {
    PLACE_OURS,
    PLACE_CUT,   // the file is shorter than what was appended to it
    PLACE_EMPTY, // it has nothing any more, or yet
    PLACE_LOST,  // it was removed, or another file has its name: what is appended no one finds
} StorePlace;
/* What another program did with the file. */
StorePlace store_look(const Store *self);
/* For one whose place is lost, before it is replaced: the directory is there again, and a file of
   another program is kept beside; where another process works in that file, the place is another
   one from now on. *ret_notice says so to a person; caller frees. */
bool store_make_way(Store *self, char **ret_notice, GError **error);

/* Gives the next line of a new content: appends it, with its LF, to `line`; at the end nothing. */
typedef bool (*StoreLineFunc)(GString *line, void *user_data, GError **error);

/* A temporary file beside it, written, synced, locked, renamed. On failure the old file is intact.
 */
bool store_replace(Store *self, StoreLineFunc next_line, void *user_data, GError **error);

bool store_sync(Store *self, GError **error);
