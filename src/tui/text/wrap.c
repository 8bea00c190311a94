/*
 * Wrapping (wrap.h): one walk over the clusters of a line.
 *
 * A word goes to the next row as soon as it does not fit, even one that is wider than a whole row
 * and is broken there: were it broken here, a word that grows while it streams would change a row
 * that was full already. Characters of scripts that are written without blanks are words of their
 * own, but for those that may not begin or end a row.
 */
#include "tui/text/wrap.h"

#include "tui/text/width.h"

#include <string.h>

typedef struct Wrap {
    const Row *line;
    const WrapSpec *spec;
    GPtrArray *out;
    RowBuilder *builder;
    RowPlace place;
    int width;
    bool is_first;
    const Row *head;           // of the row that is open; NULL: none
    size_t row_start, row_end; // its whole words, and the indentation
    int row_cells;
    int blanks; // between them and the word that is read
    size_t word_start;
    int word_cells;
    gunichar last; // the first code point of the last cluster
} Wrap;

static int wrap_room(const Wrap *self)
{
    return self->width - (self->head ? self->head->cells : 0);
}

static void open_row(Wrap *self, size_t start)
{
    self->head = self->is_first ? self->spec->first : self->spec->rest;
    if (self->head && self->head->cells >= self->width)
        self->head = NULL;
    self->row_start = self->row_end = self->word_start = start;
    self->row_cells = 0;
    self->blanks = 0;
}

// The row is what comes before `end`; the next one begins at `next`.
static void close_row(Wrap *self, size_t end, size_t next)
{
    if (self->head)
        row_builder_add_row(self->builder, self->head);
    row_builder_add_part(self->builder, self->line, &self->place, self->row_start,
                         end - self->row_start);
    g_ptr_array_add(self->out, row_builder_take(self->builder));
    self->is_first = false;
    open_row(self, next);
}

static void end_word(Wrap *self, size_t end)
{
    if (end == self->word_start)
        return;
    self->row_end = end;
    self->row_cells += self->blanks + self->word_cells;
    self->blanks = 0;
    self->word_start = end;
    self->word_cells = 0;
}

static bool may_not_begin(GUnicodeBreakType type)
{
    return type == G_UNICODE_BREAK_CLOSE_PUNCTUATION || type == G_UNICODE_BREAK_CLOSE_PARANTHESIS ||
           type == G_UNICODE_BREAK_NON_STARTER ||
           type == G_UNICODE_BREAK_CONDITIONAL_JAPANESE_STARTER ||
           type == G_UNICODE_BREAK_EXCLAMATION || type == G_UNICODE_BREAK_INFIX_SEPARATOR ||
           type == G_UNICODE_BREAK_QUOTATION || type == G_UNICODE_BREAK_NON_BREAKING_GLUE;
}

static bool may_break_between(gunichar before, gunichar c)
{
    if (before < 0x80 && c < 0x80)
        return false;
    GUnicodeBreakType left = g_unichar_break_type(before);
    GUnicodeBreakType right = g_unichar_break_type(c);
    if (may_not_begin(right) || left == G_UNICODE_BREAK_OPEN_PUNCTUATION ||
        left == G_UNICODE_BREAK_QUOTATION || left == G_UNICODE_BREAK_NON_BREAKING_GLUE)
        return false;
    return left == G_UNICODE_BREAK_IDEOGRAPHIC || right == G_UNICODE_BREAK_IDEOGRAPHIC;
}

/* A wide character and a single cell: without what the row begins with if that helps, else a mark
   stands for it, since no row is wider than asked. True: it does. */
static bool wrap_squeeze(Wrap *self, size_t offset, size_t size, int cells)
{
    if (cells <= wrap_room(self))
        return false;
    self->head = NULL;
    if (cells <= self->width)
        return false;
    const RowRun *run = row_run_at(self->line, &self->place, offset);
    row_builder_add(self->builder, "?", 1, run->style, run->link);
    close_row(self, self->row_start, offset + size);
    return true;
}

/* Returns where to go on: after the cluster, or at the start of its word, whose row is a new one
   and may be narrower. */
static size_t take_cluster(Wrap *self, size_t offset, size_t size, int cells)
{
    if (self->row_cells + self->blanks + self->word_cells + cells > wrap_room(self)) {
        if (self->row_end > self->row_start) {
            close_row(self, self->row_end, self->word_start);
            self->word_cells = 0;
            return self->word_start;
        }
        // an indentation that leaves too little
        self->row_start = self->row_end = self->word_start;
        self->blanks = 0;
    }
    if (self->word_cells + cells > wrap_room(self) && offset > self->word_start) {
        close_row(self, offset, offset);
        self->word_cells = 0;
    }
    if (offset > self->row_start || !wrap_squeeze(self, offset, size, cells))
        self->word_cells += cells;
    return offset + size;
}

void wrap_row(const Row *line, const WrapSpec *spec, GPtrArray *out)
{
    g_autoptr(RowBuilder) builder = row_builder_new();
    Wrap wrap = { .line = line, .spec = spec, .out = out, .builder = builder, .is_first = true };
    wrap.width = MAX(spec->width, 1);
    open_row(&wrap, 0);
    for (size_t i = 0; i < line->size;) {
        int cells;
        size_t size = cluster_size(line->text + i, line->size - i, &cells);
        gunichar c = g_utf8_get_char(line->text + i);
        if (!spec->is_code && c == ' ' && size == 1) {
            end_word(&wrap, i++);
            wrap.blanks++;
            wrap.word_start = i;
            continue;
        }
        if (!spec->is_code && i > wrap.word_start && may_break_between(wrap.last, c))
            end_word(&wrap, i);
        wrap.last = c;
        i = take_cluster(&wrap, i, size, cells);
    }
    end_word(&wrap, line->size);
    if (wrap.row_end > wrap.row_start || wrap.is_first)
        close_row(&wrap, wrap.row_end, line->size);
}

void wrap_text(const char *text, Style style, const WrapSpec *spec, GPtrArray *out)
{
    WrapSpec line_spec = *spec;
    for (const char *p = text;;) {
        const char *end = strchrnul(p, '\n');
        g_autoptr(RowBuilder) builder = row_builder_new();
        row_builder_add(builder, p, end - p, style, NULL);
        g_autoptr(Row) line = row_builder_take(builder);
        wrap_row(line, &line_spec, out);
        if (*end == '\0' || end[1] == '\0')
            return; // a line end at the end begins no line
        line_spec.first = spec->rest;
        p = end + 1;
    }
}
