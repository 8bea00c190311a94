/*
 * A file's bytes and the text that a person edits (agent-tools-cli §5.6): the text has LF and no
 * byte-order mark. On the way back what the person did not touch stays as it is in the file. Pure;
 * thread safe.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

/* CRLF as LF, no byte-order mark. Caller frees. */
char *edit_text_plain(const char *text);
/* The text for editing. False when the bytes are not UTF-8 or hold a NUL: going there and back
   would change them. Caller frees. */
bool edit_text_decode(const char *data, size_t size, char **ret_text);
/* The same for looking at: invalid bytes become U+FFFD. Caller frees. */
char *edit_text_show(const char *data, size_t size);

/* What a client sent in place of `base`, as plain text: still without a last newline when `base`
   has none and the last line is the same. Caller frees. */
char *edit_text_fit(const char *base, const char *content);

/* The bytes to write for `text` over the file that holds `data`, which can be decoded: its
   byte-order mark stays, each line that stays keeps its ending, and a new line ends as most lines
   do. Caller frees. */
char *edit_text_encode(const char *data, size_t size, const char *text, size_t *ret_size);
