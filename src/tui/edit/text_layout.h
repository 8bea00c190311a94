/*
 * A TextBuffer as rows of a window: wrapped by words, kept per line, so that a change lays out its
 * own lines alone. What is kept is what was shown last. One thread.
 */
#pragma once

#include "tui/edit/buffer.h"
#include "tui/text/row.h"

typedef struct TextLook {
    Style text, marker, mark;          // mark: of what the first row begins with
    size_t selected_from, selected_to; // is shown reversed; a line end as a blank
} TextLook;

typedef struct TextLayoutSpec {
    int width;    // of the window
    int max_rows; // at least 1
    size_t cursor;
    TextLook look;
} TextLayoutSpec;

typedef struct TextLayout TextLayout;

TextLayout *text_layout_new(TextBuffer *text); // borrowed
void text_layout_free(TextLayout *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TextLayout, text_layout_free)

/* The text from `start` on changed. */
void text_layout_change(TextLayout *self, size_t start, size_t removed, size_t inserted);

/* Appends the rows around the cursor; *ret_row and *ret_column are its own, in them. */
void text_layout_rows(TextLayout *self, const TextLayoutSpec *spec, GPtrArray *out, int *ret_row,
                      int *ret_column);

/* `count` rows down, or up where it is negative, in the window that was shown last. *goal is the
   column to keep; -1: the cursor's. False: there is no row there; *cursor goes to the last row
   on the way. */
bool text_layout_move(TextLayout *self, int count, size_t *cursor, int *goal);
/* Rows of the window that was shown last; at least 1. */
int text_layout_window_rows(const TextLayout *self);
/* How many lines were laid out so far. */
unsigned text_layout_count(const TextLayout *self);
