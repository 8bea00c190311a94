/*
 * The entries of a session, in their order and by id. What the conversation needs is there as
 * values; of everything else only where its line is in the file: years of work must not take years
 * of memory. Internal to session.
 *
 * Values are given as references of the caller's own, read from the file when they have to be: a
 * walk over many holds one at a time. What an entry says is never changed; entry_list_replace()
 * puts another value in its place.
 *
 * The file stays open, so it can be replaced or removed. Where another program has changed or cut
 * the file itself, an entry can be lost: it comes back with its type, id and parent alone.
 *
 * Thread safe, but only one thread at a time adds, replaces, settles and cuts.
 */
#pragma once

#include "base/json.h"
#include "session/entry_head.h"
#include "session/line_file.h"

typedef struct EntryList EntryList;

EntryList *entry_list_new(void);
/* Of an array of entries, which stay values. */
EntryList *entry_list_of(const json_t *entries);
void entry_list_free(EntryList *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(EntryList, entry_list_free)

/* Takes the reference. */
const EntryHead *entry_list_add(EntryList *self, json_t *entry);
/* Takes the reference, too: the entry is exactly what the line says, and is left to it. */
const EntryHead *entry_list_add_line(EntryList *self, json_t *entry, const LinePlace *place);
/* The entry was written there. */
void entry_list_set_place(EntryList *self, const EntryHead *head, const LinePlace *place);
void entry_list_replace(EntryList *self, const EntryHead *head, json_t *entry); // takes it
void entry_list_cut(EntryList *self, size_t count); // keeps so many; the heads of others end

size_t entry_list_count(EntryList *self);
const EntryHead *entry_list_at(EntryList *self, size_t index); // NULL: behind the end
const EntryHead *entry_list_find(EntryList *self, const char *id);
/* What was no text in the entry's line became U+FFFD when it was read. */
void entry_list_set_mended(EntryList *self, const EntryHead *head);
bool entry_list_is_mended(EntryList *self, const EntryHead *head);
/* Another entry of the list has the same id. */
bool entry_list_is_repeated(EntryList *self, const EntryHead *head);
GPtrArray *entry_list_heads(EntryList *self); // all, as const EntryHead *
/* From the root to `leaf` (NULL: none), as const EntryHead *. A missing parent, a self-parent and a
   cycle end the walk. */
GPtrArray *entry_list_path(EntryList *self, const EntryHead *leaf);

/* The entry; new reference. */
json_t *entry_list_read(EntryList *self, const EntryHead *head);
/* The entries of some heads, from one on, as json_t * that the array owns. */
GPtrArray *entry_list_read_all(EntryList *self, const GPtrArray *heads, guint from);

/* A list of its own with some of the entries, left to the file where they are here. */
EntryList *entry_list_copy(EntryList *self, const GPtrArray *heads);

/* {"type","id","parentId","timestamp"} with an id that is new here. New reference. */
json_t *entry_list_start(EntryList *self, const char *type, const char *parent_id);
char *entry_list_new_id(EntryList *self); // caller frees

/* From now on the heads of `path` from `from` on are values, and all others that were written are
   left to the file. */
void entry_list_settle(EntryList *self, const GPtrArray *path, guint from);

bool entry_list_has_lost(EntryList *self); // whether an entry was asked for and could not be read

typedef struct EntryListSize {
    size_t values;     // entries that are there as such
    size_t text_bytes; // of the others, in the file
} EntryListSize;
EntryListSize entry_list_size(EntryList *self);
