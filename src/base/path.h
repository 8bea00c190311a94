/*
 * Path arithmetic. Pure but for path_real(), path_resolved() and path_of_program(). Returned
 * strings belong to the caller.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

char *path_expand_home(const char *path);                // ~ and ~/…
char *path_shorten_home(const char *path);               // the reverse, unless home is /
char *path_absolute(const char *path, const char *base); // against base; . and .. resolved in text
char *path_real(const char *path);                       // symlinks resolved; NULL when absent
/* Where `path` (absolute) ends when its links are followed, whether or not that exists yet; a link
   in its last part is left as it is unless `follows`. NULL: its links lead round in circles. */
char *path_resolved(const char *path, bool follows);
/* The same of `rest` (relative) in a directory that is resolved already. */
char *path_resolved_below(const char *real_dir, const char *rest);
char *path_display(const char *path, const char *cwd);  // relative when inside cwd, "." for itself
bool path_is_inside(const char *path, const char *dir); // equal counts; both absolute
/* Is the path's extension one of `extensions`, " c h "? */
bool path_has_extension(const char *path, const char *extensions);
/* The file of this program; one that was replaced since it began is where the old one was. */
char *path_of_program(void);
