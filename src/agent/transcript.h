/*
 * A part of a conversation as text, for a model that is to write a summary of it (agent-core §3.8),
 * and the files that its calls read and changed. Pure.
 */
#pragma once

#include "model/model.h"

/* `[User]: …`, `[Assistant]: …` and so on, separated by blank lines; tool results cut. Messages are
   converted as they would be sent to `model`. Caller frees. */
char *transcript_text(const json_t *messages, const Model *model);

/* Tokens of a message, about: four bytes each, an image 1200. */
int64_t transcript_estimate(const json_t *message);

typedef struct FileLists { // paths in the order of their first use, no path twice
    json_t *read, *modified;
} FileLists;
void file_lists_init(FileLists *self);
void file_lists_clear(FileLists *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(FileLists, file_lists_clear)

/* From an earlier summary's {"readFiles":[…],"modifiedFiles":[…]}; may be NULL. */
void file_lists_carry_over(FileLists *self, const json_t *details);
/* From the arguments of read, write and edit calls. */
void file_lists_add(FileLists *self, const json_t *messages);
/* Files that were changed are not listed as read; the newest of each are kept. */
void file_lists_settle(FileLists *self);
json_t *file_lists_details(const FileLists *self); // new reference
/* Takes the lists of an earlier compaction off the end of its summary. */
void file_lists_strip(char *summary);
void file_lists_append_text(const FileLists *self, GString *text); // <read-files>…
