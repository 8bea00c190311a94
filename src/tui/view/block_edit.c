/*
 * What an edit changed, as a coloured diff (block_private.h): the numbered diff that edit and write
 * leave in the details of their result, and of a new file the head of its content.
 */
#include "base/str.h"
#include "tui/text/diff_rows.h"
#include "tui/view/block_private.h"

enum { NARROW = 20 }; // below that many cells nothing is indented

/* After "… 20 more lines". */
static void say_key(GPtrArray *rows)
{
    Row *last = rows->pdata[rows->len - 1];
    g_autoptr(RowBuilder) builder = row_builder_new();
    row_builder_add_row(builder, last);
    row_builder_add(builder, " (Ctrl+O)", -1, (Style) { .fg = TOKEN_DIM }, NULL);
    g_ptr_array_remove_index(rows, rows->len - 1);
    g_ptr_array_add(rows, row_builder_take(builder));
}

static bool is_cut(const GPtrArray *rows, int most)
{
    if ((int)rows->len < most)
        return false;
    const Row *last = rows->pdata[rows->len - 1];
    return str_has_prefix(last->text, "… ");
}

/* None is wider than `width`. */
static void add_indented(const GPtrArray *rows, int cells, int width, GPtrArray *out)
{
    g_autofree char *blanks = g_strnfill((gsize)cells, ' ');
    for (unsigned i = 0; i < rows->len; i++) {
        g_autoptr(RowBuilder) builder = row_builder_new();
        row_builder_add(builder, blanks, -1, (Style) { 0 }, NULL);
        row_builder_add_row(builder, rows->pdata[i]);
        g_autoptr(Row) row = row_builder_take(builder);
        g_ptr_array_add(out, row_cut(row, width));
    }
}

static void add_diff(const char *diff, int most, const BlockSpec *spec, GPtrArray *out)
{
    int indent = spec->width > NARROW ? BLOCK_INDENT : 0;
    int max_rows = spec->is_expanded ? LIMIT_BLOCK_LINES : most;
    g_autoptr(GPtrArray) rows = rows_new();
    diff_rows(diff, spec->width - indent, max_rows, rows);
    if (!spec->is_expanded && is_cut(rows, most))
        say_key(rows);
    add_indented(rows, indent, spec->width, out);
}

/* The content of a file that was made, as a numbered diff; caller frees. */
static char *added_lines(const char *content)
{
    GString *diff = g_string_new(NULL);
    const char *end = NULL;
    for (size_t line = 1; *content; line++, content = *end ? end + 1 : end) {
        end = content + strcspn(content, "\n");
        g_string_append_printf(diff, "+%zu|%.*s\n", line, (int)(end - content), content);
    }
    return g_string_free(diff, FALSE);
}

bool block_edit_rows(const json_t *arguments, const json_t *result, const BlockSpec *spec,
                     GPtrArray *out)
{
    const json_t *details = json_get_object(result, "details");
    const json_t *diff = json_object_get(details, "diff");
    bool is_new = !diff && g_strcmp0(json_get_text(details, "op"), "create") == 0;
    const json_t *shown = is_new ? json_object_get(arguments, "content") : diff;
    if (!json_is_string(shown) || json_string_length(shown) == 0)
        return false;
    size_t size = MIN(json_string_length(shown), (size_t)LIMIT_BLOCK_BYTES);
    g_autofree char *clean = block_clean(json_string_value(shown), size, spec->tab_width);
    g_autofree char *added = is_new ? added_lines(clean) : NULL;
    add_diff(added ? added : clean, added ? BLOCK_HEAD_LINES : BLOCK_DIFF_LINES, spec, out);
    return true;
}
