/*
 * What a person writes: text with a cursor, undo, a kill ring and folded pastes (tui §7, agent-core
 * §7.4). Moves by cluster; a key lays out its own line alone. At most LIMIT_EDITOR_BYTES. One
 * thread.
 */
#pragma once

#include "tui/term/keymap.h"
#include "tui/text/row.h"

enum { LIMIT_EDITOR_BYTES = 16 * 1024 * 1024 };

typedef enum { // by what the text begins with
    EDITOR_MESSAGE,
    EDITOR_BASH,         // "!"
    EDITOR_BASH_PRIVATE, // "!!": the model does not hear of it
    EDITOR_PYTHON,       // "$"
    EDITOR_PYTHON_PRIVATE,
} EditorMode;

typedef enum {
    EDITOR_UNUSED,    // not a thing of the editor's
    EDITOR_MOVED,     // the cursor, or nothing
    EDITOR_CHANGED,   // the text
    EDITOR_AT_TOP,    // up in the first row on screen: the history's
    EDITOR_AT_BOTTOM, // down in the last one
    EDITOR_SUBMITTED, // Enter; after a lone "\" it is a new line instead
    EDITOR_FULL,      // nothing was taken: LIMIT_EDITOR_BYTES
} EditorResult;

typedef struct Editor Editor;

Editor *editor_new(int tab_width);
void editor_free(Editor *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Editor, editor_free)

/* `now_ms` by time_monotonic_ms(): typing within a second is undone at once. An action that waits
   for a character (jump) takes the next one that is typed. */
EditorResult editor_act(Editor *self, Action action, gint64 now_ms);
EditorResult editor_type(Editor *self, uint32_t character, gint64 now_ms);
/* Pieces as they come. More than 10 lines or 1,000 characters stand as one marker
   "[paste #1 +123 lines]", which is deleted whole, and is what it stands for in editor_text(). */
EditorResult editor_paste(Editor *self, const char *text, size_t size, bool is_last);
/* A marker that stands for `meant`: "[Image #1]". */
EditorResult editor_insert_marker(Editor *self, const char *shown, const char *meant);
EditorResult editor_insert(Editor *self, const char *text); // clean; at the cursor

char *editor_text(const Editor *self); // with what markers stand for; caller frees
/* As it is shown, and the cursor's byte in it; borrowed until the next change. */
const char *editor_shown(Editor *self, size_t *ret_cursor);
/* Undo can bring back what was there. The cursor goes to the end. */
void editor_set_text(Editor *self, const char *text);
/* The bytes from `start` to the cursor become `text`: a completion that was taken. */
void editor_replace(Editor *self, size_t start, const char *text);
/* Empties it; the text goes to the kill ring. */
void editor_clear(Editor *self);
bool editor_is_empty(const Editor *self);
unsigned editor_changes(const Editor *self); // of the text, so far, by whatever made them
/* By what is shown: what a folded paste begins with makes no command. */
EditorMode editor_mode(const Editor *self);
char *editor_line(const Editor *self); // the cursor's, for copying; caller frees

/* The rows around the cursor, at most `max_rows`, each beginning with "> " or blanks in `style` of
   the mode; *ret_row and *ret_column are the cursor's, in them. */
void editor_rows(Editor *self, int width, int max_rows, GPtrArray *out, int *ret_row,
                 int *ret_column);
/* How many lines were laid out so far; for tests. */
unsigned editor_layout_count(const Editor *self);
