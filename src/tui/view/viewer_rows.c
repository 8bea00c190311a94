/*
 * What the viewer shows, as rows: items, pairs of calls and results, what is kept of them.
 */
#include "tui/view/viewer_rows.h"

#include <string.h>

#include "model/message.h"

enum {
    NONE = UINT32_MAX,
    LIMIT_SLICE_BYTES = LIMIT_VIEWER_ROWS_BYTES / 4, // kept of one item
    SLICE_COST_BYTES = 128,                          // of one that has no rows
    MAX_DEPTH = 32,                                  // of JSON that is looked through
};

typedef struct Item {
    uint32_t message, call; // indexes; call NONE: the message itself
    uint32_t result;        // index of the message with the call's result; NONE
    uint32_t weight;
    int rows; // -1: not known
} Item;

typedef struct Slice { // of an item's rows
    guint item, first;
    GPtrArray *rows;
    size_t bytes;
} Slice;

struct ViewerRows {
    json_t *messages;
    BlockSpec spec;
    GArray *items;      // of Item
    GHashTable *slices; // item → Slice
    size_t kept_bytes;
};

static Item *item_at(const ViewerRows *self, guint item)
{
    g_assert(item < self->items->len);
    return &g_array_index(self->items, Item, item);
}

static json_t *message_of(const ViewerRows *self, uint32_t message)
{
    return message == NONE ? NULL : json_array_get(self->messages, message);
}

static json_t *call_of(const ViewerRows *self, const Item *item)
{
    const json_t *content = json_object_get(message_of(self, item->message), "content");
    return item->call == NONE ? NULL : json_array_get(content, item->call);
}

// ---- items ----

static size_t text_bytes(const json_t *value)
{
    static const char *const fields[] = { "text", "thinking", "output", "summary" };
    size_t bytes = json_string_length(value);
    for (size_t i = 0; i < G_N_ELEMENTS(fields); i++)
        bytes += json_string_length(json_object_get(value, fields[i]));
    return bytes;
}

static uint32_t viewer_rows_weigh(const json_t *message)
{
    const json_t *content = json_object_get(message, "content");
    size_t bytes = text_bytes(message) + text_bytes(content);
    json_each (content, i, block)
        bytes += text_bytes(block);
    return (uint32_t)MIN(bytes, (size_t)UINT32_MAX);
}

static bool is_call(const json_t *block)
{
    return g_strcmp0(json_get_text(block, "type"), "toolCall") == 0;
}

static void add_calls(ViewerRows *self, uint32_t message, GHashTable *open)
{
    const json_t *content = json_object_get(message_of(self, message), "content");
    json_each (content, i, block) {
        if (!is_call(block))
            continue;
        const char *id = json_get_text(block, "id");
        if (id)
            g_hash_table_insert(open, (char *)id, GUINT_TO_POINTER(self->items->len));
        Item item = { message, (uint32_t)i, NONE, 0, -1 };
        g_array_append_val(self->items, item);
    }
}

/* To the last call of that id that has none yet: providers use ids again. */
static bool give_result(ViewerRows *self, uint32_t message, GHashTable *open)
{
    const json_t *result = message_of(self, message);
    const char *id = json_get_text(result, "toolCallId");
    gpointer call = NULL;
    if (!id || !g_hash_table_lookup_extended(open, id, NULL, &call))
        return false;

    Item *item = item_at(self, GPOINTER_TO_UINT(call));
    item->result = message;
    item->weight = viewer_rows_weigh(result);
    g_hash_table_remove(open, id);
    return true;
}

static void add_items(ViewerRows *self)
{
    g_autoptr(GHashTable) open = g_hash_table_new(g_str_hash, g_str_equal); // id → item
    size_t count = MIN(json_array_size(self->messages), (size_t)NONE);
    for (uint32_t i = 0; i < count; i++) {
        const json_t *message = message_of(self, i);
        const char *role = message_role(message);
        if (g_strcmp0(role, "toolResult") == 0 && give_result(self, i, open))
            continue;
        Item item = { i, NONE, NONE, viewer_rows_weigh(message), -1 };
        g_array_append_val(self->items, item);
        if (g_strcmp0(role, "assistant") == 0)
            add_calls(self, i, open);
    }
}

// ---- laying out ----

static void item_rows(const ViewerRows *self, const Item *item, GPtrArray *out)
{
    const json_t *message = message_of(self, item->message);
    const json_t *call = call_of(self, item);
    const json_t *result = message_of(self, item->result);
    bool is_result = g_strcmp0(message_role(message), "toolResult") == 0;
    if (is_result) // whose call is not there
        result = message;
    if (!call && !is_result) {
        block_message_rows(message, &self->spec, out);
        return;
    }
    const char *tool = call ? json_get_text(call, "name") : json_get_text(message, "toolName");
    block_tool_rows(tool ? tool : "?", json_object_get(call, "arguments"), result,
                    json_get_bool(result, "isError", false), 0, &self->spec, out);
}

void viewer_rows_lay_out(ViewerRows *self, guint index, GPtrArray *out)
{
    Item *item = item_at(self, index);
    guint before = out->len;
    if (index > 0)
        g_ptr_array_add(out, row_of("", (Style) { 0 }));
    item_rows(self, item, out);
    if (index > 0 && out->len == before + 1) // nothing is shown of it
        g_ptr_array_set_size(out, (int)before);
    item->rows = (int)(out->len - before);
}

// ---- what is kept ----

static void slice_free(void *data)
{
    Slice *self = data;
    g_ptr_array_unref(self->rows);
    g_free(self);
}

static size_t row_bytes_kept(const Row *row)
{
    size_t bytes = sizeof(*row) + row->size + row->run_count * sizeof(RowRun) + sizeof(void *);
    for (uint32_t i = 0; i < row->run_count; i++)
        bytes += row->runs[i].link ? strlen(row->runs[i].link) + 1 : 0;
    return bytes;
}

static void viewer_rows_drop(ViewerRows *self, guint item)
{
    const Slice *slice = g_hash_table_lookup(self->slices, GUINT_TO_POINTER(item));
    if (!slice)
        return;
    self->kept_bytes -= slice->bytes;
    g_hash_table_remove(self->slices, GUINT_TO_POINTER(item));
}

/* The farthest ones go first. */
static void make_room(ViewerRows *self, guint around)
{
    while (self->kept_bytes > LIMIT_VIEWER_ROWS_BYTES && g_hash_table_size(self->slices) > 1) {
        GHashTableIter iter;
        gpointer key = NULL;
        guint farthest = around, distance = 0;
        g_hash_table_iter_init(&iter, self->slices);
        while (g_hash_table_iter_next(&iter, &key, NULL)) {
            guint item = GPOINTER_TO_UINT(key);
            guint here = item > around ? item - around : around - item;
            if (here >= distance) {
                distance = here;
                farthest = item;
            }
        }
        viewer_rows_drop(self, farthest);
    }
}

/* Rows on both sides of `row`, as many as may be kept of one item. */
static Slice *slice_new(guint item, guint row, const GPtrArray *rows)
{
    Slice *self = g_new0(Slice, 1);
    self->item = item;
    self->rows = rows_new();
    self->bytes = SLICE_COST_BYTES;
    guint first = MIN(row, rows->len), end = first;
    for (bool has_more = true; has_more && self->bytes < LIMIT_SLICE_BYTES;) {
        has_more = false;
        if (end < rows->len) {
            self->bytes += row_bytes_kept(g_ptr_array_index(rows, end++));
            has_more = true;
        }
        if (first > 0) {
            self->bytes += row_bytes_kept(g_ptr_array_index(rows, --first));
            has_more = true;
        }
    }
    self->first = first;
    for (guint i = first; i < end; i++)
        g_ptr_array_add(self->rows, row_ref(g_ptr_array_index(rows, i)));
    return self;
}

static const Slice *viewer_rows_keep(ViewerRows *self, ViewerPlace place)
{
    g_autoptr(GPtrArray) rows = rows_new();
    viewer_rows_lay_out(self, place.item, rows);
    viewer_rows_drop(self, place.item);
    Slice *slice = slice_new(place.item, place.row, rows);
    self->kept_bytes += slice->bytes;
    g_hash_table_insert(self->slices, GUINT_TO_POINTER(place.item), slice);
    make_room(self, place.item);
    return slice;
}

const Row *viewer_rows_get(ViewerRows *self, ViewerPlace place)
{
    const Slice *slice = g_hash_table_lookup(self->slices, GUINT_TO_POINTER(place.item));
    if (!slice || place.row < slice->first || place.row - slice->first >= slice->rows->len)
        slice = viewer_rows_keep(self, place);
    g_assert(place.row >= slice->first && place.row - slice->first < slice->rows->len);
    return g_ptr_array_index(slice->rows, place.row - slice->first);
}

guint viewer_rows_count(ViewerRows *self, guint item)
{
    if (item_at(self, item)->rows < 0)
        viewer_rows_keep(self, (ViewerPlace) { item, 0 });
    return (guint)item_at(self, item)->rows;
}

size_t viewer_rows_kept_bytes(const ViewerRows *self)
{
    return self->kept_bytes;
}

gint64 viewer_rows_before(const ViewerRows *self, guint item)
{
    gint64 rows = 0;
    for (guint i = 0; i < item; i++) {
        const Item *one = item_at(self, i);
        rows += one->rows >= 0 ? one->rows : 2 + 2 * (gint64)one->weight / self->spec.width;
    }
    return rows;
}

// ---- another width ----

static size_t count_letters(const Row *row)
{
    size_t count = 0;
    for (uint32_t i = 0; i < row->size; i++)
        count += row->text[i] != ' ';
    return count;
}

void viewer_rows_set_width(ViewerRows *self, int width)
{
    self->spec.width = MAX(width, 1);
    g_hash_table_remove_all(self->slices);
    self->kept_bytes = 0;
    for (guint i = 0; i < self->items->len; i++)
        item_at(self, i)->rows = -1;
}

size_t viewer_rows_text_before(ViewerRows *self, ViewerPlace place)
{
    g_autoptr(GPtrArray) rows = rows_new();
    viewer_rows_lay_out(self, place.item, rows);
    size_t count = 0;
    for (guint i = 0; i < MIN(place.row, rows->len); i++)
        count += count_letters(g_ptr_array_index(rows, i));
    return count;
}

ViewerPlace viewer_rows_place_behind(ViewerRows *self, guint item, size_t text_bytes)
{
    ViewerPlace place = { .item = item };
    if (text_bytes == 0)
        return place;

    g_autoptr(GPtrArray) rows = rows_new();
    viewer_rows_lay_out(self, item, rows);
    size_t passed = 0;
    for (guint i = 0; i < rows->len && passed <= text_bytes; i++) {
        place.row = i;
        passed += count_letters(g_ptr_array_index(rows, i));
    }
    return place;
}

// ---- looking for words ----

static bool json_has(const json_t *value, const char *word, int depth, size_t *bytes)
{
    if (json_is_string(value)) {
        *bytes += json_string_length(value);
        return strcasestr(json_string_value(value), word) != NULL;
    }
    if (depth == MAX_DEPTH)
        return true; // who knows
    json_each (value, i, inner) {
        if (json_has(inner, word, depth + 1, bytes))
            return true;
    }
    json_each_member (value, key, inner) {
        if (strcasestr(key, word) || json_has(inner, word, depth + 1, bytes))
            return true;
    }
    return false;
}

bool viewer_rows_may_have(const ViewerRows *self, guint index, const char *word, size_t *bytes)
{
    const Item *item = item_at(self, index);
    const json_t *call = call_of(self, item);
    return json_has(call ? call : message_of(self, item->message), word, 0, bytes) ||
           json_has(message_of(self, item->result), word, 0, bytes);
}

// ---- the whole ----

ViewerRows *viewer_rows_new(const json_t *messages, const BlockSpec *spec)
{
    ViewerRows *self = g_new0(ViewerRows, 1);
    self->messages = json_incref((json_t *)messages);
    self->spec = *spec;
    self->spec.width = MAX(spec->width, 1);
    self->items = g_array_new(FALSE, FALSE, sizeof(Item));
    self->slices = g_hash_table_new_full(NULL, NULL, NULL, slice_free);
    add_items(self);
    return self;
}

void viewer_rows_free(ViewerRows *self)
{
    if (!self)
        return;
    json_decref(self->messages);
    g_array_unref(self->items);
    g_hash_table_unref(self->slices);
    g_free(self);
}

guint viewer_rows_item_count(const ViewerRows *self)
{
    return self->items->len;
}

guint viewer_rows_message(const ViewerRows *self, guint item)
{
    return item_at(self, item)->message + 1;
}

guint viewer_rows_message_count(const ViewerRows *self)
{
    return (guint)json_array_size(self->messages);
}

size_t viewer_rows_weight(const ViewerRows *self, guint item)
{
    return item_at(self, item)->weight;
}
