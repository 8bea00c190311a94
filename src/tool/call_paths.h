/*
 * The files that the arguments of a call name, as far as arguments tell: for rules, lists of
 * changed files and editors. Pure; thread safe.
 */
#pragma once

#include "base/json.h"

/* Adds them to `paths` (of char *, which it owns), as they are written: the keys path, paths, file,
   files, file_path, and the headers of an edit in `input` ("@@ PATH", "*** Update File: PATH" …).
   The arguments may be incomplete. */
void call_paths_add(const json_t *arguments, GPtrArray *paths);

/* "a.c, b.c": those in `input`, of a call that shows best as its files; NULL: there are none.
   Caller frees. */
char *call_paths_of_input(const json_t *arguments);
