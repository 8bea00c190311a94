/*
 * What JavaScript, CSS and PHP have beside the table.
 */
#include "lang/lexer_state.h"

#include <string.h>

bool hook_javascript(Lexer *self)
{
    return jsx_open(self);
}

/* url( without quotes: everything to the bracket is the address. */
bool hook_css(Lexer *self)
{
    size_t start = lexer_word_start(self, self->at, 4);
    if (self->at - start != 3 || !lexer_has_nocase(self, start, "url"))
        return false;
    size_t inside = lexer_skip_blanks(self, self->at + 1);
    if (inside < self->end && (self->text[inside] == '"' || self->text[inside] == '\''))
        return false;
    const Literal literal = { .head = ")", .escape = '\\' };
    literal_open(self, 1, &literal);
    return true;
}

// ---- PHP ----

/* Behind the next `<?php` or `<?=`; the end when there is none. */
static size_t code_start(const Lexer *self, size_t place)
{
    for (place = lexer_find(self, place, "<?"); place < self->end;
         place = lexer_find(self, place + 2, "<?")) {
        if (lexer_has(self, place, "<?="))
            return place + 3;
        size_t behind = place + strlen("<?php");
        if (lexer_has_nocase(self, place, "<?php") &&
            (behind == self->end || g_ascii_isspace(self->text[behind])))
            return behind;
    }
    return self->end;
}

bool hook_php(Lexer *self)
{
    if (lexer_has(self, self->at, "#[")) {
        self->at += 2; // an attribute
        return true;
    }
    if (lexer_has(self, self->at, "?>")) {
        self->at = code_start(self, self->at + 2);
        return true;
    }
    return self->text[self->at] == '<' && heredoc_open_php(self);
}

void machine_php(Lexer *self)
{
    self->at = code_start(self, self->at);
    lexer_run_table(self);
}
