/* See pending.h. */
#include "tui/view/pending.h"

#include "tui/text/clean.h"

static void add_row(const char *head, const char *text, int width, GPtrArray *out)
{
    g_autofree char *clean = clean_line(text, MAX(width, 1));
    g_autoptr(RowBuilder) builder = row_builder_new();
    row_builder_add(builder, head, -1, (Style) { .fg = TOKEN_MUTED }, NULL);
    row_builder_add(builder, clean, -1, (Style) { .fg = TOKEN_DIM }, NULL);
    g_autoptr(Row) row = row_builder_take(builder);
    g_ptr_array_add(out, row_cut(row, width));
}

static void add_all(const json_t *texts, const char *name, const Theme *theme, int width,
                    GPtrArray *out)
{
    g_autofree char *head = g_strdup_printf("%s %s: ", theme_symbol(theme, SYMBOL_ARROW), name);
    json_each (texts, i, text)
        add_row(head, json_is_string(text) ? json_string_value(text) : "", width, out);
}

void pending_rows(const json_t *steering, const json_t *follow_up, const Theme *theme, int width,
                  int max_rows, GPtrArray *out)
{
    size_t count = json_array_size(steering) + json_array_size(follow_up);
    width = MAX(width, 0);
    if (count == 0 || max_rows < 1)
        return;
    if (count > (size_t)max_rows) {
        g_autofree char *text = g_strdup_printf("%zu queued", count);
        add_row("", text, width, out);
        return;
    }
    add_all(steering, "steer", theme, width, out);
    add_all(follow_up, "follow-up", theme, width, out);
}
