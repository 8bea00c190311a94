/*
 * Fuzzy search over windows of lines (edit_fuzzy.h).
 *
 * A line is compared by its text without indentation, and by how deep it stands in its window. The
 * similarity of a window is the mean over its lines. Distances are computed only where lengths
 * alone do not rule a window out, most promising windows first, by the bit-parallel method of Myers
 * ("A fast bit-vector algorithm for approximate string matching", 1999) in blocks of 64 characters.
 */
#include "tools/edit_fuzzy.h"

#include "base/limits.h"
#include "base/utf8.h"

#include <stdint.h>

#define RETRY_FLOOR     0.8  // from here on a match may only stand at another depth
#define DOMINANT_SCORE  0.97 // such a match wins when it leads by the margin
#define DOMINANT_MARGIN 0.08
#define MAX_BYTES       (16 * MIB)                  // of a file that is searched
#define MAX_LINE_CHARS  4096                        // longer lines are equal or not similar at all
#define MAX_STEPS       ((size_t)300 * 1000 * 1000) // of distance computation, about a second
#define EPSILON         1e-9

typedef struct Line {
    const char *start; // in the text
    size_t size;
    size_t indent; // leading blanks
    char *trimmed; // with quotes, dashes and blanks made alike
    size_t length; // of trimmed, in characters
    unsigned hash; // of trimmed
} Line;

static void line_clear(void *data)
{
    g_free(((Line *)data)->trimmed);
}

void fuzzy_match_clear(FuzzyMatch *self)
{
    g_clear_pointer(&self->places, g_array_unref);
    g_clear_pointer(&self->differing_old, g_free);
    g_clear_pointer(&self->differing_new, g_free);
}

static gunichar plain_character(gunichar c)
{
    static const gunichar double_quotes[] = { 0x201c, 0x201d, 0x201e, 0x201f, 0xab, 0xbb };
    static const gunichar single_quotes[] = { 0x2018, 0x2019, 0x201a, 0x201b,
                                              0x2039, 0x203a, '`',    0xb4 };
    for (size_t i = 0; i < G_N_ELEMENTS(double_quotes); i++) {
        if (c == double_quotes[i])
            return '"';
    }
    for (size_t i = 0; i < G_N_ELEMENTS(single_quotes); i++) {
        if (c == single_quotes[i])
            return '\'';
    }
    return (c >= 0x2010 && c <= 0x2015) || c == 0x2212 ? '-' : c;
}

/* Trimmed, runs of blanks as one. */
static char *normalize(const char *text, size_t size, size_t *ret_length)
{
    g_autofree char *valid = utf8_from_bytes(text, size);
    GString *out = g_string_sized_new(size + 1);
    bool has_blank = false; // not yet written
    size_t length = 0;
    for (const char *p = valid; *p; p = g_utf8_next_char(p)) {
        gunichar c = g_utf8_get_char(p);
        if (c == 0xfeff || g_unichar_isspace(c)) {
            has_blank = length > 0;
            continue;
        }
        if (has_blank)
            g_string_append_c(out, ' ');
        length += has_blank ? 2 : 1;
        has_blank = false;
        if (c < 0x80 && c != '`')
            g_string_append_c(out, (char)c);
        else
            g_string_append_unichar(out, plain_character(c));
    }
    *ret_length = length;
    return g_string_free(out, FALSE);
}

static GArray *split_lines(const char *text)
{
    GArray *lines = g_array_new(FALSE, TRUE, sizeof(Line));
    g_array_set_clear_func(lines, line_clear);
    for (const char *p = text;;) {
        const char *end = strchrnul(p, '\n');
        Line line = { .start = p, .size = (size_t)(end - p) };
        line.indent = MIN(strspn(p, " \t"), line.size);
        line.trimmed = normalize(p, line.size, &line.length);
        line.hash = g_str_hash(line.trimmed);
        g_array_append_val(lines, line);
        if (*end == '\0')
            return lines;
        p = end + 1;
    }
}

/* A line of old_text, made ready for many comparisons: where each character occurs, as bits. */
typedef struct Pattern {
    const Line *line;
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

static Pattern pattern_make(const Line *line)
{
    Pattern self = { .line = line };
    if (line->length == 0 || line->length > MAX_LINE_CHARS)
        return self;
    self.blocks = (line->length + 63) / 64;
    self.ascii = g_new0(uint64_t, 128 * self.blocks);
    self.none = g_new0(uint64_t, self.blocks);
    self.other = g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, g_free);
    size_t i = 0;
    for (const char *p = line->trimmed; *p; p = g_utf8_next_char(p), i++)
        pattern_bits(&self, g_utf8_get_char(p))[i / 64] |= UINT64_C(1) << (i % 64);
    return self;
}

/* One column of the table of distances, 64 rows of it. `carry` is the difference that enters at the
   top; the one that leaves at row `last` is returned. */
static int advance(uint64_t *plus, uint64_t *minus, uint64_t equal, unsigned last, int carry)
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
static size_t distance(const Pattern *pattern, const Line *line)
{
    if (pattern->blocks == 0 || line->length == 0)
        return MAX(pattern->line->length, line->length);
    uint64_t plus[(MAX_LINE_CHARS + 63) / 64], minus[(MAX_LINE_CHARS + 63) / 64];
    memset(plus, 0xff, pattern->blocks * sizeof(*plus));
    memset(minus, 0, pattern->blocks * sizeof(*minus));
    unsigned last = (unsigned)((pattern->line->length - 1) % 64);
    size_t result = pattern->line->length;
    for (const char *p = line->trimmed; *p; p = g_utf8_next_char(p)) {
        gunichar c = g_utf8_get_char(p);
        const uint64_t *bits = c < 128 ? pattern->ascii + c * pattern->blocks
                                       : g_hash_table_lookup(pattern->other, GUINT_TO_POINTER(c));
        bits = bits ? bits : pattern->none;
        int carry = 1;
        for (size_t i = 0; i < pattern->blocks; i++)
            carry =
                advance(&plus[i], &minus[i], bits[i], i + 1 == pattern->blocks ? last : 63, carry);
        result = (size_t)((int64_t)result + carry);
    }
    return result;
}

/* Depths count from the least indented line, in steps of the smallest difference: what matters is
   the shape, not the column. */
typedef struct Shape {
    size_t least, step;
} Shape;

static Shape shape_of(const Line *lines, size_t count)
{
    Shape shape = { .least = SIZE_MAX, .step = SIZE_MAX };
    for (size_t i = 0; i < count; i++) {
        if (lines[i].length > 0)
            shape.least = MIN(shape.least, lines[i].indent);
    }
    for (size_t i = 0; i < count; i++) {
        if (lines[i].length > 0 && lines[i].indent > shape.least)
            shape.step = MIN(shape.step, lines[i].indent - shape.least);
    }
    return shape;
}

static size_t depth_of(const Shape *shape, const Line *line)
{
    if (line->length == 0 || line->indent <= shape->least)
        return 0;
    return (line->indent - shape->least + shape->step / 2) / shape->step;
}

typedef struct Search {
    GArray *content;  // Line
    GArray *old;      // Line
    GArray *patterns; // Pattern, of old
    Shape old_shape;
    double threshold;
    bool has_depth;
    size_t steps_left;
} Search;

typedef struct Window {
    size_t index;
    double score; // at first no more than this
} Window;

static const Line *content_line(const Search *self, size_t index)
{
    return &g_array_index(self->content, Line, index);
}

static const Line *old_line(const Search *self, size_t index)
{
    return &g_array_index(self->old, Line, index);
}

static bool is_same(const Line *a, const Line *b)
{
    return a->hash == b->hash && a->length == b->length && strcmp(a->trimmed, b->trimmed) == 0;
}

/* Two more characters stand for the depth and what separates it from the text. */
static double similarity(const Line *a, const Line *b, size_t differences)
{
    return 1 - (double)differences / (double)(MAX(a->length, b->length) + 2);
}

/* At most so similar, by lengths. */
static double line_bound(const Line *a, const Line *b)
{
    if (is_same(a, b))
        return 1;
    if (MAX(a->length, b->length) > MAX_LINE_CHARS)
        return 0;
    size_t gap = MAX(a->length, b->length) - MIN(a->length, b->length);
    return similarity(a, b, MAX(gap, 1));
}

static double window_bound(const Search *self, size_t index)
{
    double sum = 0;
    for (size_t i = 0; i < self->old->len; i++)
        sum += line_bound(old_line(self, i), content_line(self, index + i));
    return sum / self->old->len;
}

/* The similarity of a window, or less than `floor` as soon as it cannot reach that. */
static double window_score(Search *self, const Window *window, double floor)
{
    const Line *lines = content_line(self, window->index);
    Shape shape = shape_of(lines, self->old->len);
    double count = self->old->len, sum = window->score * count;
    for (size_t i = 0; i < self->old->len && sum >= (floor - EPSILON) * count; i++) {
        const Line *old = old_line(self, i);
        bool is_deeper =
            self->has_depth && depth_of(&self->old_shape, old) != depth_of(&shape, &lines[i]);
        double bound = line_bound(old, &lines[i]);
        size_t differences = 0;
        if (bound > 0 && !is_same(old, &lines[i])) {
            const Pattern *pattern = &g_array_index(self->patterns, Pattern, i);
            self->steps_left -= MIN(self->steps_left, lines[i].length * MAX(pattern->blocks, 1));
            differences = distance(pattern, &lines[i]);
        }
        double score = bound > 0 ? similarity(old, &lines[i], differences + is_deeper) : 0;
        sum += MAX(score, 0) - bound;
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

/* The windows that reach the threshold, or else the most similar one, best first. */
static GArray *search(Search *self)
{
    GArray *candidates = g_array_new(FALSE, FALSE, sizeof(Window));
    for (size_t i = 0; i + self->old->len <= self->content->len; i++) {
        const Window window = { .index = i, .score = window_bound(self, i) };
        g_array_append_val(candidates, window);
    }
    g_array_sort(candidates, by_score);

    GArray *found = g_array_new(FALSE, FALSE, sizeof(Window));
    double best = EPSILON;
    for (size_t i = 0; i < candidates->len && self->steps_left > 0; i++) {
        Window window = g_array_index(candidates, Window, i);
        double floor = MIN(best, self->threshold);
        if (window.score < floor)
            break;
        window.score = window_score(self, &window, floor);
        if (window.score < floor || (best < self->threshold && window.score <= best))
            continue;
        if (best < self->threshold)
            g_array_set_size(found, 0);
        g_array_append_val(found, window);
        best = MAX(best, window.score);
    }
    g_array_unref(candidates);
    g_array_sort(found, by_score);
    return found;
}

static bool is_accepted(const GArray *found, double threshold)
{
    double best = g_array_index(found, Window, 0).score;
    if (best < threshold)
        return false;
    return found->len == 1 || (best >= DOMINANT_SCORE &&
                               best - g_array_index(found, Window, 1).score >= DOMINANT_MARGIN);
}

static FuzzyPlace place_of(const Search *self, const Window *window, const char *content,
                           bool ends_line)
{
    const Line *first = content_line(self, window->index);
    const Line *last = content_line(self, window->index + self->old->len - 1);
    const char *end = last->start + last->size;
    return (FuzzyPlace) {
        .start = (size_t)(first->start - content),
        .size = (size_t)(end - first->start) + (ends_line && *end == '\n'),
        .line = window->index + 1,
        .score = window->score,
    };
}

static int by_start(const void *a, const void *b)
{
    return ((const FuzzyPlace *)a)->start < ((const FuzzyPlace *)b)->start ? -1 : 1;
}

/* Best first, leaving out what overlaps a better one; then in the order of the text. */
static GArray *places_of(const Search *self, const GArray *found, const char *content,
                         bool ends_line)
{
    GArray *places = g_array_new(FALSE, FALSE, sizeof(FuzzyPlace));
    g_autofree bool *is_taken = g_new0(bool, self->content->len);
    for (size_t i = 0; i < found->len; i++) {
        const Window *window = &g_array_index(found, Window, i);
        bool *taken = is_taken + window->index;
        if (window->score < self->threshold || memchr(taken, true, self->old->len))
            continue;
        memset(taken, true, self->old->len);
        const FuzzyPlace place = place_of(self, window, content, ends_line);
        g_array_append_val(places, place);
    }
    g_array_sort(places, by_start);
    return places;
}

static void describe_difference(const Search *self, size_t index, FuzzyMatch *match)
{
    for (size_t i = 0; i < self->old->len; i++) {
        const Line *old = old_line(self, i), *there = content_line(self, index + i);
        if (old->size == there->size && memcmp(old->start, there->start, old->size) == 0)
            continue;
        match->differing_old = utf8_from_bytes(old->start, old->size);
        match->differing_new = utf8_from_bytes(there->start, there->size);
        return;
    }
}

static void find(Search *self, const char *content, bool ends_line, FuzzyMatch *match)
{
    self->has_depth = true;
    g_autoptr(GArray) found = search(self);
    double best = found->len > 0 ? g_array_index(found, Window, 0).score : 0;
    if (best >= RETRY_FLOOR && best < self->threshold) {
        self->has_depth = false;
        GArray *flat = search(self);
        if (flat->len > 0 && g_array_index(flat, Window, 0).score > best) {
            g_array_unref(found);
            found = g_array_ref(flat);
        }
        g_array_unref(flat);
    }
    if (found->len == 0)
        return;
    const Window *closest = &g_array_index(found, Window, 0);
    match->has_closest = true;
    match->is_accepted = is_accepted(found, self->threshold);
    match->closest = place_of(self, closest, content, ends_line);
    match->places = places_of(self, found, content, ends_line);
    match->over_threshold = closest->score >= self->threshold ? found->len : 0;
    describe_difference(self, closest->index, match);
}

void fuzzy_find(const char *content, const char *old_text, double threshold, FuzzyMatch *ret_match)
{
    if (strlen(content) > MAX_BYTES || utf8_is_blank(old_text))
        return;
    // a final newline belongs to the last line, it is no line of its own
    size_t old_size = strlen(old_text);
    bool ends_line = old_text[old_size - 1] == '\n';
    g_autofree char *old_body = g_strndup(old_text, old_size - ends_line);

    g_autoptr(GArray) content_lines = split_lines(content);
    g_autoptr(GArray) old_lines = split_lines(old_body);
    g_autoptr(GArray) patterns = g_array_new(FALSE, TRUE, sizeof(Pattern));
    g_array_set_clear_func(patterns, pattern_clear);
    for (size_t i = 0; i < old_lines->len; i++) {
        const Pattern pattern = pattern_make(&g_array_index(old_lines, Line, i));
        g_array_append_val(patterns, pattern);
    }
    Search self = {
        .content = content_lines,
        .old = old_lines,
        .patterns = patterns,
        .old_shape = shape_of(&g_array_index(old_lines, Line, 0), old_lines->len),
        .threshold = threshold - EPSILON, // scores are sums of fractions
        .steps_left = MAX_STEPS,
    };
    find(&self, content, ends_line, ret_match);
}
