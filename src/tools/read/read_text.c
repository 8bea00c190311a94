/*
 * Lines of a text (read_text.h): one pass, up to the end of what is asked for; what comes behind is
 * only counted.
 */
#include "tools/read/read_text.h"
#include "base/str.h"
#include "base/utf8.h"
#include "tools/file/hashline.h"

enum { CONTEXT_LINES = 3, MAX_LINES = 3000, MIN_BUDGET_BYTES = 51200, BYTES_PER_LINE = 512 };
enum { BINARY_PROBE_BYTES = 8192 };

typedef struct Window { // 1-based, inclusive
    int64_t first, last;
    size_t budget_bytes;
} Window;

static Window window_of(const ReadText *text)
{
    const ReadSelect *select = text->select;
    int64_t before = MIN(select->start - 1, CONTEXT_LINES);
    int64_t asked = CLAMP(text->default_limit, 1, MAX_LINES), after = 0;
    if (select->end > 0) {
        asked = MIN(select->end - select->start + 1, MAX_LINES);
        after = CONTEXT_LINES;
    }
    int64_t most = before + asked + after; // what a bounded range shows has an end, context or not
    if (select->end > 0)
        most = MIN(most, MAX_LINES);
    int64_t first = select->start - before;
    return (Window) { first, first + most - 1,
                      MAX(MIN_BUDGET_BYTES, (size_t)most * BYTES_PER_LINE) };
}

/* What is known of the lines of the whole. */
typedef struct Total {
    int64_t lines;
    bool is_exact; // else at least so many
} Total;

static void show_past_end(const ReadText *text, int64_t total_lines, ToolResult *result)
{
    g_autofree char *message =
        g_strdup_printf("Line %" G_GINT64_FORMAT " is beyond end of %s (%" G_GINT64_FORMAT
                        " lines total). Use :1 to "
                        "read from the start, or :%" G_GINT64_FORMAT " to read the last line.",
                        text->select->start, text->entity, total_lines, total_lines);
    tool_result_add_text(result, message);
}

static bool has_anchors(const ReadText *text)
{
    return text->seen && !text->select->is_raw;
}

/* A first line over the budget: its beginning, or what stands for it. */
static void append_long_line(GString *out, const ReadText *text, const char *valid, uint64_t size,
                             int64_t number, size_t budget)
{
    g_autofree char *snippet = has_anchors(text) ? g_strdup("") : str_truncate(valid, budget);
    if (*snippet) {
        g_string_append(out, snippet);
        return;
    }
    g_autofree char *line_size = str_format_bytes(size);
    g_autofree char *limit = str_format_bytes(budget);
    g_string_append_printf(out, "[Line %" G_GINT64_FORMAT " is %s, exceeds %s limit. ", number,
                           line_size, limit);
    if (has_anchors(text))
        g_string_append_printf(out,
                               "Hashline output requires full lines; cannot compute hashes for a "
                               "truncated preview. Use :%" G_GINT64_FORMAT "-%" G_GINT64_FORMAT
                               ":raw to see its beginning.]",
                               number, number);
    else
        g_string_append(out, "Unable to display a valid UTF-8 snippet.]");
}

static void append_line(GString *out, const ReadText *text, const char *valid, size_t size,
                        int64_t number)
{
    if (has_anchors(text))
        hashline_append(out, (size_t)number, valid, size);
    else if (text->has_numbers && !text->select->is_raw)
        g_string_append_printf(out, "%" G_GINT64_FORMAT "|", number);
    g_string_append(out, valid);
    if (text->seen)
        read_snapshot_add(text->seen, (size_t)number, valid, size);
}

typedef struct Shown { // what append_lines() put out; 1-based, inclusive
    int64_t first, last;
    int64_t taken;   // the number of the last line that was taken from the stream
    bool is_partial; // one line that is over the budget, cut short
} Shown;

/* Whole lines of the window within its budget. The lines before the one that was asked for are only
   context: they make room for it. */
static bool append_lines(const ReadText *text, const Window *window, GString *out, Shown *shown,
                         GError **error)
{
    g_autoptr(GString) buffer = g_string_new(NULL);
    StreamLine line = { .text = buffer };
    bool has_line = true;
    size_t used = 0; // of the budget: numbers and anchors cost none of it
    *shown =
        (Shown) { .first = window->first, .last = window->first - 1, .taken = window->first - 1 };
    for (int64_t number = window->first; number <= window->last; number++) {
        if (!line_stream_next(text->lines, window->budget_bytes, &line, &has_line, error))
            return false;
        if (!has_line)
            return true;
        shown->taken = number;
        g_autofree char *valid = utf8_from_bytes(buffer->str, buffer->len);
        size_t size = strlen(valid);
        bool fits =
            line.is_whole && used + (shown->last >= shown->first) + size <= window->budget_bytes;
        if (!fits && number <= text->select->start) {
            g_string_truncate(out, 0);
            used = 0;
            if (text->seen)
                read_snapshot_clear(text->seen);
            shown->first = number < text->select->start ? number + 1 : number;
            shown->last = shown->first - 1;
            if (number < text->select->start)
                continue;
            fits = line.is_whole && size <= window->budget_bytes;
        }
        if (!fits && shown->last >= shown->first)
            return true;
        if (!fits) {
            append_long_line(out, text, valid, line.size, number, window->budget_bytes);
            *shown = (Shown) { number, number, number, true };
            return true;
        }
        if (shown->last >= shown->first)
            g_string_append_c(out, '\n');
        used += (shown->last >= shown->first) + size;
        append_line(out, text, valid, size, number);
        shown->last = number;
    }
    return true;
}

/* What follows the shown lines: told by the notice, but for a range of the caller's own in what is
 * no file. */
static void note_rest(const ReadText *text, const Window *window, const Shown *shown,
                      const Total *total, GString *out, ToolResult *result)
{
    bool ended_as_asked = shown->last >= window->last && !shown->is_partial;
    if (shown->last >= total->lines && total->is_exact && !shown->is_partial)
        return;
    if (ended_as_asked && text->select->end > 0 && strcmp(text->entity, "file") != 0) {
        g_string_append_printf(out,
                               "\n\n[%s%" G_GINT64_FORMAT
                               " more lines in %s. Use :%" G_GINT64_FORMAT " to continue]",
                               total->is_exact ? "" : "at least ", total->lines - shown->last,
                               text->entity, shown->last + 1);
        return;
    }
    const Truncated cut = {
        .is_truncated = true,
        .by_lines = ended_as_asked,
        .total_lines = (size_t)total->lines,
        .total_bytes = text->size,
        .output_lines = (size_t)(shown->last - shown->first + 1),
        .output_bytes = out->len,
        .max_bytes = window->budget_bytes,
    };
    tool_result_set_truncation(result, &cut, RESULT_HEAD, (size_t)shown->first,
                               (size_t)total->lines, NULL);
    if (!total->is_exact)
        tool_result_set_total_at_least(result);
}

/* Binary is what has a NUL near its start; the text is shown all the same. */
static bool note_binary(const ReadText *text, GString *out, GError **error)
{
    const char *head = NULL;
    size_t size = 0;
    if (!line_stream_peek(text->lines, &head, &size, error))
        return false;
    if (size > 0 && memchr(head, '\0', MIN(size, BINARY_PROBE_BYTES))) {
        g_autofree char *shown = str_format_bytes(text->size);
        g_string_printf(out, "[Binary file: %s]\n", shown);
    }
    return true;
}

bool read_text_show(const ReadText *text, ToolResult *result, GError **error)
{
    const Window window = window_of(text);
    g_autoptr(GString) head = g_string_new(NULL);
    g_autoptr(GString) out = g_string_new(NULL);
    int64_t skipped = 0, rest = 0;
    Shown shown = { 0 };
    Total total = { 0 };
    if (!note_binary(text, head, error) ||
        !line_stream_skip(text->lines, window.first - 1, &skipped, error))
        return false;
    if (skipped == window.first - 1 && !append_lines(text, &window, out, &shown, error))
        return false;
    if (!line_stream_count_rest(text->lines, &rest, &total.is_exact, error))
        return false;
    total.lines = MAX(skipped, shown.taken) + rest;
    if (text->seen)
        text->seen->total = total.is_exact ? (size_t)total.lines : 0;
    if (text->select->start > total.lines) {
        show_past_end(text, total.lines, result);
        return true;
    }
    note_rest(text, &window, &shown, &total, out, result);
    if (text->ret_first && !shown.is_partial) {
        *text->ret_first = shown.first;
        *text->ret_last = shown.last;
    }
    g_string_prepend(out, head->str);
    tool_result_add_text(result, out->str);
    return true;
}
