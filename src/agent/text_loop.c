/* See text_loop.h. */
#include "agent/text_loop.h"

#define PIECE_MAX_CHARS 400
#define REPETITIONS     6
#define WINDOW          (PIECE_MAX_CHARS * REPETITIONS)

void text_loop_init(TextLoop *self)
{
    self->tail = g_array_new(FALSE, FALSE, sizeof(gunichar));
    self->fresh = 0;
}

void text_loop_clear(TextLoop *self)
{
    g_clear_pointer(&self->tail, g_array_unref);
}

void text_loop_reset(TextLoop *self)
{
    g_array_set_size(self->tail, 0);
    self->fresh = 0;
}

/* The shortest piece that the text repeats: its length less the longest part that it both begins
   and ends with. */
static size_t period_of(const gunichar *text, size_t size)
{
    g_autofree size_t *border = g_new0(size_t, size); // of each beginning of the text
    for (size_t i = 1, length = 0; i < size; i++) {
        while (length > 0 && text[i] != text[length])
            length = border[length - 1];
        length += text[i] == text[length];
        border[i] = length;
    }
    return size - border[size - 1];
}

/* Rulers, rows of zeros and the like are data, and may be as long as they are: a piece of prose has
   letters, and words with something between them where the script has that. */
static bool is_prose(const gunichar *text, size_t size)
{
    bool has_letter = false, has_gap = false;
    for (size_t i = 0; i < size; i++) {
        has_letter = has_letter || g_unichar_isalpha(text[i]);
        has_gap = has_gap || g_unichar_isspace(text[i]) || g_unichar_iswide(text[i]);
    }
    return has_letter && has_gap;
}

/* Only now and then: a long answer costs time in proportion to its length. */
static bool is_due(const TextLoop *self)
{
    return self->tail->len >= WINDOW && self->fresh >= PIECE_MAX_CHARS;
}

bool text_loop_feed(TextLoop *self, const char *text)
{
    for (const char *at = text; *at; at = g_utf8_next_char(at)) {
        gunichar character = g_utf8_get_char(at);
        g_array_append_val(self->tail, character);
        self->fresh++;
        if (!is_due(self))
            continue;
        self->fresh = 0;
        if (self->tail->len > WINDOW)
            g_array_remove_range(self->tail, 0, self->tail->len - WINDOW);
        const gunichar *newest = (const gunichar *)(const void *)self->tail->data;
        if (period_of(newest, WINDOW) <= PIECE_MAX_CHARS && is_prose(newest, PIECE_MAX_CHARS))
            return true;
    }
    return false;
}
