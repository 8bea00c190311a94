/*
 * YAML: # begins a comment only at a word's start, a quote begins a string only where a value may
 * begin, and the text of a block scalar (`|`, `>`) is as long as its lines are indented more than
 * the node that holds it.
 */
#include "lang/lexer_state.h"

#include <string.h>

/* The column, from 0, of the innermost node that starts on the line at `line`: behind its dashes.
 */
static size_t node_column(const Lexer *self, size_t line)
{
    size_t place = lexer_skip_blanks(self, line), node = place;
    while (place + 1 < self->end && strchr("-?:", self->text[place]) &&
           lexer_is_blank(self->text[place + 1])) {
        node = place;
        place = lexer_skip_blanks(self, place + 1);
    }
    char first = place < self->end ? self->text[place] : '\n';
    return (first == '|' || first == '>' ? node : place) - line;
}

/* Is the | or > at `at` a block scalar's header? A value begins here, and the line ends. */
static bool is_scalar_header(const Lexer *self)
{
    size_t place = self->at + 1;
    while (place < self->end && strchr("+-0123456789", self->text[place]) && place - self->at < 4)
        place++;
    size_t end = lexer_skip_blanks(self, place);
    char after = end < self->end ? self->text[end] : '\n';
    if (after != '\n' && !(after == '#' && end > place))
        return false;

    size_t before = self->at;
    while (before > self->start && lexer_is_blank(self->text[before - 1]))
        before--;
    char last = lexer_before(self, before);
    if (before == self->at)
        return last == '\n';
    if (last == '\n' || strchr(":-?", last))
        return true;
    size_t word = before; // a tag or an anchor
    while (word > self->start && before - word < 64 && !g_ascii_isspace(self->text[word - 1]))
        word--;
    return self->text[word] == '!' || self->text[word] == '&';
}

/* From the header to behind the last line of the text. */
static void skip_scalar(Lexer *self, size_t line)
{
    bool is_document = lexer_has(self, line, "---");
    bool is_alone = lexer_is_first(self, self->at);
    size_t parent = node_column(self, line);
    size_t least = is_document ? 0 : is_alone ? parent : parent + 1; // of its text

    self->at++;
    size_t header_end = lexer_line_end(self, self->at);
    size_t blank = self->at;
    while (blank < header_end && !lexer_is_blank(self->text[blank]))
        blank++;
    self->at = lexer_skip_blanks(self, blank);
    if (lexer_peek(self, 0) == '#')
        lexer_add_line(self, 0);

    self->at = header_end;
    while (self->at < self->end) {
        size_t next = self->at + 1, first = lexer_skip_blanks(self, next);
        bool is_empty = first >= self->end || self->text[first] == '\n';
        bool is_end = is_document && next == first &&
                      (lexer_has(self, next, "---") || lexer_has(self, next, "..."));
        if (!is_empty && (first - next < least || is_end))
            return;
        self->at = lexer_line_end(self, first);
    }
}

static bool is_value_start(const Lexer *self)
{
    size_t before = self->at;
    while (before > self->start && lexer_is_blank(self->text[before - 1]))
        before--;
    char last = lexer_before(self, before);
    if (last == '\n' || strchr("[{,", last))
        return true;
    if (before < self->at && strchr(":-?", last))
        return true;
    size_t word = before;
    while (word > self->start && before - word < 64 && !g_ascii_isspace(self->text[word - 1]))
        word--;
    return before < self->at && (self->text[word] == '!' || self->text[word] == '&');
}

/* A " inside of a plain scalar that closes on the line: YAML knows no such thing, people do. */
static bool skip_inner_quotes(Lexer *self)
{
    size_t end = self->at + 1;
    while (end < self->end && self->text[end] != '"' && self->text[end] != '\n')
        end++;
    if (end == self->end || self->text[end] != '"')
        return false;
    self->at = end + 1;
    return true;
}

static void skip_quotes(Lexer *self)
{
    bool is_double = self->text[self->at] == '"';
    const Literal literal = {
        .head = is_double ? "\"" : "'",
        .escape = is_double ? '\\' : '\0',
        .flags = STRING_LINES | (is_double ? 0 : STRING_DOUBLED),
    };
    literal_open(self, 1, &literal);
}

void machine_yaml(Lexer *self)
{
    size_t line = self->at;
    while (self->at < self->end) {
        char c = self->text[self->at], before = lexer_before(self, self->at);
        bool is_word_start = g_ascii_isspace(before) || strchr("[{,", before) != NULL;
        if (c == '\n')
            line = ++self->at;
        else if (c == '#' && g_ascii_isspace(before))
            lexer_add_line(self, 0);
        else if ((c == '"' || c == '\'') && is_word_start && is_value_start(self))
            skip_quotes(self);
        else if (c == '"' && is_word_start && skip_inner_quotes(self))
            continue;
        else if ((c == '|' || c == '>') && is_scalar_header(self))
            skip_scalar(self, line);
        else
            self->at++;
    }
}
