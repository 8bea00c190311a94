/*
 * In which line of its file something stands that `validate` speaks of (task-engine §3.4). Private
 * to validate*.c. A file that cannot be read, or was changed meanwhile, has no lines: messages
 * then go without.
 */
#pragma once

#include "base/error.h"

#include <glib.h>

typedef struct WmLines WmLines;

/* Of the file at `path` below `root`: frontmatter and body, or YAML alone when it ends in .yml.
   Never NULL. */
WmLines *wm_lines_new(const char *root, const char *path);
void wm_lines_free(WmLines *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(WmLines, wm_lines_free)

/* `<path>: <text>` as `<path>: line N: <text>`, when `text` begins with an address ("on.schedule is
   empty", "safe-outputs: \"x\" is not supported") that has a line, or is of an expression in the
   body. Caller frees. */
char *wm_lines_put(const WmLines *self, const char *path, const char *text);
