/*
 * The comments of a text, found, located and joined (lexer.h).
 */
#include "lang/lexer_state.h"

#include <string.h>

#define DIRECTIVE_PROBE_BYTES ((size_t)2048) // of a comment; instructions stand at its start

// ---- what a comment is ----

static bool locate_begins(const char *text, size_t size, const char *prefix)
{
    size_t length = strlen(prefix);
    return length <= size && memcmp(text, prefix, length) == 0;
}

static CommentKind kind_of(const Comment *comment, const char *text, size_t size)
{
    char third = size > 2 ? text[2] : '\0', fourth = size > 3 ? text[3] : '\0';
    bool is_slashed = size > 2 && text[0] == '/';
    bool is_doc;
    if (comment->is_delimited)
        is_doc = text[0] == '"' || text[0] == '\'' || (is_slashed && third == '!') ||
                 (locate_begins(text, size, "/**") && fourth != '*' && fourth != '/');
    else
        is_doc = (locate_begins(text, size, "///") && fourth != '/') ||
                 locate_begins(text, size, "//!") || locate_begins(text, size, "##'") ||
                 (comment->language->flags & LANGUAGE_ROXYGEN && locate_begins(text, size, "#'"));
    if (is_doc)
        return COMMENT_DOC;
    return comment->is_delimited ? COMMENT_BLOCK : COMMENT_LINE;
}

/* Words that stand first in a comment that is for a tool. */
static bool is_instruction(const char *text, size_t size)
{
    static const char *const prefixes[] = {
        "type: ignore",    "type:ignore", "pylint:",      "eslint-",   "@ts-",
        "prettier-ignore", "NOLINT",      "clang-format", "coverage:", "istanbul",
        "shellcheck ",     "vim:",        "vi:",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(prefixes); i++) {
        if (locate_begins(text, size, prefixes[i]))
            return true;
    }
    return size >= 4 && g_ascii_strncasecmp(text, "noqa", 4) == 0 &&
           (size == 4 || !lexer_is_word(text[4]));
}

/* Instructions that belong to one language. */
static bool is_native_instruction(const Comment *comment, const char *text, size_t size)
{
    const char *language = comment->language->name;
    if (locate_begins(text, size, "//go:") || locate_begins(text, size, "// +build") ||
        locate_begins(text, size, "{-#"))
        return true;
    if (strcmp(language, "pascal") == 0)
        return locate_begins(text, size, "{$") || locate_begins(text, size, "(*$");
    if (strcmp(language, "dockerfile") != 0)
        return false;
    size_t word = 1;
    while (word < size && lexer_is_blank(text[word]))
        word++;
    size_t equals = word;
    while (equals < size && (g_ascii_isalpha(text[equals]) || lexer_is_blank(text[equals])))
        equals++;
    return equals < size && text[equals] == '=' &&
           (locate_begins(text + word, size - word, "syntax") ||
            locate_begins(text + word, size - word, "escape") ||
            locate_begins(text + word, size - word, "check"));
}

static bool is_directive(const Comment *comment, const char *text, size_t size)
{
    size = MIN(size, DIRECTIVE_PROBE_BYTES);
    if (is_native_instruction(comment, text, size) ||
        memmem(text, size, "SPDX-License-Identifier", 23))
        return true;
    const char *line_end = memchr(text, '\n', size);
    size_t line = line_end != NULL ? (size_t)(line_end - text) : size;
    if (memmem(text, line, "-*-", 3) || memmem(text, line, "NOLINT", 6))
        return true;
    // behind the marker, and behind every # that follows: "# why  # noqa"
    bool is_marker = true;
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '#')
            is_marker = true;
        else if (is_marker && !memchr("/*;-%!<{('\"", text[i], 11) && !g_ascii_isspace(text[i])) {
            if (is_instruction(text + i, size - i))
                return true;
            is_marker = false;
        }
    }
    return false;
}

// ---- where it is ----

typedef struct Walk {
    const char *text;
    size_t place, line, line_start;
    size_t column_place, column; // of the last comment
    size_t code_line;            // the line whose code was looked at
    bool has_code;
    size_t comment_end; // of the last comment
} Walk;

/* Goes on to `place`. */
static void walk_to(Walk *self, size_t place)
{
    const char *found;
    while ((found = memchr(self->text + self->place, '\n', place - self->place))) {
        self->place = (size_t)(found - self->text) + 1;
        self->line_start = self->place;
        self->line++;
    }
    self->place = place;
}

static size_t count_columns(Walk *self, size_t place)
{
    if (self->column_place < self->line_start) {
        self->column_place = self->line_start;
        self->column = 1;
    }
    for (; self->column_place < place; self->column_place++)
        self->column += ((unsigned char)self->text[self->column_place] & 0xc0) != 0x80;
    return self->column;
}

static bool has_code_before(Walk *self, size_t start)
{
    if (self->code_line != self->line) {
        self->code_line = self->line;
        self->has_code = false;
    }
    for (size_t i = MAX(self->line_start, self->comment_end); i < start; i++)
        self->has_code = self->has_code || !g_ascii_isspace(self->text[i]);
    return self->has_code;
}

/* Fills line, end_line, column, kind, is_trailing and is_directive of comments in order of place.
 */
static void comments_locate(GArray *comments, const char *text)
{
    Walk walk = { .text = text, .line = 1, .column = 1 };
    for (guint i = 0; i < comments->len; i++) {
        Comment *comment = &g_array_index(comments, Comment, i);
        walk_to(&walk, comment->start);
        comment->line = walk.line;
        comment->column = count_columns(&walk, comment->start);
        comment->is_trailing = has_code_before(&walk, comment->start);
        walk_to(&walk, comment->end);
        comment->end_line = walk.line;
        walk.comment_end = comment->end;
        size_t size = comment->end - comment->start;
        comment->kind = kind_of(comment, text + comment->start, size);
        comment->is_directive = is_directive(comment, text + comment->start, size);
    }
}

// ---- the comments of a text ----

GArray *comment_lex(const Language *language, const char *text, size_t size, unsigned flags)
{
    Lexer self = {
        .text = text,
        .end = size,
        .language = language,
        .find_language = language_find,
        .flags = flags,
        .comments = g_array_new(FALSE, FALSE, sizeof(Comment)),
    };
    lexer_run(&self);
    comments_locate(self.comments, text);
    return self.comments;
}

static bool goes_on(const Comment *before, const Comment *comment)
{
    return !before->is_delimited && !comment->is_delimited && !comment->is_trailing &&
           !before->is_directive && !comment->is_directive && before->kind == comment->kind &&
           before->language == comment->language && comment->line == before->end_line + 1 &&
           comment->column == before->column;
}

void comment_merge(GArray *comments)
{
    guint kept = 0;
    for (guint i = 0; i < comments->len; i++) {
        const Comment *comment = &g_array_index(comments, Comment, i);
        Comment *before = kept > 0 ? &g_array_index(comments, Comment, kept - 1) : NULL;
        if (before && goes_on(before, comment)) {
            before->end = comment->end;
            before->end_line = comment->end_line;
        } else {
            g_array_index(comments, Comment, kept++) = *comment;
        }
    }
    g_array_set_size(comments, kept);
}
