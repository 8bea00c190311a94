/*
 * Pastes. Nothing in one acts: marks inside it, control bytes but line ends and TAB, and what is
 * beyond LIMIT_PASTE_BYTES go.
 */
#include "tui/term/input_paste.h"

#include <string.h>

enum { PIECE_BYTES = 4096 };

static const char begin_mark[] = "\x1b[200~", end_mark[] = "\x1b[201~";
enum { MARK_BYTES = sizeof(end_mark) - 1 };

void input_paste_init(InputPaste *self)
{
    *self = (InputPaste) { .raw = g_string_sized_new(PIECE_BYTES),
                           .text = g_string_sized_new(PIECE_BYTES) };
}

void input_paste_clear(InputPaste *self)
{
    g_string_free(self->raw, TRUE);
    g_string_free(self->text, TRUE);
}

void input_paste_begin(InputPaste *self)
{
    *self = (InputPaste) { .raw = g_string_truncate(self->raw, 0),
                           .text = g_string_truncate(self->text, 0) };
}

static void keep(InputPaste *self, char byte)
{
    bool was_cr = self->was_cr;
    self->was_cr = byte == '\r';
    if (byte == '\n' && was_cr)
        return;
    if (byte == '\r')
        byte = '\n';
    if ((unsigned char)byte < 0x20 ? byte == '\n' || byte == '\t' : byte != 0x7f)
        g_string_append_c(self->raw, byte);
}

static void keep_marked(InputPaste *self)
{
    for (unsigned i = 0; i < self->marked; i++)
        keep(self, self->mark[i]);
    self->marked = 0;
}

bool input_paste_take(InputPaste *self, char byte)
{
    self->mark[self->marked++] = byte;
    if (memcmp(self->mark, end_mark, self->marked) != 0 &&
        memcmp(self->mark, begin_mark, self->marked) != 0) {
        self->marked--;
        keep_marked(self);
        if (byte == begin_mark[0])
            self->mark[self->marked++] = byte;
        else
            keep(self, byte);
    } else if (self->marked == MARK_BYTES) {
        if (memcmp(self->mark, end_mark, MARK_BYTES) == 0)
            self->is_ended = true;
        self->marked = 0;
    }
    return self->raw->len >= PIECE_BYTES;
}

bool input_paste_is_over(const InputPaste *self)
{
    return self->is_ended && self->marked == 0; // the rest of a mark is no key
}

/* U+0080 to U+009F command a terminal, too. */
static void drop_controls(GString *text)
{
    size_t kept = 0;
    for (size_t i = 0; i < text->len; i++) {
        if (text->str[i] == '\xc2' && (unsigned char)text->str[i + 1] < 0xa0)
            i++;
        else
            text->str[kept++] = text->str[i];
    }
    g_string_truncate(text, kept);
}

InputEvent input_paste_piece(InputPaste *self, bool is_last)
{
    g_string_truncate(self->text, 0);
    if (is_last)
        keep_marked(self);
    utf8_decoder_push(&self->decoder, self->raw->str, self->raw->len, self->text);
    g_string_truncate(self->raw, 0);
    if (is_last)
        utf8_decoder_finish(&self->decoder, self->text);
    drop_controls(self->text);
    size_t room = LIMIT_PASTE_BYTES - self->given;
    if (self->text->len > room) {
        g_string_truncate(self->text, utf8_boundary_before(self->text->str, self->text->len, room));
        self->given = LIMIT_PASTE_BYTES; // nothing after a hole
        self->is_cut = true;
    } else {
        self->given += self->text->len;
    }
    return (InputEvent) { .kind = INPUT_PASTE,
                          .text = self->text->str,
                          .size = self->text->len,
                          .is_last = is_last,
                          .is_cut = is_last && self->is_cut };
}
