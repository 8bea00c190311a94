/*
 * The entries of a session, in their order and by id. What the conversation needs is there as
 * values; everything else only as the text that stands in the file, packed (text_pack.h): years of
 * work must not take years of memory. Images and long prompts are references to blobs in it.
 * Internal to session.
 *
 * Values are given as references of the caller's own, unpacked when they have to be: a walk over
 * many holds one at a time. What an entry says is never changed; entry_list_replace() puts another
 * value in its place.
 *
 * Thread safe, but only one thread at a time adds, replaces, settles and cuts.
 */
#pragma once

#include "base/json.h"
#include "session/entry_head.h"

typedef struct EntryList EntryList;

EntryList *entry_list_new(void);
/* Of an array of entries, which stay values. */
EntryList *entry_list_of(const json_t *entries);
void entry_list_free(EntryList *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(EntryList, entry_list_free)

/* Takes the reference. */
const EntryHead *entry_list_add(EntryList *self, json_t *entry);
/* Of a line of the file with exactly this entry (takes the reference): kept as that text. */
const EntryHead *entry_list_add_line(EntryList *self, json_t *entry, const char *line, size_t size);
void entry_list_replace(EntryList *self, const EntryHead *head, json_t *entry); // takes it
void entry_list_cut(EntryList *self, size_t count); // keeps so many; the heads of others end

size_t entry_list_count(EntryList *self);
const EntryHead *entry_list_at(EntryList *self, size_t index); // NULL: behind the end
const EntryHead *entry_list_find(EntryList *self, const char *id);
GPtrArray *entry_list_heads(EntryList *self); // all, as const EntryHead *
/* From the root to `leaf` (NULL: none), as const EntryHead *. A missing parent, a self-parent and a
   cycle end the walk. */
GPtrArray *entry_list_path(EntryList *self, const EntryHead *leaf);

/* The entry; new reference. */
json_t *entry_list_read(EntryList *self, const EntryHead *head);
/* The entries of some heads, from one on, as json_t * that the array owns. */
GPtrArray *entry_list_read_all(EntryList *self, const GPtrArray *heads, guint from);

/* A list of its own with some of the entries, packed where they are here. */
EntryList *entry_list_copy(EntryList *self, const GPtrArray *heads);

/* {"type","id","parentId","timestamp"} with an id that is new here. New reference. */
json_t *entry_list_start(EntryList *self, const char *type, const char *parent_id);
char *entry_list_new_id(EntryList *self); // caller frees

/* From now on the heads of `path` from `from` on are values, and of the first `count` entries the
   others text in the form of the file. */
void entry_list_settle(EntryList *self, const GPtrArray *path, guint from, size_t count);

typedef struct EntryListSize {
    size_t values; // entries that are there as such
    size_t text_bytes, kept_bytes;
    bool is_at_work; // more is being packed
} EntryListSize;
EntryListSize entry_list_size(EntryList *self);
