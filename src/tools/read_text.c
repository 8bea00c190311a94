/*
 * Lines of a text (read_text.h).
 */
#include "tools/read_text.h"
#include "base/str.h"
#include "base/utf8.h"

enum { CONTEXT_LINES = 3, MAX_LINES = 3000, MIN_BUDGET_BYTES = 51200, BYTES_PER_LINE = 512 };
enum { BINARY_PROBE_BYTES = 8192 };

typedef struct Window { // 1-based, inclusive
    int64_t first, last;
    size_t budget_bytes;
} Window;

static Window window_of(const ReadText *text, int64_t total_lines)
{
    const ReadSelect *select = text->select;
    int64_t wanted = select->end > 0 ? MIN(select->end - select->start + 1, MAX_LINES)
                                     : CLAMP(text->default_limit, 1, MAX_LINES);
    int64_t first = select->start, last = select->start + wanted - 1;
    if (first > 1)
        first = MAX(1, first - CONTEXT_LINES);
    if (select->end > 0)
        last += CONTEXT_LINES;
    last = MIN(last, total_lines);
    return (Window) { first, last,
                      MAX(MIN_BUDGET_BYTES, (size_t)(last - first + 1) * BYTES_PER_LINE) };
}

static const char *line_start(const ReadText *text, int64_t number)
{
    const char *p = text->data, *end = text->data + text->size;
    for (int64_t line = 1; line < number && p; line++) {
        p = memchr(p, '\n', (size_t)(end - p));
        p = p ? p + 1 : NULL;
    }
    return p;
}

static void show_past_end(const ReadText *text, int64_t total_lines, ToolResult *result)
{
    g_autofree char *message =
        g_strdup_printf("Line %" G_GINT64_FORMAT " is beyond end of %s (%" G_GINT64_FORMAT
                        " lines total). Use :1 to "
                        "read from the start, or :%" G_GINT64_FORMAT " to read the last line.",
                        text->select->start, text->entity, total_lines, total_lines);
    tool_result_add_text(result, message);
}

/* A first line over the budget: its beginning, or what stands for it. */
static void append_long_line(GString *out, const char *line, size_t size, int64_t number,
                             size_t budget)
{
    g_autofree char *valid = utf8_from_bytes(line, MIN(size, budget));
    g_autofree char *snippet = str_truncate(valid, budget);
    if (*snippet) {
        g_string_append(out, snippet);
        return;
    }
    g_autofree char *line_size = str_format_bytes(size);
    g_autofree char *limit = str_format_bytes(budget);
    g_string_append_printf(out,
                           "[Line %" G_GINT64_FORMAT
                           " is %s, exceeds %s limit. Unable to display a "
                           "valid UTF-8 snippet.]",
                           number, line_size, limit);
}

static bool is_binary(const ReadText *text)
{
    return memchr(text->data, '\0', MIN(text->size, BINARY_PROBE_BYTES)) != NULL;
}

typedef struct Shown { // what append_lines() put out; 1-based, inclusive
    int64_t first, last;
    bool is_partial; // one line that is over the budget, cut short
} Shown;

/* Whole lines of the window within its budget. The lines before the one that was asked for are only
   context: they make room for it. */
static Shown append_lines(const ReadText *text, const Window *window, GString *out)
{
    Shown shown = { .first = window->first, .last = window->first - 1 };
    const char *line = line_start(text, window->first), *end = text->data + text->size,
               *next = NULL;
    for (int64_t number = window->first; number <= window->last; number++, line = next) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        size_t size = (size_t)((newline ? newline : end) - line);
        next = newline ? newline + 1 : end;
        bool fits = out->len + (shown.last >= shown.first) + size <= window->budget_bytes;
        if (!fits && number <= text->select->start) {
            g_string_truncate(out, 0);
            shown.first = number < text->select->start ? number + 1 : number;
            shown.last = shown.first - 1;
            if (number < text->select->start)
                continue;
            fits = size <= window->budget_bytes;
        }
        if (!fits && shown.last >= shown.first)
            break;
        if (!fits) {
            append_long_line(out, line, size, number, window->budget_bytes);
            return (Shown) { .first = number, .last = number, .is_partial = true };
        }
        if (shown.last >= shown.first)
            g_string_append_c(out, '\n');
        if (text->has_numbers && !text->select->is_raw)
            g_string_append_printf(out, "%" G_GINT64_FORMAT "|", number);
        g_string_append_len(out, line, (gssize)size);
        shown.last = number;
    }
    return shown;
}

/* What follows the shown lines: told by the notice, but for a range of the caller's own in what is
 * no file. */
static void note_rest(const ReadText *text, const Window *window, const Shown *shown,
                      int64_t total_lines, GString *out, ToolResult *result)
{
    bool ended_as_asked = shown->last >= window->last && !shown->is_partial;
    if (shown->last >= total_lines && !shown->is_partial)
        return;
    if (ended_as_asked && text->select->end > 0 && strcmp(text->entity, "file") != 0) {
        g_string_append_printf(out,
                               "\n\n[%" G_GINT64_FORMAT " more lines in %s. Use :%" G_GINT64_FORMAT
                               " to continue]",
                               total_lines - shown->last, text->entity, shown->last + 1);
        return;
    }
    const Truncated cut = {
        .is_truncated = true,
        .by_lines = ended_as_asked,
        .total_lines = (size_t)total_lines,
        .total_bytes = text->size,
        .output_lines = (size_t)(shown->last - shown->first + 1),
        .output_bytes = out->len,
        .max_bytes = window->budget_bytes,
    };
    tool_result_set_truncation(result, &cut, RESULT_HEAD, (size_t)shown->first, (size_t)total_lines,
                               NULL);
}

void read_text_show(const ReadText *text, ToolResult *result)
{
    int64_t total_lines = (int64_t)str_count_lines(text->data, text->size);
    if (text->select->start > total_lines) {
        show_past_end(text, total_lines, result);
        return;
    }
    Window window = window_of(text, total_lines);
    g_autoptr(GString) out = g_string_new(NULL);
    Shown shown = append_lines(text, &window, out);
    note_rest(text, &window, &shown, total_lines, out, result);
    if (is_binary(text)) {
        g_autofree char *size = str_format_bytes(text->size);
        g_autofree char *head = g_strdup_printf("[Binary file: %s]\n", size);
        g_string_prepend(out, head);
    }
    g_autofree char *valid = utf8_from_bytes(out->str, out->len);
    tool_result_add_text(result, valid);
}
