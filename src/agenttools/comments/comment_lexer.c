/*
 * The engine: reads a text by the table of its language (comment_lexer.h).
 */
#include "agenttools/comments/comment_lexer_private.h"
#include "agenttools/comments/comment_locate.h"

#include <string.h>

enum { // what can begin at a byte
    CLASS_LINE_END = 1 << 0,
    CLASS_HOOK = 1 << 1,
    CLASS_BLOCK = 1 << 2,
    CLASS_LINE = 1 << 3,
    CLASS_STRING = 1 << 4,
    CLASS_REGEX = 1 << 5,
    CLASS_BRACKET = 1 << 6,
};

// --- looking ---

bool lexer_has(const Lexer *self, size_t place, const char *text)
{
    size_t size = strlen(text);
    return size <= self->end - place && memcmp(self->text + place, text, size) == 0;
}

bool lexer_has_nocase(const Lexer *self, size_t place, const char *text)
{
    size_t size = strlen(text);
    return size <= self->end - place && g_ascii_strncasecmp(self->text + place, text, size) == 0;
}

bool lexer_is_first(const Lexer *self, size_t place)
{
    while (place > self->start && lexer_is_blank(self->text[place - 1]))
        place--;
    return lexer_before(self, place) == '\n';
}

size_t lexer_line_end(const Lexer *self, size_t place)
{
    const char *found = memchr(self->text + place, '\n', self->end - place);
    return found != NULL ? (size_t)(found - self->text) : self->end;
}

size_t lexer_skip_blanks(const Lexer *self, size_t place)
{
    while (place < self->end && lexer_is_blank(self->text[place]))
        place++;
    return place;
}

size_t lexer_find(const Lexer *self, size_t place, const char *needle)
{
    // not memmem(): sanitizers check the whole rest of the text at each of its calls
    size_t size = strlen(needle);
    while (self->end - place >= size) {
        const char *first = memchr(self->text + place, needle[0], self->end - place - size + 1);
        if (first == NULL)
            break;
        if (memcmp(first, needle, size) == 0)
            return (size_t)(first - self->text);
        place = (size_t)(first - self->text) + 1;
    }
    return self->end;
}

size_t lexer_word_end(const Lexer *self, size_t place)
{
    while (place < self->end && lexer_is_word(self->text[place]))
        place++;
    return place;
}

size_t lexer_word_start(const Lexer *self, size_t end, size_t max)
{
    size_t start = end;
    while (start > self->start && end - start < max && lexer_is_word(self->text[start - 1]))
        start--;
    return start;
}

size_t lexer_code_before(const Lexer *self, size_t place)
{
    while (place > self->start && g_ascii_isspace(self->text[place - 1]))
        place--;
    return place == self->comment_end && place > self->start ? self->before_comment : place;
}

bool lexer_is_one_of(const Lexer *self, size_t start, size_t end, const char *words)
{
    size_t size = end - start;
    for (const char *word = words; *word != '\0';) {
        size_t length = strcspn(word, " ");
        if (length == size && memcmp(self->text + start, word, size) == 0)
            return true;
        word += length;
        word += strspn(word, " ");
    }
    return false;
}

// --- comments ---

void lexer_add(Lexer *self, size_t start, size_t end, bool is_delimited)
{
    const Comment comment = {
        .start = start,
        .end = end,
        .is_delimited = is_delimited,
        .language = self->language,
    };
    self->before_comment = lexer_code_before(self, start);
    self->comment_end = end;
    g_array_append_val(self->comments, comment);
}

/* A comment without end: to the end of the text, but for white space. */
static void add_unterminated(Lexer *self, size_t start)
{
    size_t end = self->end;
    while (end > start + 1 && g_ascii_isspace(self->text[end - 1]))
        end--;
    lexer_add(self, start, end, true);
    g_array_index(self->comments, Comment, self->comments->len - 1).is_unterminated = true;
    self->at = self->end;
}

void lexer_add_line(Lexer *self, unsigned flags)
{
    size_t start = self->at, end = lexer_line_end(self, start);
    while (flags & RUNS_ON && end < self->end && self->text[end - 1] == '\\')
        end = lexer_line_end(self, end + 1);
    if (flags & ENDS_AT_TAG) {
        const char *tag = memmem(self->text + start, end - start, "?>", 2);
        end = tag != NULL ? (size_t)(tag - self->text) : end;
    }
    self->at = end;
    while (end > start + 1 && g_ascii_isspace(self->text[end - 1]))
        end--;
    lexer_add(self, start, end, false);
}

/* Behind the string or character literal at `place` of a comment that minds them; `place` + 1 when
   there is none. */
static size_t skip_hidden(const Lexer *self, size_t place)
{
    if (self->text[place] == '\'') {
        size_t size = place + 1 < self->end && self->text[place + 1] == '\\' ? 4 : 3;
        bool is_char = size <= self->end - place && self->text[place + size - 1] == '\'';
        return is_char ? place + size : place + 1;
    }
    if (self->text[place] != '"')
        return place + 1;
    for (size_t p = place + 1; p < self->end; p++) {
        if (self->text[p] == '\\')
            p++;
        else if (self->text[p] == '"')
            return p + 1;
    }
    return self->end;
}

/* Behind the closer of a nested comment whose opener ends at `place`; 0 when there is none. */
static size_t nested_end(const Lexer *self, size_t place, const BlockMark *mark)
{
    size_t depth = 1;
    while (place < self->end) {
        if (lexer_has(self, place, mark->close)) {
            place += strlen(mark->close);
            if (--depth == 0)
                return place;
        } else if (lexer_has(self, place, mark->open)) {
            place += strlen(mark->open);
            depth++;
        } else {
            place = mark->flags & BLOCK_STRINGS ? skip_hidden(self, place) : place + 1;
        }
    }
    return 0;
}

static bool is_alone(const Lexer *self, size_t place, const char *mark)
{
    size_t behind = lexer_skip_blanks(self, place + strlen(mark));
    return lexer_is_first(self, place) && (behind == self->end || self->text[behind] == '\n');
}

/* The same for marks that stand alone on their lines. */
static size_t alone_end(const Lexer *self, size_t place, const BlockMark *mark)
{
    size_t depth = 1;
    for (size_t line = lexer_line_end(self, place); line < self->end;
         line = lexer_line_end(self, line)) {
        line = lexer_skip_blanks(self, line + 1);
        if (lexer_has(self, line, mark->open) && is_alone(self, line, mark->open))
            depth++;
        else if (lexer_has(self, line, mark->close) && is_alone(self, line, mark->close) &&
                 --depth == 0)
            return line + strlen(mark->close);
    }
    return 0;
}

void lexer_add_block(Lexer *self, const BlockMark *mark)
{
    size_t start = self->at, inside = start + strlen(mark->open), end;
    if (mark->flags & BLOCK_ALONE) {
        end = alone_end(self, inside, mark);
    } else if (mark->flags & BLOCK_NESTED) {
        end = nested_end(self, inside, mark);
    } else {
        size_t close = lexer_find(self, inside, mark->close);
        end = close < self->end ? close + strlen(mark->close) : 0;
    }
    if (end == 0) {
        add_unterminated(self, start);
        return;
    }
    lexer_add(self, start, end, true);
    self->at = end;
}

static bool read_block(Lexer *self)
{
    const BlockMark *blocks = self->language->blocks;
    for (size_t i = 0; i < LANGUAGE_BLOCKS && blocks[i].open != NULL; i++) {
        const BlockMark *mark = &blocks[i];
        if (!lexer_has(self, self->at, mark->open) ||
            (mark->flags & BLOCK_ALONE && !is_alone(self, self->at, mark->open)) ||
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
        (flags & AT_WORD && !is_blank_before && strchr(";&|()", before) == NULL) ||
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
    for (size_t i = 0; i < LANGUAGE_LINES && lines[i].text != NULL; i++) {
        if (!line_mark_counts(self, &lines[i]))
            continue;
        lexer_add_line(self, lines[i].flags);
        return true;
    }
    return false;
}

// --- the engine ---

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

static void set_class(Lexer *self, char byte, unsigned class)
{
    self->classes[(uint8_t)byte] |= class;
}

static void set_classes(Lexer *self)
{
    const CommentLanguage *language = self->language;
    set_class(self, '\n', CLASS_LINE_END);
    for (size_t i = 0; i < LANGUAGE_BLOCKS && language->blocks[i].open != NULL; i++)
        set_class(self, language->blocks[i].open[0], CLASS_BLOCK);
    for (size_t i = 0; i < LANGUAGE_LINES && language->lines[i].text != NULL; i++) {
        set_class(self, g_ascii_tolower(language->lines[i].text[0]), CLASS_LINE);
        set_class(self, language->lines[i].text[0], CLASS_LINE);
    }
    const StringMark *strings = language->strings;
    for (; strings != NULL && strings->open != NULL; strings++)
        set_class(self, strings->open[0], CLASS_STRING);
    if (language->flags & LANGUAGE_REGEX)
        set_class(self, '/', CLASS_REGEX);
    for (const char *p = language->hook != NULL ? language->hook_bytes : ""; *p != '\0'; p++)
        set_class(self, *p, CLASS_HOOK);
}

void lexer_mind_brackets(Lexer *self)
{
    for (const char *p = "(){}"; *p != '\0'; p++)
        set_class(self, *p, CLASS_BRACKET);
}

/* Reads what text, start, end, language, flags, depth and comments say. */
static void lexer_run(Lexer *self)
{
    self->at = self->start;
    self->frames = g_array_new(FALSE, FALSE, sizeof(Frame));
    self->heredocs = g_ptr_array_new_with_free_func((GDestroyNotify)heredoc_free);
    bool is_attribute =
        self->language->flags & LANGUAGE_NO_SHEBANG && lexer_has(self, self->at, "#![");
    if (self->start == 0 && lexer_has(self, 0, "#!") && !is_attribute)
        self->start = self->at = lexer_line_end(self, 0);
    set_classes(self);
    if (self->language->machine != NULL)
        self->language->machine(self);
    else
        lexer_run_table(self);
    g_array_unref(self->frames);
    g_ptr_array_unref(self->heredocs);
    g_clear_pointer(&self->jsx_closers, g_hash_table_unref);
}

void lexer_run_inner(Lexer *self, const CommentLanguage *language, size_t start, size_t end)
{
    Lexer inner = {
        .text = self->text,
        .start = start,
        .end = end,
        .language = language,
        .flags = self->flags,
        .depth = self->depth + 1,
        .comments = self->comments,
    };
    if (inner.depth <= LEXER_PARTS_MAX)
        lexer_run(&inner);
}

GArray *comment_lex(const CommentLanguage *language, const char *text, size_t size, unsigned flags)
{
    Lexer self = {
        .text = text,
        .end = size,
        .language = language,
        .flags = flags,
        .comments = g_array_new(FALSE, FALSE, sizeof(Comment)),
    };
    lexer_run(&self);
    comment_locate(self.comments, text);
    return self.comments;
}
