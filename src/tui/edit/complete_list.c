/* See complete_list.h. */
#include "tui/edit/complete_list.h"

#include "tui/text/clean.h"
#include "tui/text/width.h"

#include <string.h>

enum { NAME_MAX_CELLS = 40, MARK_CELLS = 2, GAP_CELLS = 2, HELP_MAX_CELLS = 200 };

static void entry_clear(void *entry)
{
    g_free(((CompleteEntry *)entry)->name);
}

void complete_list_init(CompleteList *self)
{
    self->entries = g_array_new(FALSE, FALSE, sizeof(CompleteEntry));
    g_array_set_clear_func(self->entries, entry_clear);
}

void complete_list_destroy(CompleteList *self)
{
    g_array_unref(self->entries);
}

void complete_list_empty(CompleteList *self)
{
    g_array_set_size(self->entries, 0);
    self->selected = 0;
    self->is_moved = self->is_path = false;
}

CompleteEntry *complete_list_add(CompleteList *self, const char *sign, const char *name,
                                 const char *argument, const char *help)
{
    const CompleteEntry entry = {
        .name = g_strconcat(sign, name, NULL),
        .argument = argument,
        .help = help,
    };
    g_array_append_val(self->entries, entry);
    return &g_array_index(self->entries, CompleteEntry, self->entries->len - 1);
}

const CompleteEntry *complete_list_selected(const CompleteList *self)
{
    return self->selected < self->entries->len
               ? &g_array_index(self->entries, CompleteEntry, self->selected)
               : NULL;
}

void complete_list_move(CompleteList *self, int count, bool wraps)
{
    int length = (int)self->entries->len, to = (int)self->selected + count;
    if (length == 0)
        return;
    if (wraps)
        to = ((to % length) + length) % length;
    self->selected = (guint)CLAMP(to, 0, length - 1);
    self->is_moved = true;
}

// ---- rows ----

/* The end of a name counts most when it is a path. Caller frees. */
static char *fit_name(const CompleteList *self, const Theme *theme, const char *name, int cells)
{
    g_autofree char *clean = clean_line(name, self->is_path ? INT_MAX : cells);
    const char *mark = theme_symbol(theme, SYMBOL_ELLIPSIS), *p = clean;
    int left = text_cells(clean, strlen(clean)), mark_cells = text_cells(mark, strlen(mark));
    if (left <= cells)
        return g_steal_pointer(&clean);
    while (*p != '\0' && left + mark_cells > cells) {
        int cut;
        p += cluster_size(p, strlen(p), &cut);
        left -= cut;
    }
    return g_strconcat(mark, p, NULL);
}

static int name_cells(const CompleteEntry *entry)
{
    size_t argument = entry->argument ? strlen(entry->argument) + 1 : 0;
    return text_cells(entry->name, strlen(entry->name)) + (int)MIN(argument, NAME_MAX_CELLS);
}

static Row *entry_row(const CompleteList *self, const Theme *theme, guint index, int column,
                      int width)
{
    const CompleteEntry *entry = &g_array_index(self->entries, CompleteEntry, index);
    bool is_selected = index == self->selected;
    const Style style = { .fg = is_selected ? TOKEN_ACCENT : TOKEN_TEXT };
    const Style muted = { .fg = TOKEN_MUTED };
    g_autoptr(RowBuilder) builder = row_builder_new();
    if (is_selected)
        row_builder_add(builder, theme_symbol(theme, SYMBOL_CURSOR), -1, style, NULL);
    row_builder_fill(builder, MARK_CELLS, style);
    g_autofree char *name = fit_name(self, theme, entry->name, MAX(width - MARK_CELLS, 1));
    row_builder_add(builder, name, -1, style, NULL);
    if (entry->argument) {
        g_autofree char *argument = clean_line(entry->argument, NAME_MAX_CELLS);
        row_builder_add(builder, " ", 1, muted, NULL);
        row_builder_add(builder, argument, -1, muted, NULL);
    }
    if (entry->help) {
        g_autofree char *help = clean_line(entry->help, HELP_MAX_CELLS);
        row_builder_fill(builder, MARK_CELLS + column, muted);
        row_builder_add(builder, "  ", GAP_CELLS, muted, NULL);
        row_builder_add(builder, help, -1, muted, NULL);
    }
    g_autoptr(Row) row = row_builder_take(builder);
    return row_cut(row, width);
}

void complete_list_rows(const CompleteList *self, const Theme *theme, int width, int shown,
                        int max_rows, GPtrArray *out)
{
    int count = (int)self->entries->len, rows = MIN(MIN(MAX(shown, 1), max_rows), count);
    if (rows <= 0 || width <= 0)
        return;
    bool has_counter = rows < count && max_rows >= 3;
    if (has_counter && rows == max_rows)
        rows--;
    int first = CLAMP((int)self->selected - rows / 2, 0, count - rows), column = 0;
    for (int i = first; i < first + rows; i++)
        column = MAX(column, name_cells(&g_array_index(self->entries, CompleteEntry, i)));
    for (int i = first; i < first + rows; i++)
        g_ptr_array_add(out, entry_row(self, theme, (guint)i, MIN(column, NAME_MAX_CELLS), width));
    if (!has_counter)
        return;
    g_autofree char *counter = g_strdup_printf("  (%u/%d)", self->selected + 1, count);
    g_autoptr(Row) row = row_of(counter, (Style) { .fg = TOKEN_MUTED });
    g_ptr_array_add(out, row_cut(row, width));
}
