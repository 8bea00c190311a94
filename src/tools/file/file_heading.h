/*
 * The headings above the lines of a file, grouped by directory (agent-tools §3.8). Thread safe.
 */
#pragma once

#include <glib.h>

/* `# dir/` then `## file`, or `# file` in the top directory; a blank line between directories.
   `suffix` goes behind the file's name. `*last_dir` is NULL before the first; the caller frees
   it. */
void file_heading_append(GString *text, const char *path, const char *suffix, char **last_dir);
