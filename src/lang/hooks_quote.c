/*
 * Ruby, Crystal, Perl and Elixir: literals with a delimiter of one's choice, characters written ?#,
 * documentation between =words, and the text behind __END__.
 */
#include "lang/lexer_state.h"

#include <string.h>

static bool is_column_1(const Lexer *self)
{
    return lexer_before(self, self->at) == '\n';
}

/* `__END__` alone on its line: what follows is text. */
static bool skip_rest(Lexer *self, const char *mark)
{
    if (!is_column_1(self) || !lexer_has(self, self->at, mark) ||
        lexer_peek(self, strlen(mark)) != '\n')
        return false;
    self->at = self->end;
    return true;
}

/* From =begin or =head1 to the end of the line that begins with `close`. */
static bool add_paragraphs(Lexer *self, const char *close, bool is_end_needed)
{
    g_autofree char *needle = g_strconcat("\n", close, NULL);
    size_t start = self->at, last = lexer_find(self, start, needle);
    bool is_closed = last < self->end || lexer_has(self, start, close);
    if (lexer_has(self, start, close))
        last = start;
    if (!is_closed && is_end_needed) {
        const BlockMark mark = { "=", needle, 0 }; // never found: unterminated
        lexer_add_block(self, &mark);
        return true;
    }
    size_t end = is_closed ? lexer_line_end(self, last + 1) : self->end;
    self->at = end;
    while (end > start && g_ascii_isspace(self->text[end - 1]))
        end--;
    lexer_add(self, start, end, true);
    return true;
}

/* ?# and ?\# behind something that is no word. */
static bool skip_character(Lexer *self)
{
    char before = lexer_before(self, self->at), next = lexer_peek(self, 1);
    if (lexer_is_word(before) || before == ')' || before == ']' || g_ascii_isspace(next))
        return false;
    if ((next == '"' || next == '\'') && !regex_is_operand_next(self))
        return false; // x ?'yes':'no'
    size_t size = next == '\\' ? 3 : 2;
    if (next != '\\' && lexer_is_word(lexer_peek(self, 2)) && lexer_is_word(next))
        return false; // x ?yes : no
    self->at += MIN(size, self->end - self->at);
    return true;
}

static bool is_after_operand(const Lexer *self)
{
    char before = lexer_before(self, self->at);
    return lexer_is_word(before) || before == ')' || before == ']' || before == '}';
}

/* %q(…), %w[…], %(…) where an operand may stand. */
static bool skip_percent_literal(Lexer *self)
{
    char type = lexer_peek(self, 1);
    bool is_typed = type != '\0' && strchr("qQwWiIrxs", type) != NULL;
    char delimiter = lexer_peek(self, is_typed ? 2 : 1);
    bool is_delimiter = is_typed ? g_ascii_ispunct(delimiter)
                                 : delimiter != '\0' && strchr("([{<|!/^", delimiter) != NULL;
    bool is_loose = lexer_is_blank(lexer_before(self, self->at));
    if (!is_delimiter || !(is_loose || regex_is_operand_next(self)))
        return false;
    bool is_plain = is_typed && strchr("qwis", type) != NULL;
    self->at += is_typed ? 2 : 1;
    literal_delimited(self, '\\', is_plain ? NULL : "#{");
    return true;
}

bool hook_ruby(Lexer *self)
{
    char next = lexer_peek(self, 1);
    switch (self->text[self->at]) {
    case '=': {
        char behind = lexer_peek(self, strlen("=begin"));
        return is_column_1(self) && lexer_has(self, self->at, "=begin") &&
               g_ascii_isspace(behind) && add_paragraphs(self, "=end", true);
    }
    case '_':
        return skip_rest(self, "__END__");
    case '%':
        return skip_percent_literal(self);
    case '?':
        return skip_character(self);
    case '$':
        if (!g_ascii_ispunct(next) || next == '{')
            return false;
        self->at += 2; // $" $' $/
        return true;
    case '<':
        return !is_after_operand(self) &&
               heredoc_open(self, HEREDOC_DASH_BLANKS, g_ascii_isupper(lexer_peek(self, 2)));
    default:
        return false;
    }
}

bool hook_crystal(Lexer *self)
{
    if (self->text[self->at] == '%')
        return skip_percent_literal(self);
    return lexer_has(self, self->at, "<<-") && heredoc_open(self, HEREDOC_DASH_BLANKS, false);
}

// ---- Perl ----

/* What may open the literal of `q`, `s` and the like: next to the word, or behind a blank. */
static bool is_perl_delimiter(char c, bool is_next)
{
    return c != '\0' && strchr(is_next ? "/{([<|!#'\"~^%:@?" : "/{(['\"", c) != NULL;
}

/* Letters behind a literal; is `e` among them? */
static bool skip_flags(Lexer *self)
{
    bool has_e = false;
    for (; self->at < self->end && g_ascii_isalpha(self->text[self->at]); self->at++)
        has_e = has_e || self->text[self->at] == 'e';
    return has_e;
}

/* The second part of s()() and its like, which is code when the flag e follows. */
static void skip_replacement(Lexer *self, char delimiter)
{
    if (!strchr("([{<", delimiter))
        self->at--; // the closer of the first part opens the second
    while (self->at < self->end && g_ascii_isspace(self->text[self->at]))
        self->at++;
    if (self->at == self->end)
        return;
    size_t start = self->at + 1;
    literal_delimited(self, '\\', NULL);
    size_t end = self->at - 1;
    if (skip_flags(self) && end > start)
        lexer_run_inner(self, self->language, start, end);
}

/* q() qq() qw() qr() qx() m() s()() tr()() y()() */
static bool skip_perl_literal(Lexer *self)
{
    char before = lexer_before(self, self->at);
    if (lexer_is_word(before) || (before != '\0' && strchr("$@%&>:-", before)))
        return false;
    size_t code = lexer_code_before(self, self->at);
    if (lexer_is_one_of(self, lexer_word_start(self, code, 4), code, "sub"))
        return false;
    size_t end = lexer_word_end(self, self->at);
    bool has_two = lexer_is_one_of(self, self->at, end, "s tr y");
    if (!has_two && !lexer_is_one_of(self, self->at, end, "q qq qw qr qx m"))
        return false;
    size_t place = lexer_skip_blanks(self, end);
    char delimiter = place < self->end ? self->text[place] : '\n';
    bool is_comma = delimiter == ',' && place == end && // m,/,
                    lexer_is_one_of(self, self->at, end, "m s tr qr qw");
    if (!is_comma && !is_perl_delimiter(delimiter, place == end))
        return false;
    self->at = place;
    literal_delimited(self, '\\', NULL);
    if (has_two && self->at < self->end)
        skip_replacement(self, delimiter);
    else
        skip_flags(self);
    return true;
}

bool hook_perl(Lexer *self)
{
    char next = lexer_peek(self, 1);
    switch (self->text[self->at]) {
    case '=':
        return is_column_1(self) && g_ascii_isalpha(next) && add_paragraphs(self, "=cut", false);
    case '_':
        return skip_rest(self, "__END__") || skip_rest(self, "__DATA__");
    case '$':
        if (next == '\0' || !strchr("#\"'`/&;,!\\", next))
            return false;
        self->at += 2; // $#list, $", $'
        return true;
    case '<':
        return !is_after_operand(self) && heredoc_open(self, HEREDOC_DASH_BLANKS, true);
    default:
        return skip_perl_literal(self);
    }
}

// ---- Elixir ----

/* ~s(…), ~r/…/, ~S""" … """ */
static bool skip_sigil(Lexer *self)
{
    size_t place = self->at + 1, end = place;
    while (end < self->end && end - place < 32 && g_ascii_isalnum(self->text[end]))
        end++;
    if (end == place || end == self->end || !g_ascii_ispunct(self->text[end]))
        return false;
    const char *opener = g_ascii_islower(self->text[place]) ? "#{" : NULL;
    bool is_long = lexer_has(self, end, "\"\"\"") || lexer_has(self, end, "'''");
    self->at = end;
    if (!is_long) {
        literal_delimited(self, '\\', opener);
        return true;
    }
    const Literal literal = {
        .tag = self->text + end,
        .tag_size = 3,
        .escape = '\\',
        .flags = STRING_LINES,
        .interpolation = { opener },
    };
    literal_open(self, 3, &literal);
    return true;
}

bool hook_elixir(Lexer *self)
{
    return self->text[self->at] == '?' ? skip_character(self) : skip_sigil(self);
}
