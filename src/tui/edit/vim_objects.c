/*
 * Text objects of the vim keys: words, quotes, brackets and paragraphs, with or without what is
 * around them.
 */
#include "tui/edit/vim_private.h"

#include <string.h>

static size_t line_start(TextBuffer *text, size_t at)
{
    return text_buffer_line_start(text, at);
}

static size_t line_end(TextBuffer *text, size_t at)
{
    return text_buffer_line_end(text, at);
}

/* More than one character is selected, so that what is asked for comes after it. */
static bool is_growing(TextBuffer *text, const VimSpan *span)
{
    return span->end > step_next(text, span->start);
}

// ---- words ----

static size_t run_end(TextBuffer *text, size_t at, size_t end, bool is_big)
{
    int class = at < end ? vim_class(text, at, is_big) : 0;
    while (at < end && vim_class(text, at, is_big) == class)
        at = step_next(text, at);
    return at;
}

static size_t run_start(TextBuffer *text, size_t at, size_t start, bool is_big)
{
    int class = vim_class(text, at, is_big);
    while (at > start && vim_class(text, step_previous(text, at), is_big) == class)
        at = step_previous(text, at);
    return at;
}

/* Blanks that belong to the last word of a line are those before it, but never the indentation. */
static size_t with_blanks_before(TextBuffer *text, size_t at, bool is_big)
{
    size_t start = line_start(text, at);
    if (at == start || vim_class(text, step_previous(text, at), is_big) != 0)
        return at;
    size_t blanks = run_start(text, step_previous(text, at), start, is_big);
    return blanks > start ? blanks : at;
}

static bool word_object(TextBuffer *text, bool is_big, bool is_around, int count, VimSpan *span)
{
    bool is_more = is_growing(text, span);
    size_t at = is_more ? span->end : span->start, end = line_end(text, at);
    if (at >= end)
        return false;
    size_t start = is_more ? span->start : run_start(text, at, line_start(text, at), is_big);
    bool is_blank_first = vim_class(text, at, is_big) == 0, has_blanks = is_blank_first;
    for (int i = 0; i < count && at < end; i++) {
        at = run_end(text, at, end, is_big);
        if (!is_around || at >= end)
            continue;
        bool is_blank = vim_class(text, at, is_big) == 0;
        has_blanks = has_blanks || is_blank;
        if (is_blank_first || is_blank)
            at = run_end(text, at, end, is_big);
        else if (i == count - 1)
            has_blanks = false;
    }
    if (is_around && !has_blanks && !is_more)
        start = with_blanks_before(text, start, is_big);
    *span = (VimSpan) { start, at, false };
    return true;
}

// ---- quotes ----

/* The next one from `at` on that no backslash is before; the line's end: none. */
static size_t next_quote(TextBuffer *text, size_t at, uint32_t quote)
{
    size_t end = line_end(text, at);
    while (at < end && vim_character(text, at) != quote) {
        bool is_escape = vim_character(text, at) == '\\';
        at = step_next(text, at);
        if (is_escape && at < end)
            at = step_next(text, at);
    }
    return at;
}

/* The quote that begins what is around `at`: of pairs from the line's start when `at` is one. */
static size_t opening_quote(TextBuffer *text, size_t at, uint32_t quote)
{
    size_t end = line_end(text, at), open = next_quote(text, line_start(text, at), quote);
    if (vim_character(text, at) == quote) {
        while (open < at) {
            size_t close = next_quote(text, step_next(text, open), quote);
            if (close >= at)
                return open;
            open = next_quote(text, step_next(text, close), quote);
        }
        return open;
    }
    for (size_t later = open; later < at && later < end;
         later = next_quote(text, step_next(text, later), quote))
        open = later;
    return open;
}

static bool quote_object(TextBuffer *text, uint32_t quote, bool is_around, VimSpan *span)
{
    size_t at = span->start, end = line_end(text, at);
    size_t open = opening_quote(text, at, quote);
    size_t close = open < end ? next_quote(text, step_next(text, open), quote) : end;
    if (close >= end)
        return false;
    if (!is_around) {
        *span = (VimSpan) { step_next(text, open), close, false };
        return true;
    }
    size_t after = step_next(text, close);
    bool has_blanks = after < end && vim_class(text, after, true) == 0;
    size_t start = open;
    if (has_blanks)
        after = run_end(text, after, end, true);
    else if (open > line_start(text, open) && vim_class(text, step_previous(text, open), true) == 0)
        start = run_start(text, step_previous(text, open), line_start(text, open), true);
    *span = (VimSpan) { start, after, false };
    return true;
}

// ---- brackets ----

static bool find_open(TextBuffer *text, size_t at, uint32_t open, uint32_t close, int count,
                      size_t *ret_at)
{
    int depth = vim_character(text, at) == open ? count - 1 : count;
    while (depth > 0) {
        if (at == 0)
            return false;
        at = step_previous(text, at);
        uint32_t c = vim_character(text, at);
        depth += c == close ? 1 : c == open ? -1 : 0;
    }
    *ret_at = at;
    return true;
}

static bool find_close(TextBuffer *text, size_t at, uint32_t open, uint32_t close, size_t *ret_at)
{
    for (int depth = 1; depth > 0;) {
        at = step_next(text, at);
        if (at >= text_buffer_size(text))
            return false;
        uint32_t c = vim_character(text, at);
        depth += c == open ? 1 : c == close ? -1 : 0;
    }
    *ret_at = at;
    return true;
}

/* The next one of the line, where `at` is in none. */
static bool find_next_open(TextBuffer *text, size_t at, uint32_t open, size_t *ret_at)
{
    while (!vim_is_line_end(text, at) && vim_character(text, at) != open)
        at = step_next(text, at);
    *ret_at = at;
    return !vim_is_line_end(text, at);
}

/* Lines between brackets that have lines of their own are whole lines. */
static VimSpan bracket_inside(TextBuffer *text, size_t open, size_t close)
{
    VimSpan span = { step_next(text, open), close, false };
    bool is_next_line = vim_is_line_end(text, span.start) && span.start < close;
    size_t start = line_start(text, close), blank = start;
    while (blank < close && vim_class(text, blank, true) == 0)
        blank = step_next(text, blank);
    if (is_next_line)
        span.start++;
    if (blank == close && start > open && start > 0) {
        span.end = start - 1;
        span.is_lines = is_next_line && span.end >= span.start;
        span.end = MAX(span.end, span.start);
    }
    return span;
}

static bool bracket_object(TextBuffer *text, const char *pair, bool is_around, int count,
                           VimSpan *span)
{
    size_t open = 0, close = 0;
    uint32_t first = (unsigned char)pair[0], last = (unsigned char)pair[1];
    bool is_inside = find_open(text, span->start, first, last, 1, &open);
    if (!(is_inside ? find_open(text, span->start, first, last, count, &open)
                    : find_next_open(text, span->start, first, &open)) ||
        !find_close(text, open, first, last, &close))
        return false;
    *span = is_around ? (VimSpan) { open, step_next(text, close), false }
                      : bracket_inside(text, open, close);
    return true;
}

// ---- paragraphs ----

static bool is_blank_line(TextBuffer *text, size_t line)
{
    size_t end = line_end(text, line);
    while (line < end && vim_class(text, line, true) == 0)
        line = step_next(text, line);
    return line == end;
}

/* The end of the last line from `line` on that is as blank as that one. */
static size_t lines_end(TextBuffer *text, size_t line)
{
    bool is_blank = is_blank_line(text, line);
    size_t end = line_end(text, line);
    while (end < text_buffer_size(text) && is_blank_line(text, end + 1) == is_blank)
        end = line_end(text, end + 1);
    return end;
}

static size_t lines_start(TextBuffer *text, size_t line)
{
    bool is_blank = is_blank_line(text, line);
    while (line > 0 && is_blank_line(text, line_start(text, line - 1)) == is_blank)
        line = line_start(text, line - 1);
    return line;
}

static bool paragraph_object(TextBuffer *text, bool is_around, int count, VimSpan *span)
{
    size_t size = text_buffer_size(text), line = line_start(text, span->start);
    bool is_more = span->end > line_end(text, span->start);
    if (is_more && span->end >= size)
        return false;
    size_t start = is_more ? line : lines_start(text, line);
    size_t at = is_more ? span->end + 1 : line, end = at;
    bool is_blank_first = is_blank_line(text, at), has_both = true;
    for (int i = 0; i < count; i++) {
        if (i > 0 && end >= size)
            return false;
        end = lines_end(text, i > 0 ? end + 1 : at);
        if (!is_around)
            continue;
        has_both = end < size;
        if (has_both)
            end = lines_end(text, end + 1);
        else if (is_blank_first)
            return false; // no paragraph comes after the lines
    }
    if (is_around && !has_both && !is_more && start > 0)
        start = lines_start(text, line_start(text, start - 1));
    *span = (VimSpan) { start, end, true };
    return true;
}

bool vim_object(TextBuffer *text, uint32_t key, bool is_around, int count, VimSpan *span)
{
    static const struct {
        char keys[4], pair[3];
    } brackets[] = { { "()b", "()" }, { "{}B", "{}" }, { "[]", "[]" }, { "<>", "<>" } };
    if (key == 'w' || key == 'W')
        return word_object(text, key == 'W', is_around, count, span);
    if (key == 'p')
        return paragraph_object(text, is_around, count, span);
    if (key == '"' || key == '\'' || key == '`')
        return quote_object(text, key, is_around, span);
    for (size_t i = 0; i < G_N_ELEMENTS(brackets); i++)
        if (key < 0x80 && strchr(brackets[i].keys, (int)key))
            return bracket_object(text, brackets[i].pair, is_around, count, span);
    return false;
}
