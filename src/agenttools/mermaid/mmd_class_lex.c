/*
 * Cuts the text of a class diagram into tokens (mmd_class.h).
 */
#include "agenttools/mermaid/mmd_class.h"

#define ANYWHERE (CLS_IN_DIAGRAM | CLS_IN_CLASS | CLS_IN_NAMESPACE | CLS_IN_NAMESPACE_BODY)

static const MmdRule keywords[] = {
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
    { NULL },
};

static const MmdRule signs[] = {
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
    { NULL },
};

static bool match_keyword(const char *at, const char *end, ClsMode mode, MmdToken *ret_token)
{
    return mmd_match_token(keywords, MMD_WORDS, mode, at, end, ret_token);
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
    MmdToken token;
    return (match_keyword(at, end, CLS_IN_CLASS, &token) && token.kind != CLS_TARGET) ||
           (at < end && mmd_is_one_of(*at, "\"~")) || mmd_match(at, end, "<<") ||
           mmd_match(at, end, ">>");
}

/* "…", `…` or ~…~; an empty one is no token: then *ret_token stays as it is. */
static void read_enclosed(ClsLexer *self, ClsKind kind, const char *what, MmdToken *ret_token)
{
    MmdParser *p = self->base.p;
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
        *ret_token = (MmdToken) { kind, start, p->at };
}

/* `call f(args)`: the name may be anything, the parentheses must be closed. */
static bool read_call(ClsLexer *self, MmdToken *ret_token)
{
    MmdParser *p = self->base.p;
    const char *start = p->at, *name = mmd_match(start, p->end, "call");
    if (name == NULL || mmd_white_size(name, p->end) == 0)
        return false;
    name = mmd_skip_white_from(name, p->end);
    const char *open = memchr(name, '(', (size_t)(p->end - name));
    const char *close = open != NULL ? memchr(open, ')', (size_t)(p->end - open)) : NULL;
    *ret_token = (MmdToken) { CLS_BROKEN, start, start };
    if (open == NULL || open == name || close == NULL) {
        mmd_expected(p, open == name ? open : mmd_line_end(name, p->end),
                     "a function with parentheses after 'call', such as 'call show()'");
        return true;
    }
    *ret_token = (MmdToken) { CLS_CALL, start, p->at = close + 1 };
    return true;
}

/* An empty block is no token. */
static bool read_accessibility(MmdParser *p, MmdToken *ret_token)
{
    const char *start = p->at;
    MmdAccessibility found;
    if (!mmd_match_accessibility(start, p->end, false, &found))
        return false;
    bool is_empty = found.brace != NULL && !found.is_open &&
                    mmd_skip_white_from(found.brace + 1, found.stop) == found.stop - 1;
    if (!mmd_take_strict_accessibility(p, &found))
        *ret_token = (MmdToken) { CLS_BROKEN, start, start };
    else if (!is_empty)
        *ret_token = (MmdToken) { CLS_WHOLE, start, found.stop };
    return true;
}

/* A statement that is one token. */
static bool read_whole(ClsLexer *self, MmdToken *ret_token)
{
    MmdParser *p = self->base.p;
    const char *start = p->at, *stop = mmd_direction_here(&self->base, false);
    if (stop == NULL)
        return read_accessibility(p, ret_token);
    p->at = stop;
    *ret_token = (MmdToken) { CLS_WHOLE, start, stop };
    return true;
}

/* White space, and comments, which hide their line end. Returns whether a line ended. */
static bool skip_blanks(ClsLexer *self, ClsMode mode)
{
    MmdParser *p = self->base.p;
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

static MmdToken match_plain(const char *at, const char *end)
{
    MmdToken token;
    const char *stop = match_label(at, end);
    if (stop != NULL)
        return (MmdToken) { CLS_LABEL, at, stop };
    if ((stop = mmd_match_word(at, end, "o")) != NULL)
        return (MmdToken) { CLS_TIP, at, stop };
    if (mmd_match_token(signs, 0, 0, at, end, &token))
        return token;
    for (stop = at; stop < end && mmd_is_word_char(*stop);)
        stop++;
    if (stop > at)
        return (MmdToken) { CLS_WORD, at, stop };
    stop = match_letter(at);
    if (stop != NULL)
        return (MmdToken) { CLS_LETTER, at, stop };
    return (MmdToken) { CLS_OTHER, at, g_utf8_next_char(at) };
}

/* Leaves *ret_token alone when what stands there is no token. */
static void read_token(ClsLexer *self, ClsMode mode, MmdToken *ret_token)
{
    MmdParser *p = self->base.p;
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

MmdToken mmd_class_next(ClsLexer *self, ClsMode mode)
{
    MmdParser *p = self->base.p;
    MmdToken token;
    do {
        const char *start = p->at;
        bool has_line_end = skip_blanks(self, mode);
        self->is_in_line = !has_line_end;
        if (has_line_end) {
            self->comment = NULL;
            return (MmdToken) { CLS_NEWLINE, start, p->at };
        }
        token = (MmdToken) { CLS_EOF, p->at, p->at };
        if (!mmd_at_end(p))
            read_token(self, mode, &token);
    } while (token.kind == CLS_EOF && !mmd_at_end(p));
    return token;
}

void mmd_class_token_text(const MmdToken *token, const char **ret_start, const char **ret_stop)
{
    bool has_marks =
        token->kind == CLS_LITERAL || token->kind == CLS_GENERIC || token->kind == CLS_STRING;
    *ret_start = token->start + (has_marks ? 1 : 0);
    *ret_stop = token->stop - (has_marks ? 1 : 0);
}
