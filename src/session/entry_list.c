/*
 * Entries as values or places of lines (see entry_list.h). A value is only dropped when its line
 * gave the same value once.
 */
#include "session/entry_list.h"

#include "base/json_reader.h"
#include "base/lock.h"
#include "base/memory.h"
#include "session/entry.h"
#include "session/persist.h"

#define MUCH_BYTES     ((size_t)1024 * 1024) // whose values are freed at once
#define NOTE_MAX_BYTES 4096                  // of an entry that walks look for: it stays a value

typedef struct Entry {
    EntryHead head;   // first: a head is its entry
    json_t *value;    // NULL: in the file only
    bool is_mended;   // what was no text in it became U+FFFD
    bool is_repeated; // the id is also that of another
    LinePlace place;  // its file is NULL: not written, or not as it is here
    bool is_checked;  // the line says what the value says
} Entry;

struct EntryList {
    pthread_mutex_t lock; // guards all of it, but not what heads say
    GPtrArray *entries;   // Entry *
    GHashTable *index;    // id → Entry, borrowed
    GStringChunk *names;  // what heads point to
    bool has_lost;
};

static void entry_free(void *self_)
{
    Entry *self = self_;
    json_decref(self->value);
    line_file_unref(self->place.file);
    g_free((EntryUsage *)self->head.usage);
    g_free(self);
}

EntryList *entry_list_new(void)
{
    EntryList *self = g_new0(EntryList, 1);
    pthread_mutex_init(&self->lock, NULL);
    self->entries = g_ptr_array_new_with_free_func(entry_free);
    self->index = g_hash_table_new(g_str_hash, g_str_equal);
    self->names = g_string_chunk_new(1024);
    return self;
}

EntryList *entry_list_of(const json_t *entries)
{
    EntryList *self = entry_list_new();
    json_each (entries, i, entry)
        entry_list_add(self, json_incref(entry));
    return self;
}

void entry_list_free(EntryList *self)
{
    if (!self)
        return;
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

EntryUsage entry_usage_of(const json_t *message)
{
    const json_t *usage = json_get_object(message, "usage");
    EntryUsage sums = {
        .input = json_get_int(usage, "input", 0),
        .output = json_get_int(usage, "output", 0),
        .cache_read = json_get_int(usage, "cacheRead", 0),
        .cache_write = json_get_int(usage, "cacheWrite", 0),
        .total = json_get_int(usage, "totalTokens", 0),
        .cost = json_get_number(json_get_object(usage, "cost"), "total", 0),
    };
    json_each (json_get_array(message, "content"), i, block)
        sums.calls += g_strcmp0(json_get_text(block, "type"), "toolCall") == 0;
    return sums;
}

/* Borrowed from the value and from `usage`, which is filled for an answer; without an id it is
   NULL. */
static EntryHead head_of(const json_t *value, EntryUsage *usage)
{
    const char *type = json_get_text(value, "type");
    bool is_message = g_strcmp0(type, "message") == 0; // other programs' kinds may have one, too
    const json_t *message = is_message ? json_get_object(value, "message") : NULL;
    bool is_answer = g_strcmp0(json_get_text(message, "role"), "assistant") == 0;
    if (is_answer)
        *usage = entry_usage_of(message);
    return (EntryHead) {
        .id = json_get_text(value, "id"),
        .parent_id = json_get_text(value, "parentId"),
        .type = type,
        .role = json_get_text(message, "role"),
        .tool = json_get_text(message, "toolName"),
        .usage = is_answer ? usage : NULL,
        .pruned_at = json_get_int(message, "prunedAt", 0),
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
        .pruned_at = head.pruned_at,
        .usage = head.usage ? g_memdup2(head.usage, sizeof(EntryUsage)) : NULL,
    };
    g_ptr_array_add(self->entries, entry);
    Entry *same = head.id ? g_hash_table_lookup(self->index, head.id) : NULL;
    if (same)
        same->is_repeated = entry->is_repeated = true;
    if (head.id)
        g_hash_table_replace(self->index, (gpointer)entry->head.id, entry);
    return entry;
}

const EntryHead *entry_list_add(EntryList *self, json_t *entry)
{
    EntryUsage usage;
    EntryHead head = head_of(entry, &usage);
    HOLD_LOCK(&self->lock);
    const Entry *added = add_locked(self, head, entry);
    return &added->head;
}

/* Few words about the conversation, which walks look for, stay values. */
static bool is_note(const Entry *entry)
{
    return !is_spoken(&entry->head) && entry->place.size <= NOTE_MAX_BYTES;
}

static void set_place_locked(Entry *entry, const LinePlace *place)
{
    line_file_unref(entry->place.file);
    entry->place = *place;
    if (place->file)
        line_file_ref(place->file);
}

const EntryHead *entry_list_add_line(EntryList *self, json_t *entry, const LinePlace *place)
{
    EntryUsage usage;
    EntryHead head = head_of(entry, &usage);
    pthread_mutex_lock(&self->lock);
    Entry *added = add_locked(self, head, entry);
    set_place_locked(added, place);
    added->is_checked = true;
    bool is_value = is_note(added);
    if (!is_value)
        added->value = NULL;
    pthread_mutex_unlock(&self->lock);
    if (!is_value)
        json_decref(entry);
    return &added->head;
}

// ---- changing ----

void entry_list_set_place(EntryList *self, const EntryHead *head, const LinePlace *place)
{
    Entry *entry = (Entry *)head;
    HOLD_LOCK(&self->lock);
    set_place_locked(entry, place);
    entry->is_checked = false;
}

void entry_list_replace(EntryList *self, const EntryHead *head, json_t *value)
{
    Entry *entry = (Entry *)head;
    pthread_mutex_lock(&self->lock);
    json_t *before = entry->value;
    entry->value = value;
    entry->head.pruned_at = json_get_int(json_get_object(value, "message"), "prunedAt", 0);
    set_place_locked(entry, &(LinePlace) { 0 });
    pthread_mutex_unlock(&self->lock);
    json_decref(before);
}

void entry_list_cut(EntryList *self, size_t count)
{
    HOLD_LOCK(&self->lock);
    g_hash_table_remove_all(self->index);
    g_ptr_array_set_size(self->entries, (int)MIN(count, self->entries->len));
    for (guint i = 0; i < self->entries->len; i++) {
        Entry *entry = self->entries->pdata[i];
        if (*entry->head.id)
            g_hash_table_replace(self->index, (gpointer)entry->head.id, entry);
    }
}

// ---- finding ----

size_t entry_list_count(EntryList *self)
{
    HOLD_LOCK(&self->lock);
    return self->entries->len;
}

const EntryHead *entry_list_at(EntryList *self, size_t index)
{
    HOLD_LOCK(&self->lock);
    const Entry *entry = index < self->entries->len ? self->entries->pdata[index] : NULL;
    return entry ? &entry->head : NULL;
}

const EntryHead *entry_list_find(EntryList *self, const char *id)
{
    if (!id)
        return NULL;
    HOLD_LOCK(&self->lock);
    const Entry *entry = g_hash_table_lookup(self->index, id);
    return entry ? &entry->head : NULL;
}

void entry_list_set_mended(EntryList *self, const EntryHead *head)
{
    HOLD_LOCK(&self->lock);
    ((Entry *)head)->is_mended = true;
}

bool entry_list_is_mended(EntryList *self, const EntryHead *head)
{
    HOLD_LOCK(&self->lock);
    return ((const Entry *)head)->is_mended;
}

bool entry_list_is_repeated(EntryList *self, const EntryHead *head)
{
    HOLD_LOCK(&self->lock);
    return ((const Entry *)head)->is_repeated;
}

GPtrArray *entry_list_heads(EntryList *self)
{
    GPtrArray *heads = g_ptr_array_new();
    HOLD_LOCK(&self->lock);
    for (guint i = 0; i < self->entries->len; i++)
        g_ptr_array_add(heads, &((Entry *)self->entries->pdata[i])->head);
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
static json_t *entry_list_parse(const char *text, size_t size)
{
    json_t *value = json_parse_line(text, size);
    size_t missing = 0; // was told when the file was opened
    if (value && memmem(text, size, PERSIST_BLOB_PREFIX, strlen(PERSIST_BLOB_PREFIX)))
        persist_resolve_blobs(value, &missing);
    return value;
}

/* Its value, or else a place of the caller's own. */
static json_t *value_or_place(EntryList *self, const Entry *entry, LinePlace *ret_place)
{
    HOLD_LOCK(&self->lock);
    json_t *value = entry->value ? json_incref(entry->value) : NULL;
    if (!value) {
        *ret_place = entry->place;
        line_file_ref(ret_place->file);
    }
    return value;
}

/* What the file says of an entry; NULL: it has changed. */
static json_t *read_line(const EntryHead *head, const LinePlace *place)
{
    g_autofree char *text = line_place_read(place);
    g_autoptr(json_t) value = text ? entry_list_parse(text, place->size) : NULL;
    bool is_it = value && g_str_equal(entry_type(value), head->type) &&
                 g_str_equal(entry_id(value), head->id);
    return is_it ? g_steal_pointer(&value) : NULL;
}

/* NULL: its line cannot be read, which the list remembers. New reference. */
static json_t *read_value(EntryList *self, const EntryHead *head)
{
    LinePlace place = { 0 };
    json_t *value = value_or_place(self, (const Entry *)head, &place);
    if (value)
        return value;
    value = read_line(head, &place);
    line_file_unref(place.file);
    if (value)
        return value;
    HOLD_LOCK(&self->lock);
    self->has_lost = true;
    return NULL;
}

json_t *entry_list_read(EntryList *self, const EntryHead *head)
{
    json_t *value = read_value(self, head);
    return value ? value
                 : json_pack("{s:s, s:s, s:s?}", "type", head->type, "id", head->id, "parentId",
                             head->parent_id);
}

bool entry_list_has_lost(EntryList *self)
{
    HOLD_LOCK(&self->lock);
    return self->has_lost;
}

GPtrArray *entry_list_read_all(EntryList *self, const GPtrArray *heads, guint from)
{
    GPtrArray *values = g_ptr_array_new_with_free_func(json_free);
    for (guint i = from; i < heads->len; i++)
        g_ptr_array_add(values, entry_list_read(self, heads->pdata[i]));
    return values;
}

EntryList *entry_list_copy(EntryList *self, const GPtrArray *heads)
{
    EntryList *copy = entry_list_new();
    HOLD_LOCK(&self->lock);
    for (guint i = 0; i < heads->len; i++) {
        const Entry *entry = heads->pdata[i];
        json_t *value = entry->value ? json_incref(entry->value) : NULL;
        Entry *added = add_locked(copy, entry->head, value);
        set_place_locked(added, &entry->place);
        added->is_checked = entry->is_checked;
    }
    copy->has_lost = self->has_lost;
    return copy;
}

// ---- new entries ----

json_t *entry_list_start(EntryList *self, const char *type, const char *parent_id)
{
    HOLD_LOCK(&self->lock);
    return entry_new(self->index, type, parent_id);
}

char *entry_list_new_id(EntryList *self)
{
    HOLD_LOCK(&self->lock);
    return entry_new_id(self->index);
}

// ---- settling ----

/* Between locks only the caller's thread changes an entry. */
static void set_value(EntryList *self, Entry *entry, json_t *value)
{
    pthread_mutex_lock(&self->lock);
    json_t *before = entry->value;
    entry->value = value;
    pthread_mutex_unlock(&self->lock);
    json_decref(before);
}

/* Whether its line says the same: not where a secret was masked in it, or a disk is not what it
   seems. */
static bool can_leave(Entry *entry)
{
    if (!entry->place.file || is_note(entry))
        return false;
    if (!entry->is_checked) {
        g_autoptr(json_t) written = read_line(&entry->head, &entry->place);
        entry->is_checked = written && json_equal(written, entry->value);
    }
    return entry->is_checked;
}

void entry_list_settle(EntryList *self, const GPtrArray *path, guint from)
{
    g_autoptr(GHashTable) kept = g_hash_table_new(g_direct_hash, g_direct_equal);
    for (guint i = from; i < path->len; i++) {
        g_hash_table_add(kept, path->pdata[i]);
        json_t *value = read_value(self, path->pdata[i]);
        if (value) // else its place is asked again, not what is said of a lost one
            set_value(self, path->pdata[i], value);
    }
    size_t left_bytes = 0;
    for (guint i = 0; i < self->entries->len; i++) {
        Entry *entry = self->entries->pdata[i];
        if (!entry->value || g_hash_table_contains(kept, entry) || !can_leave(entry))
            continue;
        set_value(self, entry, NULL);
        left_bytes += entry->place.size;
    }
    if (left_bytes > MUCH_BYTES)
        memory_give_back();
}

EntryListSize entry_list_size(EntryList *self)
{
    EntryListSize size = { 0 };
    HOLD_LOCK(&self->lock);
    for (guint i = 0; i < self->entries->len; i++) {
        const Entry *entry = self->entries->pdata[i];
        size.values += entry->value != NULL;
        size.text_bytes += entry->value ? 0 : entry->place.size;
    }
    return size;
}
