/*
 * The numbered blocks of a conversation. Private to tools/conflict*.c.
 */
#pragma once

#include "tools/conflict/conflict.h"

typedef struct Conflict { // a copy of what is recorded
    int64_t id;
    char *path, *shown;
    int64_t start, end; // when it was last seen
    char *text;         // of all its lines, each with its LF
} Conflict;

void conflict_free(void *conflict);

/* Same file and start line: same number. 0: too many are recorded. */
int64_t conflict_record(ToolCall *call, const char *path, const char *shown, int64_t start,
                        int64_t end, const char *text);
/* NULL: there is none. Caller frees. */
Conflict *conflict_find(ToolCall *call, int64_t id);
/* All, in the order of files and lines; of Conflict. Caller frees. */
GPtrArray *conflict_all(ToolCall *call);
/* The block is gone, and what is below it in its file has moved by so many lines. */
void conflict_forget(ToolCall *call, const Conflict *conflict, int64_t moved);

typedef struct ConflictFile {
    char **lines; // with their CR, without LF
    bool is_cut;  // only the first 10 MiB
} ConflictFile;

void conflict_file_clear(ConflictFile *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ConflictFile, conflict_file_clear)
bool conflict_file_read(const char *path, const char *shown, ConflictFile *ret_file,
                        GError **error);

/* Lines `first` to `last`, each with its LF. Caller frees. */
char *conflict_lines_text(char **lines, int64_t first, int64_t last);
/* Where the block is now, nearest to where it was; 0: nowhere. */
int64_t conflict_locate(char **lines, const Conflict *conflict);
