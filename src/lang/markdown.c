/*
 * Markdown, where comments are HTML's and code is text; and templates (Handlebars, Jinja, Twig,
 * ERB), whose own comments stand in any text.
 */
#include "lang/lexer_state.h"

#include <string.h>

static const BlockMark html_comment = { "<!--", "-->", 0 };

// ---- Markdown ----

#define RUN_LENGTHS 64 // code spans with longer marks are not looked for

typedef struct Spans {
    size_t last[RUN_LENGTHS]; // where the last run of so many backticks begins
    bool is_filled;
} Spans;

static size_t run_of(const Lexer *self, size_t place, char c)
{
    size_t end = place;
    while (end < self->end && self->text[end] == c)
        end++;
    return end - place;
}

static void fill_spans(const Lexer *self, Spans *spans)
{
    spans->is_filled = true;
    for (size_t place = lexer_find(self, self->at, "`"); place < self->end;
         place = lexer_find(self, place, "`")) {
        size_t run = run_of(self, place, '`');
        if (run < RUN_LENGTHS)
            spans->last[run] = place;
        place += run;
    }
}

/* `…`, ``…``: to behind the next run of the same length; without one they are only backticks. */
static void skip_span(Lexer *self, Spans *spans)
{
    if (!spans->is_filled)
        fill_spans(self, spans);
    size_t run = run_of(self, self->at, '`');
    self->at += run;
    if (run >= RUN_LENGTHS || spans->last[run] < self->at)
        return;
    while (self->at < self->end) {
        self->at = lexer_find(self, self->at, "`");
        size_t next = run_of(self, self->at, '`');
        self->at += next;
        if (next == run)
            return;
    }
}

/* A fence that opens on this line: to behind the line that closes it. */
static bool skip_fence(Lexer *self)
{
    char c = self->text[self->at];
    size_t run = lexer_is_first(self, self->at) ? run_of(self, self->at, c) : 0;
    if (run < 3)
        return false;
    size_t line = lexer_line_end(self, self->at);
    if (c == '`' && memchr(self->text + self->at + run, '`', line - self->at - run))
        return false; // a code span
    for (; line < self->end; line = lexer_line_end(self, line)) {
        size_t first = lexer_skip_blanks(self, line + 1);
        size_t closing = run_of(self, first, c);
        size_t behind = lexer_skip_blanks(self, first + closing);
        line = first;
        if (closing >= run && (behind >= self->end || self->text[behind] == '\n')) {
            self->at = behind;
            return true;
        }
    }
    self->at = self->end;
    return true;
}

void machine_markdown(Lexer *self)
{
    Spans spans = { .is_filled = false };
    if (lexer_has(self, self->at, "---\n")) { // front matter
        size_t start = self->at + 4, end = lexer_find(self, start - 1, "\n---");
        if (end < self->end) {
            lexer_run_inner(self, self->find_language("yaml"), start, MAX(start, end));
            self->at = end + 4;
        }
    }
    while (self->at < self->end) {
        char c = self->text[self->at];
        if (c == '\\')
            self->at += MIN((size_t)2, self->end - self->at);
        else if ((c == '`' || c == '~') && skip_fence(self))
            continue;
        else if (c == '`')
            skip_span(self, &spans);
        else if (c == '<' && lexer_has(self, self->at, "<!--"))
            lexer_add_block(self, &html_comment);
        else
            self->at++;
    }
}

// ---- templates ----

typedef struct TemplateMarks {
    const char *language;
    BlockMark comments[3];
    struct {
        const char *open, *close;
    } code[2];
    bool has_strings; // in code, and they hide the marks
} TemplateMarks;

static const TemplateMarks templates[] = {
    { "handlebars",
      { { "{{!--", "--}}", 0 }, { "{{~!--", "--~}}", 0 }, { "{{!", "}}", 0 } },
      { { "{{", "}}" } },
      true },
    { "jinja", { { "{#", "#}", 0 } }, { { "{{", "}}" }, { "{%", "%}" } }, true },
    { "twig", { { "{#", "#}", 0 } }, { { "{{", "}}" }, { "{%", "%}" } }, true },
    { "erb", { { "<%#", "%>", 0 } }, { { "<%", "%>" } }, false },
};

static const TemplateMarks *marks_of(const Lexer *self)
{
    size_t i = 0;
    while (i + 1 < G_N_ELEMENTS(templates) &&
           strcmp(templates[i].language, self->language->name) != 0)
        i++;
    return &templates[i];
}

/* {{ … }}: to behind the closer that stands in no string. */
static void skip_code(Lexer *self, const char *open, const char *close, bool has_strings)
{
    self->at += strlen(open);
    while (self->at < self->end && !lexer_has(self, self->at, close)) {
        char c = self->text[self->at];
        if (has_strings && (c == '"' || c == '\'')) {
            const Literal literal = {
                .tag = self->text + self->at,
                .tag_size = 1,
                .escape = '\\',
            };
            literal_open(self, 1, &literal);
        } else {
            self->at++;
        }
    }
    self->at = MIN(self->at + strlen(close), self->end);
}

/* {% raw %} … {% endraw %}, {% verbatim %} likewise: text. */
static bool skip_raw(Lexer *self)
{
    size_t word = lexer_skip_blanks(self, self->at + 2 + (lexer_peek(self, 2) == '-'));
    size_t end = lexer_word_end(self, word);
    if (!lexer_is_one_of(self, word, end, "raw verbatim"))
        return false;
    const char *closer = self->text[word] == 'r' ? "endraw" : "endverbatim";
    self->at = lexer_find(self, end, closer);
    return true;
}

static bool read_template_mark(Lexer *self, const TemplateMarks *marks)
{
    for (size_t i = 0; i < G_N_ELEMENTS(marks->comments) && marks->comments[i].open; i++) {
        if (lexer_has(self, self->at, marks->comments[i].open)) {
            lexer_add_block(self, &marks->comments[i]);
            return true;
        }
    }
    if (lexer_has(self, self->at, "{%") && marks->code[1].open && skip_raw(self))
        return true;
    for (size_t i = 0; i < G_N_ELEMENTS(marks->code) && marks->code[i].open; i++) {
        if (lexer_has(self, self->at, marks->code[i].open)) {
            skip_code(self, marks->code[i].open, marks->code[i].close, marks->has_strings);
            return true;
        }
    }
    return false;
}

void machine_template(Lexer *self)
{
    const TemplateMarks *marks = marks_of(self);
    while (self->at < self->end) {
        char c = self->text[self->at];
        if ((c == '{' || c == '<') && read_template_mark(self, marks))
            continue;
        if (c == '<' && lexer_has(self, self->at, "<!--"))
            lexer_add_block(self, &html_comment);
        else
            self->at++;
    }
}
