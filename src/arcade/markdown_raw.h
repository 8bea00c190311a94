/*
 * Raw HTML in a document (agent-tools-cli §5.4): <details>, <summary> and <br> are built again,
 * without attributes but `open`; all else is shown as text. Private to markdown*.c.
 */
#pragma once

#include "arcade/markdown_html.h"

/* Is this inline HTML a line break? */
bool raw_is_break(const char *text, size_t size);

/* A block of raw HTML begins; html_add_text() collects it in self->raw; it ends. */
void raw_begin(Html *self);
void raw_add(Html *self, const char *text, size_t size);
void raw_end(Html *self);

/* Ends the <details> that were opened inside the innermost block: it ends now. */
void raw_end_details(Html *self);
