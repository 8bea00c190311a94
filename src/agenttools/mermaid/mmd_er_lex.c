/*
 * Tokens of entity relationship diagrams. Keywords and cardinalities count wherever a token may
 * begin, in any case: an entity cannot be called `one-way` or `Class`.
 */
#include "agenttools/mermaid/mmd_er.h"

/* Whole words. */
static const MmdRule words[] = {
    { "erDiagram", ER_HEADER },         { "style", ER_STYLE },
    { "classDef", ER_STYLE },           { "class", ER_CLASS },
    { "subgraph", ER_SUBGRAPH },        { "end", ER_END },
    { "one or zero", ER_CARDINALITY },  { "one or more", ER_CARDINALITY },
    { "one or many", ER_CARDINALITY },  { "|o", ER_CARDINALITY },
    { "zero or one", ER_CARDINALITY },  { "zero or more", ER_CARDINALITY },
    { "zero or many", ER_CARDINALITY }, { "}o", ER_CARDINALITY },
    { "many", ER_CARDINALITY },         { "one", ER_CARDINALITY },
    { "only one", ER_CARDINALITY },     { "to", ER_LINK },
    { "optionally to", ER_LINK },       { NULL },
};

static const MmdRule signs[] = {
    { "{", ER_BRACE_OPEN },
    { ",", ER_COMMA },
    { ":::", ER_CSS },
    { ":", ER_COLON },
    { "[", ER_SQUARE_OPEN },
    { "]", ER_SQUARE_CLOSE },
    { "1+", ER_CARDINALITY },
    { "0+", ER_CARDINALITY },
    { "many(0)", ER_CARDINALITY },
    { "many(1)", ER_CARDINALITY },
    { "}|", ER_CARDINALITY },
    { "||", ER_CARDINALITY },
    { "o|", ER_CARDINALITY },
    { "o{", ER_CARDINALITY },
    { "|{", ER_CARDINALITY },
    { "..", ER_LINK },
    { "--", ER_LINK },
    { ".-", ER_LINK },
    { "-.", ER_LINK },
    { NULL },
};

static bool match_string(const char *at, const char *end, MmdToken *ret_token)
{
    const char *close = *at == '"' ? memchr(at + 1, '"', (size_t)(end - at - 1)) : NULL;
    if (close == NULL)
        return false;
    const char *odd = mmd_find_one_of(at + 1, close, "%\r\n\v\b\\");
    bool is_name = odd == close && close > at + 1;
    *ret_token = (MmdToken) { is_name ? ER_QUOTED : ER_STRING, at, close + 1 };
    return true;
}

/* `1` is a cardinality before a link or another word, else a name like all numbers. */
static bool match_number(const char *at, const char *end, MmdToken *ret_token)
{
    const char *stop = mmd_match_digits(at, end);
    if (stop == NULL)
        return false;
    *ret_token = (MmdToken) { ER_NUMBER, at, stop };
    const char *fraction = *stop == '.' ? mmd_match_digits(stop + 1, end) : NULL;
    if (fraction != NULL) {
        ret_token->stop = fraction;
        return true;
    }
    const char *after = at + 1, *next = mmd_skip_white_from(after, end);
    bool is_before_word =
        next > after && next < end && (mmd_is_word_char(*next) || mmd_is_one_of(*next, "\"'"));
    bool is_before_link = mmd_match(after, end, "--") || mmd_match(after, end, "..") ||
                          mmd_match(after, end, ".-") || mmd_match(after, end, "-.");
    if (*at == '1' && (is_before_word || is_before_link))
        *ret_token = (MmdToken) { ER_CARDINALITY, at, after };
    return true;
}

static bool match_word(const char *at, const char *end, MmdToken *ret_token)
{
    if (mmd_match_token(signs, MMD_NOCASE, 0, at, end, ret_token) ||
        mmd_match_token(words, MMD_WORDS | MMD_NOCASE, 0, at, end, ret_token))
        return true;
    bool is_parent = (*at == 'u' || *at == 'U') && at + 1 < end && mmd_is_one_of(at[1], ".-|");
    *ret_token = (MmdToken) { ER_CARDINALITY, at, at + 1 };
    return is_parent;
}

static bool is_name_char(char c)
{
    return mmd_is_word_char(c) || mmd_is_one_of(c, "-*.") || (unsigned char)c >= 0x80 ||
           c == MMD_ENTITY_OPEN || c == MMD_ENTITY_CLOSE;
}

static MmdToken read_token(MmdLexer *self)
{
    MmdParser *p = self->p;
    const char *start = p->at, *stop = start;
    MmdToken token;
    MmdAccessibility found;
    if (mmd_match_accessibility(start, p->end, true, &found)) {
        bool is_right = mmd_take_strict_accessibility(p, &found);
        return (MmdToken) { is_right ? ER_WHOLE : ER_BROKEN, start, found.stop };
    }
    const char *direction = mmd_direction_here(self, true);
    if (direction != NULL)
        return (MmdToken) { ER_WHOLE, start, direction };
    if (match_string(start, p->end, &token) || match_word(start, p->end, &token) ||
        match_number(start, p->end, &token))
        return token;
    while (stop < p->end && is_name_char(*stop))
        stop++;
    if (stop > start)
        return (MmdToken) { ER_WORD, start, stop };
    return (MmdToken) { ER_OTHER, start, start + 1 };
}

MmdToken mmd_er_next(MmdLexer *self)
{
    MmdParser *p = self->p;
    while (!mmd_at_end(p) && (*p->at == ' ' || *p->at == '\t'))
        p->at++;
    const char *start = p->at;
    if (mmd_at_end(p))
        return (MmdToken) { ER_EOF, start, start };
    if (*start != '\n') {
        MmdToken token = read_token(self);
        p->at = token.stop;
        return token;
    }
    while (!mmd_at_end(p) && *p->at == '\n')
        p->at++;
    return (MmdToken) { ER_NEWLINE, start, p->at };
}

/* Behind `style` or `classDef`: names, styles, and a line end; blanks before that hide it. */
bool mmd_er_take_styles(MmdParser *p, const char *keyword)
{
    enum { NAME, AFTER_NAME, STYLE, AFTER_STYLE, DONE } stage = NAME;
    while (true) {
        if (!mmd_at_end(p) && *p->at != '\n')
            mmd_skip_white(p);
        const char *start = p->at;
        if (mmd_at_end(p)) // hidden by blanks
            return mmd_expected(p, start, "the end of the line without blanks before it");
        if (*start == '\n') {
            if (stage == AFTER_STYLE || stage == DONE)
                return true;
            bool has_name = stage != NAME;
            return has_name ? mmd_expected(p, start, "a style, such as 'fill:#f9f'")
                            : mmd_expected(p, start, "a name after '%s'", keyword);
        }
        while (is_name_char(*p->at) && *p->at != '.')
            p->at++;
        bool is_text = p->at > start;
        bool is_sign = !is_text && (*start == ':' || *start == '#');
        if (stage == NAME && is_text) {
            stage = AFTER_NAME;
        } else if (stage == AFTER_NAME && *start == ',') {
            stage = NAME;
        } else if (stage == AFTER_STYLE && *start == ',') {
            stage = STYLE;
        } else if (stage == AFTER_STYLE && *start == ';') {
            stage = DONE;
        } else if (stage != NAME && stage != DONE && (is_text || is_sign)) {
            stage = AFTER_STYLE;
        } else {
            return mmd_expected(p, start, "a name or a style");
        }
        p->at += is_text ? 0 : 1;
    }
}
