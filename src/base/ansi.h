/*
 * Terminal control sequences out of text (agent-tools §2.7 step 1): CSI, OSC/DCS/APC/PM/SOS,
 * two-byte escapes, 8-bit C1 forms; then CR, other C0 controls but TAB and LF, DEL and U+0080–009F.
 * Input and output are valid UTF-8. A sequence may be split over chunks: up to 4 KiB wait.
 */
#pragma once

#include <glib.h>

typedef struct AnsiFilter AnsiFilter;

AnsiFilter *ansi_filter_new(void);
void ansi_filter_free(AnsiFilter *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(AnsiFilter, ansi_filter_free)

void ansi_filter_push(AnsiFilter *self, const char *text, size_t size, GString *out);
void ansi_filter_finish(AnsiFilter *self, GString *out); // an undecided tail is dropped

/* One whole text. Caller frees. */
char *ansi_strip(const char *text);
