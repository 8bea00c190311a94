/*
 * Python's strings: code in f"…{…}…", and docstrings.
 *
 * A docstring is the string that comes first in a module, or first behind the colon of a class or a
 * def. Which colon that is needs the logical line, that is bracket depth and the line's first word.
 */
#include "lang/lexer_state.h"

#include <string.h>

typedef struct FormatString {
    const char *close; // one quote or three
    bool is_long;
} FormatString;

static bool ends_here(const Lexer *self, const FormatString *string)
{
    return lexer_has(self, self->at, string->close) ||
           (lexer_peek(self, 0) == '\n' && !string->is_long);
}

/* The format behind the colon of a field: text, but for fields in it. Ends at the field's brace. */
static void skip_format(Lexer *self, const FormatString *string)
{
    for (size_t depth = 0; self->at < self->end && !ends_here(self, string); self->at++) {
        char c = self->text[self->at];
        if (c == '}' && depth-- == 0)
            return;
        depth += c == '{';
    }
}

/* From behind the brace of a field to behind the one that closes it, or to where the string ends.
 */
static void skip_field(Lexer *self, const FormatString *string)
{
    size_t depth = 0;
    while (self->at < self->end) {
        char c = self->text[self->at];
        if (c == '\n' && !string->is_long)
            return;
        if (c == '#') {
            lexer_add_line(self, 0);
        } else if (c == '"' || c == '\'') {
            lexer_string(self);
        } else if (c == '}' && depth == 0) {
            self->at++;
            return;
        } else if (c == ':' && depth == 0) {
            self->at++;
            skip_format(self, string);
            if (lexer_peek(self, 0) != '}')
                return;
        } else {
            bool is_closing = strchr(")]}", c) != NULL && c != '\0';
            depth += c != '\0' && strchr("([{", c) != NULL;
            depth -= is_closing && depth > 0;
            self->at++;
        }
    }
}

static void skip_format_string(Lexer *self, const FormatString *string)
{
    self->at += strlen(string->close);
    while (self->at < self->end) {
        char c = self->text[self->at];
        if (ends_here(self, string)) {
            self->at += c == '\n' ? 0 : strlen(string->close);
            return;
        }
        if (c == '\\' || lexer_has(self, self->at, "{{")) {
            self->at += MIN((size_t)2, self->end - self->at);
            continue;
        }
        self->at++;
        if (c == '{')
            skip_field(self, string);
    }
}

// ---- docstrings ----

static void begin_logical_line(Lexer *self, size_t place)
{
    place = lexer_skip_blanks(self, place);
    size_t end = place;
    while (end < self->end && end - place < 8 && lexer_is_word(self->text[end]))
        end++;
    self->docstring.is_definition = lexer_is_one_of(self, place, end, "def class async");
}

/* Keeps count at a bracket, a colon or a line's end. */
static void note_structure(Lexer *self)
{
    DocstringState *state = &self->docstring;
    if (!state->has_started) {
        state->has_started = true;
        begin_logical_line(self, self->start);
    }
    switch (self->text[self->at]) {
    case '(':
    case '[':
    case '{':
        state->depth++;
        break;
    case ')':
    case ']':
    case '}':
        state->depth -= state->depth > 0;
        break;
    case ':':
        if (state->depth == 0 && state->is_definition) {
            state->expected = self->at + 1;
            state->is_definition = false;
        }
        break;
    case '\n':
        if (state->depth == 0 && lexer_before(self, self->at) != '\\')
            begin_logical_line(self, self->at + 1);
        break;
    default:
        break;
    }
}

static bool is_docstring(const Lexer *self, size_t place)
{
    size_t code = lexer_code_before(self, place);
    return code == self->start || code == self->docstring.expected;
}

bool hook_python(Lexer *self)
{
    char quote = self->text[self->at];
    if (quote != '"' && quote != '\'') {
        if (self->flags & LEX_DOCSTRINGS)
            note_structure(self);
        return false;
    }
    size_t prefix = lexer_word_start(self, self->at, 3);
    size_t letters = self->at - prefix;
    g_autofree char *kind = g_ascii_strdown(self->text + prefix, (gssize)letters);
    if (letters > 2 || strspn(kind, "rbuft") != letters)
        *kind = '\0'; // a word, no prefix
    if (strpbrk(kind, "ft")) {
        bool is_long = lexer_has(self, self->at, quote == '"' ? "\"\"\"" : "'''");
        const char *close = quote == '"' ? "\"\"\"" : "'''";
        const FormatString string = { .close = is_long ? close : close + 2, .is_long = is_long };
        skip_format_string(self, &string);
        return true;
    }
    size_t start = self->at;
    bool is_doc = self->flags & LEX_DOCSTRINGS && strchr(kind, 'b') == NULL &&
                  is_docstring(self, start - strlen(kind));
    lexer_string(self);
    if (is_doc) {
        lexer_add(self, start, self->at, true);
        self->before_comment = self->at; // a second string is none
    }
    return true;
}
