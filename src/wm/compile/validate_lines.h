/*
 * The line of a note in its file, for `validate` (task-engine §3.4). Private to validate*.c. A file
 * that cannot be read, or was changed meanwhile, has no lines: messages then go without.
 */
#pragma once

#include "wm/task/notes.h"

typedef struct WmLines WmLines;

/* Of the file at `path` below `root`: frontmatter and body, or YAML alone when it ends in .yml.
   Never NULL. */
WmLines *wm_lines_new(const char *root, const char *path);
void wm_lines_free(WmLines *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(WmLines, wm_lines_free)

/* Line (from 1) of a note's place; 0: it has none. */
int wm_lines_of(const WmLines *self, const WmNote *note);
