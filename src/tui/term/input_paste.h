/*
 * The inside of a paste: bytes in, pieces of text out, until its end mark (tui §6). Private to
 * term/. Owner: Input.
 */
#pragma once

#include "base/utf8.h"
#include "tui/term/input.h"

typedef struct InputPaste {
    GString *raw, *text; // bytes that are kept; the same as text
    Utf8Decoder decoder;
    size_t given;    // bytes of text so far
    unsigned marked; // bytes of what may become a mark
    char mark[8];
    bool was_cr, is_cut;
    bool is_ended; // the mark has come: what follows in the same read is text too
} InputPaste;

void input_paste_init(InputPaste *self);
void input_paste_clear(InputPaste *self);

void input_paste_begin(InputPaste *self);
/* True: a piece should be taken before the next byte. */
bool input_paste_take(InputPaste *self, char byte);
/* The read is over. True: so is the paste. */
bool input_paste_is_over(const InputPaste *self);
/* The text since the last piece, borrowed until the next call. */
InputEvent input_paste_piece(InputPaste *self, bool is_last);
