/*
 * Where a cursor may stand in a TextBuffer, and where its steps lead: by clusters, words and lines.
 * A marker is one cluster and one word. A word is a run of letters and digits; of the scripts that
 * write no blanks between words (Han, kana and the like) each character is one. One thread.
 */
#pragma once

#include "tui/edit/buffer.h"

#include <stdint.h>

/* From a place for the cursor to another one; the same one when there is none. */
typedef size_t (*StepFunc)(TextBuffer *text, size_t at);

size_t step_next(TextBuffer *text, size_t at);
size_t step_previous(TextBuffer *text, size_t at);
size_t step_word_next(TextBuffer *text, size_t at);
size_t step_word_previous(TextBuffer *text, size_t at);
size_t step_line_start(TextBuffer *text, size_t at);
size_t step_line_end(TextBuffer *text, size_t at);

/* For deleting: at the end of a line what they reach is that line's end alone. */
size_t step_cut_word_next(TextBuffer *text, size_t at);
size_t step_cut_word_previous(TextBuffer *text, size_t at);
size_t step_cut_line_start(TextBuffer *text, size_t at);
size_t step_cut_line_end(TextBuffer *text, size_t at);

/* The next cluster after the cursor's, or the nearest before it, that begins with `character`;
   `at` when there is none. */
size_t step_find_next(TextBuffer *text, size_t at, uint32_t character);
size_t step_find_previous(TextBuffer *text, size_t at, uint32_t character);

/* The first place for a cursor from `at`, which is a boundary of characters, on. */
size_t step_settle(TextBuffer *text, size_t at);
