/*
 * Lines, columns and characters of a text, as the vim keys count them.
 */
#include "tui/edit/vim_private.h"

bool vim_is_line_end(TextBuffer *text, size_t at)
{
    return at == text_buffer_size(text) || text_buffer_byte(text, at) == '\n';
}

static size_t line_start(TextBuffer *text, size_t at)
{
    return text_buffer_line_start(text, at);
}

static size_t line_end(TextBuffer *text, size_t at)
{
    return text_buffer_line_end(text, at);
}

size_t vim_last_of_line(TextBuffer *text, size_t at)
{
    size_t start = line_start(text, at), end = line_end(text, at);
    return end > start ? step_previous(text, end) : start;
}

uint32_t vim_character(TextBuffer *text, size_t at)
{
    const uint32_t object = 0xfffc;
    if (vim_is_line_end(text, at))
        return 0;
    const Marker *marker = text_buffer_marker_after(text, at);
    if (marker && marker->start == at)
        return object;
    size_t end = MIN(text_buffer_size(text), at + 4);
    return g_utf8_get_char_validated(text_buffer_view(text, at, end), (gssize)(end - at));
}

int vim_class(TextBuffer *text, size_t at, bool is_big)
{
    enum { BLANK, PUNCTUATION, LETTERS, SCRIPTS };
    uint32_t c = vim_character(text, at);
    if (c == 0 || g_unichar_isspace(c))
        return BLANK;
    if (is_big)
        return PUNCTUATION;
    GUnicodeScript script = g_unichar_get_script(c);
    if (script == G_UNICODE_SCRIPT_HAN || script == G_UNICODE_SCRIPT_HIRAGANA ||
        script == G_UNICODE_SCRIPT_KATAKANA || script == G_UNICODE_SCRIPT_HANGUL)
        return SCRIPTS + (int)script;
    return c == '_' || g_unichar_isalnum(c) || g_unichar_ismark(c) ? LETTERS : PUNCTUATION;
}

size_t vim_first_of_line(TextBuffer *text, size_t at)
{
    size_t place = line_start(text, at), end = line_end(text, at);
    while (place < end && vim_class(text, place, true) == 0)
        place = step_next(text, place);
    return place < end ? place : vim_last_of_line(text, at);
}

size_t vim_line_below(TextBuffer *text, size_t at, int count)
{
    size_t end = line_end(text, at);
    for (; count > 0 && end < text_buffer_size(text); count--)
        end = line_end(text, end + 1);
    return line_start(text, end);
}

size_t vim_line_above(TextBuffer *text, size_t at, int count)
{
    size_t start = line_start(text, at);
    for (; count > 0 && start > 0; count--)
        start = line_start(text, start - 1);
    return start;
}

int vim_column(TextBuffer *text, size_t at)
{
    int column = 0;
    for (size_t place = line_start(text, at); place < at; place = step_next(text, place))
        column++;
    return column;
}

size_t vim_at_column(TextBuffer *text, size_t at, int column)
{
    size_t place = line_start(text, at), last = vim_last_of_line(text, at);
    if (column == GOAL_END)
        return last;
    for (; column > 0 && place < last; column--)
        place = step_next(text, place);
    return place;
}
