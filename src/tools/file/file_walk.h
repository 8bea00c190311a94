/*
 * What lies below a directory, ignored files left out (agent-tools §3.6): by .gitignore, .ignore
 * and .rgignore of the directories from the repository's root down, or from the working directory
 * where there is no repository; in a repository by .git/info/exclude and the user's own excludes as
 * well. `.git` and `node_modules` are not entered unless wanted. Links are told, never followed.
 * What cannot be read is passed over, and noted. Blocks; thread safe.
 */
#pragma once

#include "base/cancel.h"
#include "tools/file/search_notes.h"

typedef enum {
    FILE_WALK_FILE,
    FILE_WALK_DIRECTORY,
    FILE_WALK_LINK,
    FILE_WALK_SPECIAL, // FIFOs, sockets, devices
} FileWalkKind;

typedef struct FileWalk {
    const char *dir; // absolute
    const char *cwd; // absolute
    bool excludes_hidden;
    bool enters_all; // .git and node_modules too
    int64_t timeout_ms;
    SearchNotes *notes; // NULL: what is passed over is of no interest
} FileWalk;

/* `path` is relative to the directory, in no order, a directory before what is in it. False: stop,
   that was enough. */
typedef bool (*FileWalkFunc)(const char *path, FileWalkKind kind, void *user_data);

/* TIMEOUT after some paths were given; CANCELLED; IO when the directory itself cannot be read. */
bool file_walk(const FileWalk *walk, Cancel *cancel, FileWalkFunc func, void *user_data,
               GError **error);
