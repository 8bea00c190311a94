/*
 * Text of others on its way to the screen (tui §5.1), once, where it enters a component: control
 * sequences and characters go, but LF; a tab becomes blanks to the next stop; CR LF is LF, and what
 * a lone CR would have overwritten goes; characters that turn the direction of writing or cannot be
 * seen go; invalid bytes become U+FFFD. One thread at a time.
 */
#pragma once

#include <glib.h>

typedef struct Cleaner Cleaner;

Cleaner *cleaner_new(int tab_width);
/* Of what a model writes word by word: a lone CR ends the line there, so that none has to wait for
   its end. */
Cleaner *cleaner_new_flowing(int tab_width);
void cleaner_free(Cleaner *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Cleaner, cleaner_free)

/* Bytes as they come, cut anywhere: it makes no difference. What may still change waits for the
   next ones: a sequence that is not whole, and the line that is open, up to
   LIMIT_OPEN_LINE_BYTES. */
void cleaner_push(Cleaner *self, const char *data, size_t size, GString *out);
void cleaner_finish(Cleaner *self, GString *out); // and begins again

char *clean_text(const char *text, int tab_width); // caller frees
/* A name: one line of at most `max_cells` ("…" when cut), line ends and blanks as one blank, none
   around it. Caller frees. */
char *clean_line(const char *text, int max_cells);
