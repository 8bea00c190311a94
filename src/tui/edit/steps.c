/*
 * Steps of a cursor (steps.h).
 *
 * Clusters are looked for between markers: what stands on either side of a marker's end never makes
 * one cluster with it.
 */
#include "tui/edit/steps.h"

#include "tui/text/width.h"

#include <string.h>

enum { CLUSTER_MAX_BYTES = 4096 }; // a longer one is several

typedef enum { UNIT_END, UNIT_GAP, UNIT_LETTERS, UNIT_ALONE } UnitKind;

/* Where the text between markers and line ends that holds `at`, or ends there, begins. */
static size_t stretch_start(TextBuffer *text, size_t at)
{
    const Marker *marker = text_buffer_marker_before(text, at);
    size_t start = text_buffer_line_start(text, at);
    return marker ? MAX(start, marker->start + marker->size) : start;
}

/* Where it ends, as far as a cluster at `at` can reach. */
static size_t stretch_end(TextBuffer *text, size_t at)
{
    const Marker *marker = text_buffer_marker_after(text, at);
    size_t size = text_buffer_size(text);
    size_t end = marker ? marker->start : size;
    if (end > at + CLUSTER_MAX_BYTES)
        for (end = at + CLUSTER_MAX_BYTES;
             ((unsigned char)text_buffer_byte(text, end) & 0xc0) == 0x80;)
            end--;
    const char *view = text_buffer_view(text, at, end);
    const char *newline = memchr(view, '\n', end - at);
    return newline ? at + (size_t)(newline - view) : end;
}

size_t step_next(TextBuffer *text, size_t at)
{
    const Marker *marker = text_buffer_marker_after(text, at);
    if (at == text_buffer_size(text))
        return at;
    if (marker && marker->start <= at)
        return marker->start + marker->size;
    if (text_buffer_byte(text, at) == '\n')
        return at + 1;
    size_t end = stretch_end(text, at);
    return at + cluster_size(text_buffer_view(text, at, end), end - at, NULL);
}

size_t step_previous(TextBuffer *text, size_t at)
{
    if (at == 0)
        return 0;
    const Marker *marker = text_buffer_marker_before(text, at);
    if (marker && marker->start + marker->size >= at)
        return marker->start;
    if (text_buffer_byte(text, at - 1) == '\n')
        return at - 1;
    size_t start = stretch_start(text, at);
    return start + cluster_start(text_buffer_view(text, start, at), at - start);
}

size_t step_settle(TextBuffer *text, size_t at)
{
    const Marker *marker = text_buffer_marker_around(text, at);
    if (marker)
        return marker->start + marker->size;
    size_t start = stretch_start(text, at), end = stretch_end(text, at);
    if (at == start || at == end)
        return at;
    const char *view = text_buffer_view(text, start, end);
    if ((unsigned char)view[at - start - 1] < 0x80 && (unsigned char)view[at - start] < 0x80)
        return at;                                  // the usual one
    size_t place = cluster_start(view, at - start); // of the cluster that would end here
    while (place < at - start)
        place += cluster_size(view + place, end - start - place, NULL);
    return start + place;
}

// ---- words ----

static bool is_without_blanks(gunichar character)
{
    switch (g_unichar_get_script(character)) {
    case G_UNICODE_SCRIPT_HAN:
    case G_UNICODE_SCRIPT_HIRAGANA:
    case G_UNICODE_SCRIPT_KATAKANA:
    case G_UNICODE_SCRIPT_BOPOMOFO:
    case G_UNICODE_SCRIPT_YI:
        return true;
    default:
        return false;
    }
}

/* What the cluster that begins at `at` is to words. */
static UnitKind kind_at(TextBuffer *text, size_t at)
{
    const Marker *marker = text_buffer_marker_after(text, at);
    if (marker && marker->start == at)
        return UNIT_ALONE;
    if (at == text_buffer_size(text))
        return UNIT_END;
    size_t end = MIN(text_buffer_size(text), at + 4);
    gunichar first = g_utf8_get_char_validated(text_buffer_view(text, at, end), (gssize)(end - at));
    if (!g_unichar_isalnum(first))
        return UNIT_GAP;
    return is_without_blanks(first) ? UNIT_ALONE : UNIT_LETTERS;
}

size_t step_word_next(TextBuffer *text, size_t at)
{
    while (kind_at(text, at) == UNIT_GAP)
        at = step_next(text, at);
    if (kind_at(text, at) == UNIT_ALONE)
        return step_next(text, at);
    while (kind_at(text, at) == UNIT_LETTERS)
        at = step_next(text, at);
    return at;
}

size_t step_word_previous(TextBuffer *text, size_t at)
{
    UnitKind kind = UNIT_GAP;
    while (at > 0 && kind == UNIT_GAP) {
        at = step_previous(text, at);
        kind = kind_at(text, at);
    }
    while (at > 0 && kind == UNIT_LETTERS) {
        size_t before = step_previous(text, at);
        if (kind_at(text, before) != UNIT_LETTERS)
            break;
        at = before;
    }
    return at;
}

// ---- lines ----

size_t step_line_start(TextBuffer *text, size_t at)
{
    return text_buffer_line_start(text, at);
}

size_t step_line_end(TextBuffer *text, size_t at)
{
    return text_buffer_line_end(text, at);
}

size_t step_cut_line_start(TextBuffer *text, size_t at)
{
    size_t start = text_buffer_line_start(text, at);
    return start < at ? start : step_previous(text, at);
}

size_t step_cut_line_end(TextBuffer *text, size_t at)
{
    size_t end = text_buffer_line_end(text, at);
    return end > at ? end : step_next(text, at);
}

size_t step_cut_word_previous(TextBuffer *text, size_t at)
{
    size_t start = text_buffer_line_start(text, at);
    return start < at ? MAX(start, step_word_previous(text, at)) : step_previous(text, at);
}

size_t step_cut_word_next(TextBuffer *text, size_t at)
{
    size_t end = text_buffer_line_end(text, at);
    return end > at ? MIN(end, step_word_next(text, at)) : step_next(text, at);
}

// ---- characters ----

/* Is there a place for the cursor at `at`, with these bytes after it? */
static bool is_found(TextBuffer *text, size_t at, const char *wanted, size_t size)
{
    if (memcmp(text_buffer_view(text, at, at + size), wanted, size) != 0)
        return false;
    const Marker *marker = text_buffer_marker_after(text, at);
    return (!marker || marker->start > at) && step_settle(text, at) == at;
}

size_t step_find_next(TextBuffer *text, size_t at, uint32_t character)
{
    char wanted[6];
    size_t size = (size_t)g_unichar_to_utf8(character, wanted);
    for (size_t place = step_next(text, at); place + size <= text_buffer_size(text); place++)
        if (is_found(text, place, wanted, size))
            return place;
    return at;
}

size_t step_find_previous(TextBuffer *text, size_t at, uint32_t character)
{
    char wanted[6];
    size_t size = (size_t)g_unichar_to_utf8(character, wanted);
    for (size_t place = at; place-- > 0;)
        if (place + size <= text_buffer_size(text) && is_found(text, place, wanted, size))
            return place;
    return at;
}
