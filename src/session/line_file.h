/*
 * A session file that is open, for its store and for the entries that are read of it again: the
 * file that was read stays reachable, also when another one has taken its name or it was removed.
 * Internal to session. Thread safe.
 */
#pragma once

#include <glib.h>
#include <sys/types.h>

typedef struct LineFile LineFile;

LineFile *line_file_new(int fd); // takes the descriptor
LineFile *line_file_ref(LineFile *self);
void line_file_unref(LineFile *self); // NULL is allowed
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LineFile, line_file_unref)

int line_file_fd(const LineFile *self);

typedef struct LinePlace { // where a line is, without its LF
    LineFile *file;
    off_t offset;
    size_t size;
} LinePlace;

/* The text of a line, with a NUL behind it; NULL when the file does not hold so much any more, or
   cannot be read. Caller frees. */
char *line_place_read(const LinePlace *place);
