/*
 * What the vim keys have in hand: the mode, the command that is being typed, the selection, and the
 * states of the text for undo. Internal to vim.c, vim_command.c and vim_undo.c.
 */
#pragma once

#include "tui/edit/vim_private.h"

typedef enum { VIM_INSERT, VIM_NORMAL, VIM_VISUAL, VIM_LINES } VimMode;

typedef enum {
    AWAITS_KEY,
    AWAITS_REGISTER,  // after "
    AWAITS_G,         // after g
    AWAITS_OBJECT,    // after i or a
    AWAITS_CHARACTER, // after f, r and the like
} VimAwaits;

typedef struct VimCommand {
    uint32_t name;    // of a register; 0: the unnamed one
    int count, inner; // before and after the operator; 0: none
    uint32_t verb;    // 0: none
    uint32_t key;     // the motion, the object or the command
    bool is_after_g, is_double, is_object, is_around;
    uint32_t argument;
    VimMode selected;      // how, when it was done to a selection; VIM_INSERT: it was not
    int lines, characters; // of the selection: characters of its last line
} VimCommand;

typedef struct VimState { // of the text
    Piece *text;
    size_t line; // where the cursor is when what was made of it is taken back, or done again
    int column;
} VimState;

typedef struct VimUndo {
    GPtrArray *states; // of VimState; the first is the oldest
    guint at;          // which of them is the text now
    size_t bytes;
    unsigned changes; // of the editor, when the text was that state
} VimUndo;

struct Vim {
    Editor *editor;
    TextBuffer *text;
    VimRegisters *registers;
    VimMode mode;
    VimAwaits awaits;
    VimCommand now;
    GString *typed;               // of the command, as it is shown
    uint32_t find, find_argument; // for ; and ,
    int goal;
    size_t anchor;     // of the selection
    VimMode last_mode; // of the selection before; VIM_INSERT: there was none
    size_t last_anchor, last_cursor;
    VimCommand dot;  // its key 0: none
    Piece *dot_text; // what was typed then
    bool is_repeating;
    size_t insert_at;
    int insert_count;
    bool inserts_lines;
    VimUndo undo;
    size_t change_line; // where the change is, for undo: its line, and the column in it
    int change_column;
    GString *label;
};

VimHands vim_hands(const Vim *self);
EditorResult vim_execute(Vim *self, const VimCommand *command);
void vim_insert(Vim *self, size_t at, int count, bool has_lines);
EditorResult vim_end_insert(Vim *self);
void vim_select(Vim *self, VimMode mode);
VimSpan vim_selection(const Vim *self);

void vim_undo_begin(Vim *self);                   // from the text as it is
void vim_undo_note(Vim *self);                    // the text may be another one
EditorResult vim_undo_step(Vim *self, int steps); // back, or on where negative
/* The change that comes is there. */
void vim_undo_place(Vim *self, size_t at);
void vim_undo_clear(Vim *self);
