/*
 * The files of a project as a list of names, and what of them fits a query. All of it is for
 * workers: it blocks, and ends soon when its token fires. A list is immutable and shared by
 * reference between threads.
 *
 * In a git repository the list is what git knows or does not ignore; elsewhere a walk that leaves
 * out what is hidden, follows no links and ends at WALK_MAX_DEPTH and WALK_MAX_FILES. Names that
 * cannot be shown or written as they are (control characters, bytes that are no text, quotes) are
 * left out. Directories end with "/".
 */
#pragma once

#include "base/cancel.h"

enum {
    LIMIT_FILE_LIST_BYTES = 32 * 1024 * 1024,
    WALK_MAX_DEPTH = 16,
    WALK_MAX_FILES = 50000,
    FILE_MATCHES_MAX = 200,
    PATH_ENTRIES_MAX = 20000, // of a directory, that are looked at
};

typedef struct FileList FileList;

/* The files below `cwd`, relative to it. NULL: cancelled. */
FileList *file_list_read(const char *cwd, Cancel *cancel);
FileList *file_list_ref(FileList *self);
void file_list_unref(FileList *self); // NULL is allowed
G_DEFINE_AUTOPTR_CLEANUP_FUNC(FileList, file_list_unref)
size_t file_list_count(const FileList *self);

/* The best FILE_MATCHES_MAX names (char *) that fit, best first; with an empty query those nearest
   to the top. Caller unrefs. */
GPtrArray *file_list_match(const FileList *self, const char *query, Cancel *cancel);

/* What is in the directory that `typed` names up to its last "/", relative to `cwd`, and begins
   with what follows that: hidden files only after a ".". Written as `typed` is. Caller unrefs. */
GPtrArray *paths_match(const char *cwd, const char *typed, Cancel *cancel);
