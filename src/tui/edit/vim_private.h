/*
 * What the files of the vim keys share (see vim.h). Places are bytes of the buffer where a cursor
 * may be; a span ends before its `end`. Internal to edit/.
 */
#pragma once

#include "tui/edit/editor_private.h"
#include "tui/edit/steps.h"
#include "tui/edit/vim.h"

// ---- the text: vim_text.c ----

size_t vim_last_of_line(TextBuffer *text, size_t at);          // its last character, or its start
size_t vim_first_of_line(TextBuffer *text, size_t at);         // that is no blank
size_t vim_line_below(TextBuffer *text, size_t at, int count); // its start; the last one at most
size_t vim_line_above(TextBuffer *text, size_t at, int count);
int vim_column(TextBuffer *text, size_t at);
size_t vim_at_column(TextBuffer *text, size_t at, int column); // in the line of `at`
bool vim_is_line_end(TextBuffer *text, size_t at);
uint32_t vim_character(TextBuffer *text, size_t at); // 0: a line end; U+FFFC: a folded paste
/* 0: blanks and line ends; else what one word is made of. */
int vim_class(TextBuffer *text, size_t at, bool is_big);

// ---- motions: vim_motions.c, vim_words.c ----

enum { GOAL_END = G_MAXINT }; // the column that $ keeps

typedef struct VimAsk {
    int count; // at least 1
    bool has_count;
    uint32_t argument; // of f, t and the like; 0: none
    bool is_operated;  // an operator waits for where it goes
    bool is_change;    // and that is c
    int goal;          // the column that j and k keep; -1: the cursor's
} VimAsk;

typedef struct VimMove {
    size_t to;
    bool is_lines, is_inclusive;
    int goal; // -1: where it went to
} VimMove;

/* False: it goes nowhere, and an operator does nothing. */
typedef bool (*VimGo)(TextBuffer *text, size_t at, const VimAsk *ask, VimMove *ret_move);

typedef struct VimMotion {
    uint32_t key;
    bool is_after_g, takes_character;
    VimGo go;
} VimMotion;

const VimMotion *vim_motion_find(uint32_t key, bool is_after_g); // NULL: none

bool vim_go_word(TextBuffer *text, size_t at, const VimAsk *ask, VimMove *ret_move);
bool vim_go_big_word(TextBuffer *text, size_t at, const VimAsk *ask, VimMove *ret_move);
bool vim_go_back(TextBuffer *text, size_t at, const VimAsk *ask, VimMove *ret_move);
bool vim_go_big_back(TextBuffer *text, size_t at, const VimAsk *ask, VimMove *ret_move);
bool vim_go_end(TextBuffer *text, size_t at, const VimAsk *ask, VimMove *ret_move);
bool vim_go_big_end(TextBuffer *text, size_t at, const VimAsk *ask, VimMove *ret_move);
bool vim_go_back_end(TextBuffer *text, size_t at, const VimAsk *ask, VimMove *ret_move);
bool vim_go_big_back_end(TextBuffer *text, size_t at, const VimAsk *ask, VimMove *ret_move);

// ---- text objects: vim_objects.c ----

typedef struct VimSpan {
    size_t start, end;
    bool is_lines; // from the start of a line to the end of one, without its line end
} VimSpan;

/* `*span`: the cursor's character, or what is selected, which grows. False: there is none. */
bool vim_object(TextBuffer *text, uint32_t key, bool is_around, int count, VimSpan *span);

// ---- registers and operators: vim_registers.c, vim_operators.c ----

typedef struct VimText { // in a register
    Piece *piece;        // NULL: empty
    bool is_lines;
} VimText;

typedef struct VimRegisters VimRegisters;

VimRegisters *vim_registers_new(void);
void vim_registers_free(VimRegisters *self);
bool vim_register_is_name(uint32_t name);
/* `name` 0: the unnamed one. Takes the piece. */
void vim_registers_yank(VimRegisters *self, uint32_t name, Piece *piece, bool is_lines);
void vim_registers_delete(VimRegisters *self, uint32_t name, Piece *piece, bool is_lines);
const VimText *vim_registers_get(const VimRegisters *self, uint32_t name);

typedef struct VimHands { // what operators work with
    Editor *editor;
    TextBuffer *text;
    VimRegisters *registers;
    uint32_t name; // of the register; 0: the unnamed one
    int count;
} VimHands;

/* 'd', 'y', 'c', '>', '<', '~' (g~), 'u' (gu), 'U' (gU). After 'c' the text is to be typed. */
EditorResult vim_operate(const VimHands *hands, uint32_t verb, VimSpan span, size_t cursor);
EditorResult vim_put(const VimHands *hands, bool is_after);
EditorResult vim_put_over(const VimHands *hands, VimSpan span);
EditorResult vim_join(const VimHands *hands, int lines, bool has_blanks);
EditorResult vim_replace(const VimHands *hands, VimSpan span, uint32_t character);
/* ~: the case of `count` characters, and on. */
EditorResult vim_swap_case(const VimHands *hands);
