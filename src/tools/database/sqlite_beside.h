/*
 * The files that SQLite keeps beside a database: NAME-journal, NAME-wal and its index NAME-shm.
 * `real` is the path of the database with its symlinks resolved, as SQLite forms these names.
 * Thread safe.
 */
#pragma once

#include "base/error.h"

/* DENIED when SQLite would roll a journal back on opening `real` to write: a journal names another
   file, which SQLite then removes, and both may have come with somebody's repository. */
bool sqlite_beside_check_journal(const char *real, const char *shown, GError **error);

/* No one has the database open, and there is nothing in its log. */
bool sqlite_beside_is_empty(const char *real);

bool sqlite_beside_has_index(const char *real);
/* Removes the index unless somebody has the database open or we may not write it. SQLite itself
   leaves it behind when who reads may not write. */
void sqlite_beside_remove_index(const char *real);
