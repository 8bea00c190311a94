/*
 * Regex literals: `/` opens one only where an operand is expected, which the code before it tells.
 */
#include "lang/lexer_state.h"

#include <string.h>

#define OPERAND_WORD_MAX 16

static bool is_operand_word(const Lexer *self, size_t end)
{
    if (!self->language->words)
        return false;
    size_t start = lexer_word_start(self, end, OPERAND_WORD_MAX);
    char before = lexer_before(self, start);
    return before != '.' && before != '$' && before != '@' &&
           lexer_is_one_of(self, start, end, self->language->words);
}

/* `x++ /` and `x! /` divide, `++/re/` and `!/re/` do not. */
static bool is_postfix(const Lexer *self, size_t end)
{
    char last = self->text[end - 1], before = lexer_before(self, end - 1);
    if (last == '!')
        return lexer_is_word(before) || before == ')' || before == ']';
    if ((last != '+' && last != '-') || before != last)
        return false;
    char operand = lexer_before(self, end - 2);
    return lexer_is_word(operand) || operand == ')' || operand == ']';
}

bool regex_is_operand_next(const Lexer *self)
{
    size_t end = lexer_code_before(self, self->at);
    if (end == self->start)
        return true;
    char before = self->text[end - 1];
    if (before == '}')
        return self->language->flags & LANGUAGE_BRACE_OPERAND;
    if (before != '\0' && strchr("(,=:[!&|?{;+-*%~^<>", before))
        return !is_postfix(self, end);
    return lexer_is_word(before) && is_operand_word(self, end);
}

/* Ruby's and Perl's `split /,/`: a word, a blank, and none behind the slash. */
static bool is_loose_argument(const Lexer *self)
{
    char before = lexer_before(self, self->at), after = lexer_peek(self, 1);
    if (!(self->language->flags & LANGUAGE_LOOSE_REGEX) || !lexer_is_blank(before) ||
        g_ascii_isspace(after) || after == '=')
        return false;
    size_t end = lexer_code_before(self, self->at);
    return end > self->start && g_ascii_islower(self->text[end - 1]);
}

/* Behind the closing slash of the regex that opens at `at`; 0 when the line ends first. */
static size_t regex_end(Lexer *self)
{
    bool has_classes = self->language->flags & LANGUAGE_CLASSES, is_class = false;
    size_t place = self->at + 1;
    for (; place < self->end && self->text[place] != '\n'; place++) {
        char c = self->text[place];
        if (c == '\\' && place + 1 < self->end && self->text[place + 1] != '\n')
            place++;
        else if (c == '[' && has_classes)
            is_class = true;
        else if (c == ']')
            is_class = false;
        else if (c == '/' && !is_class)
            return place + 1;
    }
    self->dead_end = place; // so that no slash of this line looks as far again
    return 0;
}

bool regex_skip(Lexer *self)
{
    if (self->at < self->dead_end || !(regex_is_operand_next(self) || is_loose_argument(self)))
        return false;
    size_t end = regex_end(self);
    if (end == 0)
        return false;
    self->at = lexer_word_end(self, end); // flags
    return true;
}
