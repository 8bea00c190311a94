/*
 * Tokens of class diagrams.
 */
#include "agenttools/mermaid/mmd_class.h"

#define ANYWHERE (CLS_IN_DIAGRAM | CLS_IN_CLASS | CLS_IN_NAMESPACE | CLS_IN_NAMESPACE_BODY)

typedef struct Keyword {
    const char *word;
    ClsKind kind;
    unsigned modes;
} Keyword;

static const Keyword keywords[] = {
    { "classDiagram", CLS_HEADER, CLS_IN_DIAGRAM },
    { "style", CLS_STYLE, CLS_IN_DIAGRAM },
    { "classDef", CLS_CLASSDEF, CLS_IN_DIAGRAM },
    { "namespace", CLS_NAMESPACE, CLS_IN_DIAGRAM | CLS_IN_NAMESPACE | CLS_IN_NAMESPACE_BODY },
    { "class", CLS_CLASS, CLS_IN_DIAGRAM | CLS_IN_NAMESPACE_BODY },
    { "cssClass", CLS_CSSCLASS, ANYWHERE },
    { "callback", CLS_CALLBACK, ANYWHERE },
    { "link", CLS_LINK, ANYWHERE },
    { "click", CLS_CLICK, ANYWHERE },
    { "note for", CLS_NOTE_FOR, ANYWHERE },
    { "note", CLS_NOTE, ANYWHERE },
    { "href", CLS_HREF, ANYWHERE },
    { "_self", CLS_TARGET, ANYWHERE },
    { "_blank", CLS_TARGET, ANYWHERE },
    { "_parent", CLS_TARGET, ANYWHERE },
    { "_top", CLS_TARGET, ANYWHERE },
};

/* One that begins another comes after it. */
static const struct {
    const char *literal;
    ClsKind kind;
} signs[] = {
    { "<<", CLS_ANNOTATION_OPEN },
    { ">>", CLS_ANNOTATION_CLOSE },
    { "<|", CLS_TIP },
    { "|>", CLS_TIP },
    { ">", CLS_TIP },
    { "<", CLS_TIP },
    { "*", CLS_TIP },
    { "()", CLS_TIP },
    { "--", CLS_LINE },
    { "..", CLS_LINE },
    { ":::", CLS_CSS },
    { "-", CLS_MINUS },
    { ".", CLS_DOT },
    { ":", CLS_STYLE_SIGN },
    { "#", CLS_STYLE_SIGN },
    { "%", CLS_STYLE_SIGN },
    { ",", CLS_COMMA },
    { "[", CLS_SQUARE_OPEN },
    { "]", CLS_SQUARE_CLOSE },
    { "{", CLS_BRACE_OPEN },
    { "}", CLS_BRACE_CLOSE },
};

static bool match_keyword(const char *at, const char *end, ClsMode mode, ClsToken *ret_token)
{
    for (size_t i = 0; i < G_N_ELEMENTS(keywords); i++) {
        if ((keywords[i].modes & (unsigned)mode) == 0)
            continue;
        const char *stop = mmd_match_word(at, end, keywords[i].word);
        if (stop == NULL)
            continue;
        *ret_token = (ClsToken) { keywords[i].kind, at, stop };
        return true;
    }
    return false;
}

/* A colon and text without another one: `: label`. */
static const char *match_label(const char *at, const char *end)
{
    if (*at != ':')
        return NULL;
    const char *stop = mmd_find_one_of(at + 1, end, ":\n;");
    return stop > at + 1 ? stop : NULL;
}

/* Inside back-quotes and ~ ~ mermaid looks for these before anything else. */
static bool begins_with_keyword(const char *at, const char *end)
{
    ClsToken token;
    return (match_keyword(at, end, CLS_IN_CLASS, &token) && token.kind != CLS_TARGET) ||
           (at < end && mmd_is_one_of(*at, "\"~")) || mmd_match(at, end, "<<") ||
           mmd_match(at, end, ">>");
}

/* "…", `…` or ~…~; an empty one is no token: then *ret_token stays as it is. */
static void read_enclosed(ClsLexer *self, ClsKind kind, const char *what, ClsToken *ret_token)
{
    MmdParser *p = self->p;
    const char *start = p->at, *inner = start + 1;
    const char *close = memchr(inner, *start, (size_t)(p->end - inner));
    if (close == NULL && kind != CLS_LITERAL) { // which may reach to the end of the text
        ret_token->kind = CLS_BROKEN;
        mmd_fail_open(p, start, start, NULL, "%s is not closed: expected another '%c'", what,
                      *start);
        return;
    }
    const char *inner_end = close != NULL ? close : p->end;
    p->at = close != NULL ? close + 1 : p->end;
    if (kind != CLS_STRING && begins_with_keyword(inner, inner_end)) {
        ret_token->kind = CLS_BROKEN;
        mmd_fail(p, MMD_SYNTAX, inner, "%s begins with a keyword or a sign: %s", what,
                 mmd_found(p, inner));
        return;
    }
    if (inner_end > inner)
        *ret_token = (ClsToken) { kind, start, p->at };
}

/* `call f(args)`: the name may be anything, the parentheses must be closed. */
static bool read_call(ClsLexer *self, ClsToken *ret_token)
{
    MmdParser *p = self->p;
    const char *start = p->at, *name = mmd_match(start, p->end, "call");
    if (name == NULL || mmd_white_size(name, p->end) == 0)
        return false;
    name = mmd_skip_white_from(name, p->end);
    const char *open = memchr(name, '(', (size_t)(p->end - name));
    const char *close = open != NULL ? memchr(open, ')', (size_t)(p->end - open)) : NULL;
    *ret_token = (ClsToken) { CLS_BROKEN, start, start };
    if (open == NULL || open == name || close == NULL) {
        mmd_expected(p, open == name ? open : mmd_line_end(name, p->end),
                     "a function with parentheses after 'call', such as 'call show()'");
        return true;
    }
    *ret_token = (ClsToken) { CLS_CALL, start, p->at = close + 1 };
    return true;
}

/* Stricter than in other types; and an empty block is no token. */
static bool read_accessibility(MmdParser *p, ClsToken *ret_token)
{
    const char *start = p->at;
    MmdAccessibility found;
    if (!mmd_match_accessibility(start, p->end, false, &found))
        return false;
    p->at = found.stop;
    bool is_missing = found.brace == NULL && found.stop == p->end;
    bool is_empty = found.brace != NULL && !found.is_open &&
                    mmd_skip_white_from(found.brace + 1, found.stop) == found.stop - 1;
    if (found.is_open)
        mmd_unclosed(p, found.brace, "accDescr", "'}'");
    else if (is_missing)
        mmd_expected(p, found.stop, "a text after 'accTitle:' or 'accDescr:'");
    if (found.is_open || is_missing)
        *ret_token = (ClsToken) { CLS_BROKEN, start, start };
    else if (!is_empty)
        *ret_token = (ClsToken) { CLS_WHOLE, start, found.stop };
    return true;
}

/* A statement that is one token. */
static bool read_whole(ClsLexer *self, ClsToken *ret_token)
{
    MmdParser *p = self->p;
    const char *start = p->at, *stop = NULL;
    if (self->no_direction == NULL || start >= self->no_direction) {
        stop = mmd_match_direction(start, p->end, false);
        self->no_direction = mmd_line_end(start, p->end);
    }
    if (stop == NULL)
        return read_accessibility(p, ret_token);
    p->at = stop;
    *ret_token = (ClsToken) { CLS_WHOLE, start, stop };
    return true;
}

/* White space, and comments, which hide their line end. Returns whether a line ended. */
static bool skip_blanks(ClsLexer *self, ClsMode mode)
{
    MmdParser *p = self->p;
    while (true) {
        const char *start = p->at;
        mmd_skip_white(p);
        if (memchr(start, '\n', (size_t)(p->at - start)) != NULL)
            return true;
        if (mode != CLS_IN_DIAGRAM || mmd_match(p->at, p->end, "%%") == NULL)
            return false;
        if (self->is_in_line)
            self->comment = p->at;
        p->at = mmd_line_end(p->at, p->end);
        while (p->at < p->end && *p->at == '\n')
            p->at++;
    }
}

static const char *match_letter(const char *at)
{
    gunichar c = g_utf8_get_char(at);
    return c > 0x7f && c < 0x10000 && g_unichar_isalpha(c) ? g_utf8_next_char(at) : NULL;
}

static ClsToken match_plain(const char *at, const char *end)
{
    const char *stop = match_label(at, end);
    if (stop != NULL)
        return (ClsToken) { CLS_LABEL, at, stop };
    if ((stop = mmd_match_word(at, end, "o")) != NULL)
        return (ClsToken) { CLS_TIP, at, stop };
    for (size_t i = 0; i < G_N_ELEMENTS(signs); i++) {
        stop = mmd_match(at, end, signs[i].literal);
        if (stop != NULL)
            return (ClsToken) { signs[i].kind, at, stop };
    }
    for (stop = at; stop < end && mmd_is_word_char(*stop);)
        stop++;
    if (stop > at)
        return (ClsToken) { CLS_WORD, at, stop };
    stop = match_letter(at);
    if (stop != NULL)
        return (ClsToken) { CLS_LETTER, at, stop };
    return (ClsToken) { CLS_OTHER, at, g_utf8_next_char(at) };
}

/* Leaves *ret_token alone when what stands there is no token. */
static void read_token(ClsLexer *self, ClsMode mode, ClsToken *ret_token)
{
    MmdParser *p = self->p;
    if (mode == CLS_IN_DIAGRAM && (read_whole(self, ret_token) || read_call(self, ret_token)))
        return;
    switch (*p->at) {
    case '"':
        read_enclosed(self, CLS_STRING, "the string", ret_token);
        return;
    case '`':
        read_enclosed(self, CLS_LITERAL, "the name in back-quotes", ret_token);
        return;
    case '~':
        read_enclosed(self, CLS_GENERIC, "the type parameter", ret_token);
        return;
    default:
        if (!match_keyword(p->at, p->end, mode, ret_token))
            *ret_token = match_plain(p->at, p->end);
        p->at = ret_token->stop;
    }
}

ClsToken mmd_class_next(ClsLexer *self, ClsMode mode)
{
    MmdParser *p = self->p;
    ClsToken token;
    do {
        const char *start = p->at;
        bool has_line_end = skip_blanks(self, mode);
        self->is_in_line = !has_line_end;
        if (has_line_end) {
            self->comment = NULL;
            return (ClsToken) { CLS_NEWLINE, start, p->at };
        }
        token = (ClsToken) { CLS_EOF, p->at, p->at };
        if (!mmd_at_end(p))
            read_token(self, mode, &token);
    } while (token.kind == CLS_EOF && !mmd_at_end(p));
    return token;
}

void mmd_class_token_text(const ClsToken *token, const char **ret_start, const char **ret_stop)
{
    bool has_marks =
        token->kind == CLS_LITERAL || token->kind == CLS_GENERIC || token->kind == CLS_STRING;
    *ret_start = token->start + (has_marks ? 1 : 0);
    *ret_stop = token->stop - (has_marks ? 1 : 0);
}
