/*
 * The editor (editor.h): what actions, characters and pastes do to the text.
 *
 * Every change goes through editor_change(), which keeps the bound, the undo list, the rows and the
 * cursor in step.
 */
#include "tui/edit/editor_private.h"

#include "base/utf8.h"
#include "tui/edit/kill_ring.h"
#include "tui/edit/steps.h"
#include "tui/edit/text_layout.h"
#include "tui/edit/undo.h"
#include "tui/text/clean.h"

#include <string.h>

enum { PASTE_MAX_LINES = 10, PASTE_MAX_CHARS = 1000 }; // of one that is shown as it is

typedef enum { RUN_NONE, RUN_KILL, RUN_YANK } Run; // what the last action was, for the next one

struct Editor {
    TextBuffer *text;
    UndoList *undo;
    KillRing *kills;
    TextLayout *layout;
    int tab_width;
    size_t cursor;
    size_t selected_from, selected_to;
    int goal; // the column that Up and Down keep; -1: the cursor's
    Run run;
    size_t yanked_at, yanked_size;
    Action jump; // waits for its character, or ACTION_NONE
    Cleaner *cleaner;
    GString *paste; // the pieces so far, clean; NULL: there is none
    bool is_paste_full;
    unsigned changes;
};

Editor *editor_new(int tab_width)
{
    Editor *self = g_new0(Editor, 1);
    self->text = text_buffer_new();
    self->undo = undo_list_new();
    self->kills = kill_ring_new();
    self->layout = text_layout_new(self->text);
    self->tab_width = tab_width;
    self->goal = -1;
    return self;
}

static void drop_paste(Editor *self)
{
    g_clear_pointer(&self->cleaner, cleaner_free);
    if (self->paste)
        g_string_free(g_steal_pointer(&self->paste), TRUE);
    self->is_paste_full = false;
}

void editor_free(Editor *self)
{
    if (!self)
        return;
    drop_paste(self);
    text_layout_free(self->layout);
    kill_ring_free(self->kills);
    undo_list_free(self->undo);
    text_buffer_free(self->text);
    g_free(self);
}

// ---- changes ----

static void editor_do_replace(Editor *self, size_t start, size_t end, const Piece *piece)
{
    text_buffer_replace(self->text, start, end, piece);
    text_layout_change(self->layout, start, end - start, piece->size);
    self->changes++;
}

/* May the text from `start` to `end` become `piece`? */
static bool has_room(Editor *self, const Piece *removed, const Piece *piece)
{
    size_t shown = text_buffer_size(self->text) - removed->size + piece->size;
    size_t meant =
        text_buffer_meant_size(self->text) - piece_meant_size(removed) + piece_meant_size(piece);
    return MAX(shown, meant) <= LIMIT_EDITOR_BYTES;
}

/* The text from `start` to `end`, which is no part of a marker, becomes `piece`; the cursor stands
   after that. */
static EditorResult editor_change(Editor *self, UndoKind kind, size_t start, size_t end,
                                  const Piece *piece, gint64 now_ms)
{
    g_autoptr(Piece) removed = text_buffer_copy(self->text, start, end);
    if (removed->size == 0 && piece->size == 0)
        return EDITOR_MOVED;
    if (!has_room(self, removed, piece))
        return EDITOR_FULL;
    editor_do_replace(self, start, end, piece);
    const UndoChange undo = {
        .kind = kind,
        .offset = start,
        .inserted = piece->size,
        .cursor = self->cursor,
        .at_ms = now_ms,
        .removed = g_steal_pointer(&removed),
    };
    undo_list_add(self->undo, &undo);
    self->cursor = step_settle(self->text, start + piece->size);
    self->goal = -1;
    return EDITOR_CHANGED;
}

static EditorResult change_text(Editor *self, UndoKind kind, size_t start, size_t end,
                                const char *text, size_t size, gint64 now_ms)
{
    g_autoptr(Piece) piece = piece_new(text, size);
    return editor_change(self, kind, start, end, piece, now_ms);
}

/* Nothing that was begun goes on. */
static void editor_interrupt(Editor *self)
{
    undo_list_seal(self->undo);
    self->goal = -1;
    self->run = RUN_NONE;
    self->jump = ACTION_NONE;
}

static void move_to(Editor *self, size_t cursor)
{
    editor_interrupt(self);
    self->cursor = cursor;
}

// ---- for the vim keys ----

TextBuffer *editor_buffer(Editor *self)
{
    return self->text;
}

size_t editor_cursor(const Editor *self)
{
    return self->cursor;
}

void editor_move(Editor *self, size_t cursor)
{
    move_to(self, MIN(cursor, text_buffer_size(self->text)));
}

EditorResult editor_put(Editor *self, size_t start, size_t end, const Piece *piece, size_t cursor)
{
    editor_interrupt(self);
    EditorResult result = editor_change(self, UNDO_ALONE, start, end, piece, 0);
    if (result != EDITOR_FULL)
        self->cursor = MIN(cursor, text_buffer_size(self->text));
    return result;
}

void editor_select(Editor *self, size_t start, size_t end)
{
    self->selected_from = start;
    self->selected_to = end;
}

// ---- what actions do ----

typedef struct Deed {
    StepFunc step;
    enum { DEED_NONE, DEED_MOVE, DEED_ERASE, DEED_KILL } kind;
} Deed;

static const Deed deeds[ACTION_COUNT] = {
    [ACTION_CURSOR_LEFT] = { step_previous, DEED_MOVE },
    [ACTION_CURSOR_RIGHT] = { step_next, DEED_MOVE },
    [ACTION_WORD_LEFT] = { step_word_previous, DEED_MOVE },
    [ACTION_WORD_RIGHT] = { step_word_next, DEED_MOVE },
    [ACTION_LINE_START] = { step_line_start, DEED_MOVE },
    [ACTION_LINE_END] = { step_line_end, DEED_MOVE },
    [ACTION_DELETE_BACKWARD] = { step_previous, DEED_ERASE },
    [ACTION_DELETE_FORWARD] = { step_next, DEED_ERASE },
    [ACTION_DELETE_WORD_BACKWARD] = { step_cut_word_previous, DEED_KILL },
    [ACTION_DELETE_WORD_FORWARD] = { step_cut_word_next, DEED_KILL },
    [ACTION_DELETE_TO_LINE_START] = { step_cut_line_start, DEED_KILL },
    [ACTION_DELETE_TO_LINE_END] = { step_cut_line_end, DEED_KILL },
};

static EditorResult editor_erase(Editor *self, size_t start, size_t end, gint64 now_ms)
{
    self->run = RUN_NONE;
    return change_text(self, UNDO_ERASED, start, end, "", 0, now_ms);
}

static EditorResult kill_text(Editor *self, size_t start, size_t end)
{
    KillJoin join = self->run != RUN_KILL ? KILL_APART
                    : end <= self->cursor ? KILL_BEFORE
                                          : KILL_BEHIND;
    if (start < end)
        kill_ring_add(self->kills, text_buffer_copy(self->text, start, end), join);
    EditorResult result = change_text(self, UNDO_ALONE, start, end, "", 0, 0);
    self->run = RUN_KILL;
    return result;
}

static EditorResult do_deed(Editor *self, const Deed *deed, gint64 now_ms)
{
    size_t target = deed->step(self->text, self->cursor);
    size_t start = MIN(target, self->cursor), end = MAX(target, self->cursor);
    if (deed->kind == DEED_ERASE)
        return editor_erase(self, start, end, now_ms);
    if (deed->kind == DEED_KILL)
        return kill_text(self, start, end);
    move_to(self, target);
    return EDITOR_MOVED;
}

static EditorResult move_rows(Editor *self, int count, EditorResult at_edge)
{
    int goal = self->goal;
    size_t cursor = self->cursor;
    bool has_moved = text_layout_move(self->layout, count, &cursor, &goal);
    move_to(self, cursor);
    self->goal = goal;
    return has_moved ? EDITOR_MOVED : at_edge;
}

/* The text from `start` to `end` becomes `piece`, for yank_older() to be replaced. */
static EditorResult editor_yank(Editor *self, const Piece *piece, size_t start, size_t end)
{
    if (!piece)
        return EDITOR_MOVED;
    EditorResult result = editor_change(self, UNDO_ALONE, start, end, piece, 0);
    if (result != EDITOR_CHANGED)
        return result;
    self->run = RUN_YANK;
    self->yanked_at = start;
    self->yanked_size = piece->size;
    return result;
}

static EditorResult yank_older(Editor *self)
{
    if (self->run != RUN_YANK)
        return EDITOR_MOVED;
    return editor_yank(self, kill_ring_older(self->kills), self->yanked_at,
                       self->yanked_at + self->yanked_size);
}

static EditorResult editor_undo(Editor *self)
{
    UndoChange change = { 0 };
    editor_interrupt(self);
    if (!undo_list_take(self->undo, &change))
        return EDITOR_MOVED;
    editor_do_replace(self, change.offset, change.offset + change.inserted, change.removed);
    piece_free(change.removed);
    self->cursor = change.cursor;
    return EDITOR_CHANGED;
}

static EditorResult new_line(Editor *self, gint64 now_ms)
{
    self->run = RUN_NONE;
    return change_text(self, UNDO_TYPED, self->cursor, self->cursor, "\n", 1, now_ms);
}

/* Does a lone "\" stand before the cursor? */
static bool is_continued(Editor *self)
{
    size_t at = self->cursor;
    const Marker *marker = text_buffer_marker_before(self->text, at);
    if (at == 0 || (marker && marker->start + marker->size == at) ||
        text_buffer_byte(self->text, at - 1) != '\\')
        return false;
    return at == 1 || text_buffer_byte(self->text, at - 2) != '\\';
}

static EditorResult editor_submit(Editor *self)
{
    if (is_continued(self)) {
        self->run = RUN_NONE;
        return change_text(self, UNDO_ALONE, self->cursor - 1, self->cursor, "\n", 1, 0);
    }
    editor_interrupt(self);
    return EDITOR_SUBMITTED;
}

static EditorResult wait_for_character(Editor *self, Action action)
{
    editor_interrupt(self);
    self->jump = action;
    return EDITOR_MOVED;
}

EditorResult editor_act(Editor *self, Action action, gint64 now_ms)
{
    g_assert(action < ACTION_COUNT);
    self->jump = ACTION_NONE;
    if (deeds[action].kind != DEED_NONE)
        return do_deed(self, &deeds[action], now_ms);
    int page = MAX(text_layout_window_rows(self->layout) - 1, 1);
    switch (action) {
    case ACTION_SUBMIT:
        return editor_submit(self);
    case ACTION_NEW_LINE:
        return new_line(self, now_ms);
    case ACTION_CURSOR_UP:
        return move_rows(self, -1, EDITOR_AT_TOP);
    case ACTION_CURSOR_DOWN:
        return move_rows(self, 1, EDITOR_AT_BOTTOM);
    case ACTION_PAGE_UP:
        return move_rows(self, -page, EDITOR_MOVED);
    case ACTION_PAGE_DOWN:
        return move_rows(self, page, EDITOR_MOVED);
    case ACTION_YANK:
        return editor_yank(self, kill_ring_newest(self->kills), self->cursor, self->cursor);
    case ACTION_YANK_POP:
        return yank_older(self);
    case ACTION_UNDO:
        return editor_undo(self);
    case ACTION_JUMP_FORWARD:
    case ACTION_JUMP_BACKWARD:
        return wait_for_character(self, action);
    default:
        return EDITOR_UNUSED;
    }
}

// ---- what comes in ----

static EditorResult jump_to(Editor *self, uint32_t character)
{
    bool is_forward = self->jump == ACTION_JUMP_FORWARD;
    move_to(self, is_forward ? step_find_next(self->text, self->cursor, character)
                             : step_find_previous(self->text, self->cursor, character));
    return EDITOR_MOVED;
}

/* Parts of an emoji, which input methods type one by one, and which cannot be seen alone. */
static bool is_joiner(uint32_t character)
{
    return character == 0x200d || character == 0xfe0e || character == 0xfe0f;
}

EditorResult editor_type(Editor *self, uint32_t character, gint64 now_ms)
{
    char typed[7] = { 0 };
    if (!g_unichar_validate(character) || g_unichar_iscntrl(character))
        return EDITOR_UNUSED;
    size_t size = (size_t)g_unichar_to_utf8(character, typed);
    g_autofree char *clean = clean_text(typed, self->tab_width);
    if (!is_joiner(character) && strcmp(clean, typed) != 0)
        return EDITOR_UNUSED;
    if (self->jump != ACTION_NONE)
        return jump_to(self, character);
    self->run = RUN_NONE;
    return change_text(self, UNDO_TYPED, self->cursor, self->cursor, typed, size, now_ms);
}

static size_t count_lines(const GString *text)
{
    size_t lines = text->len > 0 && text->str[text->len - 1] != '\n' ? 1 : 0;
    for (const char *p = text->str; (p = memchr(p, '\n', (size_t)(text->str + text->len - p))); p++)
        lines++;
    return lines;
}

/* A paste as it stands in the text. Caller frees. */
static Piece *editor_fold(Editor *self, const GString *paste)
{
    g_autofree char *shown = NULL;
    size_t lines = count_lines(paste);
    unsigned number = text_buffer_last_number(self->text) + 1;
    if (lines > PASTE_MAX_LINES) {
        shown = g_strdup_printf("[paste #%u +%zu lines]", number, lines);
    } else {
        size_t chars = utf8_length(paste->str);
        if (chars <= PASTE_MAX_CHARS)
            return piece_new(paste->str, paste->len);
        shown = g_strdup_printf("[paste #%u %zu chars]", number, chars);
    }
    return piece_new_marker(shown, paste->str, paste->len, number);
}

static EditorResult insert_piece(Editor *self, const Piece *piece)
{
    editor_interrupt(self);
    return editor_change(self, UNDO_ALONE, self->cursor, self->cursor, piece, 0);
}

EditorResult editor_paste(Editor *self, const char *text, size_t size, bool is_last)
{
    if (!self->paste) {
        self->paste = g_string_new(NULL);
        self->cleaner = cleaner_new_flowing(self->tab_width);
    }
    if (!self->is_paste_full)
        cleaner_push(self->cleaner, text, size, self->paste);
    if (is_last)
        cleaner_finish(self->cleaner, self->paste);
    if (self->paste->len > LIMIT_EDITOR_BYTES) {
        self->is_paste_full = true;
        g_string_truncate(self->paste, 0);
    }
    if (!is_last)
        return EDITOR_MOVED;
    EditorResult result = EDITOR_FULL;
    if (!self->is_paste_full) {
        g_autoptr(Piece) piece = editor_fold(self, self->paste);
        result = insert_piece(self, piece);
    }
    drop_paste(self);
    return result;
}

EditorResult editor_insert_marker(Editor *self, const char *shown, const char *meant)
{
    g_autofree char *clean = clean_line(shown, INT_MAX);
    g_autoptr(Piece) piece = piece_new_marker(clean, meant, strlen(meant), 0);
    return insert_piece(self, piece);
}

EditorResult editor_insert(Editor *self, const char *text)
{
    g_autofree char *clean = clean_text(text, self->tab_width);
    g_autoptr(Piece) piece = piece_new(clean, strlen(clean));
    return insert_piece(self, piece);
}

// ---- the text as a whole ----

static Piece *editor_whole(const Editor *self)
{
    return text_buffer_copy(self->text, 0, text_buffer_size(self->text));
}

char *editor_text(const Editor *self)
{
    g_autoptr(Piece) piece = editor_whole(self);
    return piece_meant(piece);
}

const char *editor_shown(Editor *self, size_t *ret_cursor)
{
    *ret_cursor = self->cursor;
    return text_buffer_view(self->text, 0, text_buffer_size(self->text));
}

void editor_set_text(Editor *self, const char *text)
{
    g_autofree char *clean = clean_text(text, self->tab_width);
    size_t size = utf8_boundary_before(clean, strlen(clean), LIMIT_EDITOR_BYTES);
    editor_interrupt(self);
    change_text(self, UNDO_ALONE, 0, text_buffer_size(self->text), clean, size, 0);
    self->cursor = text_buffer_size(self->text);
}

void editor_replace(Editor *self, size_t start, const char *text)
{
    g_autofree char *clean = clean_text(text, self->tab_width);
    editor_interrupt(self);
    change_text(self, UNDO_ALONE, step_settle(self->text, MIN(start, self->cursor)), self->cursor,
                clean, strlen(clean), 0);
}

void editor_clear(Editor *self)
{
    editor_interrupt(self);
    kill_text(self, 0, text_buffer_size(self->text));
    editor_interrupt(self);
}

bool editor_is_empty(const Editor *self)
{
    return text_buffer_size(self->text) == 0;
}

unsigned editor_changes(const Editor *self)
{
    return self->changes;
}

char *editor_line(const Editor *self)
{
    g_autoptr(Piece) piece =
        text_buffer_copy(self->text, text_buffer_line_start(self->text, self->cursor),
                         text_buffer_line_end(self->text, self->cursor));
    return piece_meant(piece);
}

// ---- how it looks ----

static bool has_byte(const Editor *self, size_t at, char wanted)
{
    return at < text_buffer_size(self->text) && text_buffer_byte(self->text, at) == wanted;
}

EditorMode editor_mode(const Editor *self)
{
    if (has_byte(self, 0, '!'))
        return has_byte(self, 1, '!') ? EDITOR_BASH_PRIVATE : EDITOR_BASH;
    if (has_byte(self, 0, '$'))
        return has_byte(self, 1, '$') ? EDITOR_PYTHON_PRIVATE : EDITOR_PYTHON;
    return EDITOR_MESSAGE;
}

static Style mode_style(EditorMode mode)
{
    static const Style styles[] = {
        [EDITOR_MESSAGE] = { .fg = TOKEN_ACCENT },
        [EDITOR_BASH] = { .fg = TOKEN_BASH_MODE },
        [EDITOR_BASH_PRIVATE] = { .fg = TOKEN_BASH_MODE, .attributes = STYLE_DIM },
        [EDITOR_PYTHON] = { .fg = TOKEN_PYTHON_MODE },
        [EDITOR_PYTHON_PRIVATE] = { .fg = TOKEN_PYTHON_MODE, .attributes = STYLE_DIM },
    };
    return styles[mode];
}

void editor_rows(Editor *self, int width, int max_rows, GPtrArray *out, int *ret_row,
                 int *ret_column)
{
    const TextLayoutSpec spec = {
        .width = width,
        .max_rows = max_rows,
        .cursor = self->cursor,
        .look = { .text = { .fg = TOKEN_TEXT },
                  .marker = { .fg = TOKEN_MD_LINK },
                  .mark = mode_style(editor_mode(self)),
                  .selected_from = self->selected_from,
                  .selected_to = self->selected_to },
    };
    text_layout_rows(self->layout, &spec, out, ret_row, ret_column);
}

unsigned editor_layout_count(const Editor *self)
{
    return text_layout_count(self->layout);
}
