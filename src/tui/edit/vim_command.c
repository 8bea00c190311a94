/*
 * Commands of the vim keys, once they are whole: what a motion, an object or a selection spans, and
 * what is done to it.
 */
#include "tui/edit/vim_state.h"

#include <string.h>

VimHands vim_hands(const Vim *self)
{
    return (VimHands) {
        .editor = self->editor,
        .text = self->text,
        .registers = self->registers,
        .name = self->now.name,
        .count = MAX(self->now.count, 1),
    };
}

static VimHands hands_of(const Vim *self, const VimCommand *command)
{
    VimHands hands = vim_hands(self);
    hands.name = command->name;
    hands.count = MAX(command->count, 1);
    return hands;
}

static size_t line_start(const Vim *self, size_t at)
{
    return text_buffer_line_start(self->text, at);
}

static size_t line_end(const Vim *self, size_t at)
{
    return text_buffer_line_end(self->text, at);
}

static VimSpan lines_between(const Vim *self, size_t first, size_t last)
{
    return (VimSpan) { line_start(self, first), line_end(self, last), true };
}

// ---- inserting ----

void vim_insert(Vim *self, size_t at, int count, bool has_lines)
{
    self->mode = VIM_INSERT;
    editor_move(self->editor, at);
    self->insert_at = at;
    self->insert_count = count;
    self->inserts_lines = has_lines;
}

/* What was typed, as often as the count says; then the cursor goes one back. */
EditorResult vim_end_insert(Vim *self)
{
    EditorResult result = EDITOR_MOVED;
    size_t at = editor_cursor(self->editor), from = MIN(self->insert_at, at);
    g_autoptr(Piece) typed = text_buffer_copy(self->text, from, at);
    g_autoptr(Piece) line_end_piece = piece_new("\n", 1);
    g_autoptr(Piece) line = piece_join(line_end_piece, typed);
    const Piece *again = self->inserts_lines ? line : typed;
    for (int i = 1; i < self->insert_count && again->size > 0; i++) {
        if (editor_put(self->editor, at, at, again, at) != EDITOR_CHANGED)
            break;
        result = EDITOR_CHANGED;
        at += again->size;
    }
    if (!self->is_repeating) {
        piece_free(self->dot_text);
        self->dot_text = g_steal_pointer(&typed);
    }
    self->insert_count = 0;
    self->mode = VIM_NORMAL;
    self->goal = -1;
    editor_move(self->editor, at > line_start(self, at) ? step_previous(self->text, at) : at);
    if (!self->is_repeating)
        vim_undo_note(self);
    return result;
}

// ---- selections ----

VimSpan vim_selection(const Vim *self)
{
    size_t cursor = editor_cursor(self->editor);
    size_t first = MIN(self->anchor, cursor), last = MAX(self->anchor, cursor);
    last = MIN(last, text_buffer_size(self->text));
    if (self->mode == VIM_LINES)
        return lines_between(self, first, last);
    size_t end = step_next(self->text, last), stop = line_end(self, last);
    if (self->goal == GOAL_END && end == stop && cursor == last) // $ takes the line end, too
        end = step_next(self->text, end);
    return (VimSpan) { first, end, false };
}

void vim_select(Vim *self, VimMode mode)
{
    if (self->mode == VIM_VISUAL || self->mode == VIM_LINES) {
        self->last_mode = self->mode;
        self->last_anchor = self->anchor;
        self->last_cursor = editor_cursor(self->editor);
    } else if (mode != VIM_NORMAL) {
        self->anchor = editor_cursor(self->editor);
    }
    self->mode = mode;
}

static EditorResult select_again(Vim *self)
{
    size_t size = text_buffer_size(self->text);
    VimMode mode = self->last_mode;
    if (mode == VIM_INSERT)
        return EDITOR_MOVED;
    size_t cursor = step_settle(self->text, MIN(self->last_cursor, size));
    size_t anchor = step_settle(self->text, MIN(self->last_anchor, size));
    vim_select(self, mode);
    self->anchor = anchor;
    editor_move(self->editor, cursor);
    return EDITOR_MOVED;
}

/* A selection of the same size, for `.`. */
static VimSpan selection_like(const Vim *self, const VimCommand *command)
{
    size_t at = editor_cursor(self->editor);
    size_t last = vim_line_below(self->text, at, command->lines - 1);
    if (command->selected == VIM_LINES)
        return lines_between(self, at, last);
    size_t end = command->lines > 1 ? last : at;
    for (int i = 0; i < command->characters && end < line_end(self, last); i++)
        end = step_next(self->text, end);
    return (VimSpan) { at, end, false };
}

static void measure_selection(const Vim *self, VimSpan span, VimCommand *command)
{
    command->selected = self->mode;
    command->lines = 1;
    bool is_in = span.end > span.start && !span.is_lines;
    size_t last = is_in ? step_previous(self->text, span.end) : span.end;
    for (size_t at = line_end(self, span.start); at < line_start(self, last);
         at = line_end(self, at + 1))
        command->lines++;
    size_t from = command->lines > 1 ? line_start(self, last) : span.start;
    command->characters = 0;
    for (; from < span.end; from = step_next(self->text, from))
        command->characters++;
}

// ---- spans of operators ----

/* Where the motion ends at the start of a line, the line end before it stays; when it began at the
   start of one, too, it is about lines. */
static VimSpan span_between(const Vim *self, size_t from, const VimMove *move, uint32_t verb)
{
    size_t start = MIN(from, move->to), end = MAX(from, move->to);
    if (move->is_lines)
        return lines_between(self, start, end);
    bool is_at_start = start <= vim_first_of_line(self->text, start);
    bool is_many = line_end(self, start) < end;
    if (move->is_inclusive && end < line_end(self, end))
        end = step_next(self->text, end);
    else if (!move->is_inclusive && is_many && end == line_start(self, end))
        return (VimSpan) { is_at_start ? line_start(self, start) : start, end - 1, is_at_start };
    size_t rest = end;
    while (rest < line_end(self, end) && vim_class(self->text, rest, true) == 0)
        rest = step_next(self->text, rest);
    if (verb == 'd' && is_many && is_at_start && rest == line_end(self, end))
        return lines_between(self, start, end);
    return (VimSpan) { start, end, false };
}

static int whole_count(const VimCommand *command)
{
    gint64 count = (gint64)MAX(command->count, 1) * MAX(command->inner, 1);
    return (int)MIN(count, LIMIT_VIM_COUNT);
}

static const VimMotion *find_motion(const Vim *self, const VimCommand *command, VimAsk *ask)
{
    static const char turned[] = "fFtT", back[] = "FfTt";
    if ((command->key != ';' && command->key != ',') || command->is_after_g)
        return vim_motion_find(command->key, command->is_after_g);
    const char *found = self->find ? strchr(turned, (int)self->find) : NULL;
    if (!found)
        return NULL;
    ask->argument = self->find_argument;
    uint32_t key = (unsigned char)(command->key == ';' ? *found : back[found - turned]);
    return vim_motion_find(key, false);
}

/* t again does not stay before the character that it went to. */
static bool go_till_again(const Vim *self, const VimMotion *motion, VimAsk *ask, VimMove *move)
{
    size_t at = editor_cursor(self->editor);
    bool is_back = motion->key == 'T';
    size_t start = line_start(self, at);
    size_t beside =
        is_back ? (at > start ? step_previous(self->text, at) : at) : step_next(self->text, at);
    bool is_there = (is_back || beside < line_end(self, at)) &&
                    vim_character(self->text, beside) == ask->argument && ask->count == 1;
    return motion->go(self->text, is_there ? beside : at, ask, move);
}

static bool vim_go(Vim *self, const VimCommand *command, VimMove *ret_move)
{
    VimAsk ask = {
        .count = whole_count(command),
        .has_count = command->count > 0 || command->inner > 0,
        .argument = command->argument,
        .is_operated = command->verb != 0,
        .is_change = command->verb == 'c',
        .goal = self->goal,
    };
    const VimMotion *motion = find_motion(self, command, &ask);
    if (!motion)
        return false;
    if (motion->takes_character && command->key == motion->key) {
        self->find = motion->key;
        self->find_argument = command->argument;
    } else if (motion->key == 't' || motion->key == 'T') {
        return go_till_again(self, motion, &ask, ret_move);
    }
    return motion->go(self->text, editor_cursor(self->editor), &ask, ret_move);
}

static EditorResult do_move(Vim *self, const VimCommand *command)
{
    VimMove move;
    bool is_row = command->key == 'k' || command->key == 'j';
    if (!vim_go(self, command, &move)) {
        bool is_alone = is_row && self->mode == VIM_NORMAL && command->count == 0;
        return !is_alone ? EDITOR_MOVED : command->key == 'k' ? EDITOR_AT_TOP : EDITOR_AT_BOTTOM;
    }
    editor_move(self->editor, move.to);
    self->goal = move.goal;
    return EDITOR_MOVED;
}

static bool find_span(Vim *self, const VimCommand *command, VimSpan *ret_span, size_t *ret_cursor)
{
    size_t at = editor_cursor(self->editor);
    VimMove move;
    *ret_cursor = at;
    if (command->is_double) {
        int below = whole_count(command) - 1;
        size_t last = vim_line_below(self->text, at, below);
        *ret_span = lines_between(self, at, last);
        return below == 0 || last != line_start(self, at);
    }
    if (command->is_object) {
        size_t next = at < line_end(self, at) ? step_next(self->text, at) : at;
        *ret_span = (VimSpan) { at, next, false };
        bool is_found = vim_object(self->text, command->key, command->is_around,
                                   whole_count(command), ret_span);
        *ret_cursor = ret_span->start;
        return is_found;
    }
    if (!vim_go(self, command, &move))
        return false;
    *ret_span = span_between(self, at, &move, command->verb);
    *ret_cursor = move.is_lines && move.to > at ? at
                  : ret_span->is_lines          ? MIN(at, move.to)
                                                : ret_span->start;
    return true;
}

static EditorResult do_operator(Vim *self, const VimCommand *command, VimSpan span, size_t cursor)
{
    const VimHands hands = hands_of(self, command);
    self->goal = -1;
    if (command->is_double && command->verb != 'y')
        cursor = vim_first_of_line(self->text, span.start);
    vim_undo_place(self, span.is_lines ? cursor : span.start);
    EditorResult result = vim_operate(&hands, command->verb, span, cursor);
    if (command->verb == 'c' && result != EDITOR_FULL)
        vim_insert(self, MIN(span.start, text_buffer_size(self->text)), 1, false);
    return result;
}

// ---- commands ----

static EditorResult do_open(Vim *self, const VimCommand *command)
{
    size_t at = editor_cursor(self->editor);
    size_t place = command->key == 'o' ? line_end(self, at) : line_start(self, at);
    g_autoptr(Piece) piece = piece_new("\n", 1);
    EditorResult result = editor_put(self->editor, place, place, piece, place);
    if (result == EDITOR_CHANGED)
        vim_insert(self, command->key == 'o' ? place + 1 : place, MAX(command->count, 1), true);
    return result;
}

static EditorResult do_insert(Vim *self, const VimCommand *command)
{
    size_t at = editor_cursor(self->editor), end = line_end(self, at);
    if (command->key == 'a' && at < end)
        at = step_next(self->text, at);
    else if (command->key == 'A')
        at = end;
    else if (command->key == 'I') {
        for (at = line_start(self, at); at < end && vim_class(self->text, at, true) == 0;)
            at = step_next(self->text, at);
    }
    vim_undo_place(self, at);
    vim_insert(self, at, MAX(command->count, 1), false);
    return EDITOR_MOVED;
}

static EditorResult do_replace(Vim *self, const VimCommand *command)
{
    const VimHands hands = hands_of(self, command);
    size_t at = editor_cursor(self->editor), end = at;
    for (int i = 0; i < hands.count; i++) {
        if (vim_is_line_end(self->text, end))
            return EDITOR_MOVED;
        end = step_next(self->text, end);
    }
    EditorResult result = vim_replace(&hands, (VimSpan) { at, end, false }, command->argument);
    for (int i = 1; i < hands.count; i++)
        at = step_next(self->text, at);
    editor_move(self->editor, at);
    return result;
}

static EditorResult do_command(Vim *self, const VimCommand *command)
{
    const VimHands hands = hands_of(self, command);
    switch (command->key) {
    case 'i':
    case 'a':
    case 'I':
    case 'A':
        return do_insert(self, command);
    case 'o':
    case 'O':
        return do_open(self, command);
    case 'p':
    case 'P':
        return vim_put(&hands, command->key == 'p');
    case 'J':
        return vim_join(&hands, MAX(hands.count, 2), !command->is_after_g);
    case 'r':
        return do_replace(self, command);
    case '~':
        return vim_swap_case(&hands);
    default:
        return EDITOR_MOVED;
    }
}

/* What one key does, as an operator and where it goes. */
static bool vim_expand(VimCommand *command)
{
    static const struct {
        char key, verb, motion;
    } short_forms[] = {
        { 'x', 'd', 'l' }, { 'X', 'd', 'h' }, { 'D', 'd', '$' }, { 'C', 'c', '$' },
        { 's', 'c', 'l' }, { 'S', 'c', 0 },   { 'Y', 'y', 0 },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(short_forms); i++) {
        if (command->verb != 0 || command->is_after_g ||
            command->key != (unsigned char)short_forms[i].key)
            continue;
        command->verb = (unsigned char)short_forms[i].verb;
        command->is_double = short_forms[i].motion == 0;
        command->key = (unsigned char)short_forms[i].motion;
        return true;
    }
    return command->verb != 0;
}

// ---- on a selection ----

static EditorResult select_object(Vim *self, const VimCommand *command)
{
    VimSpan span = vim_selection(self);
    if (!vim_object(self->text, command->key, command->is_around, MAX(command->count, 1), &span))
        return EDITOR_MOVED;
    self->anchor = span.start;
    if (span.is_lines)
        self->mode = VIM_LINES;
    bool is_in = span.end > span.start && !span.is_lines;
    editor_move(self->editor, is_in ? step_previous(self->text, span.end) : span.end);
    self->goal = -1;
    return EDITOR_MOVED;
}

static EditorResult join_selection(Vim *self, const VimCommand *command, VimSpan span)
{
    VimHands hands = hands_of(self, command);
    editor_move(self->editor, span.start);
    return vim_join(&hands, MAX(command->lines, 2), !command->is_after_g);
}

static EditorResult operate_selection(Vim *self, const VimCommand *command, VimSpan span,
                                      size_t cursor)
{
    VimCommand own = *command;
    static const struct {
        char key, verb;
        bool is_lines;
    } meanings[] = {
        { 'x', 'd' },       { 's', 'c' },       { '~', '~' },       { 'u', 'u' },
        { 'U', 'U' },       { 'X', 'd', true }, { 'D', 'd', true }, { 'C', 'c', true },
        { 'S', 'c', true }, { 'R', 'c', true }, { 'Y', 'y', true },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(meanings) && own.verb == 0; i++) {
        if (own.key != (unsigned char)meanings[i].key)
            continue;
        own.verb = (unsigned char)meanings[i].verb;
        if (meanings[i].is_lines)
            span = lines_between(self, span.start, MAX(span.end, 1) - (span.end > span.start));
    }
    if (own.verb == 0)
        return EDITOR_MOVED;
    if (own.verb == '<' || own.verb == '>')
        span =
            lines_between(self, span.start, span.end - (span.end > span.start && !span.is_lines));
    return do_operator(self, &own, span, cursor);
}

static EditorResult do_selected(Vim *self, const VimCommand *command)
{
    bool is_again = self->mode == VIM_NORMAL; // by `.`
    VimCommand own = *command;
    VimSpan span = is_again ? selection_like(self, command) : vim_selection(self);
    size_t at = editor_cursor(self->editor), first = at < self->anchor ? at : span.start;
    if (!is_again) {
        measure_selection(self, span, &own);
        self->dot = own;
        vim_select(self, VIM_NORMAL);
    }
    editor_move(self->editor, span.start);
    vim_undo_place(self, span.start);
    const VimHands hands = hands_of(self, &own);
    if (own.key == 'p' || own.key == 'P')
        return vim_put_over(&hands, span);
    if (own.key == 'J')
        return join_selection(self, &own, span);
    if (own.key == 'r')
        return vim_replace(&hands, span, own.argument);
    return operate_selection(self, &own, span, is_again || !span.is_lines ? span.start : first);
}

/* What moves, or is no change of the text, in a selection. */
static bool is_within_selection(Vim *self, const VimCommand *command, EditorResult *ret_result)
{
    bool is_motion = command->verb == 0 && !command->is_object &&
                     (vim_motion_find(command->key, command->is_after_g) || command->key == ';' ||
                      command->key == ',');
    *ret_result = EDITOR_MOVED;
    if (command->is_object && command->verb == 0)
        *ret_result = select_object(self, command);
    else if (is_motion)
        *ret_result = do_move(self, command);
    else if (command->verb == 0 && (command->key == 'o' || command->key == 'O')) {
        size_t cursor = editor_cursor(self->editor);
        editor_move(self->editor, self->anchor);
        self->anchor = cursor;
    } else if (command->verb == 0 && !command->is_after_g &&
               (command->key == 'v' || command->key == 'V')) {
        VimMode mode = command->key == 'v' ? VIM_VISUAL : VIM_LINES;
        size_t anchor = self->anchor;
        vim_select(self, self->mode == mode ? VIM_NORMAL : mode);
        self->anchor = anchor;
    } else
        return false;
    return true;
}

EditorResult vim_execute(Vim *self, const VimCommand *command)
{
    VimCommand own = *command;
    EditorResult result = EDITOR_MOVED;
    VimSpan span;
    size_t cursor;
    if (self->mode != VIM_NORMAL)
        return is_within_selection(self, &own, &result) ? result : do_selected(self, &own);
    vim_undo_place(self, editor_cursor(self->editor));
    if (own.selected != VIM_INSERT)
        return do_selected(self, &own);
    if (own.is_after_g && own.key == 'v' && own.verb == 0)
        return select_again(self);
    if (!own.is_after_g && own.verb == 0 && (own.key == 'v' || own.key == 'V')) {
        vim_select(self, own.key == 'v' ? VIM_VISUAL : VIM_LINES);
        return EDITOR_MOVED;
    }
    if (vim_expand(&own))
        return find_span(self, &own, &span, &cursor) ? do_operator(self, &own, span, cursor)
                                                     : EDITOR_MOVED;
    if (vim_motion_find(own.key, own.is_after_g) || own.key == ';' || own.key == ',')
        return do_move(self, &own);
    self->goal = -1;
    return do_command(self, &own);
}
