/*
 * Clusters and cells (width.h). Segmentation and widths are utf8proc's, ambiguous width is GLib's:
 * no table of our own to grow old. The one writable variable is set before anything is measured.
 */
#include "tui/text/width.h"

#include <utf8proc.h>

#define VARIATION_TEXT  0xfe0e
#define VARIATION_EMOJI 0xfe0f
#define KEYCAP          0x20e3
#define SKIN_TONE_FIRST 0x1f3fb
#define SKIN_TONE_LAST  0x1f3ff

static int ambiguous_cells = 1;

void width_set_ambiguous(int cells)
{
    ambiguous_cells = cells == 2 ? 2 : 1;
}

// What the width of a cluster depends on.
typedef struct Cluster {
    size_t size;
    gunichar first;
    int widest;      // of its code points
    int regional;    // how many indicators
    bool is_special; // of those whose width terminals disagree on
    bool is_wide;    // of these, one that takes two cells
} Cluster;

static int class_of(gunichar c)
{
    return utf8proc_get_property((utf8proc_int32_t)c)->boundclass;
}

static int point_cells(gunichar c)
{
    if (c < 0x7f)
        return c < 0x20 ? 0 : 1;
    if (g_unichar_iscntrl(c))
        return 0;
    int cells = utf8proc_charwidth((utf8proc_int32_t)c);
    if (cells == 1 && ambiguous_cells == 2 && g_unichar_iswide_cjk(c))
        return 2;
    return CLAMP(cells, 0, 2);
}

// `c` is a further code point of the cluster.
static void judge_part(Cluster *self, gunichar c)
{
    bool is_emoji = class_of(self->first) == UTF8PROC_BOUNDCLASS_EXTENDED_PICTOGRAPHIC;
    bool is_key = self->first < 0x80 &&
                  (g_ascii_isdigit((char)self->first) || self->first == '#' || self->first == '*');
    if (is_emoji && (c == VARIATION_EMOJI || class_of(c) == UTF8PROC_BOUNDCLASS_ZWJ ||
                     (c >= SKIN_TONE_FIRST && c <= SKIN_TONE_LAST)))
        self->is_special = self->is_wide = true;
    else if ((is_emoji && c == VARIATION_TEXT) || (is_key && c == VARIATION_EMOJI))
        self->is_special = true;
    else if (is_key && c == KEYCAP)
        self->is_special = self->is_wide = true;
    else if (class_of(c) == UTF8PROC_BOUNDCLASS_REGIONAL_INDICATOR)
        self->is_special = self->is_wide = ++self->regional == 2;
}

static bool read_cluster(const char *text, size_t size, Cluster *ret_cluster)
{
    if (size == 0)
        return false;
    const char *end = text + size;
    const char *p = g_utf8_next_char(text);
    gunichar c = g_utf8_get_char(text);
    Cluster cluster = { .first = c, .widest = point_cells(c) };
    cluster.regional = class_of(c) == UTF8PROC_BOUNDCLASS_REGIONAL_INDICATOR ? 1 : 0;
    utf8proc_int32_t state = 0;
    while (p < end) {
        gunichar next = g_utf8_get_char(p);
        if (utf8proc_grapheme_break_stateful((utf8proc_int32_t)c, (utf8proc_int32_t)next, &state))
            break;
        judge_part(&cluster, next);
        cluster.widest = MAX(cluster.widest, point_cells(next));
        c = next;
        p = g_utf8_next_char(p);
    }
    cluster.size = (size_t)(MIN(p, end) - text);
    *ret_cluster = cluster;
    return true;
}

// Neither joined by what follows nor a control character.
static bool is_plain(const char *text, size_t size)
{
    return text[0] >= 0x20 && text[0] < 0x7f && (size == 1 || (unsigned char)text[1] < 0x80);
}

size_t cluster_size(const char *text, size_t size, int *ret_cells)
{
    Cluster cluster = { .size = 1, .widest = 1 };
    if (size == 0)
        cluster = (Cluster) { 0 };
    else if (!is_plain(text, size))
        read_cluster(text, size, &cluster);
    if (ret_cells)
        *ret_cells = cluster.is_wide ? 2 : cluster.widest;
    return cluster.size;
}

int text_cells(const char *text, size_t size)
{
    int sum = 0;
    for (size_t i = 0; i < size;) {
        int cells;
        i += cluster_size(text + i, size - i, &cells);
        sum += cells;
    }
    return sum;
}

// Whether a cluster begins at `c` after `before`, whatever stood before that.
static bool is_sure_start(gunichar before, gunichar c)
{
    int class = class_of(before);
    return class != UTF8PROC_BOUNDCLASS_EXTEND && class != UTF8PROC_BOUNDCLASS_ZWJ &&
           class != UTF8PROC_BOUNDCLASS_SPACINGMARK &&
           class != UTF8PROC_BOUNDCLASS_REGIONAL_INDICATOR &&
           utf8proc_grapheme_break((utf8proc_int32_t)before, (utf8proc_int32_t)c);
}

size_t cluster_start(const char *text, size_t offset)
{
    if (offset == 0)
        return 0;
    const char *start = g_utf8_prev_char(text + offset);
    while (start > text) {
        const char *before = g_utf8_prev_char(start);
        if (is_sure_start(g_utf8_get_char(before), g_utf8_get_char(start)))
            break;
        start = before;
    }
    size_t last = (size_t)(start - text);
    for (size_t i = last; i < offset; i += cluster_size(text + i, offset - i, NULL))
        last = i;
    return last;
}

bool cluster_is_unsure(const char *cluster, size_t size)
{
    Cluster read;
    if (size < 2 || !read_cluster(cluster, size, &read))
        return false;
    // what was not assigned yet when our tables were made may be an emoji by now
    return read.is_special ||
           utf8proc_category((utf8proc_int32_t)read.first) == UTF8PROC_CATEGORY_CN;
}
