/*
 * UTF-8 at the borders: bytes from outside become valid text once, here.
 *
 * Replacement follows the Unicode "maximal subpart" practice: what could have become a character
 * and did not gives one U+FFFD, not one for each byte. So a whole text and the same text in chunks
 * decode alike.
 */
#include "base/utf8.h"

#include "base/str.h"

#include <stdint.h>

#define REPLACEMENT "\xef\xbf\xbd"

typedef enum {
    SEQUENCE_VALID,
    SEQUENCE_INVALID,
    SEQUENCE_PARTIAL, // the data ends inside a character
} SequenceKind;

// Judges what is at the start of `data` (size >= 1); *ret_length bytes of it belong together.
static SequenceKind sequence_at(const char *data, size_t size, size_t *ret_length)
{
    const uint8_t *bytes = (const uint8_t *)data;
    uint8_t lead = bytes[0];
    *ret_length = 1;
    if (lead < 0x80)
        return lead == 0 ? SEQUENCE_INVALID : SEQUENCE_VALID;

    size_t need = lead >= 0xc2 && lead <= 0xdf   ? 2
                  : lead >= 0xe0 && lead <= 0xef ? 3
                  : lead >= 0xf0 && lead <= 0xf4 ? 4
                                                 : 0;
    if (need == 0)
        return SEQUENCE_INVALID;

    // The second byte rules out overlong forms, surrogates and what lies beyond U+10FFFF.
    uint8_t low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
    uint8_t high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
    for (size_t i = 1; i < need; i++) {
        if (i == size)
            return SEQUENCE_PARTIAL;
        if (bytes[i] < low || bytes[i] > high)
            return SEQUENCE_INVALID;
        *ret_length = i + 1;
        low = 0x80;
        high = 0xbf;
    }
    return SEQUENCE_VALID;
}

// Appends what is decided; returns how many bytes at the end are not.
static size_t append_decided(const char *data, size_t size, GString *out)
{
    const char *end = data + size;
    while (data < end) {
        const char *valid_end;
        g_utf8_validate_len(data, (size_t)(end - data), &valid_end);
        g_string_append_len(out, data, valid_end - data);
        data = valid_end;
        if (data == end)
            break;

        size_t length;
        SequenceKind kind = sequence_at(data, (size_t)(end - data), &length);
        if (kind == SEQUENCE_PARTIAL)
            return (size_t)(end - data);
        if (kind == SEQUENCE_VALID)
            g_string_append_len(out, data, (gssize)length);
        else
            g_string_append(out, REPLACEMENT);
        data += length;
    }
    return 0;
}

/* How many bytes at the start are ASCII and not 0, in whole words: most text is nothing else, and
   g_utf8_validate_len() looks at each byte. */
static size_t plain_words(const char *data, size_t size)
{
    const uint64_t ones = 0x0101010101010101, high = 0x8080808080808080;
    size_t at = 0;
    for (uint64_t word; size - at >= sizeof(word); at += sizeof(word)) {
        memcpy(&word, data + at, sizeof(word));
        if (((word | (word - ones)) & high) != 0)
            break;
    }
    return at;
}

char *utf8_from_bytes(const char *data, size_t size)
{
    if (size == 0)
        return g_strdup("");
    size_t plain = plain_words(data, size);
    if (g_utf8_validate_len(data + plain, size - plain, NULL))
        return g_strndup(data, size);

    GString *out = g_string_sized_new(size + 16);
    if (append_decided(data, size, out) > 0)
        g_string_append(out, REPLACEMENT);
    return g_string_free(out, FALSE);
}

size_t utf8_bom_size(const char *text, size_t size)
{
    size_t mark = strlen(UTF8_BOM);
    return size >= mark && memcmp(text, UTF8_BOM, mark) == 0 ? mark : 0;
}

static bool is_continuation(char byte)
{
    return ((uint8_t)byte & 0xc0) == 0x80;
}

size_t utf8_boundary_before(const char *text, size_t size, size_t n)
{
    if (n >= size)
        return size;
    while (n > 0 && is_continuation(text[n]))
        n--;
    return n;
}

size_t utf8_boundary_after(const char *text, size_t size, size_t n)
{
    if (n >= size)
        return size;
    while (n < size && is_continuation(text[n]))
        n++;
    return n;
}

size_t utf8_length(const char *text)
{
    return (size_t)g_utf8_strlen(text, -1);
}

char *utf8_ellipsize(const char *text, size_t max_chars)
{
    const char *p = text;
    for (size_t i = 0; i < max_chars && *p != '\0'; i++)
        p = g_utf8_next_char(p);
    if (*p == '\0')
        return g_strdup(text);

    g_autofree char *head = g_strndup(text, (size_t)(p - text));
    return g_strconcat(head, "…", NULL);
}

// The set that github-tool §0.1 fixes; g_unichar_isspace() differs (no U+FEFF, but U+0085).
bool utf8_is_white(gunichar c)
{
    return (c >= 0x09 && c <= 0x0d) || c == 0x20 || c == 0xa0 || c == 0x1680 ||
           (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f ||
           c == 0x205f || c == 0x3000 || c == 0xfeff;
}

static const char *skip_blanks(const char *text)
{
    while (*text != '\0' && utf8_is_white(g_utf8_get_char(text)))
        text = g_utf8_next_char(text);
    return text;
}

char *utf8_trim_end(const char *text)
{
    const char *end = text + strlen(text);
    while (end > text) {
        const char *last = g_utf8_prev_char(end);
        if (!utf8_is_white(g_utf8_get_char(last)))
            break;
        end = last;
    }
    return g_strndup(text, (size_t)(end - text));
}

char *utf8_trim(const char *text)
{
    return utf8_trim_end(skip_blanks(text));
}

char *utf8_without_fence(const char *text)
{
    g_autofree char *trimmed = utf8_trim(text);
    size_t size = strlen(trimmed);
    char *first_end = strchr(trimmed, '\n');
    bool is_fenced = str_has_prefix(trimmed, "```") && first_end &&
                     g_str_has_suffix(first_end + 1, "```") && trimmed[size - 4] != '`';
    if (!is_fenced)
        return g_steal_pointer(&trimmed);
    trimmed[size - 3] = '\0';
    return utf8_trim(first_end + 1);
}

bool utf8_is_blank(const char *text)
{
    return text == NULL || *skip_blanks(text) == '\0';
}

void utf8_decoder_push(Utf8Decoder *self, const char *data, size_t size, GString *out)
{
    // Feed the waiting character byte by byte; at most three rounds.
    while (self->pending_size > 0 && size > 0) {
        self->pending[self->pending_size++] = *data;
        size_t length;
        SequenceKind kind = sequence_at(self->pending, self->pending_size, &length);
        if (kind == SEQUENCE_INVALID) {
            // The new byte is what does not fit: it starts over below.
            g_string_append(out, REPLACEMENT);
            self->pending_size = 0;
            break;
        }
        data++;
        size--;
        if (kind == SEQUENCE_VALID) {
            g_string_append_len(out, self->pending, (gssize)length);
            self->pending_size = 0;
        }
    }
    if (size == 0)
        return;

    size_t rest = append_decided(data, size, out);
    g_assert(rest < sizeof(self->pending));
    memcpy(self->pending, data + size - rest, rest);
    self->pending_size = (unsigned)rest;
}

void utf8_decoder_finish(Utf8Decoder *self, GString *out)
{
    if (self->pending_size > 0)
        g_string_append(out, REPLACEMENT);
    self->pending_size = 0;
}
