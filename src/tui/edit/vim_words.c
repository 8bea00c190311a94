/*
 * Motions of the vim keys by words: w, b, e, ge, and W, B, E, gE, which blanks alone end. An empty
 * line is a word.
 */
#include "tui/edit/vim_private.h"

typedef enum { WENT_ON, WENT_ONTO_END, WENT_DOWN, WENT_NOWHERE } Went;

typedef struct Walk {
    TextBuffer *text;
    size_t at;
    bool is_big;
} Walk;

static bool is_empty_line(const Walk *self)
{
    return text_buffer_line_start(self->text, self->at) == self->at &&
           vim_is_line_end(self->text, self->at);
}

static int walk_class(const Walk *self)
{
    return vim_class(self->text, self->at, self->is_big);
}

/* Every line has a place after its last character. */
static Went walk_on(Walk *self)
{
    if (self->at == text_buffer_size(self->text))
        return WENT_NOWHERE;
    bool was_end = vim_is_line_end(self->text, self->at);
    self->at = step_next(self->text, self->at);
    if (was_end)
        return WENT_DOWN;
    return vim_is_line_end(self->text, self->at) ? WENT_ONTO_END : WENT_ON;
}

static Went walk_back(Walk *self)
{
    if (self->at == 0)
        return WENT_NOWHERE;
    bool was_start = text_buffer_line_start(self->text, self->at) == self->at;
    self->at = step_previous(self->text, self->at);
    return was_start ? WENT_DOWN : WENT_ON;
}

static bool is_on_last_line(const Walk *self)
{
    return text_buffer_line_end(self->text, self->at) == text_buffer_size(self->text);
}

/* With an operator the last word ends with its line. */
static bool word_on(Walk *self, bool stops_at_line_end)
{
    int class = walk_class(self);
    bool is_last = is_on_last_line(self);
    Went went = walk_on(self);
    if (went == WENT_NOWHERE || (went != WENT_ON && is_last))
        return false;
    if (went != WENT_ON && stops_at_line_end)
        return true;
    while (class != 0 && walk_class(self) == class) {
        went = walk_on(self);
        if (went == WENT_NOWHERE || (went != WENT_ON && stops_at_line_end))
            return true;
    }
    while (walk_class(self) == 0 && !is_empty_line(self)) {
        is_last = is_on_last_line(self);
        went = walk_on(self);
        if (went == WENT_NOWHERE || (went != WENT_ON && (is_last || stops_at_line_end)))
            return true;
    }
    return true;
}

static bool word_back(Walk *self)
{
    if (walk_back(self) == WENT_NOWHERE)
        return false;
    while (walk_class(self) == 0) {
        if (is_empty_line(self))
            return true;
        if (walk_back(self) == WENT_NOWHERE)
            return true;
    }
    for (int class = walk_class(self); walk_class(self) == class;)
        if (walk_back(self) == WENT_NOWHERE)
            return true;
    walk_on(self);
    return true;
}

/* `stays`: at the end of a word that is where it is. */
static bool word_end(Walk *self, bool stays)
{
    int class = walk_class(self);
    if (walk_on(self) == WENT_NOWHERE)
        return false;
    if (class != 0 && walk_class(self) == class) {
        while (walk_class(self) == class)
            if (walk_on(self) == WENT_NOWHERE)
                return false;
    } else if (!stays || class == 0) {
        while (walk_class(self) == 0)
            if (walk_on(self) == WENT_NOWHERE)
                return false;
        for (class = walk_class(self); walk_class(self) == class;)
            if (walk_on(self) == WENT_NOWHERE)
                return false;
    }
    walk_back(self);
    return true;
}

static bool word_back_end(Walk *self)
{
    int class = walk_class(self);
    if (walk_back(self) == WENT_NOWHERE)
        return false;
    while (class != 0 && walk_class(self) == class)
        if (walk_back(self) == WENT_NOWHERE)
            return true;
    while (walk_class(self) == 0 && !is_empty_line(self))
        if (walk_back(self) == WENT_NOWHERE)
            return true;
    return true;
}

/* cw on a word changes the word alone. */
static bool go_on(Walk *walk, const VimAsk *ask, VimMove *ret_move)
{
    bool has_moved = true, is_end = ask->is_change && walk_class(walk) != 0;
    for (int i = ask->count; i > 0 && has_moved; i--)
        has_moved =
            is_end ? word_end(walk, i == ask->count) : word_on(walk, ask->is_operated && i == 1);
    *ret_move = (VimMove) { .to = walk->at, .is_inclusive = is_end, .goal = -1 };
    return true; // as far as there are words
}

static bool go_end(Walk *walk, const VimAsk *ask, VimMove *ret_move)
{
    bool has_moved = true;
    for (int i = ask->count; i > 0 && has_moved; i--)
        has_moved = word_end(walk, false);
    *ret_move = (VimMove) { .to = walk->at, .is_inclusive = true, .goal = -1 };
    return true;
}

static bool go_with(Walk *walk, const VimAsk *ask, bool (*step)(Walk *self), bool is_inclusive,
                    VimMove *ret_move)
{
    bool has_moved = true;
    for (int i = ask->count; i > 0 && has_moved; i--)
        has_moved = step(walk);
    *ret_move = (VimMove) { .to = walk->at, .is_inclusive = is_inclusive, .goal = -1 };
    return has_moved || !ask->is_operated;
}

bool vim_go_word(TextBuffer *text, size_t at, const VimAsk *ask, VimMove *ret_move)
{
    return go_on(&(Walk) { text, at, false }, ask, ret_move);
}

bool vim_go_big_word(TextBuffer *text, size_t at, const VimAsk *ask, VimMove *ret_move)
{
    return go_on(&(Walk) { text, at, true }, ask, ret_move);
}

bool vim_go_back(TextBuffer *text, size_t at, const VimAsk *ask, VimMove *ret_move)
{
    return go_with(&(Walk) { text, at, false }, ask, word_back, false, ret_move);
}

bool vim_go_big_back(TextBuffer *text, size_t at, const VimAsk *ask, VimMove *ret_move)
{
    return go_with(&(Walk) { text, at, true }, ask, word_back, false, ret_move);
}

bool vim_go_end(TextBuffer *text, size_t at, const VimAsk *ask, VimMove *ret_move)
{
    return go_end(&(Walk) { text, at, false }, ask, ret_move);
}

bool vim_go_big_end(TextBuffer *text, size_t at, const VimAsk *ask, VimMove *ret_move)
{
    return go_end(&(Walk) { text, at, true }, ask, ret_move);
}

bool vim_go_back_end(TextBuffer *text, size_t at, const VimAsk *ask, VimMove *ret_move)
{
    return go_with(&(Walk) { text, at, false }, ask, word_back_end, true, ret_move);
}

bool vim_go_big_back_end(TextBuffer *text, size_t at, const VimAsk *ask, VimMove *ret_move)
{
    return go_with(&(Walk) { text, at, true }, ask, word_back_end, true, ret_move);
}
