/* See source_bodies.h. */
#include "tools/read/source_bodies.h"

#include <string.h>

enum { MAX_SIGNATURE_LINES = 40, MIN_INNER_BODIES = 2 };

#define BLANK G_MAXSIZE

typedef struct Source {
    const GArray *lines;
    const GArray *tags; // by line, one of each
    size_t *indents;    // bytes of white space before a line's text, from line 1; BLANK: no text
    SourceForm form;
    size_t min_lines;
} Source;

typedef struct Candidate {
    SourceBody body;
    unsigned tag; // its index
} Candidate;

// ---- lines ----

static size_t text_begin(const TextLine *line)
{
    for (size_t i = 0; i < line->size; i++)
        if (!g_ascii_isspace(line->text[i]))
            return i;
    return BLANK;
}

static bool starts_with(const Source *self, size_t number, const char *word)
{
    const TextLine *line = text_line_at(self->lines, number - 1);
    size_t begin = self->indents[number];
    return begin != BLANK && line->size - begin >= strlen(word) &&
           memcmp(line->text + begin, word, strlen(word)) == 0;
}

static bool is_indented_alike(const Source *self, size_t number, size_t other)
{
    size_t indent = self->indents[number];
    return indent != BLANK && indent == self->indents[other] &&
           memcmp(text_line_at(self->lines, number - 1)->text,
                  text_line_at(self->lines, other - 1)->text, indent) == 0;
}

// ---- where a signature ends ----

typedef enum { SIGNATURE_GOES_ON, SIGNATURE_ENDS, SIGNATURE_WITHOUT_BODY } Signature;

/* The rest of a line says nothing: blanks, or the beginning of a comment. */
static bool is_remark(const char *p, const char *end)
{
    while (p < end && g_ascii_isspace(*p))
        p++;
    return p == end || *p == '#' ||
           (end - p >= 2 && strchr("/-", *p) && (p[1] == *p || p[1] == '*'));
}

/* Behind the string that begins at `p`; `end` when it does not end in its line. */
static const char *skip_string(const char *p, const char *end)
{
    char quote = *p;
    for (p++; p < end && *p != quote; p++)
        if (*p == '\\')
            p++;
    return MIN(p + 1, end);
}

/* Behind the brace that closes the one at `p`; NULL: not in this line. */
static const char *skip_braces(const char *p, const char *end)
{
    int depth = 0;
    for (; p < end; p++) {
        depth += *p == '{' ? 1 : *p == '}' ? -1 : 0;
        if (depth == 0)
            return p + 1;
    }
    return NULL;
}

/* Does the brace at `p` begin an object or a class that has just got a name? */
static bool is_value(const TextLine *line, const char *p)
{
    g_autofree char *before = g_strchomp(g_strndup(line->text, (size_t)(p - line->text)));
    return g_str_has_suffix(before, "=") || strstr(before, "= class");
}

static Signature scan_braces(const TextLine *line, bool is_script, int *depth)
{
    const char *p = line->text, *end = p + line->size;
    while (p < end) {
        if (*p == '"') {
            p = skip_string(p, end);
            continue;
        }
        if (end - p >= 2 && p[0] == '/' && p[1] == '/')
            break;
        if (*p == '{' && *depth == 0) {
            if (is_remark(p + 1, end))
                return is_script && is_value(line, p) ? SIGNATURE_WITHOUT_BODY : SIGNATURE_ENDS;
            p = skip_braces(p, end);
            if (!p)
                return SIGNATURE_WITHOUT_BODY;
            continue;
        }
        if ((*p == ';' || *p == '}') && *depth == 0)
            return SIGNATURE_WITHOUT_BODY;
        *depth += strchr("([", *p) ? 1 : strchr(")]", *p) ? -1 : 0;
        p++;
    }
    return SIGNATURE_GOES_ON;
}

static Signature scan_indent(const TextLine *line, int *depth)
{
    const char *p = line->text, *end = p + line->size;
    while (p < end && *p != '#') {
        if (*p == '"' || *p == '\'') {
            p = skip_string(p, end);
            continue;
        }
        if (*p == ':' && *depth == 0)
            return is_remark(p + 1, end) ? SIGNATURE_ENDS : SIGNATURE_WITHOUT_BODY;
        *depth += strchr("([{", *p) ? 1 : strchr(")]}", *p) ? -1 : 0;
        p++;
    }
    return SIGNATURE_GOES_ON;
}

/* A whole function in one line. */
static bool has_end_word(const char *text, const char *end)
{
    while (end > text && strchr(" \t;,)}", end[-1]))
        end--;
    return end - text >= 4 && memcmp(end - 3, "end", 3) == 0 && !g_ascii_isalnum(end[-4]) &&
           end[-4] != '_';
}

static Signature scan_end(const TextLine *line, int *depth)
{
    const char *p = line->text, *end = p + line->size, *last = p;
    while (p < end && *p != '#' && !(end - p >= 2 && p[0] == '-' && p[1] == '-')) {
        const char *begin = p;
        p = *p == '"' || *p == '\'' ? skip_string(p, end) : p + 1;
        *depth += strchr("([{", *begin) ? 1 : strchr(")]}", *begin) ? -1 : 0;
        if (!g_ascii_isspace(*begin))
            last = begin;
    }
    if (has_end_word(line->text, end))
        return SIGNATURE_WITHOUT_BODY;
    return *depth != 0 || *last == ',' || *last == '\\' ? SIGNATURE_GOES_ON : SIGNATURE_ENDS;
}

static Signature source_bodies_scan(SourceForm form, const TextLine *line, int *depth)
{
    if (form == SOURCE_INDENT)
        return scan_indent(line, depth);
    return form == SOURCE_END ? scan_end(line, depth)
                              : scan_braces(line, form == SOURCE_SCRIPT, depth);
}

/* Can a line belong to the signature that begins at `first`, when no one knows where the function
   ends? */
static bool goes_on(const Source *self, size_t number, size_t first)
{
    size_t indent = self->indents[number];
    if (indent == BLANK)
        return false;
    return indent > self->indents[first] ||
           strchr("{)]}", text_line_at(self->lines, number - 1)->text[indent]) ||
           starts_with(self, number, "where");
}

/* The line after which the body begins; 0: there is none. */
static size_t find_head(const Source *self, const SourceTag *tag)
{
    int depth = 0;
    size_t last = MIN(tag->end > 0 ? tag->end : self->lines->len, tag->line + MAX_SIGNATURE_LINES);
    for (size_t number = tag->line; number <= last; number++) {
        if (tag->end == 0 && number > tag->line && depth == 0 && !goes_on(self, number, tag->line))
            return 0;
        Signature is =
            source_bodies_scan(self->form, text_line_at(self->lines, number - 1), &depth);
        if (is == SIGNATURE_ENDS)
            return number;
        if (is == SIGNATURE_WITHOUT_BODY || depth < 0)
            return 0;
    }
    return 0;
}

// ---- where a body ends ----

static bool is_closing(const Source *self, size_t number)
{
    if (self->form == SOURCE_SCRIPT)
        return starts_with(self, number, "}");
    if (self->form == SOURCE_BRACES) // a comma follows no function, but a string over several lines
        return starts_with(self, number, "}") && !starts_with(self, number, "},");
    const TextLine *line = text_line_at(self->lines, number - 1);
    size_t behind = self->indents[number] + strlen("end");
    return starts_with(self, number, "end") &&
           (behind == line->size ||
            !(g_ascii_isalnum(line->text[behind]) || line->text[behind] == '_'));
}

/* The line with the brace, or with "end"; 0: none that is certain. */
static size_t find_tail(const Source *self, const SourceTag *tag, size_t head)
{
    if (tag->end > 0)
        return tag->end > head && is_closing(self, tag->end) &&
                       (is_indented_alike(self, tag->end, tag->line) ||
                        is_indented_alike(self, tag->end, head))
                   ? tag->end
                   : 0;
    for (size_t number = head + 1; number <= self->lines->len; number++) {
        if (self->indents[number] == BLANK || self->indents[number] > self->indents[tag->line])
            continue;
        return is_indented_alike(self, number, tag->line) && is_closing(self, number) ? number : 0;
    }
    return 0;
}

/* The first line of what the function says of itself stays. */
static bool is_docstring(const Source *self, size_t number)
{
    static const char *const quotes[] = { "\"", "'", "r\"", "r'", "R\"", "u\"" };
    for (size_t i = 0; i < G_N_ELEMENTS(quotes); i++)
        if (starts_with(self, number, quotes[i]))
            return true;
    return false;
}

static bool find_indented(const Source *self, const SourceTag *tag, size_t head,
                          SourceBody *ret_body)
{
    SourceBody body = { head + 1, tag->end };
    if (tag->end <= head)
        return false;
    while (body.last > head && self->indents[body.last] == BLANK)
        body.last--;
    while (body.first < body.last && self->indents[body.first] == BLANK)
        body.first++;
    if (body.first > body.last || self->indents[body.first] <= self->indents[tag->line])
        return false;
    if (is_docstring(self, body.first))
        body.first++;
    *ret_body = body;
    return true;
}

static bool find_body(const Source *self, const SourceTag *tag, SourceBody *ret_body)
{
    SourceBody body = { 0 };
    size_t head = self->indents[tag->line] == BLANK ? 0 : find_head(self, tag);
    if (head == 0)
        return false;
    if (self->form == SOURCE_INDENT) {
        if (!find_indented(self, tag, head, &body))
            return false;
    } else {
        size_t tail = find_tail(self, tag, head);
        if (tail == 0)
            return false;
        body = (SourceBody) { head + 1, tail - 1 };
    }
    if (body.first > body.last || body.last - body.first + 1 < self->min_lines)
        return false;
    *ret_body = body;
    return true;
}

// ---- which of them ----

/* A function that does not stand further right than the one around it is not within it: the end is
   wrong. */
static bool is_doubtful(const Source *self, const Candidate *candidate)
{
    size_t indent = self->indents[g_array_index(self->tags, SourceTag, candidate->tag).line];
    for (unsigned i = candidate->tag + 1; i < self->tags->len; i++) {
        size_t line = g_array_index(self->tags, SourceTag, i).line;
        if (line > candidate->body.last)
            return false;
        if (line >= candidate->body.first && self->indents[line] <= indent)
            return true;
    }
    return false;
}

/* Most of the file, and functions in it: they are what there is to see. */
static bool is_container(const Source *self, const GArray *candidates, unsigned index)
{
    const SourceBody *body = &g_array_index(candidates, Candidate, index).body;
    if ((body->last - body->first + 1) * 2 <= self->lines->len)
        return false;
    unsigned inner = 0;
    for (unsigned i = index + 1; i < candidates->len && inner < MIN_INNER_BODIES; i++) {
        if (g_array_index(candidates, Candidate, i).body.first > body->last)
            break;
        inner++;
    }
    return inner >= MIN_INNER_BODIES;
}

static GArray *source_choose(const Source *self, const GArray *candidates)
{
    GArray *chosen = g_array_new(FALSE, FALSE, sizeof(SourceBody));
    size_t behind = 0; // the last line that is taken: the line before the next body is shown
    for (unsigned i = 0; i < candidates->len; i++) {
        const Candidate *candidate = &g_array_index(candidates, Candidate, i);
        if (candidate->body.first <= behind + 1 || is_doubtful(self, candidate) ||
            is_container(self, candidates, i))
            continue;
        behind = candidate->body.last;
        g_array_append_val(chosen, candidate->body);
    }
    return chosen;
}

static int compare_tags(const void *a_, const void *b_)
{
    const SourceTag *a = a_, *b = b_;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    // an end that is not known counts as the last
    return a->end - 1 == b->end - 1 ? 0 : a->end - 1 < b->end - 1 ? -1 : 1;
}

static int compare_candidates(const void *a_, const void *b_)
{
    const SourceBody *a = &((const Candidate *)a_)->body, *b = &((const Candidate *)b_)->body;
    if (a->first != b->first)
        return a->first < b->first ? -1 : 1;
    return a->last == b->last ? 0 : a->last > b->last ? -1 : 1;
}

/* Those that fit the text, by line, one of each line: the shortest. */
static void tidy_tags(GArray *tags, size_t total)
{
    g_array_sort(tags, compare_tags);
    unsigned kept = 0;
    for (unsigned i = 0; i < tags->len; i++) {
        const SourceTag tag = g_array_index(tags, SourceTag, i);
        bool is_known = kept > 0 && g_array_index(tags, SourceTag, kept - 1).line == tag.line;
        if (tag.line >= 1 && tag.line <= total && tag.end <= total &&
            (tag.end == 0 || tag.end >= tag.line) && !is_known)
            g_array_index(tags, SourceTag, kept++) = tag;
    }
    g_array_set_size(tags, kept);
}

GArray *source_bodies_find(const GArray *lines, GArray *tags, SourceForm form, size_t min_lines)
{
    tidy_tags(tags, lines->len);
    g_autofree size_t *indents = g_new(size_t, lines->len + 1);
    indents[0] = BLANK;
    for (unsigned i = 0; i < lines->len; i++)
        indents[i + 1] = text_begin(text_line_at(lines, i));
    const Source source = { lines, tags, indents, form, MAX(min_lines, 1) };
    g_autoptr(GArray) candidates = g_array_new(FALSE, FALSE, sizeof(Candidate));
    for (unsigned i = 0; i < tags->len; i++) {
        Candidate candidate = { .tag = i };
        if (find_body(&source, &g_array_index(tags, SourceTag, i), &candidate.body))
            g_array_append_val(candidates, candidate);
    }
    g_array_sort(candidates, compare_candidates);
    return source_choose(&source, candidates);
}
