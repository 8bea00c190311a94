/* See screen_watch.h. */
#include "tools/shell/screen_watch.h"

#include "base/timefmt.h"

#include <glib.h>
#include <string.h>

#define GRACE_MS     2000 // to give the screen back
#define VIM_GRACE_MS 5000 // vim waits for two seconds before it begins

const char screen_watch_words[] =
    "\n[The program wants a screen and someone who types, and there is neither: it was ended. Use "
    "a "
    "form of it that prints and ends (`top -b -n1`, `cat`, a command in place of a menu), or the "
    "tools read and edit.]\n";

typedef struct Mark {
    const char *text;
    bool is_of_terminal, is_taken; // else the screen is given back
} Mark;

static const Mark marks[] = {
    { "\x1b[?1049h", true, true },     { "\x1b[?1049l", true, false }, // the other screen
    { "\x1b[?1047h", true, true },     { "\x1b[?1047l", true, false },
    { "\x1b[?47h", true, true },       { "\x1b[?47l", true, false },
    { "\x1b[?1h\x1b=", true, true },   { "\x1b[?1l\x1b>", true, false }, // keys of a program
    { "\x1b[7m--More--", true, true }, { "Vim: Warning: Output is not to a terminal", false, true },
};

/* The last place of `mark`, at the beginning of a line where it is a text; NULL: none. */
static const char *last_place(const Mark *mark, const char *data, size_t size)
{
    const char *last = NULL, *end = data + size;
    size_t length = strlen(mark->text);
    for (const char *p = data; (p = memmem(p, (size_t)(end - p), mark->text, length)); p++)
        if (mark->is_of_terminal || p == data || p[-1] == '\n')
            last = p;
    return last;
}

void screen_watch_take(ScreenWatch *self, const char *data, size_t size)
{
    if (self->end_at > 0 && time_monotonic_ms() >= self->end_at)
        return; // it is being ended, and may give the screen back for that
    g_autofree char *whole = g_malloc(self->tail_size + size + 1);
    memcpy(whole, self->tail, self->tail_size);
    memcpy(whole + self->tail_size, data, size);
    size_t whole_size = self->tail_size + size;
    const Mark *latest = NULL;
    const char *at = NULL;
    for (size_t i = 0; i < G_N_ELEMENTS(marks); i++) {
        const char *place = marks[i].is_of_terminal == self->has_terminal
                                ? last_place(&marks[i], whole, whole_size)
                                : NULL;
        if (place && place >= at) {
            latest = &marks[i];
            at = place;
        }
    }
    if (latest && !latest->is_taken)
        self->end_at = 0;
    else if (latest && self->end_at == 0)
        self->end_at = time_monotonic_ms() + (self->has_terminal ? GRACE_MS : VIM_GRACE_MS);
    // of a mark in the tail all was seen already, but for its end
    self->tail_size = MIN(whole_size, SCREEN_TAIL_BYTES);
    memcpy(self->tail, whole + whole_size - self->tail_size, self->tail_size);
}
