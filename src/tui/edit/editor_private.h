/*
 * What the vim keys may do to an editor. Offsets are places for the cursor, as steps.h gives them.
 * Internal to edit/.
 */
#pragma once

#include "tui/edit/buffer.h"
#include "tui/edit/editor.h"

TextBuffer *editor_buffer(Editor *self); // to be read; borrowed
size_t editor_cursor(const Editor *self);
void editor_move(Editor *self, size_t cursor);
/* The text from `start` to `end`, which is no part of a marker, becomes `piece`. */
EditorResult editor_put(Editor *self, size_t start, size_t end, const Piece *piece, size_t cursor);
/* What is shown as selected; nothing when both are the same. */
void editor_select(Editor *self, size_t start, size_t end);
