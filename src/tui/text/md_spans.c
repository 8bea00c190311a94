/*
 * Openers and closers of the spans of a paragraph (md_spans.h), after the rules of CommonMark for
 * what can open and close, as far as cutting needs them.
 */
#include "tui/text/md_spans.h"

#include <string.h>

#define MAX_PARENTHESES 32

typedef struct Scan {
    MdSpans *spans;
    const char *text;
    size_t size;
} Scan;

// What a step returns when the text ends before it can be told.
#define WAITS G_MAXSIZE

static size_t run_of(const Scan *scan, size_t at)
{
    size_t end = at;
    while (end < scan->size && scan->text[end] == scan->text[at])
        end++;
    return end - at;
}

static void remove_opener(MdSpans *self, unsigned index)
{
    self->open_count--;
    memmove(&self->open[index], &self->open[index + 1],
            (self->open_count - index) * sizeof(self->open[0]));
}

static void push_opener(MdSpans *self, size_t at, char mark, unsigned count)
{
    if (self->open_count == MD_OPENERS)
        remove_opener(self, 0);
    self->open[self->open_count++] = (MdOpener) { at, mark, count };
}

static size_t skip_escape(const Scan *scan, size_t at)
{
    if (at + 1 >= scan->size)
        return WAITS;
    return g_ascii_ispunct(scan->text[at + 1]) ? at + 2 : at + 1;
}

static size_t skip_code(const Scan *scan, size_t at)
{
    size_t count = run_of(scan, at);
    for (size_t i = at + count; i < scan->size;) {
        if (scan->text[i] != '`') {
            i++;
            continue;
        }
        size_t other = run_of(scan, i);
        if (i + other == scan->size)
            return WAITS; // it may grow
        i += other;
        if (other == count)
            return i;
    }
    return WAITS;
}

/* "<https://…>": HTML is text. */
static size_t skip_angle(const Scan *scan, size_t at)
{
    for (size_t i = at + 1; i < scan->size; i++) {
        char c = scan->text[i];
        if (i == at + 1 && !g_ascii_isalnum(c))
            return at + 1;
        if (c == '>')
            return i + 1;
        if (strchr(" \n\v<", c))
            return at + 1;
    }
    return WAITS;
}

// ---- links ----

/* After "](": a title in quotes, blanks, the closing parenthesis. 0: it is no link. */
static size_t skip_title(const Scan *scan, size_t at)
{
    while (at < scan->size && strchr(" \n", scan->text[at]))
        at++;
    if (at == scan->size)
        return WAITS;
    char quote = scan->text[at];
    if (quote == ')')
        return at + 1;
    if (!strchr("\"'(", quote))
        return 0;
    for (at++; at < scan->size && scan->text[at] != (quote == '(' ? ')' : quote); at++)
        at += scan->text[at] == '\\';
    for (at++; at < scan->size && strchr(" \n", scan->text[at]); at++)
        ;
    if (at >= scan->size)
        return WAITS;
    return scan->text[at] == ')' ? at + 1 : 0;
}

static size_t skip_address(const Scan *scan, size_t at)
{
    unsigned depth = 0;
    for (size_t i = at; i < scan->size; i++) {
        char c = scan->text[i];
        if (c == ' ' || c == '\n')
            return skip_title(scan, i);
        if (c == ')' && depth == 0)
            return i + 1;
        if (c == '(' && ++depth > MAX_PARENTHESES)
            return 0;
        depth -= c == ')';
        i += c == '\\';
        if (i - at > MD_ADDRESS_BYTES)
            return 0;
    }
    scan->spans->address = at;
    return WAITS;
}

static size_t close_bracket(const Scan *scan, size_t at)
{
    MdSpans *spans = scan->spans;
    unsigned index = spans->open_count;
    while (index > 0 && spans->open[index - 1].mark != '[')
        index--;
    if (index == 0)
        return at + 1;
    if (at + 1 >= scan->size)
        return WAITS;
    size_t end = 0;
    if (scan->text[at + 1] == '(') {
        end = skip_address(scan, at + 2);
        if (end == WAITS)
            return WAITS;
    }
    if (end > 0)
        spans->open_count = index - 1; // emphasis does not reach out of a link
    else
        remove_opener(spans, index - 1);
    return end > 0 ? end : at + 1;
}

// ---- emphasis ----

typedef enum { SIDE_BLANK, SIDE_PUNCTUATION, SIDE_LETTER } Side;

static Side side_of(gunichar c)
{
    if (g_unichar_isspace(c))
        return SIDE_BLANK;
    if (g_unichar_ispunct(c) || (c < 0x80 && g_ascii_ispunct((char)c)))
        return SIDE_PUNCTUATION;
    return SIDE_LETTER;
}

static Side side_before(const Scan *scan, size_t at)
{
    return at == 0 ? SIDE_BLANK : side_of(g_utf8_get_char(g_utf8_prev_char(scan->text + at)));
}

static void close_emphasis(MdSpans *self, char mark, unsigned *count)
{
    for (unsigned i = self->open_count; i > 0 && *count > 0; i--) {
        MdOpener *opener = &self->open[i - 1];
        if (opener->mark == '[')
            return;
        if (opener->mark != mark || (mark == '~' && opener->count != *count))
            continue;
        unsigned used = MIN(opener->count, *count);
        opener->count -= used;
        *count -= used;
        self->open_count = opener->count > 0 ? i : i - 1;
        i = opener->count > 0 ? i + 1 : i;
    }
}

static size_t take_emphasis(const Scan *scan, size_t at)
{
    size_t size = run_of(scan, at), end = at + size;
    char mark = scan->text[at];
    if (end == scan->size)
        return WAITS;
    if (mark == '~' && size > 2)
        return end;
    Side before = side_before(scan, at), after = side_of(g_utf8_get_char(scan->text + end));
    bool is_left = after == SIDE_LETTER || (after == SIDE_PUNCTUATION && before != SIDE_LETTER);
    bool is_right = before == SIDE_LETTER || (before == SIDE_PUNCTUATION && after != SIDE_LETTER);
    bool can_open = is_left && (mark != '_' || !is_right || before == SIDE_PUNCTUATION);
    bool can_close = is_right && (mark != '_' || !is_left || after == SIDE_PUNCTUATION);
    unsigned count = (unsigned)size;
    if (can_close)
        close_emphasis(scan->spans, mark, &count);
    if (can_open && count > 0)
        push_opener(scan->spans, at, mark, count);
    return end;
}

// ---- the whole ----

static size_t scan_step(const Scan *scan, size_t at)
{
    switch (scan->text[at]) {
    case '\\':
        return skip_escape(scan, at);
    case '`':
        return skip_code(scan, at);
    case '<':
        return skip_angle(scan, at);
    case '[':
        push_opener(scan->spans, at, '[', 1);
        return at + 1;
    case ']':
        return close_bracket(scan, at);
    case '*':
    case '_':
    case '~':
        return take_emphasis(scan, at);
    default:
        return at + 1;
    }
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\n' || c == '\v';
}

/* The end of the last word before what is open. */
static void move_safe(MdSpans *self, const char *text)
{
    size_t limit = self->open_count > 0 ? self->open[0].at : self->at;
    size_t at = limit;
    while (at > self->safe && !is_blank(text[at - 1]))
        at--;
    if (at == self->safe && limit - self->safe > MD_WORD_BYTES)
        for (at = limit; at > self->safe && ((unsigned char)text[at] & 0xc0) == 0x80;)
            at--;
    self->safe = at;
}

void md_spans_scan(MdSpans *self, const char *text, size_t size)
{
    Scan scan = { self, text, size };
    self->address = 0;
    while (self->at < size) {
        size_t next = scan_step(&scan, self->at);
        if (next == WAITS)
            break;
        self->at = MIN(next, size);
    }
    move_safe(self, text);
}

bool md_spans_first_open(const MdSpans *self, size_t size, size_t *ret_at)
{
    if (self->open_count == 0 && self->at == size)
        return false;
    *ret_at = self->open_count > 0 ? self->open[0].at : self->at;
    return true;
}

void md_spans_drop_first(MdSpans *self, const char *text, size_t size)
{
    Scan scan = { self, text, size };
    if (self->open_count > 0)
        remove_opener(self, 0);
    else if (self->at < size)
        self->at += run_of(&scan, self->at);
}

void md_spans_take_safe(MdSpans *self)
{
    for (unsigned i = 0; i < self->open_count; i++)
        self->open[i].at -= self->safe;
    self->at -= self->safe;
    if (self->address > 0)
        self->address -= self->safe;
    self->safe = 0;
}

/* After a mark that nothing follows yet the text ends before it. */
static void close_one(GString *text, size_t at, char mark, size_t count)
{
    size_t end = text->len;
    while (end > at && (text->str[end - 1] == mark || is_blank(text->str[end - 1])))
        end--;
    if (end <= at) {
        g_string_truncate(text, at);
        return;
    }
    while (text->len > end && is_blank(text->str[text->len - 1]))
        g_string_truncate(text, text->len - 1);
    for (size_t i = 0; i < count; i++)
        g_string_append_c(text, mark);
}

void md_spans_close(const MdSpans *self, GString *text)
{
    Scan scan = { (MdSpans *)self, text->str, text->len };
    if (self->at < text->len && text->str[self->at] == '`')
        close_one(text, self->at, '`', run_of(&scan, self->at));
    for (unsigned i = self->open_count; i > 0; i--)
        if (self->open[i - 1].mark != '[' && self->open[i - 1].at < text->len)
            close_one(text, self->open[i - 1].at, self->open[i - 1].mark, self->open[i - 1].count);
}
