/*
 * Cleaning (clean.h), in steps that each take what comes as it comes: bytes to valid text, control
 * sequences out, then character by character.
 *
 * A CR has to survive the filter of control sequences, which drops it, and yet break off a sequence
 * that it stands in: it passes through as a byte that is in no valid text.
 */
#include "tui/text/clean.h"

#include "base/ansi.h"
#include "base/hidden.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "tui/text/row.h"
#include "tui/text/width.h"

#include <string.h>

#define CR_MARK "\xff"

#define NON_JOINER     0x200c
#define JOINER         0x200d
#define LINE_SEPARATOR 0x2028
#define PARAGRAPH_END  0x2029

enum {
    MARKS_MAX = 30, // on one character, as in the stream-safe format of UAX #15
    TAB_MAX = 16,
    PIECE_BYTES = 1024, // at first, of a text of which a line is wanted
    CUT_CELLS = 8,      // after the cut, so that what is before it is whole
};

struct Cleaner {
    bool is_flowing;
    int tab_width;
    Utf8Decoder decoder;
    AnsiFilter *filter;
    GString *decoded, *filtered; // of one push
    GString *line;               // the open one
    size_t given;                // bytes of it that were given out
    size_t measured;             // bytes of it that `column` counts
    int column;
    bool has_cr;      // after the line, and what follows decides what it does
    gunichar before;  // the last character of the line; 0: none
    gunichar pending; // one that stays only before the right character
    int marks;        // on the last character
};

static Cleaner *clean_make(int tab_width, bool is_flowing)
{
    Cleaner *self = g_new0(Cleaner, 1);
    self->is_flowing = is_flowing;
    self->tab_width = CLAMP(tab_width, 1, TAB_MAX);
    self->filter = ansi_filter_new();
    self->decoded = g_string_new(NULL);
    self->filtered = g_string_new(NULL);
    self->line = g_string_new(NULL);
    return self;
}

Cleaner *cleaner_new(int tab_width)
{
    return clean_make(tab_width, false);
}

Cleaner *cleaner_new_flowing(int tab_width)
{
    return clean_make(tab_width, true);
}

void cleaner_free(Cleaner *self)
{
    if (!self)
        return;
    ansi_filter_free(self->filter);
    g_string_free(self->decoded, TRUE);
    g_string_free(self->filtered, TRUE);
    g_string_free(self->line, TRUE);
    g_free(self);
}

static void cleaner_give(Cleaner *self, GString *out)
{
    g_string_append_len(out, self->line->str + self->given,
                        (gssize)(self->line->len - self->given));
    self->given = self->line->len;
}

static void forget_line(Cleaner *self)
{
    g_string_truncate(self->line, 0);
    self->given = self->measured = 0;
    self->column = 0;
    self->has_cr = false;
    self->before = self->pending = 0;
    self->marks = 0;
}

static void end_line(Cleaner *self, GString *out)
{
    cleaner_give(self, out);
    g_string_append_c(out, '\n');
    forget_line(self);
}

static void cleaner_measure(Cleaner *self)
{
    self->column += text_cells(self->line->str + self->measured, self->line->len - self->measured);
    self->measured = self->line->len;
}

// Before anything is added to the line: what a CR there means, and how many bytes it may take.
static size_t cleaner_prepare(Cleaner *self, GString *out)
{
    if (self->has_cr && self->is_flowing)
        end_line(self, out);
    else if (self->has_cr)
        forget_line(self); // written over
    if (self->line->len >= LIMIT_OPEN_LINE_BYTES) {
        cleaner_measure(self);
        cleaner_give(self, out);
        g_string_truncate(self->line, 0);
        self->given = self->measured = 0;
    }
    return LIMIT_OPEN_LINE_BYTES - self->line->len;
}

static void cleaner_append(Cleaner *self, gunichar c, GString *out)
{
    cleaner_prepare(self, out);
    g_string_append_unichar(self->line, c);
    self->before = c;
}

static void append_tab(Cleaner *self, GString *out)
{
    cleaner_prepare(self, out);
    cleaner_measure(self);
    int blanks = self->tab_width - self->column % self->tab_width;
    for (int i = 0; i < blanks; i++)
        g_string_append_c(self->line, ' ');
    self->before = ' ';
}

static bool is_variation(gunichar c)
{
    return (c >= 0xfe00 && c <= 0xfe0f) || (c >= 0xe0100 && c <= 0xe01ef);
}

// One is kept after a character that can take it; that of a keycap waits for it.
static void take_variation(Cleaner *self, gunichar c, GString *out)
{
    if (self->has_cr || self->before == 0)
        return;
    if (hidden_is_read(self->before, c, 0))
        cleaner_append(self, c, out);
    else
        self->pending = c;
}

static void cleaner_take(Cleaner *self, gunichar c, GString *out)
{
    if (c == '\n' || c == LINE_SEPARATOR || c == PARAGRAPH_END) {
        end_line(self, out);
        return;
    }
    if (is_variation(c)) {
        take_variation(self, c, out);
        return;
    }
    if (c == JOINER || c == NON_JOINER) {
        self->pending = c;
        return;
    }
    if (hidden_is(c))
        return;
    self->marks = g_unichar_ismark(c) ? self->marks + 1 : 0;
    if (self->marks > MARKS_MAX)
        return;
    if (self->pending != 0 && !self->has_cr && hidden_is_read(self->before, self->pending, c))
        cleaner_append(self, self->pending, out);
    self->pending = 0;
    if (c == '\t')
        append_tab(self, out);
    else
        cleaner_append(self, c, out);
}

// Letters as they stand; returns how many bytes they were.
static size_t take_run(Cleaner *self, const char *text, size_t size, GString *out)
{
    size_t run = 0;
    size = MIN(size, LIMIT_OPEN_LINE_BYTES); // it is all that a line takes
    while (run < size && text[run] >= 0x20 && text[run] < 0x7f)
        run++;
    if (run == 0)
        return 0;
    run = MIN(run, cleaner_prepare(self, out));
    g_string_append_len(self->line, text, (gssize)run);
    self->before = (gunichar)text[run - 1];
    self->pending = 0;
    self->marks = 0;
    return run;
}

static void take_filtered(Cleaner *self, GString *out)
{
    const char *p = self->filtered->str;
    const char *end = p + self->filtered->len;
    while (p < end) {
        size_t run = take_run(self, p, (size_t)(end - p), out);
        p += run;
        if (run > 0)
            continue;
        if (*p == CR_MARK[0]) {
            self->has_cr = true;
            p++;
        } else {
            cleaner_take(self, g_utf8_get_char(p), out);
            p = g_utf8_next_char(p);
        }
    }
    g_string_truncate(self->filtered, 0);
}

static void take_decoded(Cleaner *self, GString *out)
{
    const char *p = self->decoded->str;
    const char *end = p + self->decoded->len;
    while (p < end) {
        const char *cr = memchr(p, '\r', (size_t)(end - p));
        ansi_filter_push(self->filter, p, (size_t)((cr ? cr : end) - p), self->filtered);
        if (cr)
            ansi_filter_push(self->filter, CR_MARK, 1, self->filtered);
        p = cr ? cr + 1 : end;
    }
    g_string_truncate(self->decoded, 0);
    take_filtered(self, out);
}

void cleaner_push(Cleaner *self, const char *data, size_t size, GString *out)
{
    for (const char *end = data + size; data < end;) {
        const char *nul = memchr(data, '\0', (size_t)(end - data));
        utf8_decoder_push(&self->decoder, data, (size_t)((nul ? nul : end) - data), self->decoded);
        if (nul) // a control character like others, which the decoder takes for an invalid byte
            utf8_decoder_push(&self->decoder, "\x01", 1, self->decoded);
        data = nul ? nul + 1 : end;
    }
    take_decoded(self, out);
    if (self->is_flowing)
        cleaner_give(self, out);
}

void cleaner_finish(Cleaner *self, GString *out)
{
    utf8_decoder_finish(&self->decoder, self->decoded);
    take_decoded(self, out);
    ansi_filter_finish(self->filter, self->filtered);
    if (self->has_cr && self->is_flowing)
        end_line(self, out);
    cleaner_give(self, out);
    forget_line(self);
}

static char *clean_whole(const char *text, Cleaner *cleaner)
{
    GString *out = g_string_sized_new(strlen(text) + 1);
    cleaner_push(cleaner, text, strlen(text), out);
    cleaner_finish(cleaner, out);
    return g_string_free(out, FALSE);
}

char *clean_text(const char *text, int tab_width)
{
    g_autoptr(Cleaner) cleaner = cleaner_new(tab_width);
    return clean_whole(text, cleaner);
}

/* Appends the text with each stretch of blanks as one, that before the first left out. */
static void join_blanks(const char *text, bool *has_blank, GString *line)
{
    for (const char *p = text; *p; p = g_utf8_next_char(p)) {
        gunichar c = g_utf8_get_char(p);
        if (g_unichar_isspace(c)) {
            *has_blank = line->len > 0;
            continue;
        }
        if (*has_blank)
            g_string_append_c(line, ' ');
        *has_blank = false;
        g_string_append_unichar(line, c);
    }
}

char *clean_line(const char *text, int max_cells)
{
    g_autoptr(Cleaner) cleaner = cleaner_new_flowing(1);
    g_autoptr(GString) piece = g_string_new(NULL), line = g_string_new(NULL);
    bool has_blank = false, is_last = false;
    // what is after the cut may be megabytes, and is not looked at
    for (size_t max = PIECE_BYTES; !is_last; max *= 2) {
        size_t size = strnlen(text, max);
        is_last = size < max;
        g_string_truncate(piece, 0);
        cleaner_push(cleaner, text, size, piece);
        if (is_last)
            cleaner_finish(cleaner, piece);
        join_blanks(piece->str, &has_blank, line);
        text += size;
        is_last = is_last || text_cells(line->str, line->len) - CUT_CELLS > max_cells;
    }
    g_autoptr(Row) row = row_of(line->str, (Style) { 0 });
    g_autoptr(Row) cut = row_cut(row, max_cells);
    return g_strdup(cut->text);
}
