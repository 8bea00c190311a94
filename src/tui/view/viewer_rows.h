/*
 * What the viewer shows, as rows: one item for each message and each tool call, with its result
 * beside it. Items are laid out when they are looked at; LIMIT_VIEWER_ROWS_BYTES of rows are kept
 * around the last one, of a large item a part. How many rows the others have is guessed by size.
 * One thread.
 */
#pragma once

#include "tui/view/block.h"

enum { LIMIT_VIEWER_ROWS_BYTES = 256 * 1024 };

typedef struct ViewerPlace { // a row
    guint item, row;
} ViewerPlace;

typedef struct ViewerRows ViewerRows;

/* A reference to `messages` is taken; what `spec` points to is borrowed. */
ViewerRows *viewer_rows_new(const json_t *messages, const BlockSpec *spec);
void viewer_rows_free(ViewerRows *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ViewerRows, viewer_rows_free)

guint viewer_rows_item_count(const ViewerRows *self);
guint viewer_rows_message(const ViewerRows *self, guint item); // its number, from 1
guint viewer_rows_message_count(const ViewerRows *self);
size_t viewer_rows_weight(const ViewerRows *self, guint item); // bytes of its text, about

/* Rows of an item; may be 0. Lays it out when that is not known. */
guint viewer_rows_count(ViewerRows *self, guint item);
/* Borrowed until the next call. */
const Row *viewer_rows_get(ViewerRows *self, ViewerPlace place);
/* All rows of an item, not kept. */
void viewer_rows_lay_out(ViewerRows *self, guint item, GPtrArray *out);

/* About as many rows stand before the item; the number of items: in all. */
gint64 viewer_rows_before(const ViewerRows *self, guint item);
size_t viewer_rows_kept_bytes(const ViewerRows *self);

/* Rows of another width; all that were known are forgotten. A place is found again by what stands
   before it in its item: that much text, blanks apart. */
void viewer_rows_set_width(ViewerRows *self, int width);
size_t viewer_rows_text_before(ViewerRows *self, ViewerPlace place);
ViewerPlace viewer_rows_place_behind(ViewerRows *self, guint item, size_t text_bytes);

/* Some text of the item, as it is before it is laid out, has `word`, which is ASCII, in whatever
   case. Counts the bytes it looked at. */
bool viewer_rows_may_have(const ViewerRows *self, guint item, const char *word, size_t *bytes);
