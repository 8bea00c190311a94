/*
 * Archives: tar, tar.gz and zip, read member by member, and rewritten with one member changed.
 *
 * libarchive does the work. It is opened with dlopen() when the first archive needs it. Nothing is
 * ever unpacked to disk. An archive may be hostile: what is read of it is bounded by
 * LIMIT_ARCHIVE_*. One thread at a time; calls obey the token.
 */
#pragma once

#include "base/cancel.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct Archive Archive;

typedef enum {
    ARCHIVE_MEMBER_FILE,
    ARCHIVE_MEMBER_DIRECTORY,
    ARCHIVE_MEMBER_LINK, // symbolic or hard
    ARCHIVE_MEMBER_OTHER,
} ArchiveMemberKind;

typedef struct ArchiveMember { // borrowed until the next one
    char *name;                // as it is written in the archive, made valid UTF-8
    ArchiveMemberKind kind;
    int64_t size;
    bool is_encrypted;
    char *target; // of a link
} ArchiveMember;

/* `shown` names the file in messages. LIMIT "Archive too large: <size>". */
bool archive_open(const char *path, const char *shown, Cancel *cancel, Archive **ret_archive,
                  GError **error);
void archive_close(Archive *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Archive, archive_close)

/* The next member; false for `ret_has_member` at the end. */
bool archive_next(Archive *self, bool *ret_has_member, GError **error);
const ArchiveMember *archive_member(const Archive *self);
/* The content of the current member, at most LIMIT_ARCHIVE_MEMBER_BYTES. */
bool archive_read_member(Archive *self, GString *out, GError **error);

/* The parts of a member's name without empty and "." ones, joined by '/'; NULL when ".." is one of
   them. `\` is '/' when the caller asks for it, not in an archive. Caller frees. */
char *archive_clean_name(const char *name, bool has_backslashes);

/* Puts `content` as the file `member` into the archive at `path`, which is made when it is not
   there: .zip, .tar, .tar.gz or .tgz by its name; an existing one keeps its format. All other
   members are kept; DENIED where something would be lost (a hard link to the member, a comment,
   what follows the end). The file is the old one or the new one at any moment. */
bool archive_put(const char *path, const char *shown, const char *member, const char *content,
                 size_t size, Cancel *cancel, GError **error);
