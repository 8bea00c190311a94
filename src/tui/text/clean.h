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
void cleaner_free(Cleaner *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Cleaner, cleaner_free)

/* Bytes as they come, cut anywhere; what may still change waits for the next ones. */
void cleaner_push(Cleaner *self, const char *data, size_t size, GString *out);
void cleaner_finish(Cleaner *self, GString *out);

char *clean_text(const char *text, int tab_width); // caller frees
/* A name: one line of at most `max_cells`, line ends and blanks as one blank. Caller frees. */
char *clean_line(const char *text, int max_cells);
