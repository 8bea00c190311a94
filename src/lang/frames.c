/*
 * The end of code inside of something else, where what is around goes on.
 *
 * Code in a literal (`${ … }`) is read by the engine like any other: a frame remembers the literal
 * and the bracket that ends the code. So nesting costs memory, not stack.
 */
#include "lang/lexer_state.h"

static Frame *frame_top(const Lexer *self)
{
    guint depth = self->frames->len;
    return depth > 0 ? &g_array_index(self->frames, Frame, depth - 1) : NULL;
}

bool frame_bracket(Lexer *self, char c)
{
    Frame *top = frame_top(self);
    if (!top || (c != top->open && c != top->close))
        return false;
    self->at++;
    if (c == top->open) {
        top->depth++;
        return true;
    }
    if (top->depth > 0) {
        top->depth--;
        return true;
    }
    Frame frame = *top;
    g_array_set_size(self->frames, self->frames->len - 1);
    if (frame.kind == FRAME_LITERAL)
        literal_read(self, &frame.literal);
    else
        jsx_resume(self, &frame);
    return true;
}

void frame_line_end(Lexer *self)
{
    // A literal of one line is over, and so is the code in it.
    for (Frame *top = frame_top(self);
         top && top->kind == FRAME_LITERAL && !(top->literal.flags & STRING_LINES);
         top = frame_top(self))
        g_array_set_size(self->frames, self->frames->len - 1);
}
