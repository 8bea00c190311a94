/*
 * One session file into the index (session_index.h). Internal to session.
 */
#pragma once

#include "base/db.h"

/* Reads whole lines from *read on, adds them to row `id`, and moves *read behind the last of them.
   A file that does not begin with a header gets no session id. */
bool index_file_read(Db *db, int64_t id, int fd, int64_t *read, Cancel *cancel, GError **error);
