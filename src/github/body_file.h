/*
 * A text that gh reads from a file (--body-file, --input), since an argument vector has less room
 * and everybody on the machine can see it: in a private directory, both gone when cleared.
 */
#pragma once

#include "base/error.h"

typedef struct BodyFile {
    char *dir;
    char *path; // NULL: none was written
} BodyFile;

void body_file_clear(BodyFile *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(BodyFile, body_file_clear)

/* `name` is the file's own, "body.md". */
bool body_file_write(const char *name, const char *text, BodyFile *ret_file, GError **error);
