/*
 * A picture of the conversation that a terminal can draw itself, and the cells that it takes
 * (agent-core §7.4). Immutable and shared by reference; one thread.
 */
#pragma once

#include "base/json.h"
#include "tui/term/caps.h"

enum {
    LIMIT_PICTURE_SSH = 256 * 1024,            // of what is sent over a line that may be slow
    LIMIT_PICTURE_BYTES = 1536 * 1024,         // of a file that is shown
    LIMIT_PICTURE_SIDE = 8192,                 // pixels
    LIMIT_PICTURE_PIXELS = 16 * 1024 * 1024,   // that a terminal is asked to unpack
    LIMIT_PICTURE_CONVERTED = 4 * 1024 * 1024, // pixels, of what is unpacked here
    LIMIT_PICTURE_CELL = 64,                   // pixels, of the side of a cell
    PICTURE_INDENT = 2,                        // cells to its left
};

typedef struct PictureSpec {
    ImageProtocol protocol; // IMAGES_NONE: pictures are named alone
    int max_columns, max_rows;
    int cell_width, cell_height; // in pixels, for sixel; 0: not known, and none are drawn
    size_t max_bytes;            // of what is sent to the terminal; 0: LIMIT_PICTURE_BYTES
} PictureSpec;

typedef struct Picture {
    int ref_count;
    ImageProtocol protocol;
    int columns, rows; // at most; it keeps its shape in them
    char *data;        // the file; of sixel: the sequence
    size_t size;
} Picture;

/* Of an image block ({mimeType, data}), in a window of `width` cells. NULL: it is only named, since
   the protocol does not show what it is, or it is broken, too large, or asks too much of a
   terminal. */
Picture *picture_new(const json_t *block, const PictureSpec *spec, int width);
Picture *picture_ref(Picture *self);
void picture_unref(Picture *self); // NULL is allowed
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Picture, picture_unref)
