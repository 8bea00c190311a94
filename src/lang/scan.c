/*
 * What the engine and all machines stand on: looking at the text, adding comments, entering code
 * (lexer_state.h).
 */
#include "lang/lexer_state.h"

#include <string.h>

// ---- looking ----

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
        if (!first)
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

// ---- comments ----

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

bool lexer_is_alone(const Lexer *self, size_t place, const char *mark)
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
        if (lexer_has(self, line, mark->open) && lexer_is_alone(self, line, mark->open))
            depth++;
        else if (lexer_has(self, line, mark->close) && lexer_is_alone(self, line, mark->close) &&
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

// ---- state ----

void lexer_set_class(Lexer *self, char byte, unsigned class)
{
    self->classes[(uint8_t)byte] |= class;
}

static void mind_brackets(Lexer *self)
{
    for (const char *p = "(){}"; *p != '\0'; p++)
        lexer_set_class(self, *p, CLASS_BRACKET);
}

bool frame_push(Lexer *self, const Frame *frame)
{
    if (self->frames->len >= LEXER_DEPTH_MAX)
        return false;
    g_array_append_vals(self->frames, frame, 1);
    mind_brackets(self);
    return true;
}
