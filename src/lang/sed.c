/*
 * sed: # begins a comment only where a command may stand, so the commands are read, one by one.
 */
#include "lang/lexer_state.h"

#include <string.h>

/* Behind the next `delimiter` on this line, or the line's end. */
static void skip_part(Lexer *self, char delimiter)
{
    while (self->at < self->end && self->text[self->at] != '\n') {
        char c = self->text[self->at];
        self->at += c == '\\' ? MIN((size_t)2, self->end - self->at) : 1;
        if (c == delimiter)
            return;
    }
}

/* /regex/ or \cregexc */
static void skip_address(Lexer *self)
{
    self->at += self->text[self->at] == '\\';
    char delimiter = lexer_peek(self, 0);
    if (delimiter == '\n')
        return;
    self->at++;
    skip_part(self, delimiter);
}

/* The text of a, i, c: lines that end with a backslash go on. */
static void skip_text(Lexer *self)
{
    self->at = lexer_line_end(self, self->at);
    while (self->at < self->end && self->text[self->at - 1] == '\\')
        self->at = lexer_line_end(self, self->at + 1);
}

static void read_command(Lexer *self)
{
    char c = self->text[self->at];
    if (c == '#') {
        lexer_add_line(self, 0);
    } else if (c == '/' || c == '\\') {
        skip_address(self);
    } else if ((c == 's' || c == 'y') && !g_ascii_isspace(lexer_peek(self, 1))) {
        char delimiter = lexer_peek(self, 1);
        self->at += 2;
        skip_part(self, delimiter);
        skip_part(self, delimiter);
    } else if (c == '"' || c == '\'') { // no sed, but a shell's quotes
        self->at++;
        skip_part(self, c);
    } else if (c != '\0' && strchr("aic", c)) {
        self->at++;
        skip_text(self);
    } else if (c != '\0' && strchr("rRwW:", c)) {
        self->at = lexer_line_end(self, self->at);
    } else if (c != '\0' && strchr("btT", c)) { // a label
        while (self->at < self->end && self->text[self->at] != '\n' && self->text[self->at] != ';')
            self->at++;
    } else {
        self->at++; // addresses, blanks, brackets, commands without arguments
    }
}

void machine_sed(Lexer *self)
{
    while (self->at < self->end)
        read_command(self);
}
