/*
 * A file as every mode of edit sees it (agent-tools §3.3.1): LF only, no BOM, a notebook by its
 * cells; and the guards that stand before it. Opening, checking and writing are three steps, so
 * that a call on several files writes none when one of them cannot be written. One thread at a
 * time.
 */
#pragma once

#include "tool/tool.h"
#include "tools/edit/edit_ends.h"

#include <sys/stat.h>

typedef struct EditTarget {
    char *path, *shown;
    char *before; // its text; NULL: there is no such file
    char *text;   // what it is to hold; as `before` at first
    bool has_bom;
    bool has_crlf;    // what its lines end with, where `ends` is NULL
    GByteArray *ends; // edit_ends_of(): they end differently
    char *data;       // edit_target_prepare(): the bytes to write
    size_t size;
    struct stat read; // the file when it was read, or written; all 0: there was none
} EditTarget;

void edit_target_free(EditTarget *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(EditTarget, edit_target_free)

/* Past the guards: what may be written to at all, generated files, changes by others. NOT_FOUND
   when there is no file, unless `may_create`. */
bool edit_target_open(ToolCall *call, const char *asked, bool may_create, EditTarget **ret_file,
                      GError **error);

/* What the file is to hold; takes `text` over. `newlines`: where those of it are in the text before
   (edit_ends_carry()); NULL: none is said to be one of these. */
void edit_target_take_text(EditTarget *self, char *text, const GArray *newlines);

/* Could `text` be written? Of all files of a call, before the first is. */
bool edit_target_prepare(EditTarget *self, GError **error);
/* Is `path` what `read` says, or gone? A change by others since is an error. */
bool edit_target_check_unchanged(const char *path, const char *shown, const struct stat *read,
                                 GError **error);

/* After edit_target_prepare(). Overwrites nothing that has changed since it was read. */
bool edit_target_write(ToolCall *call, EditTarget *self, GError **error);

/* op, diff and firstChangedLine of what was done to `self`. */
void edit_target_add_details(const EditTarget *self, json_t *details);

/* The same of two texts; `form` is a function of diff.h. */
typedef char *(*EditDiffForm)(const char *before, const char *after, size_t *ret_first_changed);
void edit_add_details(json_t *details, const char *op, const char *before, const char *after,
                      EditDiffForm form);
