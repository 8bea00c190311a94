/*
 * The lexer of lines of code (highlight.h), by the tables of highlight_words.h.
 *
 * The state between two lines: 0; or the form that is open, counted from 1, with the depth of
 * comments in one another above it; or a tag.
 */
#include "tui/text/highlight.h"

#include "base/str.h"
#include "lang/language_row.h"
#include "tui/text/highlight_words.h"

#include <stdlib.h>
#include <string.h>

#define STATE_FORM  0xffu // the form that is open
#define STATE_TAG   0xffu // as a form: inside <…>
#define STATE_DEPTH 8     // bits below the depth
#define MAX_DEPTH   1000
#define MAX_WORD    40 // bytes of a key word
#define MAX_FORMS   24 // of a language; the tables have no more

typedef struct Highlighter {
    const HighlightLanguage *language;
    HighlightForm forms[MAX_FORMS]; // its own, then those of its row
    unsigned form_count;
    const char *line;
    size_t size;
    size_t at;
    uint32_t state;
    Style style;
    RowBuilder *out;
    size_t done; // what comes before is in `out`; from there to `at` it is of one colour
    int token;   // that one; -1: plain
} Highlighter;

// ---- which language ----

static bool has_name(const char *names, const char *name, size_t size)
{
    for (const char *at = names; at && *at;) {
        size_t length = strcspn(at, " ");
        if (length == size && g_ascii_strncasecmp(at, name, size) == 0)
            return true;
        at += length + (at[length] == ' ');
    }
    return false;
}

static bool is_last(const HighlightLanguage *language)
{
    return !language->languages && !language->tags;
}

static const HighlightLanguage *find_by_name(const char *name, size_t size)
{
    for (const HighlightLanguage *language = highlight_languages; !is_last(language); language++)
        if (size > 0 &&
            (has_name(language->languages, name, size) || has_name(language->tags, name, size)))
            return language;
    return NULL;
}

const HighlightLanguage *highlight_language_of_file(const char *path)
{
    const Language *row = NULL;
    if (language_by_name(path, &row) == LANGUAGE_KNOWN)
        return find_by_name(language_name(row), strlen(language_name(row)));
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    const char *name = dot && dot > slash ? dot + 1 : slash ? slash + 1 : path;
    return find_by_name(name, strlen(name)); // such as .diff
}

/* "c", "{.python}", "language-js", "rust,ignore"; the end of a file's name will do. */
const HighlightLanguage *highlight_language(const char *tag)
{
    tag += strspn(tag, "{. ");
    if (str_has_prefix(tag, "language-"))
        tag += strlen("language-");
    size_t size = strcspn(tag, ",:;{} \t");
    const HighlightLanguage *language = find_by_name(tag, size);
    g_autofree char *file = g_strdup_printf("x.%.*s", (int)MIN(size, MAX_WORD), tag);
    return language || size == 0 ? language : highlight_language_of_file(file);
}

// ---- comments and strings of a language ----

static void add_form(Highlighter *self, HighlightForm form)
{
    if (!form.open)
        return;
    g_assert(self->form_count < MAX_FORMS);
    self->forms[self->form_count++] = form;
}

static void add_line_mark(Highlighter *self, const LineMark *mark)
{
    unsigned flags = FORM_COMMENT;
    flags |= mark->flags & (AT_WORD | AFTER_BLANK | NOT_AFTER_WORD) ? FORM_WORD : 0;
    flags |= mark->flags & (AT_LINE | AT_COLUMN_1) ? FORM_FIRST : 0;
    if (!mark->after)
        add_form(self, (HighlightForm) { mark->text, NULL, (uint8_t)flags });
}

static void add_string_mark(Highlighter *self, const StringMark *mark)
{
    unsigned flags = mark->escape == '\\' ? FORM_ESCAPES : 0;
    flags |= mark->flags & STRING_LINES ? FORM_LINES : 0;
    if (*mark->close != '\n') // no line has that
        add_form(self, (HighlightForm) { mark->open, mark->close, (uint8_t)flags, mark->prefix });
}

/* Those of the first of its rows, if it is read by single lines. */
static void add_row(Highlighter *self, const HighlightLanguage *language)
{
    char name[MAX_WORD + 1];
    if (!language->languages || language->flags & LANGUAGE_OWN_FORMS)
        return;
    g_strlcpy(name, language->languages, MIN(sizeof(name), strcspn(language->languages, " ") + 1));
    const Language *row = language_find(name);
    for (unsigned i = 0; row && i < LANGUAGE_BLOCKS; i++) {
        unsigned nests = row->blocks[i].flags & BLOCK_NESTED ? FORM_NESTS : 0;
        add_form(self, (HighlightForm) { row->blocks[i].open, row->blocks[i].close,
                                         (uint8_t)(FORM_COMMENT | FORM_LINES | nests) });
    }
    for (unsigned i = 0; row && i < LANGUAGE_LINES; i++)
        add_line_mark(self, &row->lines[i]);
    for (const StringMark *mark = row ? row->strings : NULL; mark && mark->open; mark++)
        add_string_mark(self, mark);
}

// ---- tokens ----

static void highlighter_flush(Highlighter *self)
{
    Style style = self->style;
    if (self->token >= 0)
        style.fg = (uint8_t)self->token;
    row_builder_add(self->out, self->line + self->done, (gssize)(self->at - self->done), style,
                    NULL);
    self->done = self->at;
}

static void highlighter_put(Highlighter *self, size_t end, int token)
{
    if (token != self->token)
        highlighter_flush(self);
    self->token = token;
    self->at = end;
}

static bool starts_with(const Highlighter *self, size_t at, const char *text)
{
    size_t size = strlen(text);
    return self->size - at >= size && memcmp(self->line + at, text, size) == 0;
}

static bool is_word_start(char c)
{
    return g_ascii_isalpha(c) || c == '_' || (unsigned char)c >= 0x80;
}

static bool is_word_part(const Highlighter *self, char c)
{
    return is_word_start(c) || g_ascii_isdigit(c) ||
           (c == '-' && self->language->flags & LANGUAGE_DASHES);
}

static size_t word_end(const Highlighter *self, size_t at)
{
    while (at < self->size && is_word_part(self, self->line[at]))
        at++;
    return at;
}

// ---- forms ----

static bool is_blank_before(const Highlighter *self)
{
    return self->at == 0 || strchr(" \t;(", self->line[self->at - 1]);
}

/* 'a', '\n', 'é': the closing mark is near. */
static bool is_character(const Highlighter *self)
{
    size_t at = self->at + 1;
    if (at < self->size && self->line[at] == '\\')
        return memchr(self->line + at + 1, '\'', MIN(self->size - at - 1, 12)) != NULL;
    for (at++; at < self->size && ((unsigned char)self->line[at] & 0xc0) == 0x80;)
        at++;
    return at < self->size && self->line[at] == '\'';
}

static bool is_first_on_line(const Highlighter *self)
{
    return self->at == strspn(self->line, " \t");
}

static bool form_fits(const Highlighter *self, const HighlightForm *form)
{
    const char *prefix = form->prefix;
    char before = self->at > 0 ? self->line[self->at - 1] : ' ';
    return starts_with(self, self->at, form->open) &&
           (!prefix ||
            (*prefix == '*' ? g_ascii_isalpha(before) : strchr(prefix, before) != NULL)) &&
           (!(form->flags & FORM_START) || self->at == 0) &&
           (!(form->flags & FORM_FIRST) || is_first_on_line(self)) &&
           (!(form->flags & FORM_WORD) || is_blank_before(self)) &&
           (!(form->flags & FORM_CHAR) || is_character(self));
}

/* The form that opens here, counted from 1; 0: none. */
static unsigned form_at(const Highlighter *self)
{
    for (unsigned i = 0; i < self->form_count; i++)
        if (self->forms[i].open[0] == self->line[self->at] && form_fits(self, &self->forms[i]))
            return i + 1;
    return 0;
}

static size_t form_end(Highlighter *self, const HighlightForm *form, size_t at)
{
    uint32_t depth = self->state >> STATE_DEPTH;
    for (size_t i = at; form->close && i < self->size; i++) {
        bool may_close = !(form->flags & FORM_START) || i == 0;
        if (form->flags & FORM_ESCAPES && self->line[i] == '\\') {
            i++;
        } else if (may_close && starts_with(self, i, form->close)) {
            i += strlen(form->close);
            if (depth == 0) {
                self->state = 0;
                return i;
            }
            depth--;
            i--;
        } else if (form->flags & FORM_NESTS && depth < MAX_DEPTH &&
                   starts_with(self, i, form->open)) {
            i += strlen(form->open) - 1;
            depth++;
        }
    }
    self->state = form->flags & FORM_LINES ? (self->state & STATE_FORM) | depth << STATE_DEPTH : 0;
    return self->size;
}

static size_t skip_blanks(const Highlighter *self, size_t at)
{
    while (at < self->size && self->line[at] == ' ')
        at++;
    return at;
}

static bool is_key(const Highlighter *self, size_t end)
{
    size_t next = skip_blanks(self, end);
    if (next >= self->size)
        return false;
    char c = self->line[next];
    if (self->language->flags & LANGUAGE_KEYS && c == ':')
        return true;
    bool is_set = c == '=' && (next + 1 >= self->size || self->line[next + 1] != '=');
    return self->language->flags & (LANGUAGE_SET | LANGUAGE_KEYS) && is_set;
}

/* `start` is where the open form goes on. */
static void put_form(Highlighter *self, unsigned number, size_t start)
{
    const HighlightForm *form = &self->forms[number - 1];
    bool is_whole = start > self->at;
    size_t end = form_end(self, form, start);
    bool is_name = is_whole && !(form->flags & FORM_COMMENT) && is_key(self, end);
    highlighter_put(self, end,
                    form->flags & FORM_COMMENT ? TOKEN_SYNTAX_COMMENT
                    : is_name                  ? TOKEN_SYNTAX_VARIABLE
                                               : TOKEN_SYNTAX_STRING);
}

static void open_form(Highlighter *self, unsigned number)
{
    self->state = number;
    put_form(self, number, self->at + strlen(self->forms[number - 1].open));
}

// ---- words ----

static int compare_word(const void *key, const void *word)
{
    return strcmp(key, *(const char *const *)word);
}

static bool is_among(const HighlightWords *words, const char *word)
{
    return words->count > 0 &&
           bsearch(word, words->words, words->count, sizeof(words->words[0]), compare_word);
}

static int word_token(const Highlighter *self, size_t end)
{
    const HighlightLanguage *language = self->language;
    char word[MAX_WORD + 1];
    size_t size = end - self->at;
    if (size <= MAX_WORD) {
        memcpy(word, self->line + self->at, size);
        word[size] = '\0';
        for (size_t i = 0; language->flags & LANGUAGE_CASELESS && i < size; i++)
            word[i] = g_ascii_tolower(word[i]);
        if (is_among(&language->words, word) &&
            !(language->flags & LANGUAGE_KEYS && is_key(self, end)))
            return TOKEN_SYNTAX_KEYWORD;
        if (is_among(&language->types, word))
            return TOKEN_SYNTAX_TYPE;
    }
    if (is_key(self, end))
        return TOKEN_SYNTAX_VARIABLE;
    if (end < self->size && self->line[end] == '(')
        return TOKEN_SYNTAX_FUNCTION;
    bool is_type = language->flags & LANGUAGE_TYPES && g_ascii_isupper(self->line[self->at]);
    return is_type ? TOKEN_SYNTAX_TYPE : -1;
}

static bool put_marked_word(Highlighter *self)
{
    unsigned flags = self->language->flags;
    char c = self->line[self->at];
    size_t next = self->at + 1;
    if (next >= self->size)
        return false;
    if (c == '$' && flags & LANGUAGE_DOLLAR && !strchr("{(", self->line[next])) {
        size_t end = is_word_part(self, self->line[next]) ? word_end(self, next) : next + 1;
        highlighter_put(self, MIN(end, self->size), TOKEN_SYNTAX_VARIABLE);
        return true;
    }
    int token = c == '@' && flags & LANGUAGE_AT     ? TOKEN_SYNTAX_FUNCTION
                : c == '#' && flags & LANGUAGE_HASH ? TOKEN_SYNTAX_KEYWORD
                                                    : -1;
    size_t word = c == '#' ? skip_blanks(self, next) : next;
    if (token < 0 || word >= self->size || !is_word_start(self->line[word]))
        return false;
    highlighter_put(self, word_end(self, word), token);
    return true;
}

static size_t number_end(const Highlighter *self, size_t at)
{
    while (at < self->size &&
           (g_ascii_isalnum(self->line[at]) || self->line[at] == '_' ||
            (self->line[at] == '.' && at + 1 < self->size && g_ascii_isdigit(self->line[at + 1]))))
        at++;
    return at;
}

static void put_code(Highlighter *self)
{
    while (self->at < self->size) {
        char c = self->line[self->at];
        unsigned form = is_word_start(c) && c != 'r' ? 0 : form_at(self);
        if (form > 0) {
            open_form(self, form);
        } else if (g_ascii_isdigit(c)) {
            highlighter_put(self, number_end(self, self->at), TOKEN_SYNTAX_NUMBER);
        } else if (is_word_start(c)) {
            size_t end = word_end(self, self->at);
            highlighter_put(self, end, word_token(self, end));
        } else if (c == ' ') {
            highlighter_put(self, skip_blanks(self, self->at), self->token); // any colour will do
        } else if (!put_marked_word(self)) {
            highlighter_put(self, self->at + 1,
                            strchr("()[]{},;.", c) ? TOKEN_SYNTAX_PUNCTUATION
                                                   : TOKEN_SYNTAX_OPERATOR);
        }
    }
}

// ---- languages of another kind ----

static void put_diff(Highlighter *self)
{
    static const struct {
        const char *start;
        ThemeToken token;
    } starts[] = {
        { "+++", TOKEN_SYNTAX_KEYWORD },   { "---", TOKEN_SYNTAX_KEYWORD },
        { "diff ", TOKEN_SYNTAX_KEYWORD }, { "index ", TOKEN_SYNTAX_COMMENT },
        { "@@", TOKEN_SYNTAX_FUNCTION },   { "+", TOKEN_DIFF_ADDED },
        { "-", TOKEN_DIFF_REMOVED },       { "\\", TOKEN_SYNTAX_COMMENT },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(starts); i++)
        if (starts_with(self, 0, starts[i].start)) {
            highlighter_put(self, self->size, (int)starts[i].token);
            return;
        }
    highlighter_put(self, self->size, TOKEN_DIFF_CONTEXT);
}

static void put_markdown(Highlighter *self)
{
    size_t start = skip_blanks(self, 0);
    char c = start < self->size ? self->line[start] : ' ';
    bool is_item = strchr("-*+", c) && start + 1 < self->size && self->line[start + 1] == ' ';
    if (c == '#' || c == '>') {
        highlighter_put(self, self->size, c == '#' ? TOKEN_SYNTAX_KEYWORD : TOKEN_SYNTAX_COMMENT);
        return;
    }
    if (is_item)
        highlighter_put(self, start + 1, TOKEN_SYNTAX_OPERATOR);
    while (self->at < self->size) {
        const char *rest = self->line + self->at;
        size_t plain = 0, left = self->size - self->at;
        while (plain < left && rest[plain] != '`')
            plain++;
        highlighter_put(self, self->at + plain, -1);
        const char *close =
            plain + 1 < left ? memchr(rest + plain + 1, '`', left - plain - 1) : NULL;
        size_t end = close ? (size_t)(close + 1 - self->line) : self->size;
        highlighter_put(self, end, TOKEN_SYNTAX_STRING);
    }
}

static void put_in_tag(Highlighter *self)
{
    while (self->at < self->size && self->state == STATE_TAG) {
        char c = self->line[self->at];
        if (c == '>') {
            highlighter_put(self, self->at + 1, TOKEN_SYNTAX_PUNCTUATION);
            self->state = 0;
        } else if (c == '"' || c == '\'') {
            const char *start = self->line + self->at + 1;
            const char *close = memchr(start, c, (size_t)(self->line + self->size - start));
            highlighter_put(self, close ? (size_t)(close + 1 - self->line) : self->size,
                            TOKEN_SYNTAX_STRING);
        } else if (is_word_start(c)) {
            size_t end = self->at;
            while (end < self->size &&
                   (is_word_part(self, self->line[end]) || strchr("-:.", self->line[end])))
                end++;
            highlighter_put(self, end, TOKEN_SYNTAX_VARIABLE);
        } else {
            highlighter_put(self, self->at + 1, c == ' ' ? -1 : TOKEN_SYNTAX_OPERATOR);
        }
    }
}

static void put_tag_start(Highlighter *self)
{
    size_t end = self->at + 1;
    while (end < self->size && strchr("/!?", self->line[end]))
        end++;
    highlighter_put(self, end, TOKEN_SYNTAX_PUNCTUATION);
    while (end < self->size &&
           (is_word_part(self, self->line[end]) || strchr("-:.", self->line[end])))
        end++;
    highlighter_put(self, end, TOKEN_SYNTAX_KEYWORD);
    self->state = STATE_TAG;
}

static void put_tags(Highlighter *self)
{
    while (self->at < self->size) {
        if (self->state == STATE_TAG) {
            put_in_tag(self);
            continue;
        }
        unsigned form = form_at(self);
        size_t next = self->at + 1;
        bool is_tag = self->line[self->at] == '<' && next < self->size &&
                      (g_ascii_isalpha(self->line[next]) || strchr("/!?", self->line[next]));
        if (form > 0) {
            open_form(self, form);
        } else if (is_tag) {
            put_tag_start(self);
        } else {
            while (next < self->size && self->line[next] != '<')
                next++;
            highlighter_put(self, next, -1);
        }
    }
}

// ---- the line ----

void highlight_line(const HighlightLanguage *language, uint32_t *state, const char *line,
                    size_t size, Style style, RowBuilder *out)
{
    if (!language) {
        row_builder_add(out, line, (gssize)size, style, NULL);
        return;
    }
    Highlighter lexer = {
        .language = language,
        .line = line,
        .size = size,
        .state = *state,
        .style = style,
        .out = out,
        .token = -1,
    };
    for (const HighlightForm *form = language->forms; form->open; form++)
        add_form(&lexer, *form);
    add_row(&lexer, language);
    unsigned form = lexer.state & STATE_FORM;
    if (form > 0 && form <= lexer.form_count)
        put_form(&lexer, form, 0);
    if (language->flags & LANGUAGE_DIFF)
        put_diff(&lexer);
    else if (language->flags & LANGUAGE_MARKDOWN)
        put_markdown(&lexer);
    else if (language->flags & LANGUAGE_TAGS)
        put_tags(&lexer);
    else
        put_code(&lexer);
    highlighter_flush(&lexer);
    *state = lexer.state;
}
