/*
 * Here-documents: words that open them queue up on a line, their bodies follow from the next line.
 */
#include "lang/lexer_state.h"

#include <string.h>

#define WORD_MAX ((size_t)256) // bytes of a terminator

void heredoc_free(Heredoc *self)
{
    if (!self)
        return;
    g_free(self->terminator);
    g_free(self);
}

/* Takes `terminator`. An empty one is none: the operator was something else. */
static bool queue_up(Lexer *self, char *terminator, HeredocDash dash, bool has_dash, size_t end)
{
    if (*terminator == '\0') {
        g_free(terminator);
        return false;
    }
    Heredoc *heredoc = g_new0(Heredoc, 1);
    heredoc->terminator = terminator;
    heredoc->strips_tabs = has_dash && dash == HEREDOC_DASH_TABS;
    heredoc->strips_blanks =
        dash == HEREDOC_ALWAYS_BLANKS || (has_dash && dash == HEREDOC_DASH_BLANKS);
    g_ptr_array_add(self->heredocs, heredoc);
    self->at = end;
    return true;
}

/* The text between the quote at `place` and the next one on the line; NULL when there is none. */
static char *quoted_word(const Lexer *self, size_t place, size_t *ret_end)
{
    size_t limit = MIN(self->end, place + WORD_MAX);
    for (size_t end = place + 1; end < limit && self->text[end] != '\n'; end++) {
        if (self->text[end] != self->text[place])
            continue;
        *ret_end = end + 1;
        return g_strndup(self->text + place + 1, end - place - 1);
    }
    return NULL;
}

bool heredoc_open(Lexer *self, HeredocDash dash, bool is_bare_allowed)
{
    if (!lexer_has(self, self->at, "<<"))
        return false;
    size_t place = self->at + 2;
    char mark = place < self->end ? self->text[place] : '\n';
    bool has_dash = mark == '-' || (mark == '~' && dash != HEREDOC_DASH_TABS);
    place += has_dash;
    char first = place < self->end ? self->text[place] : '\n';
    if (first == '"' || first == '\'' || first == '`') {
        size_t end = place;
        char *word = quoted_word(self, place, &end);
        return word != NULL && queue_up(self, word, dash, has_dash, end);
    }
    bool is_word = g_ascii_isalpha(first) || first == '_';
    if (!is_word || !(is_bare_allowed || has_dash))
        return false;
    size_t end = lexer_word_end(self, place);
    if (end - place > WORD_MAX)
        return false;
    return queue_up(self, g_strndup(self->text + place, end - place), dash, has_dash, end);
}

/* A shell word may be quoted in parts: E"O"F, \EOF. */
static char *shell_word(const Lexer *self, size_t place, size_t *ret_end)
{
    GString *word = g_string_new(NULL);
    size_t limit = MIN(self->end, place + WORD_MAX);
    for (; place < limit && !strchr(" \t\n;&|()<>", self->text[place]); place++) {
        char c = self->text[place];
        size_t end = place;
        g_autofree char *quoted = c == '"' || c == '\'' ? quoted_word(self, place, &end) : NULL;
        if (quoted) {
            g_string_append(word, quoted);
            place = end - 1;
        } else if (c == '\\' && place + 1 < limit && self->text[place + 1] != '\n') {
            g_string_append_c(word, self->text[++place]);
        } else {
            g_string_append_c(word, c);
        }
    }
    *ret_end = place;
    return g_string_free(word, FALSE);
}

bool heredoc_open_shell(Lexer *self)
{
    if (!lexer_has(self, self->at, "<<"))
        return false;
    if (lexer_has(self, self->at, "<<<")) { // a here-string
        self->at += 3;
        return true;
    }
    size_t place = self->at + 2;
    bool has_dash = place < self->end && self->text[place] == '-';
    place = lexer_skip_blanks(self, place + has_dash);
    size_t end = place;
    char *word = shell_word(self, place, &end);
    return queue_up(self, word, HEREDOC_DASH_TABS, has_dash, end);
}

bool heredoc_open_php(Lexer *self)
{
    if (!lexer_has(self, self->at, "<<<"))
        return false;
    size_t place = lexer_skip_blanks(self, self->at + 3), end = place;
    char first = place < self->end ? self->text[place] : '\n';
    char *word = NULL;
    if (first == '"' || first == '\'') {
        word = quoted_word(self, place, &end);
    } else if (lexer_is_word(first)) {
        end = lexer_word_end(self, place);
        word = end - place <= WORD_MAX ? g_strndup(self->text + place, end - place) : NULL;
    }
    if (!word || !queue_up(self, word, HEREDOC_ALWAYS_BLANKS, false, end))
        return false;
    Heredoc *heredoc = g_ptr_array_index(self->heredocs, self->heredocs->len - 1);
    heredoc->is_php = true;
    return true;
}

/* Does the line at `place` end the body? Then *ret_end is where code goes on. */
static bool is_terminator(const Lexer *self, const Heredoc *heredoc, size_t place, size_t *ret_end)
{
    while (heredoc->strips_tabs && place < self->end && self->text[place] == '\t')
        place++;
    if (heredoc->strips_blanks)
        place = lexer_skip_blanks(self, place);
    if (!lexer_has(self, place, heredoc->terminator))
        return false;
    size_t end = place + strlen(heredoc->terminator);
    *ret_end = end;
    char after = end < self->end ? self->text[end] : '\n';
    return heredoc->is_php ? !lexer_is_word(after) : after == '\n';
}

/* From `at`, the start of a line, to behind the terminator's line. */
static void skip_body(Lexer *self, const Heredoc *heredoc)
{
    while (self->at < self->end) {
        size_t end = 0;
        bool is_last = is_terminator(self, heredoc, self->at, &end);
        size_t line_end = lexer_line_end(self, self->at);
        self->at = is_last && heredoc->is_php ? end : MIN(line_end + 1, self->end);
        if (is_last)
            return;
    }
}

void heredoc_line_end(Lexer *self)
{
    if (self->heredocs->len == 0)
        return;
    for (guint i = 0; i < self->heredocs->len; i++)
        skip_body(self, g_ptr_array_index(self->heredocs, i));
    g_ptr_array_set_size(self->heredocs, 0);
}
