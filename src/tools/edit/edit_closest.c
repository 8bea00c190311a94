/*
 * The most similar place (edit_closest.h).
 *
 * Distances are computed only where lengths alone do not rule a run of lines out, most promising
 * ones first, by the bit-parallel method of Myers ("A fast bit-vector algorithm for approximate
 * string matching", 1999) in blocks of 64 characters.
 */
#include "tools/edit/edit_closest.h"

#include "base/utf8.h"
#include "tools/edit/edit_alike.h"

#include <stdint.h>

#define ALIKE_RULE                                                                                 \
    "Letters, digits and operators must be right; only white space, quotes, dashes and Unicode "   \
    "forms may differ."
#define MAX_LINE_CHARS 4096                        // longer lines are equal or not similar at all
#define MAX_STEPS      ((size_t)300 * 1000 * 1000) // of computation, about a second
#define MIN_SCORE      0.5
#define EPSILON        1e-9
#define SHOWN_LINES    20
#define SHOWN_BEFORE   3 // lines before the first that differs, when not all can be shown
#define SHOWN_CHARS    300

/* A line of old_text, made ready for many comparisons: where each character occurs, as bits. */
typedef struct Pattern {
    const AlikeLine *line;
    size_t blocks;
    uint64_t *ascii;   // 128 × blocks
    GHashTable *other; // character → blocks
    uint64_t *none;    // blocks of zero
} Pattern;

static void pattern_clear(void *data)
{
    Pattern *self = data;
    g_free(self->ascii);
    g_free(self->none);
    if (self->other)
        g_hash_table_unref(self->other);
}

static uint64_t *pattern_bits(Pattern *self, gunichar c)
{
    if (c < 128)
        return self->ascii + c * self->blocks;
    uint64_t *bits = g_hash_table_lookup(self->other, GUINT_TO_POINTER(c));
    if (!bits) {
        bits = g_new0(uint64_t, self->blocks);
        g_hash_table_insert(self->other, GUINT_TO_POINTER(c), bits);
    }
    return bits;
}

static Pattern pattern_make(const AlikeLine *line)
{
    Pattern self = { .line = line };
    if (line->length == 0 || line->length > MAX_LINE_CHARS)
        return self;
    self.blocks = (line->length + 63) / 64;
    self.ascii = g_new0(uint64_t, 128 * self.blocks);
    self.none = g_new0(uint64_t, self.blocks);
    self.other = g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, g_free);
    size_t i = 0;
    for (const char *p = line->plain; *p; p = g_utf8_next_char(p), i++)
        pattern_bits(&self, g_utf8_get_char(p))[i / 64] |= UINT64_C(1) << (i % 64);
    return self;
}

/* One column of the table of distances, 64 rows of it. `carry` is the difference that enters at the
   top; the one that leaves at row `last` is returned. */
static int edit_closest_advance(uint64_t *plus, uint64_t *minus, uint64_t equal, unsigned last,
                                int carry)
{
    uint64_t vertical = equal | *minus;
    equal |= carry < 0;
    uint64_t diagonal = (((equal & *plus) + *plus) ^ *plus) | equal;
    uint64_t up = *minus | ~(diagonal | *plus);
    uint64_t down = *plus & diagonal;
    int leaving = (int)(up >> last & 1) - (int)(down >> last & 1);
    up = up << 1 | (carry > 0);
    down = down << 1 | (carry < 0);
    *plus = down | ~(vertical | up);
    *minus = up & vertical;
    return leaving;
}

/* Levenshtein distance over characters. */
static size_t pattern_distance(const Pattern *pattern, const AlikeLine *line)
{
    if (pattern->blocks == 0 || line->length == 0)
        return MAX(pattern->line->length, line->length);
    uint64_t plus[(MAX_LINE_CHARS + 63) / 64], minus[(MAX_LINE_CHARS + 63) / 64];
    memset(plus, 0xff, pattern->blocks * sizeof(*plus));
    memset(minus, 0, pattern->blocks * sizeof(*minus));
    unsigned last = (unsigned)((pattern->line->length - 1) % 64);
    size_t result = pattern->line->length;
    for (const char *p = line->plain; *p; p = g_utf8_next_char(p)) {
        gunichar c = g_utf8_get_char(p);
        const uint64_t *bits = c < 128 ? pattern->ascii + c * pattern->blocks
                                       : g_hash_table_lookup(pattern->other, GUINT_TO_POINTER(c));
        bits = bits ? bits : pattern->none;
        int carry = 1;
        for (size_t i = 0; i < pattern->blocks; i++)
            carry = edit_closest_advance(&plus[i], &minus[i], bits[i],
                                         i + 1 == pattern->blocks ? last : 63, carry);
        result = (size_t)((int64_t)result + carry);
    }
    return result;
}

typedef struct Search {
    GArray *content;  // AlikeLine
    GArray *old;      // AlikeLine
    GArray *patterns; // Pattern, of old
    size_t steps_left;
} Search;

typedef struct Window {
    size_t index;
    double score; // at first no more than this
} Window;

static const AlikeLine *content_line(const Search *self, size_t index)
{
    return &g_array_index(self->content, AlikeLine, index);
}

static const AlikeLine *old_line(const Search *self, size_t index)
{
    return &g_array_index(self->old, AlikeLine, index);
}

static double alike_line_similarity(const AlikeLine *a, const AlikeLine *b, size_t differences)
{
    return 1 - (double)differences / (double)MAX(MAX(a->length, b->length), 1);
}

/* At most so similar, by lengths. */
static double line_bound(const AlikeLine *a, const AlikeLine *b)
{
    if (alike_is_same(a, b))
        return 1;
    if (MAX(a->length, b->length) > MAX_LINE_CHARS)
        return 0;
    size_t gap = MAX(a->length, b->length) - MIN(a->length, b->length);
    return alike_line_similarity(a, b, MAX(gap, 1));
}

static double window_bound(Search *self, size_t index)
{
    double sum = 0;
    for (size_t i = 0; i < self->old->len; i++)
        sum += line_bound(old_line(self, i), content_line(self, index + i));
    self->steps_left -= MIN(self->steps_left, self->old->len);
    return sum / self->old->len;
}

/* The similarity of a window, or less than `floor` as soon as it cannot reach that. */
static double window_score(Search *self, const Window *window, double floor)
{
    double count = self->old->len, sum = window->score * count;
    for (size_t i = 0; i < self->old->len && sum >= (floor - EPSILON) * count; i++) {
        const AlikeLine *old = old_line(self, i), *line = content_line(self, window->index + i);
        double bound = line_bound(old, line);
        if (bound == 0 || alike_is_same(old, line))
            continue;
        const Pattern *pattern = &g_array_index(self->patterns, Pattern, i);
        self->steps_left -= MIN(self->steps_left, line->length * MAX(pattern->blocks, 1));
        sum += alike_line_similarity(old, line, pattern_distance(pattern, line)) - bound;
    }
    return sum / count;
}

static int by_score(const void *a_, const void *b_)
{
    const Window *a = a_, *b = b_;
    if (a->score != b->score)
        return a->score > b->score ? -1 : 1;
    return a->index < b->index ? -1 : 1;
}

/* The most similar window, the first of several; false when none reaches MIN_SCORE. */
static bool search_search(Search *self, Window *ret_best)
{
    g_autoptr(GArray) candidates = g_array_new(FALSE, FALSE, sizeof(Window));
    for (size_t i = 0; i + self->old->len <= self->content->len && self->steps_left > 0; i++) {
        const Window window = { .index = i, .score = window_bound(self, i) };
        if (window.score >= MIN_SCORE)
            g_array_append_val(candidates, window);
    }
    g_array_sort(candidates, by_score);
    Window best = { .score = -1 };
    for (size_t i = 0; i < candidates->len && self->steps_left > 0; i++) {
        Window window = g_array_index(candidates, Window, i);
        double floor = MAX(best.score, MIN_SCORE);
        if (window.score < floor)
            break;
        window.score = window_score(self, &window, floor);
        if (window.score >= MIN_SCORE &&
            (window.score > best.score + EPSILON ||
             (window.score > best.score - EPSILON && window.index < best.index)))
            best = window;
    }
    *ret_best = best;
    return best.score >= MIN_SCORE;
}

static GArray *patterns_of(const GArray *lines)
{
    GArray *patterns = g_array_new(FALSE, TRUE, sizeof(Pattern));
    g_array_set_clear_func(patterns, pattern_clear);
    for (size_t i = 0; i < lines->len; i++) {
        const Pattern pattern = pattern_make(&g_array_index(lines, AlikeLine, i));
        g_array_append_val(patterns, pattern);
    }
    return patterns;
}

static bool find_among(GArray *lines, GArray *old, ClosestPlace *ret_place)
{
    g_autoptr(GArray) patterns = patterns_of(old);
    Search self = { .content = lines, .old = old, .patterns = patterns, .steps_left = MAX_STEPS };
    Window best;
    if (!search_search(&self, &best))
        return false;
    *ret_place = (ClosestPlace) { best.index + 1, old->len, best.score };
    return true;
}

bool closest_find(const char *content, const char *old_text, ClosestPlace *ret_place)
{
    if (!alike_is_searchable(content, old_text))
        return false;
    g_autoptr(GArray) lines = alike_split(content);
    g_autoptr(GArray) old = alike_split_wanted(old_text);
    return find_among(lines, old, ret_place);
}

static void append_line(GString *out, const char *label, const AlikeLine *line)
{
    g_autofree char *valid = utf8_from_bytes(line->start, line->size);
    g_autofree char *cut = utf8_ellipsize(valid, SHOWN_CHARS);
    g_string_append_printf(out, "%s | %s\n", label, cut);
}

static bool alike_line_differs(const AlikeLine *a, const AlikeLine *b, bool is_exact)
{
    return is_exact ? a->size != b->size || memcmp(a->start, b->start, a->size) != 0
                    : !alike_is_same(a, b);
}

char *closest_describe(const char *content, const char *old_text, bool is_exact)
{
    ClosestPlace place;
    if (!alike_is_searchable(content, old_text))
        return g_strdup("");
    g_autoptr(GArray) lines = alike_split(content);
    g_autoptr(GArray) old = alike_split_wanted(old_text);
    if (!find_among(lines, old, &place))
        return g_strdup("");
    const AlikeLine *there = &g_array_index(lines, AlikeLine, place.line - 1);
    const AlikeLine *asked = &g_array_index(old, AlikeLine, 0);

    size_t first = 0;
    while (first + 1 < place.count && !alike_line_differs(&there[first], &asked[first], is_exact))
        first++;
    first = place.count <= SHOWN_LINES || first < SHOWN_BEFORE ? 0 : first - SHOWN_BEFORE;
    GString *out = g_string_new(NULL);
    g_string_printf(out, "\n\nClosest place, lines %zu-%zu (%d%% similar):\n", place.line,
                    place.line + place.count - 1, (int)(place.score * 100 + EPSILON));
    for (size_t i = first; i < MIN(place.count, first + SHOWN_LINES); i++) {
        bool is_other = alike_line_differs(&there[i], &asked[i], is_exact);
        g_autofree char *label = g_strdup_printf("%c%5zu", is_other ? '*' : ' ', place.line + i);
        append_line(out, label, &there[i]);
        if (is_other)
            append_line(out, "  you:", &asked[i]);
    }
    if (is_exact)
        g_string_truncate(out, out->len - 1);
    else
        g_string_append(out, ALIKE_RULE);
    return g_string_free(out, FALSE);
}
