/*
 * The new content of a file in the making, which takes the file's place whole or not at all.
 *
 * It is a file without a name, so that nothing is left of it when this process ends. It gets a
 * temporary name for the one rename() that puts it in place; where a file without a name cannot be
 * had, it has that name from the start. What dead processes left under such a name is removed by
 * the next draft beside it.
 */
#pragma once

#include "base/fd.h"

#include <fcntl.h>
#include <stdbool.h>
#include <sys/types.h>

typedef struct FileDraft {
    const char *target; // borrowed: the file whose place it is to take
    Fd fd;
    char *name;            // NULL: it has none
    Fd dir;                // where its name stands, or will; -1: not asked for yet
    const char *prefix;    // of names there
    int place;             // borrowed: the directory of the target, or AT_FDCWD
    const char *last_part; // borrowed: what the target is called there
} FileDraft;

#define FILE_DRAFT_INIT(target_)                                                                   \
    {                                                                                              \
        .target = (target_), .fd = -1, .dir = -1, .place = AT_FDCWD, .last_part = (target_)        \
    }

/* Without having taken the place: nothing was. */
void file_draft_clear(FileDraft *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(FileDraft, file_draft_clear)

/* All of these: false with errno. `flags`: O_WRONLY or O_RDWR, and O_APPEND. */
bool file_draft_open(FileDraft *self, int flags, mode_t mode);
/* Takes the place of the target, which is there. */
bool file_draft_replace(FileDraft *self);
/* Takes the place of the target, which was not there. */
bool file_draft_create(FileDraft *self);

/* The same, but never that of somebody else's file: EEXIST. */
bool file_draft_claim(FileDraft *self);

/* A rename is lasting only when the directory is on disk too. Not every file system can do it. */
void file_sync_directory_of(const char *path);
