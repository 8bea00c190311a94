/*
 * Rows and their builder (row.h). A row is one block of memory: the struct, its runs, its text;
 * links are strings of their own.
 */
#include "tui/text/row.h"

#include "tui/text/width.h"

#include <string.h>

#define ELLIPSIS "…"

struct RowBuilder {
    GString *text;
    GArray *runs; // of RowRun
    // up to the start of the last cluster that was counted: what is added may still join it
    size_t counted;
    int counted_cells;
};

Row *row_ref(Row *self)
{
    self->ref_count++;
    return self;
}

void row_unref(Row *self)
{
    if (!self || --self->ref_count > 0)
        return;
    for (uint32_t i = 0; i < self->run_count; i++)
        g_free(self->runs[i].link);
    picture_unref(self->picture);
    g_free(self);
}

static void free_row(void *data)
{
    row_unref(data);
}

GPtrArray *rows_new(void)
{
    return g_ptr_array_new_with_free_func(free_row);
}

Row *row_of(const char *text, Style style)
{
    g_autoptr(RowBuilder) builder = row_builder_new();
    row_builder_add(builder, text, -1, style, NULL);
    return row_builder_take(builder);
}

Row *row_of_prompt(const Row *self)
{
    Row *row = row_part(self, 0, self->size);
    row->is_prompt = true;
    return row;
}

Row *row_of_picture(Picture *picture)
{
    Row *row = row_of("", (Style) { 0 });
    row->picture = picture_ref(picture);
    return row;
}

bool row_equal(const Row *a, const Row *b)
{
    if (a == b)
        return true;
    if (a->size != b->size || a->run_count != b->run_count ||
        memcmp(a->text, b->text, a->size) != 0)
        return false;
    for (uint32_t i = 0; i < a->run_count; i++) {
        const RowRun *x = &a->runs[i], *y = &b->runs[i];
        if (x->size != y->size || !style_equal(x->style, y->style) ||
            g_strcmp0(x->link, y->link) != 0)
            return false;
    }
    return true;
}

static Style style_at_end(const RowBuilder *self)
{
    if (self->runs->len == 0)
        return (Style) { 0 };
    return g_array_index(self->runs, RowRun, self->runs->len - 1).style;
}

Row *row_cut(const Row *self, int cells)
{
    if (self->cells <= cells)
        return row_ref((Row *)self);
    int mark = text_cells(ELLIPSIS, strlen(ELLIPSIS));
    int room = cells >= mark ? cells - mark : cells;
    size_t size = 0;
    for (int used = 0; size < self->size;) {
        int next;
        size_t step = cluster_size(self->text + size, self->size - size, &next);
        if (used + next > room)
            break;
        used += next;
        size += step;
    }
    g_autoptr(RowBuilder) builder = row_builder_new();
    RowPlace place = { 0 };
    row_builder_add_part(builder, self, &place, 0, size);
    if (cells >= mark)
        row_builder_add(builder, ELLIPSIS, -1,
                        size > 0 ? style_at_end(builder) : self->runs[0].style, NULL);
    return row_builder_take(builder);
}

Row *row_part(const Row *self, size_t offset, size_t size)
{
    g_autoptr(RowBuilder) builder = row_builder_new();
    RowPlace place = { 0 };
    row_builder_add_part(builder, self, &place, offset, size);
    return row_builder_take(builder);
}

const RowRun *row_run_at(const Row *self, RowPlace *place, size_t offset)
{
    g_assert(offset >= place->offset && offset < self->size);
    while (offset >= place->offset + self->runs[place->run].size) {
        place->offset += self->runs[place->run].size;
        place->run++;
    }
    return &self->runs[place->run];
}

static void clear_run(void *data)
{
    g_free(((RowRun *)data)->link);
}

RowBuilder *row_builder_new(void)
{
    RowBuilder *self = g_new0(RowBuilder, 1);
    self->text = g_string_new(NULL);
    self->runs = g_array_new(FALSE, TRUE, sizeof(RowRun));
    g_array_set_clear_func(self->runs, clear_run);
    return self;
}

void row_builder_free(RowBuilder *self)
{
    if (!self)
        return;
    g_string_free(self->text, TRUE);
    g_array_unref(self->runs);
    g_free(self);
}

void row_builder_add(RowBuilder *self, const char *text, gssize size, Style style, const char *link)
{
    size_t count = size < 0 ? strlen(text) : (size_t)size;
    if (count == 0)
        return;
    g_assert(count <= G_MAXUINT32 - self->text->len);
    g_string_append_len(self->text, text, (gssize)count);
    if (self->runs->len > 0) {
        RowRun *last = &g_array_index(self->runs, RowRun, self->runs->len - 1);
        if (style_equal(last->style, style) && g_strcmp0(last->link, link) == 0) {
            last->size += (uint32_t)count;
            return;
        }
    }
    RowRun run = { .size = (uint32_t)count, .style = style, .link = g_strdup(link) };
    g_array_append_val(self->runs, run);
}

void row_builder_add_part(RowBuilder *self, const Row *row, RowPlace *place, size_t offset,
                          size_t size)
{
    g_assert(size <= row->size && offset <= row->size - size);
    while (size > 0) {
        const RowRun *run = row_run_at(row, place, offset);
        size_t step = MIN(size, place->offset + run->size - offset);
        row_builder_add(self, row->text + offset, (gssize)step, run->style, run->link);
        offset += step;
        size -= step;
    }
}

void row_builder_add_row(RowBuilder *self, const Row *row)
{
    RowPlace place = { 0 };
    row_builder_add_part(self, row, &place, 0, row->size);
}

void row_builder_fill(RowBuilder *self, int cells, Style style)
{
    for (int have = row_builder_cells(self); have < cells; have++)
        row_builder_add(self, " ", 1, style, NULL);
}

// Remembers where the last cluster begins, so that the whole is walked once.
static int count_cells(RowBuilder *self)
{
    int last_cells = 0;
    for (size_t i = self->counted; i < self->text->len;) {
        self->counted = i;
        self->counted_cells += last_cells;
        i += cluster_size(self->text->str + i, self->text->len - i, &last_cells);
    }
    return self->counted_cells + last_cells;
}

int row_builder_cells(const RowBuilder *self)
{
    return count_cells((RowBuilder *)self);
}

Row *row_builder_take(RowBuilder *self)
{
    size_t runs_size = self->runs->len * sizeof(RowRun);
    Row *row = g_malloc(sizeof(Row) + runs_size + self->text->len + 1);
    *row = (Row) {
        .ref_count = 1,
        .cells = count_cells(self),
        .size = (uint32_t)self->text->len,
        .run_count = self->runs->len,
        .runs = (RowRun *)(row + 1),
    };
    row->text = (char *)row->runs + runs_size;
    if (runs_size > 0)
        memcpy(row->runs, self->runs->data, runs_size);
    memcpy(row->text, self->text->str, self->text->len + 1);

    // the links are the row's now
    g_array_set_clear_func(self->runs, NULL);
    g_array_set_size(self->runs, 0);
    g_array_set_clear_func(self->runs, clear_run);
    g_string_truncate(self->text, 0);
    self->counted = 0;
    self->counted_cells = 0;
    return row;
}
