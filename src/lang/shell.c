/*
 * Shell: quotes, substitutions and here-documents nest in each other, so this machine has a stack
 * of its own; and Make, whose recipes are shell.
 */
#include "lang/lexer_state.h"

#include <string.h>

typedef enum {
    SHELL_CODE,       // $( … ), <( … ) and the top level
    SHELL_BACKTICKS,  // ` … `
    SHELL_QUOTES,     // " … "
    SHELL_PARAMETER,  // ${ … }
    SHELL_ARITHMETIC, // (( … )), $(( … ))
} ShellKind;

typedef struct ShellFrame {
    ShellKind kind;
    bool is_quoted; // a parameter inside of quotes
    unsigned depth; // brackets open inside
    unsigned cases; // case … esac: their patterns end with a bracket that nothing opened
} ShellFrame;

typedef struct Shell {
    Lexer *lexer;
    GArray *frames; // ShellFrame
    bool is_test;   // between [[ and ]]
    bool has_heredocs;
} Shell;

static ShellFrame *shell_top(const Shell *self)
{
    return &g_array_index(self->frames, ShellFrame, self->frames->len - 1);
}

/* Goes behind the opener; what is nested too deep is text. */
static void shell_enter(Shell *self, ShellKind kind, size_t opener_size)
{
    const ShellFrame *around = shell_top(self);
    const ShellFrame frame = {
        .kind = kind,
        .is_quoted = kind == SHELL_PARAMETER && (around->kind == SHELL_QUOTES || around->is_quoted),
    };
    if (self->frames->len < LEXER_DEPTH_MAX)
        g_array_append_val(self->frames, frame);
    self->lexer->at += opener_size;
}

static void shell_leave(Shell *self, size_t closer_size)
{
    g_array_set_size(self->frames, self->frames->len - 1);
    self->lexer->at += closer_size;
}

static void skip_single_quotes(Lexer *lexer, char escape, size_t opener_size)
{
    const Literal literal = { .head = "'", .escape = escape, .flags = STRING_LINES };
    literal_open(lexer, opener_size, &literal);
}

/* What $ begins. */
static void read_dollar(Shell *self)
{
    Lexer *lexer = self->lexer;
    bool is_quoted = shell_top(self)->kind == SHELL_QUOTES;
    if (lexer_has(lexer, lexer->at, "$(("))
        shell_enter(self, SHELL_ARITHMETIC, 3);
    else if (lexer_has(lexer, lexer->at, "$("))
        shell_enter(self, SHELL_CODE, 2);
    else if (lexer_has(lexer, lexer->at, "${"))
        shell_enter(self, SHELL_PARAMETER, 2);
    else if (!is_quoted && lexer_has(lexer, lexer->at, "$'"))
        skip_single_quotes(lexer, '\\', 2);
    else if (lexer_has(lexer, lexer->at, "$#") || lexer_has(lexer, lexer->at, "$$"))
        lexer->at += 2;
    else
        lexer->at++;
}

/* Quotes and substitutions, which mean the same nearly everywhere. False: something else. */
static bool read_common(Shell *self)
{
    Lexer *lexer = self->lexer;
    switch (lexer->text[lexer->at]) {
    case '\\':
        lexer->at += MIN((size_t)2, lexer->end - lexer->at);
        return true;
    case '$':
        read_dollar(self);
        return true;
    case '`':
        if (shell_top(self)->kind == SHELL_BACKTICKS)
            shell_leave(self, 1);
        else
            shell_enter(self, SHELL_BACKTICKS, 1);
        return true;
    case '"':
        if (shell_top(self)->kind == SHELL_QUOTES)
            shell_leave(self, 1);
        else
            shell_enter(self, SHELL_QUOTES, 1);
        return true;
    case '\'':
        if (shell_top(self)->kind == SHELL_QUOTES || shell_top(self)->is_quoted)
            return false;
        skip_single_quotes(lexer, '\0', 1);
        return true;
    default:
        return false;
    }
}

static void read_parameter(Shell *self)
{
    if (self->lexer->text[self->lexer->at] == '}')
        shell_leave(self, 1);
    else if (!read_common(self))
        self->lexer->at++;
}

static void read_arithmetic(Shell *self)
{
    Lexer *lexer = self->lexer;
    char c = lexer->text[lexer->at];
    if (read_common(self))
        return;
    if (c == ')' && shell_top(self)->depth == 0) {
        if (lexer_peek(lexer, 1) == ')') {
            shell_leave(self, 2);
        } else {
            shell_top(self)->kind = SHELL_CODE; // `((a); b)`: two subshells after all
            lexer->at++;
        }
        return;
    }
    shell_top(self)->depth += c == '(';
    shell_top(self)->depth -= c == ')';
    lexer->at++;
}

// ---- code ----

static bool is_word_start(const Lexer *lexer)
{
    char before = lexer_before(lexer, lexer->at);
    return g_ascii_isspace(before) || (before != '\0' && strchr(";&|()<>`", before) != NULL);
}

/* In [[ … ]] the word behind an operator is a pattern, whatever it begins with. */
static bool is_pattern(const Shell *self)
{
    const Lexer *lexer = self->lexer;
    size_t code = lexer_code_before(lexer, lexer->at);
    char last = lexer_before(lexer, code);
    return self->is_test && code > lexer->start && (last == '~' || last == '=');
}

static void add_comment(Shell *self)
{
    Lexer *lexer = self->lexer;
    size_t start = lexer->at, end = lexer_line_end(lexer, start);
    if (shell_top(self)->kind == SHELL_BACKTICKS) {
        const char *close = memchr(lexer->text + start, '`', end - start);
        end = close != NULL ? (size_t)(close - lexer->text) : end;
    }
    lexer->at = end;
    while (end > start + 1 && g_ascii_isspace(lexer->text[end - 1]))
        end--;
    lexer_add(lexer, start, end, false);
}

/* The word at `at` names a command. */
static bool is_command(const Lexer *lexer)
{
    size_t place = lexer->at;
    while (place > lexer->start && lexer_is_blank(lexer->text[place - 1]))
        place--;
    char before = lexer_before(lexer, place);
    if (before == '\n' || (before != '\0' && strchr(";&|({`!", before)))
        return true;
    return lexer_is_one_of(lexer, lexer_word_start(lexer, place, 8), place,
                           "do then else if elif while until");
}

/* Words that matter for brackets: case, esac, [[ and ]]. */
static void read_word(Shell *self)
{
    Lexer *lexer = self->lexer;
    size_t start = lexer->at, end = start;
    while (end < lexer->end && end - start < 8 &&
           (lexer_is_word(lexer->text[end]) || lexer->text[end] == '[' || lexer->text[end] == ']'))
        end++;
    if (lexer_is_one_of(lexer, start, end, "case") && is_command(lexer))
        shell_top(self)->cases++;
    else if (lexer_is_one_of(lexer, start, end, "esac"))
        shell_top(self)->cases -= shell_top(self)->cases > 0;
    else if (lexer_is_one_of(lexer, start, end, "[["))
        self->is_test = true;
    else if (lexer_is_one_of(lexer, start, end, "]]"))
        self->is_test = false;
    lexer->at = MAX(end, start + 1);
}

/* A closing bracket of code. */
static void read_close(Shell *self)
{
    ShellFrame *frame = shell_top(self);
    if (frame->depth > 0) {
        frame->depth--;
        self->lexer->at++;
    } else if (frame->kind == SHELL_CODE && frame->cases == 0 && self->frames->len > 1) {
        shell_leave(self, 1);
    } else {
        self->lexer->at++;
    }
}

static bool opens_arithmetic(const Shell *self)
{
    return !self->is_test && lexer_has(self->lexer, self->lexer->at, "((") &&
           is_word_start(self->lexer);
}

static void read_code(Shell *self)
{
    Lexer *lexer = self->lexer;
    char c = lexer->text[lexer->at];
    if (read_common(self))
        return;
    if (c == '\n') {
        lexer->at++;
        heredoc_line_end(lexer);
    } else if (c == '#' && is_word_start(lexer) && !is_pattern(self)) {
        add_comment(self);
    } else if (c == '<' && self->has_heredocs && heredoc_open_shell(lexer)) {
        return;
    } else if (opens_arithmetic(self)) {
        shell_enter(self, SHELL_ARITHMETIC, 2);
    } else if (c == '(') {
        shell_top(self)->depth++;
        lexer->at++;
    } else if (c == ')') {
        read_close(self);
    } else if (is_word_start(lexer) && !g_ascii_isspace(c)) {
        read_word(self);
    } else {
        lexer->at++;
    }
}

static void read_shell(Lexer *lexer, bool has_heredocs)
{
    const ShellFrame bottom = { .kind = SHELL_CODE };
    Shell self = {
        .lexer = lexer,
        .frames = g_array_new(FALSE, FALSE, sizeof(ShellFrame)),
        .has_heredocs = has_heredocs,
    };
    g_array_append_val(self.frames, bottom);
    while (lexer->at < lexer->end) {
        switch (shell_top(&self)->kind) {
        case SHELL_QUOTES:
            if (!read_common(&self))
                lexer->at++;
            break;
        case SHELL_PARAMETER:
            read_parameter(&self);
            break;
        case SHELL_ARITHMETIC:
            read_arithmetic(&self);
            break;
        default:
            read_code(&self);
            break;
        }
    }
    g_array_unref(self.frames);
}

void machine_shell(Lexer *self)
{
    read_shell(self, true);
}

// ---- Make ----

/* The end of the line at `place` with those that continue it. */
static size_t logical_end(const Lexer *self, size_t place)
{
    size_t end = lexer_line_end(self, place);
    while (end < self->end && end > place && self->text[end - 1] == '\\')
        end = lexer_line_end(self, end + 1);
    return end;
}

/* A line of a recipe goes to a shell of its own, without the @ - + before it. */
static void read_recipe(Lexer *self, size_t end)
{
    size_t whole_start = self->start, whole_end = self->end;
    while (self->at < end && strchr("\t @-+", self->text[self->at]))
        self->at++;
    self->start = self->at;
    self->end = end;
    read_shell(self, false);
    self->start = whole_start;
    self->end = whole_end;
    self->at = end;
}

/* Any other line: # begins a comment unless it is escaped, or between quotes. */
static void read_make_line(Lexer *self, size_t end)
{
    while (self->at < end) {
        char c = self->text[self->at];
        if (c == '#') {
            lexer_add_line(self, RUNS_ON);
            return;
        }
        const char *close = NULL;
        if (c == '"')
            close = memchr(self->text + self->at + 1, '"', end - self->at - 1);
        if (close)
            self->at = (size_t)(close - self->text) + 1;
        else
            self->at += c == '\\' ? MIN((size_t)2, end - self->at) : 1;
    }
}

void machine_make(Lexer *self)
{
    while (self->at < self->end) {
        size_t end = logical_end(self, self->at);
        if (self->text[self->at] == '\t')
            read_recipe(self, end);
        else
            read_make_line(self, end);
        self->at = MAX(self->at, end);
        self->at += self->at < self->end;
    }
}
