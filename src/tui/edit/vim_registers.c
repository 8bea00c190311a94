/*
 * Registers of the vim keys: the unnamed one, "a to "z (capitals append), "0 for what was yanked,
 * "1 to "9 and "- for what was deleted, and "_ for nothing.
 */
#include "tui/edit/vim_private.h"

#include <string.h>

enum { LETTERS = 26, NUMBERS = 10 };

struct VimRegisters {
    VimText letters[LETTERS], numbers[NUMBERS], small;
    const VimText *unnamed; // what was written last
};

VimRegisters *vim_registers_new(void)
{
    VimRegisters *self = g_new0(VimRegisters, 1);
    self->unnamed = &self->numbers[0];
    return self;
}

void vim_registers_free(VimRegisters *self)
{
    if (!self)
        return;
    for (int i = 0; i < LETTERS; i++)
        piece_free(self->letters[i].piece);
    for (int i = 0; i < NUMBERS; i++)
        piece_free(self->numbers[i].piece);
    piece_free(self->small.piece);
    g_free(self);
}

bool vim_register_is_name(uint32_t name)
{
    return name < 0x80 && (g_ascii_isalnum((char)name) || strchr("\"-_", (int)name));
}

/* Takes the piece. Whole lines are kept with the line end of the last one. */
static void vim_text_set(VimText *self, Piece *piece, bool is_lines)
{
    piece_free(self->piece);
    *self = (VimText) { piece, is_lines };
}

static void vim_text_append(VimText *self, Piece *piece, bool is_lines)
{
    if (!self->piece) {
        vim_text_set(self, piece, is_lines);
        return;
    }
    if (piece_meant_size(self->piece) + piece_meant_size(piece) > LIMIT_EDITOR_BYTES) {
        piece_free(piece); // no more than a text may have
        return;
    }
    g_autoptr(Piece) line_end = piece_new("\n", 1);
    if (is_lines && !self->is_lines)
        vim_text_set(self, piece_join(self->piece, line_end), true);
    else if (self->is_lines && !is_lines) {
        Piece *line = piece_join(piece, line_end);
        piece_free(piece);
        piece = line;
    }
    vim_text_set(self, piece_join(self->piece, piece), self->is_lines || is_lines);
    piece_free(piece);
}

static VimText *find_letter(VimRegisters *self, uint32_t name)
{
    bool is_letter = name < 0x80 && g_ascii_isalpha((char)name);
    return is_letter ? &self->letters[g_ascii_tolower((char)name) - 'a'] : NULL;
}

/* True: the register was named, and took it. */
static bool is_kept_by_name(VimRegisters *self, uint32_t name, Piece *piece, bool is_lines)
{
    VimText *letter = find_letter(self, name);
    if (name == '_') {
        piece_free(piece);
        return true;
    }
    if (!letter)
        return false;
    if (g_ascii_isupper((char)name))
        vim_text_append(letter, piece, is_lines);
    else
        vim_text_set(letter, piece, is_lines);
    self->unnamed = letter;
    return true;
}

void vim_registers_yank(VimRegisters *self, uint32_t name, Piece *piece, bool is_lines)
{
    if (is_kept_by_name(self, name, piece, is_lines))
        return;
    vim_text_set(&self->numbers[0], piece, is_lines);
    self->unnamed = &self->numbers[0];
}

void vim_registers_delete(VimRegisters *self, uint32_t name, Piece *piece, bool is_lines)
{
    if (is_kept_by_name(self, name, piece, is_lines))
        return;
    VimText *to = &self->small;
    if (is_lines || memchr(piece->text, '\n', piece->size)) {
        piece_free(self->numbers[NUMBERS - 1].piece);
        memmove(&self->numbers[2], &self->numbers[1], (NUMBERS - 2) * sizeof(VimText));
        to = &self->numbers[1];
        to->piece = NULL;
    }
    vim_text_set(to, piece, is_lines);
    self->unnamed = to;
}

const VimText *vim_registers_get(const VimRegisters *self, uint32_t name)
{
    static const VimText nothing;
    const VimText *letter = find_letter((VimRegisters *)self, name);
    if (letter)
        return letter;
    if (name == '-')
        return &self->small;
    if (name < 0x80 && g_ascii_isdigit((char)name))
        return &self->numbers[name - '0'];
    return name == '_' ? &nothing : self->unnamed;
}
