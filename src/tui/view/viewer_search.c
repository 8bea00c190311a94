/*
 * Looking for a text in what the viewer shows.
 */
#include "tui/view/viewer_search.h"

#include <string.h>

enum { MIN_WORD_BYTES = 3 };

// ---- text as it is compared ----

typedef struct Folded {
    GString *text;
    GArray *starts; // of guint; where each row, or each byte, of what was folded begins in it
} Folded;

static Folded folded_new(void)
{
    return (Folded) { g_string_new(NULL), g_array_new(FALSE, FALSE, sizeof(guint)) };
}

static void folded_clear(Folded *self)
{
    g_string_free(self->text, TRUE);
    g_array_unref(self->starts);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Folded, folded_clear)

/* A blank after a blank, or at the start, is none. */
static void fold_blank(GString *out)
{
    if (out->len > 0 && out->str[out->len - 1] != ' ')
        g_string_append_c(out, ' ');
}

static void fold_char(const char *p, GString *out)
{
    gunichar c = g_utf8_get_char(p);
    if (c == ' ')
        fold_blank(out);
    else
        g_string_append_unichar(out, g_unichar_tolower(c));
}

static Folded fold_rows(const GPtrArray *rows)
{
    Folded folded = folded_new();
    for (guint i = 0; i < rows->len; i++) {
        const Row *row = g_ptr_array_index(rows, i);
        fold_blank(folded.text);
        guint start = (guint)folded.text->len;
        g_array_append_val(folded.starts, start);
        for (const char *p = row->text; p < row->text + row->size; p = g_utf8_next_char(p))
            fold_char(p, folded.text);
    }
    return folded;
}

// ---- the query ----

/* Its longest run of ASCII letters and digits; NULL: that says too little. Caller frees. */
static char *longest_word(const char *query)
{
    const char *best = NULL;
    size_t best_size = MIN_WORD_BYTES - 1;
    for (const char *p = query; *p;) {
        size_t size = 0;
        while (g_ascii_isalnum(p[size]))
            size++;
        if (size > best_size) {
            best = p;
            best_size = size;
        }
        p += MAX(size, 1);
    }
    return best ? g_strndup(best, best_size) : NULL;
}

void viewer_search_set(ViewerSearch *self, const char *query, ViewerPlace from)
{
    g_autoptr(GString) folded = g_string_new(NULL);
    for (const char *p = query; *p; p = g_utf8_next_char(p))
        fold_char(p, folded);
    g_strchomp(folded->str);
    bool narrows = self->query && strstr(folded->str, self->query);
    g_autoptr(GByteArray) misses = narrows ? g_steal_pointer(&self->misses) : NULL;
    viewer_search_clear(self);
    if (!*folded->str)
        return;
    self->query = g_strdup(folded->str);
    self->misses = g_steal_pointer(&misses);
    self->word = longest_word(self->query);
    self->at = from;
}

void viewer_search_clear(ViewerSearch *self)
{
    g_free(self->query);
    g_free(self->word);
    g_clear_pointer(&self->misses, g_byte_array_unref);
    *self = (ViewerSearch) { 0 };
}

// ---- items that do not have it ----

static bool is_missed(const ViewerSearch *self, guint item)
{
    return self->misses && item < self->misses->len && self->misses->data[item];
}

static void note_miss(ViewerSearch *self, guint item)
{
    if (!self->misses)
        self->misses = g_byte_array_new();
    while (self->misses->len <= item)
        g_byte_array_append(self->misses, (const guint8[]) { 0 }, 1);
    self->misses->data[item] = 1;
}

// ---- looking ----

static guint row_at(const Folded *folded, guint offset)
{
    guint low = 0, high = folded->starts->len;
    while (high - low > 1) {
        guint middle = low + (high - low) / 2;
        if (g_array_index(folded->starts, guint, middle) <= offset)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The first row of [first, end) where the query begins, or the last one; `end`: none. */
static guint find_in(const ViewerSearch *self, const GPtrArray *rows, guint first, guint end)
{
    g_auto(Folded) folded = fold_rows(rows);
    guint found = end, row = 0;
    const char *text = folded.text->str;
    for (const char *p = text; row < rows->len && (p = strstr(p, self->query));) {
        row = row_at(&folded, (guint)(p - text));
        if (row >= first && row < end)
            found = row;
        if (row >= end || (found == row && !self->is_backward) || ++row == rows->len)
            break;
        p = text + g_array_index(folded.starts, guint, row);
    }
    return found;
}

/* In the rows of the item at self->at that come next. */
static bool look_at(ViewerSearch *self, ViewerRows *rows, bool is_whole, size_t *laid_out,
                    size_t *scanned)
{
    guint item = self->at.item;
    if (is_missed(self, item))
        return false;
    if (self->word && !viewer_rows_may_have(rows, item, self->word, scanned)) {
        note_miss(self, item);
        return false;
    }

    g_autoptr(GPtrArray) all = rows_new();
    viewer_rows_lay_out(rows, item, all);
    *laid_out += viewer_rows_weight(rows, item) + all->len;
    guint first = 0, end = all->len;
    if (!is_whole && self->is_backward)
        end = MIN(end, self->at.row);
    else if (!is_whole)
        first = MIN(end, self->at.row + 1);
    guint found = find_in(self, all, first, end);
    if (found == end && first == 0 && end == all->len)
        note_miss(self, item);
    if (found == end)
        return false;
    self->at.row = found;
    return true;
}

SearchResult viewer_search_step(ViewerSearch *self, ViewerRows *rows, bool is_backward)
{
    guint count = viewer_rows_item_count(rows);
    size_t laid_out = 0, scanned = 0;
    if (!self->query || count == 0)
        return SEARCH_NOTHING;
    if (self->is_backward != is_backward)
        self->passed_items = 0;
    self->is_backward = is_backward;
    while (self->passed_items <= count) { // the first one comes again, whole
        bool is_whole = self->passed_items > 0;
        if (laid_out > LIMIT_VIEWER_SEARCH_BYTES || scanned > LIMIT_VIEWER_SCAN_BYTES)
            return SEARCH_GOES_ON;
        if (look_at(self, rows, is_whole, &laid_out, &scanned)) {
            self->passed_items = 0;
            return SEARCH_FOUND;
        }
        if (self->passed_items++ < count)
            self->at.item = (self->at.item + (is_backward ? count - 1 : 1)) % count;
    }
    self->passed_items = 0;
    return SEARCH_NOTHING;
}

// ---- showing it ----

/* Adds [from, end) of the row, reversed or not. */
static void add_part(RowBuilder *builder, const Row *row, RowPlace *place, size_t from, size_t end,
                     bool is_found)
{
    while (from < end) {
        const RowRun *run = row_run_at(row, place, from);
        size_t size = MIN(end, place->offset + run->size) - from;
        Style style = run->style;
        if (is_found)
            style.attributes ^= STYLE_REVERSE;
        row_builder_add(builder, row->text + from, (gssize)size, style, run->link);
        from += size;
    }
}

Row *viewer_search_mark(const ViewerSearch *self, const Row *row)
{
    if (!self->query || row->size == 0)
        return row_ref((Row *)row);

    g_auto(Folded) folded = folded_new(); // starts: of each of its bytes, in the row
    for (const char *p = row->text; p < row->text + row->size; p = g_utf8_next_char(p)) {
        guint start = (guint)(p - row->text);
        fold_char(p, folded.text);
        while (folded.starts->len < folded.text->len)
            g_array_append_val(folded.starts, start);
    }
    g_array_append_val(folded.starts, row->size);

    g_autoptr(RowBuilder) builder = row_builder_new();
    RowPlace place = { 0 };
    size_t done = 0, size = strlen(self->query);
    const char *text = folded.text->str;
    for (const char *p = text; (p = strstr(p, self->query)); p += size) {
        size_t from = g_array_index(folded.starts, guint, p - text);
        size_t end = g_array_index(folded.starts, guint, p - text + (gssize)size);
        add_part(builder, row, &place, done, from, false);
        add_part(builder, row, &place, from, end, true);
        done = end;
    }
    add_part(builder, row, &place, done, row->size, false);
    return row_builder_take(builder);
}
