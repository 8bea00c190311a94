/*
 * Files of a repository that are not written yet, so that all can be checked before any is. They
 * are in the order in which they will be written. Pure.
 */
#pragma once

#include <glib.h>

typedef struct WmFreshFile {
    char *path; // below the root
    char *text;
} WmFreshFile;

GPtrArray *wm_fresh_new(void); // of WmFreshFile *
/* Copies both; it comes before those that are there. */
void wm_fresh_add_first(GPtrArray *files, const char *path, const char *text);
/* NULL: not among them; `files` may be NULL. Borrowed. */
const char *wm_fresh_find(const GPtrArray *files, const char *path);
