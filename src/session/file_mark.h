/*
 * Whether a session file that was read up to some byte has only grown since: size and inode alone
 * do not tell, for what is written over in place keeps its inode. Internal to session.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Of the first line, as far as it is there. Caller frees. */
char *file_mark_of_header(int fd);

/* False: read it again. `known` is the mark of then, NULL: there was none; `now` that of now;
   `read` is behind a line. */
bool file_mark_goes_on(int fd, const char *known, const char *now, int64_t read);
