/*
 * Literals of Lua, CMake, SQL, the Lisps, OCaml, Erlang, Prolog, HCL, Dockerfiles and TeX that a
 * table cannot say.
 */
#include "lang/lexer_state.h"

#include <string.h>

static void lexer_skip(Lexer *self, size_t size)
{
    self->at += MIN(size, self->end - self->at);
}

/* How many = stand between the two [ at `place`; SIZE_MAX when it opens nothing. */
static size_t bracket_level(const Lexer *self, size_t place)
{
    if (place >= self->end || self->text[place] != '[')
        return SIZE_MAX;
    size_t end = place + 1;
    while (end < self->end && self->text[end] == '=')
        end++;
    bool is_open = end < self->end && self->text[end] == '[' && end - place - 1 <= LITERAL_TAG_MAX;
    return is_open ? end - place - 1 : SIZE_MAX;
}

/* `mark` (`--` or `#`) with a long bracket behind it is a comment to the same bracket. */
static bool add_bracket_comment(Lexer *self, const char *mark)
{
    if (!lexer_has(self, self->at, mark))
        return false;
    size_t level = bracket_level(self, self->at + strlen(mark));
    if (level == SIZE_MAX)
        return false;
    g_autofree char *signs = g_strnfill(level, '=');
    g_autofree char *open = g_strconcat(mark, "[", signs, "[", NULL);
    g_autofree char *close = g_strconcat("]", signs, "]", NULL);
    const BlockMark block = { open, close, 0 };
    lexer_add_block(self, &block);
    return true;
}

static bool skip_bracket_string(Lexer *self)
{
    size_t level = bracket_level(self, self->at);
    if (level == SIZE_MAX)
        return false;
    const Literal literal = {
        .head = "]",
        .tag = self->text + self->at + 1,
        .tag_size = level,
        .tail = "]",
        .flags = STRING_LINES,
    };
    literal_open(self, level + 2, &literal);
    return true;
}

bool hook_lua(Lexer *self)
{
    return self->text[self->at] == '[' ? skip_bracket_string(self)
                                       : add_bracket_comment(self, "--");
}

bool hook_cmake(Lexer *self)
{
    if (self->text[self->at] == '\\') {
        lexer_skip(self, 2);
        return true;
    }
    return self->text[self->at] == '[' ? skip_bracket_string(self) : add_bracket_comment(self, "#");
}

/* $tag$ … $tag$ */
bool hook_sql(Lexer *self)
{
    char before = lexer_before(self, self->at), first = lexer_peek(self, 1);
    if (lexer_is_word(before) || before == '$' || g_ascii_isdigit(first))
        return false;
    size_t end = lexer_word_end(self, self->at + 1);
    if (end == self->end || self->text[end] != '$' || end - self->at > LITERAL_TAG_MAX)
        return false;
    const Literal literal = {
        .tag = self->text + self->at,
        .tag_size = end + 1 - self->at,
        .flags = STRING_LINES,
    };
    literal_open(self, literal.tag_size, &literal);
    return true;
}

/* #\; and \; and, in Emacs Lisp, ?; are characters; #; leaves out the next datum, no text. */
bool hook_lisp(Lexer *self)
{
    char next = lexer_peek(self, 1);
    switch (self->text[self->at]) {
    case '\\':
        lexer_skip(self, 2);
        return true;
    case '#':
        if (next != '\\' && next != ';')
            return false;
        lexer_skip(self, next == '\\' ? 3 : 2);
        return true;
    case '?':
        if (lexer_is_word(lexer_before(self, self->at)) || lexer_before(self, self->at) == '-')
            return false;
        lexer_skip(self, next == '\\' ? 3 : 2);
        return true;
    default:
        return false;
    }
}

/* {id|…|id}; and ' as hook_tick() has it. */
bool hook_ocaml(Lexer *self)
{
    if (self->text[self->at] == '\'')
        return hook_tick(self);
    size_t tag = self->at + 1, end = lexer_word_end(self, tag);
    if (end == self->end || self->text[end] != '|' || end - tag > LITERAL_TAG_MAX)
        return false;
    const Literal literal = {
        .head = "|",
        .tag = self->text + tag,
        .tag_size = end - tag,
        .tail = "}",
        .flags = STRING_LINES,
    };
    literal_open(self, end + 1 - self->at, &literal);
    return true;
}

/* $% is a character. */
bool hook_erlang(Lexer *self)
{
    lexer_skip(self, lexer_peek(self, 1) == '\\' ? 3 : 2);
    return true;
}

/* 0'c is a character. */
bool hook_prolog(Lexer *self)
{
    if (lexer_before(self, self->at) != '0' || lexer_word_start(self, self->at, 2) + 1 != self->at)
        return false;
    char next = lexer_peek(self, 1);
    bool is_long = next == '\\' || (next == '\'' && lexer_peek(self, 2) == '\'');
    lexer_skip(self, is_long ? 3 : 2);
    return true;
}

bool hook_hcl(Lexer *self)
{
    return heredoc_open(self, HEREDOC_DASH_BLANKS, true);
}

bool hook_dockerfile(Lexer *self)
{
    if (lexer_has(self, self->at, "<<<")) {
        lexer_skip(self, 3);
        return true;
    }
    return heredoc_open(self, HEREDOC_DASH_TABS, true);
}

// ---- TeX ----

/* \begin{verbatim} and its like, to the matching \end. */
static bool skip_verbatim(Lexer *self)
{
    size_t name = self->at + strlen("\\begin{"), end = name;
    while (end < self->end && end - name < 32 &&
           (g_ascii_isalpha(self->text[end]) || self->text[end] == '*'))
        end++;
    if (!lexer_is_one_of(self, name, end,
                         "verbatim verbatim* Verbatim lstlisting minted filecontents "
                         "filecontents* comment"))
        return false;
    const Literal literal = {
        .head = "\\end{",
        .tag = self->text + name,
        .tag_size = end - name,
        .tail = "}",
        .flags = STRING_LINES,
    };
    literal_open(self, end - self->at, &literal);
    return true;
}

/* \verb|…| on one line. */
static void skip_verb(Lexer *self)
{
    self->at += strlen("\\verb");
    self->at += lexer_peek(self, 0) == '*';
    const Literal literal = { .tag = self->text + self->at, .tag_size = 1 };
    literal_open(self, 1, &literal);
}

bool hook_tex(Lexer *self)
{
    if (lexer_has(self, self->at, "\\begin{") && skip_verbatim(self))
        return true;
    if (lexer_has(self, self->at, "\\verb") && !g_ascii_isalpha(lexer_peek(self, 5)) &&
        lexer_peek(self, 5) != '\n') {
        skip_verb(self);
        return true;
    }
    if (lexer_has(self, self->at, "\\url{") || lexer_has(self, self->at, "\\href{")) {
        const Literal literal = { .head = "}" };
        literal_open(self, 5, &literal);
        return true;
    }
    lexer_skip(self, 2);
    return true;
}
