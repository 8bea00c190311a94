/*
 * Paths that go on inside a file: `notes.db:users:3`, `src.tar.gz:lib/a.c` (agent-tools §3.1.6,
 * §3.1.7). Thread safe.
 */
#pragma once

#include "base/error.h"

#include <stdbool.h>

typedef struct InnerPath {
    char *path;  // of the file, absolute
    char *shown; // of the file, for messages
    char *asked; // all of it, as it was asked for
    char *rest;  // behind the file, with its separator; "" for the file itself
    bool exists;
} InnerPath;

void inner_path_clear(InnerPath *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(InnerPath, inner_path_clear)

/* The lengths of the parts of `asked` that end in one of the extensions (lower case, with dot) and
   are followed by one of `separators` or the end: longest first, at most 16. Pure; caller frees. */
GArray *inner_path_candidates(const char *asked, const char *const *extensions,
                              const char *separators);

/* The first candidate that is an existing regular file and passes `is_kind`; a path that as a whole
   is the name of something else is none. False: there is no such file. */
bool inner_path_find(const char *asked, const char *cwd, const char *const *extensions,
                     const char *separators, bool (*is_kind)(const char *path),
                     InnerPath *ret_inner);

/* For writing: the longest candidate with something behind it, though there is no such file. A
   file that is there and of no such kind is none. */
bool inner_path_find_new(const char *asked, const char *cwd, const char *const *extensions,
                         const char *separators, InnerPath *ret_inner);
