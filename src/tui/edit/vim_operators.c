/*
 * What operators and the other changes of the vim keys do to the text.
 */
#include "tui/edit/vim_private.h"

#include <string.h>

enum { SHIFT_CELLS = 2 };

typedef char *(*CaseFunc)(const char *text, gssize size);

static EditorResult put_text(const VimHands *hands, size_t start, size_t end, const char *text,
                             size_t cursor)
{
    g_autoptr(Piece) piece = piece_new(text, strlen(text));
    return editor_put(hands->editor, start, end, piece, cursor);
}

/* As a register keeps it: lines with the line end of the last one. Caller frees. */
static Piece *vim_copy(const VimHands *hands, VimSpan span)
{
    Piece *piece = text_buffer_copy(hands->text, span.start, span.end);
    if (!span.is_lines)
        return piece;
    g_autoptr(Piece) lines = piece;
    g_autoptr(Piece) line_end = piece_new("\n", 1);
    return piece_join(lines, line_end);
}

// ---- operators ----

/* Lines go with a line end: that after them, or else the one before. */
static EditorResult delete_lines(const VimHands *hands, VimSpan span)
{
    size_t size = text_buffer_size(hands->text);
    size_t start = span.start, end = span.end;
    if (end < size)
        end++;
    else if (start > 0)
        start--;
    EditorResult result = put_text(hands, start, end, "", start);
    size_t line = text_buffer_line_start(hands->text, MIN(start, text_buffer_size(hands->text)));
    editor_move(hands->editor, vim_first_of_line(hands->text, line));
    return result;
}

static EditorResult vim_delete(const VimHands *hands, VimSpan span, bool is_change)
{
    vim_registers_delete(hands->registers, hands->name, vim_copy(hands, span), span.is_lines);
    if (span.is_lines && !is_change)
        return delete_lines(hands, span);
    return put_text(hands, span.start, span.end, "", span.start);
}

static EditorResult vim_shift(const VimHands *hands, VimSpan span, bool is_left)
{
    TextBuffer *text = hands->text;
    size_t end = text_buffer_line_end(text, span.end),
           line = text_buffer_line_start(text, span.start);
    EditorResult result = EDITOR_MOVED;
    for (size_t start = line; start <= end;) {
        size_t line_end = text_buffer_line_end(text, start), blanks = start;
        while (blanks < line_end && blanks < start + SHIFT_CELLS &&
               text_buffer_byte(text, blanks) == ' ')
            blanks++;
        size_t before = text_buffer_size(text);
        if (is_left)
            result = put_text(hands, start, blanks, "", start);
        else if (line_end > start)
            result = put_text(hands, start, start, "  ", start);
        end += text_buffer_size(text) - before;
        start = line_end + text_buffer_size(text) - before + 1;
    }
    editor_move(hands->editor, vim_first_of_line(text, line));
    return result;
}

/* Markers stay as they are. */
static EditorResult change_case(const VimHands *hands, VimSpan span, uint32_t how, size_t cursor)
{
    EditorResult result = EDITOR_MOVED;
    for (size_t at = span.start, end = span.end; at < end;) {
        uint32_t c = vim_character(hands->text, at);
        uint32_t other = how == 'u'                           ? g_unichar_tolower(c)
                         : how == 'U' || g_unichar_islower(c) ? g_unichar_toupper(c)
                                                              : g_unichar_tolower(c);
        size_t next = step_next(hands->text, at), size = text_buffer_size(hands->text);
        if (c != 0 && other != c) {
            char bytes[7] = { 0 }, old[7] = { 0 };
            g_unichar_to_utf8(other, bytes);
            size_t old_size = (size_t)g_unichar_to_utf8(c, old);
            result = put_text(hands, at, at + old_size, bytes, at);
            size_t grown = text_buffer_size(hands->text) - size;
            next += grown;
            end += grown;
        }
        at = next;
    }
    editor_move(hands->editor, cursor);
    return result;
}

EditorResult vim_operate(const VimHands *hands, uint32_t verb, VimSpan span, size_t cursor)
{
    switch (verb) {
    case 'd':
    case 'c':
        return vim_delete(hands, span, verb == 'c');
    case 'y':
        vim_registers_yank(hands->registers, hands->name, vim_copy(hands, span), span.is_lines);
        editor_move(hands->editor, cursor);
        return EDITOR_MOVED;
    case '>':
    case '<':
        return vim_shift(hands, span, verb == '<');
    default:
        return change_case(hands, span, verb, cursor);
    }
}

// ---- putting ----

/* `count` times; NULL: that would be more than an editor holds. Caller frees. */
static Piece *piece_repeated(const Piece *piece, int count)
{
    if (piece_meant_size(piece) * (size_t)count > LIMIT_EDITOR_BYTES)
        return NULL;
    Piece *all = piece_new("", 0);
    g_autoptr(Piece) some = piece_join(all, piece); // 1, 2, 4 … of them
    for (; count > 0; count /= 2) {
        g_autoptr(Piece) before = some;
        if (count % 2 == 1) {
            g_autoptr(Piece) fewer = all;
            all = piece_join(fewer, some);
        }
        some = count > 1 ? piece_join(before, before) : NULL;
    }
    return all;
}

/* Without the line end that a register keeps. Caller frees. */
static Piece *without_line_end(const Piece *piece)
{
    g_autoptr(TextBuffer) buffer = text_buffer_new();
    text_buffer_replace(buffer, 0, 0, piece);
    size_t size = text_buffer_size(buffer);
    return text_buffer_copy(buffer, 0, size > 0 ? size - 1 : 0);
}

static EditorResult put_lines(const VimHands *hands, const Piece *lines, bool is_after)
{
    TextBuffer *text = hands->text;
    g_autoptr(Piece) bare = without_line_end(lines);
    g_autoptr(Piece) line_end = piece_new("\n", 1);
    size_t at = editor_cursor(hands->editor);
    size_t place = is_after ? text_buffer_line_end(text, at) : text_buffer_line_start(text, at);
    g_autoptr(Piece) piece = is_after ? piece_join(line_end, bare) : piece_join(bare, line_end);
    EditorResult result = editor_put(hands->editor, place, place, piece, place);
    if (result == EDITOR_CHANGED)
        editor_move(hands->editor, vim_first_of_line(text, is_after ? place + 1 : place));
    return result;
}

static EditorResult put_characters(const VimHands *hands, const Piece *piece, size_t place)
{
    EditorResult result = editor_put(hands->editor, place, place, piece, place);
    bool is_one_line = !memchr(piece->text, '\n', piece->size);
    if (result == EDITOR_CHANGED && is_one_line && piece->size > 0)
        editor_move(hands->editor, step_previous(hands->text, place + piece->size));
    return result;
}

EditorResult vim_put(const VimHands *hands, bool is_after)
{
    const VimText *from = vim_registers_get(hands->registers, hands->name);
    if (!from->piece)
        return EDITOR_MOVED;
    g_autoptr(Piece) piece = piece_repeated(from->piece, hands->count);
    size_t at = editor_cursor(hands->editor);
    if (!piece)
        return EDITOR_FULL;
    if (from->is_lines)
        return put_lines(hands, piece, is_after);
    bool is_past = is_after && !vim_is_line_end(hands->text, at);
    return put_characters(hands, piece, is_past ? step_next(hands->text, at) : at);
}

/* What was selected is then in the unnamed register. */
EditorResult vim_put_over(const VimHands *hands, VimSpan span)
{
    const VimText *from = vim_registers_get(hands->registers, hands->name);
    g_autoptr(Piece) piece =
        from->piece ? piece_repeated(from->piece, hands->count) : piece_new("", 0);
    bool is_lines = from->is_lines;
    if (!piece)
        return EDITOR_FULL;
    g_autoptr(Piece) line_end = piece_new("\n", 1);
    g_autoptr(Piece) bare = is_lines ? without_line_end(piece) : NULL;
    g_autoptr(Piece) begun = bare && !span.is_lines ? piece_join(line_end, piece) : NULL;
    const Piece *put = begun ? begun : bare ? bare : piece;
    VimHands own = *hands;
    own.name = 0;
    vim_registers_delete(own.registers, 0, vim_copy(&own, span), span.is_lines);
    EditorResult result = editor_put(own.editor, span.start, span.end, put, span.start);
    size_t end = span.start + put->size;
    bool is_one_line = !memchr(put->text, '\n', put->size);
    if (is_lines || span.is_lines)
        editor_move(own.editor, vim_first_of_line(own.text, begun ? span.start + 1 : span.start));
    else if (is_one_line && put->size > 0)
        editor_move(own.editor, step_previous(own.text, end));
    return result;
}

// ---- other changes ----

/* One blank comes between, unless the first line ends with one, or the second begins with ")". */
EditorResult vim_join(const VimHands *hands, int lines, bool has_blanks)
{
    TextBuffer *text = hands->text;
    EditorResult result = EDITOR_MOVED;
    for (int i = 1; i < lines; i++) {
        size_t at = editor_cursor(hands->editor), end = text_buffer_line_end(text, at),
               next = end + 1;
        if (end == text_buffer_size(text))
            break;
        size_t stop = text_buffer_line_end(text, next);
        while (has_blanks && next < stop && vim_class(text, next, true) == 0)
            next = step_next(text, next);
        bool is_blank = end > 0 && text_buffer_byte(text, end - 1) == ' ';
        bool is_between = has_blanks && next < stop && !is_blank &&
                          end > text_buffer_line_start(text, at) &&
                          vim_character(text, next) != ')';
        result = put_text(hands, end, next, is_between ? " " : "", end);
        if (result != EDITOR_CHANGED)
            break;
        editor_move(hands->editor, MIN(end, vim_last_of_line(text, end)));
    }
    return result;
}

EditorResult vim_replace(const VimHands *hands, VimSpan span, uint32_t character)
{
    char bytes[7] = { 0 };
    g_unichar_to_utf8(character, bytes);
    g_autoptr(GString) put = g_string_new(NULL);
    for (size_t at = span.start; at < span.end; at = step_next(hands->text, at))
        g_string_append(put, vim_is_line_end(hands->text, at) ? "\n" : bytes);
    return put_text(hands, span.start, span.end, put->str, span.start);
}

EditorResult vim_swap_case(const VimHands *hands)
{
    size_t at = editor_cursor(hands->editor), end = text_buffer_line_end(hands->text, at);
    VimSpan span = { at, at, false };
    for (int i = 0; i < hands->count && span.end < end; i++)
        span.end = step_next(hands->text, span.end);
    size_t before = text_buffer_size(hands->text);
    EditorResult result = change_case(hands, span, '~', at);
    span.end += text_buffer_size(hands->text) - before;
    editor_move(hands->editor, MIN(span.end, vim_last_of_line(hands->text, at)));
    return result;
}
