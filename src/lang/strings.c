/*
 * String literals, to their end or to code inside of them (frames.c).
 */
#include "lang/lexer_state.h"

#include <string.h>

// ---- literals ----

/* How long the closing delimiter at `at` is; 0 when it is none. */
static size_t closer_size(const Lexer *self, const Literal *literal)
{
    size_t head = strlen(literal->head), tail = strlen(literal->tail), place = self->at;
    if (!lexer_has(self, place, literal->head))
        return 0;
    place += head;
    if (literal->tag_size > self->end - place ||
        memcmp(self->text + place, literal->tag, literal->tag_size) != 0)
        return 0;
    place += literal->tag_size;
    return lexer_has(self, place, literal->tail) ? head + literal->tag_size + tail : 0;
}

/* Goes behind the closer, or passes what only looks like it; false when nothing like it is here. */
static bool literal_close(Lexer *self, Literal *literal, bool *ret_is_closed)
{
    size_t size = closer_size(self, literal);
    if (size == 0)
        return false;
    self->at += size;
    char last = self->text[self->at - 1];
    *ret_is_closed = true;
    if (literal->nest > 0) {
        literal->nest--;
        *ret_is_closed = false;
    } else if (literal->flags & STRING_DOUBLED && closer_size(self, literal) > 0) {
        self->at += size;
        *ret_is_closed = false;
    } else if (literal->flags & STRING_GREEDY) {
        while (self->at < self->end && self->text[self->at] == last)
            self->at++;
    }
    return true;
}

/* Passes a run of quotes that is shorter than the one that closes (C#). */
static void skip_run(Lexer *self)
{
    char quote = self->text[self->at];
    while (self->at < self->end && self->text[self->at] == quote)
        self->at++;
}

static bool push_code(Lexer *self, const Literal *literal, size_t opener_size)
{
    char bracket = self->text[self->at + opener_size - 1];
    const Frame frame = {
        .kind = FRAME_LITERAL,
        .open = bracket,
        .close = bracket == '(' ? ')' : '}',
        .literal = *literal,
    };
    if (!frame_push(self, &frame))
        return false;
    self->at += opener_size;
    return true;
}

/* Code opens at `at`: goes into it. */
static bool literal_interpolates(Lexer *self, const Literal *literal)
{
    if (literal->flags & STRING_SWIFT) {
        size_t bracket = 1 + literal->tag_size;
        return self->text[self->at] == '\\' && lexer_peek(self, bracket) == '(' &&
               memcmp(self->text + self->at + 1, literal->tag, literal->tag_size) == 0 &&
               push_code(self, literal, bracket + 1);
    }
    for (size_t i = 0; i < G_N_ELEMENTS(literal->interpolation); i++) {
        const char *opener = literal->interpolation[i];
        if (!opener || !lexer_has(self, self->at, opener))
            continue;
        if (literal->flags & STRING_FORMAT && lexer_peek(self, 1) == opener[0]) {
            self->at += 2;
            return false;
        }
        return push_code(self, literal, strlen(opener));
    }
    return false;
}

/* '' followed by ' or $, or by a backslash and any character. */
static bool skip_nix_escape(Lexer *self)
{
    if (!lexer_has(self, self->at, "''"))
        return false;
    char next = lexer_peek(self, 2);
    if (next != '\'' && next != '$' && next != '\\')
        return false;
    size_t size = next == '\\' ? 4 : 3;
    self->at += MIN(size, self->end - self->at);
    return true;
}

void literal_read(Lexer *self, const Literal *literal_)
{
    Literal literal = *literal_;
    while (self->at < self->end) {
        size_t before = self->at;
        bool is_closed = false;
        if (literal_interpolates(self, &literal))
            return;
        if (self->at != before)
            continue;
        char c = self->text[self->at];
        if (c == literal.escape && c != '\0') {
            self->at += MIN((size_t)2, self->end - self->at);
        } else if (c == '\n' && !(literal.flags & STRING_LINES)) {
            return; // it should have been closed
        } else if (literal.flags & STRING_NIX && skip_nix_escape(self)) {
            continue;
        } else if (literal_close(self, &literal, &is_closed)) {
            if (is_closed)
                return;
        } else if (literal.flags & STRING_RUN && c == '"') {
            skip_run(self);
        } else {
            literal.nest += literal.nest_open != '\0' && c == literal.nest_open;
            self->at++;
        }
    }
}

void literal_open(Lexer *self, size_t open_size, const Literal *literal)
{
    Literal whole = *literal;
    whole.head = whole.head != NULL ? whole.head : "";
    whole.tail = whole.tail != NULL ? whole.tail : "";
    whole.tag = whole.tag != NULL ? whole.tag : self->text;
    self->at += MIN(open_size, self->end - self->at);
    literal_read(self, &whole);
}

void literal_delimited(Lexer *self, char escape, const char *interpolation)
{
    static const char *const pairs[] = { "()", "[]", "{}", "<>" };
    Literal literal = {
        .tag = self->text + self->at,
        .tag_size = 1,
        .escape = escape,
        .flags = STRING_LINES,
        .interpolation = { interpolation },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(pairs); i++) {
        if (pairs[i][0] == self->text[self->at]) {
            literal.nest_open = pairs[i][0];
            literal.head = &pairs[i][1];
            literal.tag_size = 0;
        }
    }
    literal_open(self, 1, &literal);
}

// ---- the language's table ----

static bool prefix_fits(const Lexer *self, const StringMark *mark)
{
    if (!mark->prefix)
        return true;
    if (self->at == self->start)
        return false;
    char before = self->text[self->at - 1];
    if (mark->prefix[0] == '*')
        return lexer_is_word(before);
    return before != '\0' && strchr(mark->prefix, before) != NULL &&
           !lexer_is_word(lexer_before(self, self->at - 1));
}

bool lexer_string(Lexer *self)
{
    const StringMark *mark = self->language->strings;
    for (; mark->open; mark++) {
        if (!lexer_has(self, self->at, mark->open) || !prefix_fits(self, mark))
            continue;
        size_t size = strlen(mark->open);
        size_t behind = lexer_skip_blanks(self, self->at + size);
        if (mark->flags & STRING_HEADER) {
            if (behind < self->end && self->text[behind] != '\n')
                continue;
            size = behind - self->at;
        }
        const Literal literal = {
            .head = mark->close,
            .escape = mark->escape,
            .flags = mark->flags,
            .interpolation = { mark->interpolation[0], mark->interpolation[1] },
        };
        literal_open(self, size, &literal);
        return true;
    }
    return false;
}
