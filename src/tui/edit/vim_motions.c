/*
 * Motions of the vim keys that are not by words, and the table of all of them.
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

// ---- motions ----

static bool go_to(VimMove *ret_move, size_t to)
{
    *ret_move = (VimMove) { .to = to, .goal = -1 };
    return true;
}

static bool go_left(TextBuffer *text, size_t at, const VimAsk *ask, VimMove *ret_move)
{
    size_t start = line_start(text, at), place = at;
    for (int i = ask->count; i > 0 && place > start; i--)
        place = step_previous(text, place);
    return place < at && go_to(ret_move, place);
}

static bool go_right(TextBuffer *text, size_t at, const VimAsk *ask, VimMove *ret_move)
{
    size_t end = ask->is_operated ? line_end(text, at) : vim_last_of_line(text, at), place = at;
    for (int i = ask->count; i > 0 && place < end; i--)
        place = step_next(text, place);
    return place > at && go_to(ret_move, place);
}

/* To the column that was kept in the line that begins at `line`. */
static bool go_to_row(TextBuffer *text, size_t at, size_t line, const VimAsk *ask,
                      VimMove *ret_move)
{
    int goal = ask->goal >= 0 ? ask->goal : vim_column(text, at);
    *ret_move = (VimMove) { .to = vim_at_column(text, line, goal), .is_lines = true, .goal = goal };
    return line_start(text, at) != line;
}

static bool go_down(TextBuffer *text, size_t at, const VimAsk *ask, VimMove *ret_move)
{
    return go_to_row(text, at, vim_line_below(text, at, ask->count), ask, ret_move);
}

static bool go_up(TextBuffer *text, size_t at, const VimAsk *ask, VimMove *ret_move)
{
    return go_to_row(text, at, vim_line_above(text, at, ask->count), ask, ret_move);
}

static bool go_to_first_of(TextBuffer *text, size_t line, VimMove *ret_move)
{
    *ret_move = (VimMove) { .to = vim_first_of_line(text, line), .is_lines = true, .goal = -1 };
    return true;
}

static bool go_down_first(TextBuffer *text, size_t at, const VimAsk *ask, VimMove *ret_move)
{
    size_t line = vim_line_below(text, at, ask->count);
    return line != line_start(text, at) && go_to_first_of(text, line, ret_move);
}

static bool go_up_first(TextBuffer *text, size_t at, const VimAsk *ask, VimMove *ret_move)
{
    size_t line = vim_line_above(text, at, ask->count);
    return line != line_start(text, at) && go_to_first_of(text, line, ret_move);
}

static bool go_here_first(TextBuffer *text, size_t at, const VimAsk *ask, VimMove *ret_move)
{
    return go_to_first_of(text, vim_line_below(text, at, ask->count - 1), ret_move);
}

static bool go_line(TextBuffer *text, size_t at, const VimAsk *ask, VimMove *ret_move)
{
    size_t line = ask->has_count ? vim_line_below(text, 0, ask->count - 1)
                                 : line_start(text, text_buffer_size(text));
    return go_to_first_of(text, line, ret_move);
}

static bool go_top(TextBuffer *text, size_t at, const VimAsk *ask, VimMove *ret_move)
{
    return go_to_first_of(text, vim_line_below(text, 0, ask->count - 1), ret_move);
}

static bool go_start(TextBuffer *text, size_t at, const VimAsk *ask, VimMove *ret_move)
{
    return go_to(ret_move, line_start(text, at));
}

static bool go_first(TextBuffer *text, size_t at, const VimAsk *ask, VimMove *ret_move)
{
    return go_to(ret_move, vim_first_of_line(text, at));
}

static bool go_line_end(TextBuffer *text, size_t at, const VimAsk *ask, VimMove *ret_move)
{
    size_t line = vim_line_below(text, at, ask->count - 1);
    *ret_move =
        (VimMove) { .to = vim_last_of_line(text, line), .is_inclusive = true, .goal = GOAL_END };
    return true;
}

static bool go_last(TextBuffer *text, size_t at, const VimAsk *ask, VimMove *ret_move)
{
    size_t line = vim_line_below(text, at, ask->count - 1), place = vim_last_of_line(text, line);
    while (place > line && vim_class(text, place, true) == 0)
        place = step_previous(text, place);
    *ret_move = (VimMove) { .to = place, .is_inclusive = true, .goal = -1 };
    return true;
}

static bool go_column(TextBuffer *text, size_t at, const VimAsk *ask, VimMove *ret_move)
{
    return go_to(ret_move, vim_at_column(text, at, ask->count - 1));
}

// ---- characters of a line ----

static bool find_on(TextBuffer *text, size_t at, const VimAsk *ask, size_t *ret_place)
{
    size_t place = at, end = line_end(text, at);
    for (int left = ask->count; left > 0;) {
        place = place < end ? step_next(text, place) : end;
        if (place >= end)
            return false;
        left -= vim_character(text, place) == ask->argument;
    }
    *ret_place = place;
    return true;
}

static bool find_back(TextBuffer *text, size_t at, const VimAsk *ask, size_t *ret_place)
{
    size_t place = at, start = line_start(text, at);
    for (int left = ask->count; left > 0;) {
        if (place <= start)
            return false;
        place = step_previous(text, place);
        left -= vim_character(text, place) == ask->argument;
    }
    *ret_place = place;
    return true;
}

static bool go_find(TextBuffer *text, size_t at, const VimAsk *ask, VimMove *ret_move)
{
    *ret_move = (VimMove) { .is_inclusive = true, .goal = -1 };
    return find_on(text, at, ask, &ret_move->to);
}

static bool go_till(TextBuffer *text, size_t at, const VimAsk *ask, VimMove *ret_move)
{
    if (!go_find(text, at, ask, ret_move))
        return false;
    ret_move->to = step_previous(text, ret_move->to);
    return true;
}

static bool go_find_back(TextBuffer *text, size_t at, const VimAsk *ask, VimMove *ret_move)
{
    *ret_move = (VimMove) { .goal = -1 };
    return find_back(text, at, ask, &ret_move->to);
}

static bool go_till_back(TextBuffer *text, size_t at, const VimAsk *ask, VimMove *ret_move)
{
    if (!go_find_back(text, at, ask, ret_move))
        return false;
    ret_move->to = step_next(text, ret_move->to);
    return true;
}

// ---- paragraphs, brackets ----

static bool is_empty(TextBuffer *text, size_t line)
{
    return line_end(text, line) == line;
}

/* To the next empty line after one that is not, or the end of the text. */
static bool go_paragraph(TextBuffer *text, size_t at, const VimAsk *ask, VimMove *ret_move)
{
    size_t line = line_start(text, at);
    for (int i = ask->count; i > 0; i--) {
        bool has_text = false;
        if (line_end(text, line) == text_buffer_size(text) && i < ask->count)
            return false;
        do {
            has_text = has_text || !is_empty(text, line);
            if (line_end(text, line) == text_buffer_size(text)) {
                size_t last = vim_last_of_line(text, line);
                *ret_move = (VimMove) { .to = last, .is_inclusive = last > line, .goal = -1 };
                if (i > 1 || last == at)
                    return i == 1 && ask->is_operated && !is_empty(text, line);
                return true;
            }
            line = vim_line_below(text, line, 1);
        } while (!has_text || !is_empty(text, line));
    }
    return go_to(ret_move, line);
}

static bool go_paragraph_back(TextBuffer *text, size_t at, const VimAsk *ask, VimMove *ret_move)
{
    size_t line = line_start(text, at);
    for (int i = ask->count; i > 0; i--) {
        bool has_text = false;
        if (line == 0 && (at == 0 || i < ask->count))
            return false;
        do {
            has_text = has_text || !is_empty(text, line);
            if (line == 0)
                break;
            line = vim_line_above(text, line, 1);
        } while (!has_text || !is_empty(text, line));
    }
    return go_to(ret_move, line);
}

static bool go_match(TextBuffer *text, size_t at, const VimAsk *ask, VimMove *ret_move)
{
    static const char brackets[] = "([{)]}";
    const char *found = NULL;
    size_t place = at, size = text_buffer_size(text);
    for (; !vim_is_line_end(text, place); place = step_next(text, place)) {
        uint32_t c = vim_character(text, place);
        found = c < 0x80 ? strchr(brackets, (int)c) : NULL;
        if (found)
            break;
    }
    if (!found)
        return false;
    bool is_open = found - brackets < 3;
    uint32_t other = (uint32_t)(unsigned char)(is_open ? found[3] : found[-3]);
    for (int depth = 1; depth > 0;) {
        if (is_open ? place >= size : place == 0)
            return false;
        place = is_open ? step_next(text, place) : step_previous(text, place);
        uint32_t c = vim_character(text, place);
        depth += c == (uint32_t)(unsigned char)*found ? 1 : c == other ? -1 : 0;
    }
    *ret_move = (VimMove) { .to = place, .is_inclusive = true, .goal = -1 };
    return true;
}

// ---- the table ----

static const VimMotion motions[] = {
    { 'h', false, false, go_left },
    { KEY_LEFT, false, false, go_left },
    { KEY_BACKSPACE, false, false, go_left },
    { 'l', false, false, go_right },
    { KEY_RIGHT, false, false, go_right },
    { ' ', false, false, go_right },
    { 'j', false, false, go_down },
    { KEY_DOWN, false, false, go_down },
    { 'k', false, false, go_up },
    { KEY_UP, false, false, go_up },
    { '+', false, false, go_down_first },
    { '-', false, false, go_up_first },
    { '_', false, false, go_here_first },
    { 'G', false, false, go_line },
    { 'g', true, false, go_top },
    { '0', false, false, go_start },
    { KEY_HOME, false, false, go_start },
    { '^', false, false, go_first },
    { '$', false, false, go_line_end },
    { KEY_END, false, false, go_line_end },
    { '_', true, false, go_last },
    { '|', false, false, go_column },
    { 'w', false, false, vim_go_word },
    { 'W', false, false, vim_go_big_word },
    { 'b', false, false, vim_go_back },
    { 'B', false, false, vim_go_big_back },
    { 'e', false, false, vim_go_end },
    { 'E', false, false, vim_go_big_end },
    { 'e', true, false, vim_go_back_end },
    { 'E', true, false, vim_go_big_back_end },
    { 'f', false, true, go_find },
    { 'F', false, true, go_find_back },
    { 't', false, true, go_till },
    { 'T', false, true, go_till_back },
    { '}', false, false, go_paragraph },
    { '{', false, false, go_paragraph_back },
    { '%', false, false, go_match },
};

const VimMotion *vim_motion_find(uint32_t key, bool is_after_g)
{
    for (size_t i = 0; i < G_N_ELEMENTS(motions); i++)
        if (motions[i].key == key && motions[i].is_after_g == is_after_g)
            return &motions[i];
    return NULL;
}
