/*
 * Colours of code, line by line (tui §5.5): a table of languages, and what a line leaves open for
 * the next one. Pure; linear in the text, whatever it holds.
 */
#pragma once

#include "tui/text/row.h"

typedef struct HighlightLanguage HighlightLanguage;

/* By the tag of a fence, or the name of a file; NULL: it has no colours. Constant. */
const HighlightLanguage *highlight_language(const char *tag);
const HighlightLanguage *highlight_language_of_file(const char *path);

/* `*state` is 0 for the first line. `language` NULL: in `style` alone. */
void highlight_line(const HighlightLanguage *language, uint32_t *state, const char *line,
                    size_t size, Style style, RowBuilder *out);
