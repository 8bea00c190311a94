/*
 * A session file that is open, for its store and for the entries that are read of it again: the
 * file that was read stays reachable, also when another one has taken its name or it was removed.
 * Internal to session. Thread safe.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
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

typedef struct LineReader { // the lines of a file, one after the other
    int fd;                 // borrowed
    off_t at;               // where the line begins; before the first one: where to begin
    size_t max_bytes;       // of a line
    const char *line;       // borrowed until the next one; NULL: it is longer
    size_t size;            // without its LF
    bool has_end;           // an LF
    int problem;            // errno where reading failed, which is the end, too
    GString *buffer;        // its own from here on
    size_t start, next;     // in the buffer: of this line and of the next one
    off_t next_at, read_to;
} LineReader;

void line_reader_clear(LineReader *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(LineReader, line_reader_clear)

/* False at the end of the file. */
bool line_reader_next(LineReader *self);

/* The text of a line, with a NUL behind it; NULL when the file does not hold so much any more, or
   cannot be read. Caller frees. */
char *line_place_read(const LinePlace *place);
