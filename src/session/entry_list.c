/*
 * Entries as values or packed text (entry_list.h). A text once packed stays: a value that is needed
 * again for a while comes and goes without it being made anew.
 */
#include "session/entry_list.h"

#include "session/entry.h"
#include "session/line_json.h"
#include "session/persist.h"
#include "session/text_pack.h"

#include <pthread.h>

#define NOTE_MAX_BYTES 4096 // of an entry that walks look for: it stays a value

typedef struct Entry {
    EntryHead head;  // first: a head is its entry
    json_t *value;   // NULL: packed only
    TextPlace place; // when is_packed
    bool is_packed;
    bool is_note; // stays a value
} Entry;

struct EntryList {
    pthread_mutex_t lock; // guards all of it, but not what heads say
    GPtrArray *entries;   // Entry *
    GHashTable *index;    // id → Entry, borrowed
    GStringChunk *names;  // what heads point to
    TextPack *texts;
};

static void entry_free(void *self_)
{
    Entry *self = self_;
    json_decref(self->value);
    g_free(self);
}

EntryList *entry_list_new(void)
{
    EntryList *self = g_new0(EntryList, 1);
    pthread_mutex_init(&self->lock, NULL);
    self->entries = g_ptr_array_new_with_free_func(entry_free);
    self->index = g_hash_table_new(g_str_hash, g_str_equal);
    self->names = g_string_chunk_new(1024);
    self->texts = text_pack_new();
    return self;
}

EntryList *entry_list_of(const json_t *entries)
{
    EntryList *self = entry_list_new();
    size_t i;
    json_t *entry;
    json_array_foreach (entries, i, entry)
        entry_list_add(self, json_incref(entry));
    return self;
}

void entry_list_free(EntryList *self)
{
    if (!self)
        return;
    text_pack_free(self->texts);
    g_hash_table_unref(self->index);
    g_ptr_array_unref(self->entries);
    g_string_chunk_free(self->names);
    pthread_mutex_destroy(&self->lock);
    g_free(self);
}

// ---- adding ----

static bool is_spoken(const EntryHead *head)
{
    return g_str_equal(head->type, "message") || g_str_equal(head->type, "custom_message");
}

static const char *name_locked(EntryList *self, const char *text)
{
    return text ? g_string_chunk_insert_const(self->names, text) : "";
}

/* Borrowed from the value; without an id it is NULL. */
static EntryHead head_of(const json_t *value)
{
    const json_t *message = json_get_object(value, "message");
    return (EntryHead) {
        .id = json_get_text(value, "id"),
        .parent_id = json_get_text(value, "parentId"),
        .type = json_get_text(value, "type"),
        .role = json_get_text(message, "role"),
        .tool = json_get_text(message, "toolName"),
    };
}

static Entry *add_locked(EntryList *self, EntryHead head, json_t *value)
{
    const Entry *before = head.parent_id ? g_hash_table_lookup(self->index, head.parent_id) : NULL;
    Entry *entry = g_new0(Entry, 1);
    entry->value = value;
    entry->head = (EntryHead) {
        .id = head.id ? g_string_chunk_insert(self->names, head.id) : "",
        .parent_id = before           ? before->head.id
                     : head.parent_id ? g_string_chunk_insert(self->names, head.parent_id)
                                      : NULL,
        .type = name_locked(self, head.type),
        .role = name_locked(self, head.role),
        .tool = name_locked(self, head.tool),
    };
    g_ptr_array_add(self->entries, entry);
    if (head.id)
        g_hash_table_replace(self->index, (gpointer)entry->head.id, entry);
    return entry;
}

const EntryHead *entry_list_add(EntryList *self, json_t *entry)
{
    pthread_mutex_lock(&self->lock);
    const Entry *added = add_locked(self, head_of(entry), entry);
    pthread_mutex_unlock(&self->lock);
    return &added->head;
}

const EntryHead *entry_list_add_line(EntryList *self, json_t *entry, const char *line, size_t size)
{
    pthread_mutex_lock(&self->lock);
    Entry *added = add_locked(self, head_of(entry), entry);
    added->is_note = !is_spoken(&added->head) && size <= NOTE_MAX_BYTES;
    if (!added->is_note) {
        added->place = text_pack_add(self->texts, line, size);
        added->is_packed = true;
        added->value = NULL;
    }
    pthread_mutex_unlock(&self->lock);
    if (!added->is_note)
        json_decref(entry);
    return &added->head;
}

// ---- changing ----

void entry_list_replace(EntryList *self, const EntryHead *head, json_t *value)
{
    Entry *entry = (Entry *)head;
    pthread_mutex_lock(&self->lock);
    json_t *before = entry->value;
    entry->value = value;
    entry->is_packed = false;
    pthread_mutex_unlock(&self->lock);
    json_decref(before);
}

void entry_list_cut(EntryList *self, size_t count)
{
    pthread_mutex_lock(&self->lock);
    g_hash_table_remove_all(self->index);
    g_ptr_array_set_size(self->entries, (int)MIN(count, self->entries->len));
    for (guint i = 0; i < self->entries->len; i++) {
        Entry *entry = self->entries->pdata[i];
        if (*entry->head.id)
            g_hash_table_replace(self->index, (gpointer)entry->head.id, entry);
    }
    pthread_mutex_unlock(&self->lock);
}

// ---- finding ----

size_t entry_list_count(EntryList *self)
{
    pthread_mutex_lock(&self->lock);
    size_t count = self->entries->len;
    pthread_mutex_unlock(&self->lock);
    return count;
}

const EntryHead *entry_list_at(EntryList *self, size_t index)
{
    pthread_mutex_lock(&self->lock);
    const Entry *entry = index < self->entries->len ? self->entries->pdata[index] : NULL;
    pthread_mutex_unlock(&self->lock);
    return entry ? &entry->head : NULL;
}

const EntryHead *entry_list_find(EntryList *self, const char *id)
{
    if (!id)
        return NULL;
    pthread_mutex_lock(&self->lock);
    const Entry *entry = g_hash_table_lookup(self->index, id);
    pthread_mutex_unlock(&self->lock);
    return entry ? &entry->head : NULL;
}

GPtrArray *entry_list_heads(EntryList *self)
{
    GPtrArray *heads = g_ptr_array_new();
    pthread_mutex_lock(&self->lock);
    for (guint i = 0; i < self->entries->len; i++)
        g_ptr_array_add(heads, &((Entry *)self->entries->pdata[i])->head);
    pthread_mutex_unlock(&self->lock);
    return heads;
}

GPtrArray *entry_list_path(EntryList *self, const EntryHead *leaf)
{
    GPtrArray *path = g_ptr_array_new();
    g_autoptr(GHashTable) seen = g_hash_table_new(g_direct_hash, g_direct_equal);
    pthread_mutex_lock(&self->lock);
    for (const EntryHead *head = leaf; head && g_hash_table_add(seen, (gpointer)head);) {
        g_ptr_array_add(path, (gpointer)head);
        const Entry *parent =
            head->parent_id ? g_hash_table_lookup(self->index, head->parent_id) : NULL;
        head = parent ? &parent->head : NULL;
    }
    pthread_mutex_unlock(&self->lock);
    for (guint i = 0, j = path->len; i + 1 < j; i++) {
        gpointer last = path->pdata[--j];
        path->pdata[j] = path->pdata[i];
        path->pdata[i] = last;
    }
    return path;
}

// ---- reading ----

/* As session_file_load() read the line; NULL: it is none that can be read. */
static json_t *parse(const char *text, size_t size)
{
    json_t *value = line_json_parse(text, size);
    if (!value)
        json_parse(text, size, &value, NULL);
    size_t missing = 0; // was told when the file was opened
    if (value && memmem(text, size, PERSIST_BLOB_PREFIX, strlen(PERSIST_BLOB_PREFIX)))
        persist_resolve_blobs(value, &missing);
    return value;
}

json_t *entry_list_read(EntryList *self, const EntryHead *head)
{
    const Entry *entry = (const Entry *)head;
    pthread_mutex_lock(&self->lock);
    json_t *value = entry->value ? json_incref(entry->value) : NULL;
    TextPlace place = value ? (TextPlace) { 0 } : entry->place;
    pthread_mutex_unlock(&self->lock);
    if (value)
        return value;
    g_autofree char *text = text_pack_get(self->texts, &place);
    value = parse(text, place.size);
    g_assert(value); // it was read before
    return value;
}

static void value_free(void *value)
{
    json_decref(value);
}

GPtrArray *entry_list_read_all(EntryList *self, const GPtrArray *heads, guint from)
{
    GPtrArray *values = g_ptr_array_new_with_free_func(value_free);
    for (guint i = from; i < heads->len; i++)
        g_ptr_array_add(values, entry_list_read(self, heads->pdata[i]));
    return values;
}

EntryList *entry_list_copy(EntryList *self, const GPtrArray *heads)
{
    EntryList *copy = entry_list_new();
    for (guint i = 0; i < heads->len; i++) {
        const Entry *entry = heads->pdata[i];
        pthread_mutex_lock(&self->lock);
        json_t *value = entry->value ? json_incref(entry->value) : NULL;
        TextPlace place = value ? (TextPlace) { 0 } : entry->place;
        pthread_mutex_unlock(&self->lock);
        Entry *added = add_locked(copy, entry->head, value);
        if (value)
            continue;
        g_autofree char *text = text_pack_get(self->texts, &place);
        added->place = text_pack_add(copy->texts, text, place.size);
        added->is_packed = true;
    }
    text_pack_compress(copy->texts);
    return copy;
}

// ---- new entries ----

json_t *entry_list_start(EntryList *self, const char *type, const char *parent_id)
{
    pthread_mutex_lock(&self->lock);
    json_t *entry = entry_new(self->index, type, parent_id);
    pthread_mutex_unlock(&self->lock);
    return entry;
}

char *entry_list_new_id(EntryList *self)
{
    pthread_mutex_lock(&self->lock);
    char *id = entry_new_id(self->index);
    pthread_mutex_unlock(&self->lock);
    return id;
}

// ---- packing ----

/* Between locks nobody but the caller's thread changes an entry. */
static void make_value(EntryList *self, Entry *entry)
{
    json_t *value = entry_list_read(self, &entry->head);
    pthread_mutex_lock(&self->lock);
    json_t *before = entry->value;
    entry->value = value;
    pthread_mutex_unlock(&self->lock);
    json_decref(before);
}

/* False: it stays a value, being short, or since its text would not come back. */
static bool add_text(EntryList *self, Entry *entry)
{
    g_autoptr(json_t) stored = persist_entry(entry->value);
    g_autofree char *text = json_to_text(stored);
    size_t size = strlen(text);
    g_autoptr(json_t) again = line_json_parse(text, size);
    entry->is_note = (!is_spoken(&entry->head) && size <= NOTE_MAX_BYTES) ||
                     (!again && !json_parse(text, size, &again, NULL));
    if (!entry->is_note)
        entry->place = text_pack_add(self->texts, text, size);
    return !entry->is_note;
}

static void pack(EntryList *self, Entry *entry)
{
    if (!entry->value || entry->is_note || (!entry->is_packed && !add_text(self, entry)))
        return;
    pthread_mutex_lock(&self->lock);
    json_t *value = g_steal_pointer(&entry->value);
    entry->is_packed = true;
    pthread_mutex_unlock(&self->lock);
    json_decref(value);
}

void entry_list_settle(EntryList *self, const GPtrArray *path, guint from, size_t count)
{
    g_autoptr(GHashTable) kept = g_hash_table_new(g_direct_hash, g_direct_equal);
    for (guint i = from; i < path->len; i++) {
        g_hash_table_add(kept, path->pdata[i]);
        make_value(self, path->pdata[i]);
    }
    for (guint i = 0; i < self->entries->len && i < count; i++) {
        if (!g_hash_table_contains(kept, self->entries->pdata[i]))
            pack(self, self->entries->pdata[i]);
    }
    text_pack_compress(self->texts);
}

EntryListSize entry_list_size(EntryList *self)
{
    TextPackSize texts = text_pack_size(self->texts);
    EntryListSize size = { 0, texts.text_bytes, texts.kept_bytes, texts.is_at_work };
    pthread_mutex_lock(&self->lock);
    for (guint i = 0; i < self->entries->len; i++)
        size.values += ((const Entry *)self->entries->pdata[i])->value != NULL;
    pthread_mutex_unlock(&self->lock);
    return size;
}
