/*
 * Literals of the C family and its neighbours that a table cannot say: raw strings whose closer is
 * taken from the opener, and what else a ' can be.
 */
#include "lang/lexer_state.h"

#include <string.h>

#define CPP_DELIMITER_MAX 16

static size_t run_size(const Lexer *self, size_t place, char c)
{
    size_t end = place;
    while (end < self->end && self->text[end] == c)
        end++;
    return end - place;
}

/* How many `c` stand directly before `at`. */
static size_t run_before(const Lexer *self, char c)
{
    size_t first = self->at;
    while (first > self->start && self->text[first - 1] == c)
        first--;
    return self->at - first;
}

/* The word that ends at `end` is one of `words`, none of them longer than 3. */
static bool has_prefix(const Lexer *self, size_t end, const char *words)
{
    return lexer_is_one_of(self, lexer_word_start(self, end, 4), end, words);
}

/* R"x( … )x" */
static bool open_cpp_raw(Lexer *self)
{
    if (!has_prefix(self, self->at, "R LR uR UR u8R"))
        return false;
    size_t tag = self->at + 1, end = tag;
    while (end < self->end && end - tag < CPP_DELIMITER_MAX && self->text[end] > ' ' &&
           !strchr("()\\\"", self->text[end]))
        end++;
    if (end == self->end || self->text[end] != '(')
        return false;
    const Literal literal = {
        .head = ")",
        .tag = self->text + tag,
        .tag_size = end - tag,
        .tail = "\"",
        .flags = STRING_LINES,
    };
    literal_open(self, end + 1 - self->at, &literal);
    return true;
}

bool hook_c(Lexer *self)
{
    if (self->text[self->at] == '"')
        return open_cpp_raw(self);
    bool is_separator =
        lexer_is_word(lexer_before(self, self->at)) && !has_prefix(self, self->at, "L u U u8");
    self->at += is_separator; // 1'000
    return is_separator;
}

/* @"", $"{}", $@"{}", """ """ with any number of quotes. */
bool hook_csharp(Lexer *self)
{
    static const char *const openers[] = { NULL, "{", "{{", "{{{" };
    size_t first = self->at, dollars = 0;
    bool is_verbatim = false;
    while (first > self->start && self->at - first < 16 &&
           (self->text[first - 1] == '$' || self->text[first - 1] == '@')) {
        first--;
        dollars += self->text[first] == '$';
        is_verbatim = is_verbatim || self->text[first] == '@';
    }
    size_t quotes = run_size(self, self->at, '"');
    Literal literal = {
        .tag = self->text + self->at,
        .tag_size = 1,
        .interpolation = { openers[MIN(dollars, G_N_ELEMENTS(openers) - 1)] },
    };
    if (is_verbatim) {
        literal.flags = STRING_LINES | STRING_DOUBLED | STRING_FORMAT;
    } else if (quotes >= 3) {
        literal.tag_size = quotes;
        literal.flags = STRING_LINES | STRING_RUN | (dollars == 1 ? STRING_FORMAT : 0);
    } else {
        literal.escape = '\\';
        literal.flags = STRING_FORMAT;
    }
    literal_open(self, literal.tag_size, &literal);
    return true;
}

/* 'x' or '\…': goes behind it; any other ' is passed. */
static void skip_character(Lexer *self)
{
    char next = lexer_peek(self, 1);
    if (next == '\\' && !(self->language->flags & LANGUAGE_TICK_PLAIN)) {
        const Literal literal = { .head = "'", .escape = '\\' };
        literal_open(self, 1, &literal);
        return;
    }
    size_t size = 1;
    while (((unsigned char)lexer_peek(self, 1 + size) & 0xc0) == 0x80 && size < 4)
        size++;
    bool is_character = next != '\n' && lexer_peek(self, 1 + size) == '\'';
    self->at += is_character ? size + 2 : 1;
}

/* 'any text' that closes on the line. */
static void skip_quoted(Lexer *self)
{
    size_t end = self->at + 1;
    while (end < self->end && self->text[end] != '\'' && self->text[end] != '\n')
        end++;
    bool is_closed = end < self->end && self->text[end] == '\'';
    self->at = is_closed ? end + 1 : self->at + 1;
}

bool hook_tick(Lexer *self)
{
    unsigned flags = self->language->flags;
    char before = lexer_before(self, self->at);
    bool is_other = (flags & LANGUAGE_TICK_AFTER_WORD && lexer_is_word(before)) ||
                    (flags & LANGUAGE_TICK_AFTER_CLOSE && strchr(")]}.'", before) != NULL);
    if (is_other) {
        self->at++;
        return true;
    }
    if (flags & LANGUAGE_TICK_LINE)
        skip_quoted(self);
    else if (flags & LANGUAGE_TICK_STRING)
        return false;
    else
        skip_character(self);
    return true;
}

/* r#"…"#, br"…", and ' that is a lifetime or a character. */
bool hook_rust(Lexer *self)
{
    if (self->text[self->at] == '\'') {
        skip_character(self);
        return true;
    }
    size_t hashes = run_before(self, '#');
    if (hashes > LITERAL_TAG_MAX || !has_prefix(self, self->at - hashes, "r br cr"))
        return false;
    const Literal literal = {
        .head = "\"",
        .tag = self->text + self->at - hashes,
        .tag_size = hashes,
        .flags = STRING_LINES,
    };
    literal_open(self, 1, &literal);
    return true;
}

/* "\(code)", #"…"#, three quotes of both, and #/regex/#. */
bool hook_swift(Lexer *self)
{
    if (self->text[self->at] == '#') {
        size_t hashes = run_size(self, self->at, '#');
        const Literal regex = {
            .head = "/",
            .tag = self->text + self->at,
            .tag_size = hashes,
            .flags = STRING_LINES,
        };
        if (hashes <= LITERAL_TAG_MAX && lexer_peek(self, hashes) == '/')
            literal_open(self, hashes + 1, &regex);
        else
            self->at += hashes;
        return true;
    }
    size_t hashes = MIN(run_before(self, '#'), (size_t)LITERAL_TAG_MAX);
    bool is_long = lexer_has(self, self->at, "\"\"\"");
    const Literal literal = {
        .head = is_long ? "\"\"\"" : "\"",
        .tag = self->text + self->at - hashes,
        .tag_size = hashes,
        .escape = hashes == 0 ? '\\' : '\0',
        .flags = STRING_SWIFT | (is_long ? STRING_LINES : 0),
    };
    literal_open(self, is_long ? 3 : 1, &literal);
    return true;
}

/* q"(…)", q"END … END", q"/…/"; the rest is in the table. */
bool hook_d(Lexer *self)
{
    if (!has_prefix(self, self->at, "q"))
        return false;
    self->at++;
    char first = lexer_peek(self, 0);
    if (g_ascii_isalpha(first) || first == '_') {
        size_t tag = self->at, end = lexer_word_end(self, tag);
        const Literal literal = {
            .head = "\n",
            .tag = self->text + tag,
            .tag_size = MIN(end - tag, (size_t)LITERAL_TAG_MAX),
            .tail = "\"",
            .flags = STRING_LINES,
        };
        literal_open(self, end - tag, &literal);
    } else if (first != '\n') {
        literal_delimited(self, '\0', NULL);
        self->at += lexer_peek(self, 0) == '"';
    }
    return true;
}

/* \\ begins a line of text. */
bool hook_zig(Lexer *self)
{
    if (!lexer_has(self, self->at, "\\\\"))
        return false;
    self->at = lexer_line_end(self, self->at);
    return true;
}

/* r"--(…)--" and operators such as %#% */
bool hook_r(Lexer *self)
{
    if (self->text[self->at] == '%') {
        size_t end = self->at + 1;
        while (end < self->end && end - self->at < 16 && self->text[end] > ' ' &&
               self->text[end] != '%')
            end++;
        bool is_operator = end < self->end && self->text[end] == '%';
        self->at = is_operator ? end + 1 : self->at + 1;
        return true;
    }
    if (!has_prefix(self, self->at, "r R"))
        return false;
    size_t dashes = run_size(self, self->at + 1, '-');
    const char *bracket = strchr("(){}[]", lexer_peek(self, 1 + dashes));
    if (dashes > LITERAL_TAG_MAX || !bracket || *bracket == '\0')
        return false;
    const Literal literal = {
        .head = *bracket == '('   ? ")"
                : *bracket == '{' ? "}"
                                  : "]",
        .tag = self->text + self->at + 1,
        .tag_size = dashes,
        .tail = self->text[self->at] == '"' ? "\"" : "'",
        .flags = STRING_LINES,
    };
    literal_open(self, 2 + dashes, &literal);
    return true;
}
