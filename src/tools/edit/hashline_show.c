/* See hashline_show.h. */
#include "tools/edit/hashline_show.h"

#include "base/utf8.h"
#include "tools/file/hashline.h"

#define CONTEXT_LINES 2

static void append_line(GString *out, const GArray *lines, size_t number, bool is_marked,
                        size_t max, ReadSnapshot *shown)
{
    const TextLine *line = text_line_at(lines, number - 1);
    g_autofree char *valid = utf8_from_bytes(line->text, line->size);
    g_string_append_printf(out, "\n%c", is_marked ? '*' : ' ');
    hashline_append(out, number, line->text, line->size);
    g_string_append(out, valid);
    if (out->len < max)
        read_snapshot_add(shown, number, line->text, line->size);
}

static void append_head(GString *out, unsigned stale, unsigned unseen)
{
    g_string_append(out, "Edit rejected: ");
    if (stale > 0)
        g_string_append_printf(out, "%u %s changed since the last read", stale,
                               stale == 1 ? "line has" : "lines have");
    if (unseen > 0)
        g_string_append_printf(out, "%s%u %s inside a range %s not been shown to you lately",
                               stale > 0 ? ", and " : "", unseen, unseen == 1 ? "line" : "lines",
                               unseen == 1 ? "has" : "have");
    g_string_append(out, " (marked *).\nThe edit was NOT applied");
    g_string_append(out, stale > 0
                             ? ", please use the updated file content shown below, and issue "
                               "another edit tool-call."
                             : ": these lines would go, too. If that is meant, make the same call "
                               "again.");
}

/* Of two ascending arrays. Caller unrefs. */
static GArray *merge(const GArray *a, const GArray *b)
{
    GArray *out = g_array_new(FALSE, FALSE, sizeof(size_t));
    for (unsigned i = 0, k = 0; i < a->len || k < b->len;) {
        bool is_a = k == b->len ||
                    (i < a->len && g_array_index(a, size_t, i) < g_array_index(b, size_t, k));
        size_t number = is_a ? g_array_index(a, size_t, i++) : g_array_index(b, size_t, k++);
        g_array_append_val(out, number);
    }
    return out;
}

char *hashline_describe_refusal(const GArray *lines, const GArray *stale, const GArray *unseen,
                                size_t max_bytes, ReadSnapshot *shown)
{
    GString *out = g_string_new(NULL);
    g_autoptr(GArray) marked = merge(stale, unseen);
    append_head(out, stale->len, unseen->len);
    const size_t max = out->len + max_bytes;
    size_t last_shown = 0;
    for (unsigned i = 0, next = 0; i < marked->len && out->len < max; i++) {
        size_t number = g_array_index(marked, size_t, i);
        size_t first = MAX(number - MIN(number - 1, CONTEXT_LINES), last_shown + 1);
        size_t last = MIN(number + CONTEXT_LINES, lines->len);
        if (last_shown > 0 && first > last_shown + 1)
            g_string_append(out, "\n...");
        for (size_t k = first; k <= last; k++) {
            while (next < marked->len && g_array_index(marked, size_t, next) < k)
                next++;
            append_line(out, lines, k,
                        next < marked->len && g_array_index(marked, size_t, next) == k, max, shown);
        }
        last_shown = last;
    }
    if (out->len >= max) {
        g_string_truncate(out, utf8_boundary_before(out->str, out->len, max));
        g_string_append(out, "\n...");
    }
    return g_string_free(out, FALSE);
}
