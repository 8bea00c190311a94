/*
 * A change in parts that can be committed apart from each other: each hunk of a text file that has
 * several, else the whole file (renamed, new, deleted, binary, of another mode …). Pure.
 */
#pragma once

#include "base/error.h"

#define COMMIT_MAX_PARTS 500

typedef struct PartHunk {
    int64_t old_start, old_count; // lines of the old text; with 0 lines: after old_start
    GString *body;                // as in the diff, with its first line
} PartHunk;

typedef struct PartFile {
    char status;           // git's letter: A, D, M, R, T
    char *path, *old_path; // bytes; old_path NULL unless renamed
    char *old_mode, *new_mode, *old_id, *new_id;
    GString *patch;   // its part of the diff; "" when there is none
    GPtrArray *hunks; // of PartHunk; fewer than two: the file is one part
} PartFile;

typedef struct CommitPart {
    unsigned file;
    int hunk; // -1: the file as a whole
} CommitPart;

typedef struct CommitParts {
    GPtrArray *files; // of PartFile
    GArray *parts;    // of CommitPart; a person and the model count them from 1
} CommitParts;

/* `raw` is that of `git diff-tree -r -z -M --raw --no-abbrev`, `patch` that of `-p --full-index`
   for the same two trees. LIMIT: more than COMMIT_MAX_PARTS files. */
bool commit_parts_read(const char *raw, size_t raw_size, const char *patch, size_t patch_size,
                       CommitParts **ret_parts, GError **error);
void commit_parts_free(CommitParts *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CommitParts, commit_parts_free)

const PartFile *commit_parts_file(const CommitParts *self, size_t part);
/* The file becomes one part: its hunks cannot be separated after all. */
void commit_parts_join(CommitParts *self, unsigned file);

/* For the model: every part with its number, each beginning like a file of a diff. Valid UTF-8;
   caller frees. */
char *commit_parts_text(const CommitParts *self);
/* "src/a.c (2 of 3 hunks)" for a person, of the parts among `chosen` (numbers from 0) that are the
   file's; NULL when none is. Caller frees. */
char *commit_parts_describe(const CommitParts *self, unsigned file, const GArray *chosen);

/* `old` with those of the file's hunks put in whose place in `chosen` is true. */
GString *commit_parts_apply(const PartFile *file, const bool *chosen, const char *old, size_t size);
