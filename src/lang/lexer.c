/*
 * The engine: reads a text by the table of its language (lexer_state.h).
 */
#include "lang/lexer_state.h"

#include <string.h>

static bool read_block(Lexer *self)
{
    const BlockMark *blocks = self->language->blocks;
    for (size_t i = 0; i < LANGUAGE_BLOCKS && blocks[i].open; i++) {
        const BlockMark *mark = &blocks[i];
        if (!lexer_has(self, self->at, mark->open) ||
            (mark->flags & BLOCK_ALONE && !lexer_is_alone(self, self->at, mark->open)) ||
            (mark->flags & BLOCK_NOT_TAG && lexer_peek(self, strlen(mark->open)) == ')'))
            continue;
        lexer_add_block(self, mark);
        return true;
    }
    return false;
}

/* An odd number of backslashes stands before `place`. */
static bool is_escaped(const Lexer *self, size_t place)
{
    size_t first = place;
    while (first > self->start && self->text[first - 1] == '\\')
        first--;
    return (place - first) % 2 == 1;
}

static bool is_behind(const Lexer *self, size_t place, const char *bytes)
{
    while (place > self->start && lexer_is_blank(self->text[place - 1]))
        place--;
    char before = lexer_before(self, place);
    return before == '\n' || strchr(bytes, before) != NULL;
}

/* `--` begins a Haskell comment unless it is part of an operator such as `-->` or `|--`. */
static bool is_operator(const Lexer *self, size_t place)
{
    static const char symbols[] = "!#$%&*+./<=>?@\\^|~:";
    char before = lexer_before(self, place);
    if (before == '-') // decided at the first of them
        return true;
    while (place < self->end && self->text[place] == '-')
        place++;
    char after = place < self->end ? self->text[place] : '\n';
    return strchr(symbols, before) != NULL || strchr(symbols, after) != NULL;
}

static bool line_mark_counts(const Lexer *self, const LineMark *mark)
{
    size_t at = self->at;
    unsigned flags = mark->flags;
    if (!(flags & NO_CASE ? lexer_has_nocase(self, at, mark->text)
                          : lexer_has(self, at, mark->text)))
        return false;
    char before = lexer_before(self, at), after = lexer_peek(self, strlen(mark->text));
    bool is_blank_before = before == '\n' || lexer_is_blank(before);
    if ((flags & AT_LINE && !lexer_is_first(self, at)) || (flags & AT_COLUMN_1 && before != '\n') ||
        (flags & AT_WORD && !is_blank_before && !strchr(";&|()", before)) ||
        (flags & AFTER_BLANK && !is_blank_before) ||
        (flags & BEFORE_BLANK && after != '\n' && !lexer_is_blank(after)) ||
        (flags & NOT_AFTER_WORD && (lexer_is_word(before) || before == '`')) ||
        (flags & NOT_ESCAPED && is_escaped(self, at)) ||
        (flags & NOT_OPERATOR && is_operator(self, at)))
        return false;
    if (flags & NOT_CONTINUED) {
        size_t line = at;
        while (line > self->start && self->text[line - 1] != '\n')
            line--;
        if (line > self->start && is_escaped(self, line - 1))
            return false;
    }
    return mark->after == NULL || is_behind(self, at, mark->after);
}

static bool read_line(Lexer *self)
{
    const LineMark *lines = self->language->lines;
    for (size_t i = 0; i < LANGUAGE_LINES && lines[i].text; i++) {
        if (!line_mark_counts(self, &lines[i]))
            continue;
        lexer_add_line(self, lines[i].flags);
        return true;
    }
    return false;
}

// ---- the engine ----

static void read_step(Lexer *self)
{
    char c = self->text[self->at];
    unsigned classes = self->classes[(uint8_t)c];
    if (classes & CLASS_BRACKET && frame_bracket(self, c))
        return;
    if (classes & CLASS_HOOK && self->language->hook(self))
        return;
    if (classes & CLASS_LINE_END) {
        frame_line_end(self);
        self->at++;
        heredoc_line_end(self);
        return;
    }
    if ((classes & CLASS_BLOCK && read_block(self)) || (classes & CLASS_LINE && read_line(self)) ||
        (classes & CLASS_STRING && lexer_string(self)) ||
        (classes & CLASS_REGEX && regex_skip(self)))
        return;
    self->at++;
}

void lexer_run_table(Lexer *self)
{
    while (self->at < self->end) {
        if (self->classes[(uint8_t)self->text[self->at]] != 0)
            read_step(self);
        else
            self->at++;
    }
}

static void set_classes(Lexer *self)
{
    const Language *language = self->language;
    lexer_set_class(self, '\n', CLASS_LINE_END);
    for (size_t i = 0; i < LANGUAGE_BLOCKS && language->blocks[i].open; i++)
        lexer_set_class(self, language->blocks[i].open[0], CLASS_BLOCK);
    for (size_t i = 0; i < LANGUAGE_LINES && language->lines[i].text; i++) {
        lexer_set_class(self, g_ascii_tolower(language->lines[i].text[0]), CLASS_LINE);
        lexer_set_class(self, language->lines[i].text[0], CLASS_LINE);
    }
    const StringMark *strings = language->strings;
    for (; strings && strings->open; strings++)
        lexer_set_class(self, strings->open[0], CLASS_STRING);
    if (language->flags & LANGUAGE_REGEX)
        lexer_set_class(self, '/', CLASS_REGEX);
    for (const char *p = language->hook != NULL ? language->hook_bytes : ""; *p != '\0'; p++)
        lexer_set_class(self, *p, CLASS_HOOK);
}

void lexer_run(Lexer *self)
{
    self->at = self->start;
    self->frames = g_array_new(FALSE, FALSE, sizeof(Frame));
    self->heredocs = g_ptr_array_new_with_free_func((GDestroyNotify)heredoc_free);
    bool is_attribute =
        self->language->flags & LANGUAGE_NO_SHEBANG && lexer_has(self, self->at, "#![");
    if (self->start == 0 && lexer_has(self, 0, "#!") && !is_attribute)
        self->start = self->at = lexer_line_end(self, 0);
    set_classes(self);
    if (self->language->machine)
        self->language->machine(self);
    else
        lexer_run_table(self);
    g_array_unref(self->frames);
    g_ptr_array_unref(self->heredocs);
    g_clear_pointer(&self->jsx_closers, g_hash_table_unref);
}

void lexer_run_inner(Lexer *self, const Language *language, size_t start, size_t end)
{
    Lexer inner = {
        .text = self->text,
        .start = start,
        .end = end,
        .language = language,
        .find_language = self->find_language,
        .flags = self->flags,
        .depth = self->depth + 1,
        .comments = self->comments,
    };
    if (inner.depth <= LEXER_PARTS_MAX)
        lexer_run(&inner);
}
