/*
 * Texts of edits by anchors (hashline_show.h).
 */
#include "tools/hashline_show.h"

#include "base/limits.h"
#include "base/utf8.h"
#include "tools/hashline.h"

#define CONTEXT_LINES 2
#define MAX_BYTES     (32 * KIB) // of lines; those behind are left out

static void append_line(GString *out, const GArray *lines, size_t number, bool is_stale)
{
    const TextLine *line = text_line_at(lines, number - 1);
    g_autofree char *valid = utf8_from_bytes(line->text, line->size);
    g_string_append_printf(out, "\n%c", is_stale ? '*' : ' ');
    hashline_append(out, number, line->text, line->size);
    g_string_append(out, valid);
}

char *hashline_describe_stale(const GArray *lines, const GArray *stale)
{
    GString *out = g_string_new(NULL);
    g_string_append_printf(
        out,
        "Edit rejected: %u %s changed since the last read (marked *).\n"
        "The edit was NOT applied, please use the updated file content shown below, and issue "
        "another edit tool-call.",
        stale->len, stale->len == 1 ? "line has" : "lines have");
    size_t shown = 0; // the last number
    for (unsigned i = 0, next = 0; i < stale->len && out->len < MAX_BYTES; i++) {
        size_t number = g_array_index(stale, size_t, i);
        size_t first = MAX(number - MIN(number - 1, CONTEXT_LINES), shown + 1);
        size_t last = MIN(number + CONTEXT_LINES, lines->len);
        if (shown > 0 && first > shown + 1)
            g_string_append(out, "\n...");
        for (shown = first; shown <= last; shown++) {
            while (next < stale->len && g_array_index(stale, size_t, next) < shown)
                next++;
            append_line(out, lines, shown,
                        next < stale->len && g_array_index(stale, size_t, next) == shown);
        }
        shown = last;
    }
    if (out->len >= MAX_BYTES) {
        g_string_truncate(out, utf8_boundary_before(out->str, out->len, MAX_BYTES));
        g_string_append(out, "\n...");
    }
    return g_string_free(out, FALSE);
}
