/*
 * UTF-8 at the borders: bytes from outside become valid text once, here. Thread safe.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

/* Invalid bytes and NULs become U+FFFD. Caller frees. */
char *utf8_from_bytes(const char *data, size_t size);

/* The byte order mark that a text can begin with: how many bytes it takes there, 3 or 0. */
#define UTF8_BOM "\xef\xbb\xbf"
size_t utf8_bom_size(const char *text, size_t size);

/* Head cut: the largest boundary <= n. Tail cut: the smallest boundary >= n (agent-tools §2.2). */
size_t utf8_boundary_before(const char *text, size_t size, size_t n);
size_t utf8_boundary_after(const char *text, size_t size, size_t n);

size_t utf8_length(const char *text); // code points
/* The first `max_chars` code points with "…" appended when cut. */
char *utf8_ellipsize(const char *text, size_t max_chars);

/* White space of github-tool §0.1: Unicode blanks and U+FEFF, without U+0085. */
bool utf8_is_white(gunichar c);
/* White space of github-tool §0.1 `trim` (Unicode blanks and U+FEFF too), stripped at both ends
   or at the end only. Caller frees. */
char *utf8_trim(const char *text);
/* The text inside a Markdown code fence that is around all of it, else the text; trimmed. Caller
   frees. */
char *utf8_without_fence(const char *text);
char *utf8_trim_end(const char *text);
bool utf8_is_blank(const char *text);

/*
 * Streaming decoder: an incomplete sequence at the end of a chunk waits for the next one.
 */
typedef struct Utf8Decoder {
    char pending[4];
    unsigned pending_size;
} Utf8Decoder;

/* Appends the text of `data` to `out`. */
void utf8_decoder_push(Utf8Decoder *self, const char *data, size_t size, GString *out);
void utf8_decoder_finish(Utf8Decoder *self, GString *out);
