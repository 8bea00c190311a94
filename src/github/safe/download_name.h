/*
 * Names of what is downloaded: they come from others, and become names of files. Pure.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

#define DOWNLOAD_NAME_BYTES 200

/* Why `name` is not taken as a file's name, in words behind "its name "; NULL: it is. Static. */
const char *download_name_problem(const char *name);

/* Any text as one part of a path: what could be more than that is percent-encoded, what is too long
   is cut and told apart by its checksum; it begins with no dot. `prefix` comes before it. Caller
   frees. */
char *download_name_part(const char *prefix, const char *text);
