/*
 * Tokens of entity relationship diagrams. Keywords and cardinalities count wherever a token may
 * begin, in any case: an entity cannot be called `one-way` or `Class`.
 */
#include "agenttools/mermaid/mmd_er.h"

typedef struct Word {
    const char *word;
    ErKind kind;
} Word;

/* Whole words. */
static const Word words[] = {
    { "erDiagram", ER_HEADER },         { "style", ER_STYLE },
    { "classDef", ER_STYLE },           { "class", ER_CLASS },
    { "subgraph", ER_SUBGRAPH },        { "end", ER_END },
    { "one or zero", ER_CARDINALITY },  { "one or more", ER_CARDINALITY },
    { "one or many", ER_CARDINALITY },  { "|o", ER_CARDINALITY },
    { "zero or one", ER_CARDINALITY },  { "zero or more", ER_CARDINALITY },
    { "zero or many", ER_CARDINALITY }, { "}o", ER_CARDINALITY },
    { "many", ER_CARDINALITY },         { "one", ER_CARDINALITY },
    { "only one", ER_CARDINALITY },     { "to", ER_LINK },
    { "optionally to", ER_LINK },
};

/* One that begins another comes after it. */
static const Word signs[] = {
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
};

static bool match_string(const char *at, const char *end, ErToken *ret_token)
{
    const char *close = *at == '"' ? memchr(at + 1, '"', (size_t)(end - at - 1)) : NULL;
    if (close == NULL)
        return false;
    const char *odd = mmd_find_one_of(at + 1, close, "%\r\n\v\b\\");
    bool is_name = odd == close && close > at + 1;
    *ret_token = (ErToken) { is_name ? ER_QUOTED : ER_STRING, at, close + 1 };
    return true;
}

/* `1` is a cardinality before a link or another word, else a name like all numbers. */
static bool match_number(const char *at, const char *end, ErToken *ret_token)
{
    const char *stop = mmd_match_digits(at, end);
    if (stop == NULL)
        return false;
    *ret_token = (ErToken) { ER_NUMBER, at, stop };
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
        *ret_token = (ErToken) { ER_CARDINALITY, at, after };
    return true;
}

static bool match_word(const char *at, const char *end, ErToken *ret_token)
{
    for (size_t i = 0; i < G_N_ELEMENTS(signs); i++) {
        const char *stop = mmd_match_nocase(at, end, signs[i].word);
        if (stop == NULL)
            continue;
        *ret_token = (ErToken) { signs[i].kind, at, stop };
        return true;
    }
    for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
        const char *stop = mmd_match_word_nocase(at, end, words[i].word);
        if (stop == NULL)
            continue;
        *ret_token = (ErToken) { words[i].kind, at, stop };
        return true;
    }
    bool is_parent = (*at == 'u' || *at == 'U') && at + 1 < end && mmd_is_one_of(at[1], ".-|");
    *ret_token = (ErToken) { ER_CARDINALITY, at, at + 1 };
    return is_parent;
}

static bool is_name_char(char c)
{
    return mmd_is_word_char(c) || mmd_is_one_of(c, "-*.") || (unsigned char)c >= 0x80 ||
           c == MMD_ENTITY_OPEN || c == MMD_ENTITY_CLOSE;
}

/* Stricter than in other types: there must be a text, and the brace must be closed. */
static ErToken read_accessibility(MmdParser *p, const MmdAccessibility *found)
{
    const char *start = p->at;
    bool is_missing = found->brace == NULL && found->stop == p->end;
    if (found->is_open)
        mmd_unclosed(p, found->brace, "accDescr", "'}'");
    else if (is_missing)
        mmd_expected(p, found->stop, "a text after 'accTitle:' or 'accDescr:'");
    return (ErToken) { found->is_open || is_missing ? ER_BROKEN : ER_WHOLE, start, found->stop };
}

static ErToken read_token(ErLexer *self)
{
    MmdParser *p = self->p;
    const char *start = p->at, *stop = start;
    ErToken token;
    MmdAccessibility found;
    if (mmd_match_accessibility(start, p->end, true, &found))
        return read_accessibility(p, &found);
    if (self->no_direction == NULL || start >= self->no_direction) {
        self->no_direction = mmd_line_end(start, p->end);
        const char *direction = mmd_match_direction(start, p->end, true);
        if (direction != NULL)
            return (ErToken) { ER_WHOLE, start, direction };
    }
    if (match_string(start, p->end, &token) || match_word(start, p->end, &token) ||
        match_number(start, p->end, &token))
        return token;
    while (stop < p->end && is_name_char(*stop))
        stop++;
    if (stop > start)
        return (ErToken) { ER_WORD, start, stop };
    return (ErToken) { ER_OTHER, start, start + 1 };
}

ErToken mmd_er_next(ErLexer *self)
{
    MmdParser *p = self->p;
    while (!mmd_at_end(p) && (*p->at == ' ' || *p->at == '\t'))
        p->at++;
    const char *start = p->at;
    if (mmd_at_end(p))
        return (ErToken) { ER_EOF, start, start };
    if (*start != '\n') {
        ErToken token = read_token(self);
        p->at = token.stop;
        return token;
    }
    while (!mmd_at_end(p) && *p->at == '\n')
        p->at++;
    return (ErToken) { ER_NEWLINE, start, p->at };
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
