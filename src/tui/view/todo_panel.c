/*
 * The todo list above the editor (todo_panel.h).
 */
#include "tui/view/todo_panel.h"

#include "tool/todo.h"
#include "tui/text/clean.h"

#define SHOWN_TASKS 5
#define MARK_CELLS  4 // with what stands in front of it, and a blank

static const struct {
    const char *status;
    Symbol symbol;
    Style style;
} marks[] = {
    { "pending", SYMBOL_UNCHECKED, { .fg = TOKEN_DIM } },
    { "in_progress", SYMBOL_ACTIVE, { .fg = TOKEN_ACCENT } },
    { "completed", SYMBOL_CHECKED, { .fg = TOKEN_SUCCESS, .attributes = STYLE_STRIKE } },
    { "abandoned", SYMBOL_ERROR, { .fg = TOKEN_ERROR, .attributes = STYLE_STRIKE } },
};

static bool has_status(const json_t *task, const char *status)
{
    return g_strcmp0(json_get_text(task, "status"), status) == 0;
}

static size_t count_open(const json_t *tasks)
{
    size_t count = 0;
    json_each (tasks, i, task)
        count += todo_is_open(task);
    return count;
}

static void add_phase(const json_t *phase, int width, GPtrArray *out)
{
    const json_t *tasks = json_get_array(phase, "tasks");
    const char *name = json_get_text(phase, "name");
    size_t count = json_array_size(tasks);
    g_autofree char *clean = clean_line(name ? name : "", MAX(width, 1));
    g_autofree char *done = g_strdup_printf(" %zu/%zu", count - count_open(tasks), count);
    g_autoptr(RowBuilder) builder = row_builder_new();
    row_builder_add(builder, clean, -1, (Style) { .fg = TOKEN_ACCENT, .attributes = STYLE_BOLD },
                    NULL);
    row_builder_add(builder, done, -1, (Style) { .fg = TOKEN_DIM }, NULL);
    g_autoptr(Row) row = row_builder_take(builder);
    g_ptr_array_add(out, row_cut(row, width));
}

/* What is done is struck, its mark is not. */
static void add_task(const json_t *task, const Theme *theme, int width, GPtrArray *out)
{
    const char *content = json_get_text(task, "content");
    size_t kind = 0;
    for (size_t i = 0; i < G_N_ELEMENTS(marks); i++) {
        if (has_status(task, marks[i].status))
            kind = i;
    }
    g_autofree char *clean = clean_line(content ? content : "", MAX(width, 1));
    g_autoptr(RowBuilder) builder = row_builder_new();
    row_builder_fill(builder, 2, (Style) { 0 });
    row_builder_add(builder, theme_symbol(theme, marks[kind].symbol), -1,
                    (Style) { .fg = marks[kind].style.fg }, NULL);
    row_builder_fill(builder, MAX(MARK_CELLS, row_builder_cells(builder) + 1), (Style) { 0 });
    row_builder_add(builder, clean, -1, marks[kind].style, NULL);
    g_autoptr(Row) row = row_builder_take(builder);
    g_ptr_array_add(out, row_cut(row, width));
}

/* Where work is being done; else the first phase that has something open. */
static const json_t *active_phase(const json_t *phases)
{
    const json_t *open = NULL;
    json_each (phases, i, phase) {
        const json_t *tasks = json_get_array(phase, "tasks");
        json_each (tasks, k, task) {
            if (has_status(task, "in_progress"))
                return phase;
        }
        if (!open && count_open(tasks) > 0)
            open = phase;
    }
    return open;
}

/* Of a long phase: what is open, and the one before it. */
static size_t first_shown(const json_t *tasks)
{
    size_t count = json_array_size(tasks), first = 0;
    while (first < count && !todo_is_open(json_array_get(tasks, first)))
        first++;
    first -= MIN(first, 1);
    return MIN(first, count - MIN(count, SHOWN_TASKS));
}

static void add_active(const json_t *phase, const Theme *theme, int width, GPtrArray *out)
{
    const json_t *tasks = json_get_array(phase, "tasks");
    size_t count = json_array_size(tasks), first = first_shown(tasks);
    size_t end = MIN(first + SHOWN_TASKS, count);
    add_phase(phase, width, out);
    for (size_t i = first; i < end; i++)
        add_task(json_array_get(tasks, i), theme, width, out);
    if (count <= SHOWN_TASKS)
        return;
    g_autofree char *more = g_strdup_printf("    +%zu more", count - SHOWN_TASKS);
    g_autoptr(Row) row = row_of(more, (Style) { .fg = TOKEN_DIM });
    g_ptr_array_add(out, row_cut(row, width));
}

void todo_panel_rows(const json_t *phases, bool is_expanded, const Theme *theme, int width,
                     GPtrArray *out)
{
    const json_t *active = active_phase(phases);
    width = MAX(width, 0);
    if (!active)
        return;
    if (!is_expanded) {
        add_active(active, theme, width, out);
        return;
    }
    json_each (phases, i, phase) {
        add_phase(phase, width, out);
        json_each (json_get_array(phase, "tasks"), k, task)
            add_task(task, theme, width, out);
    }
}
