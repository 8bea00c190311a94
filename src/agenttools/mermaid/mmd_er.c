/*
 * The grammar of entity relationship diagrams (agent-tools-cli §8.7). Statements need nothing
 * between them.
 */
#include "agenttools/mermaid/mmd_er.h"

typedef struct ErDiagram {
    MmdParser *p;
    MmdLexer lexer;
    MmdToken token;    // the current one
    const char *role;  // the last one of the line; NULL: none
    GArray *subgraphs; // const char *: those that are open
} ErDiagram;

static void advance(ErDiagram *self)
{
    self->token = mmd_er_next(&self->lexer);
}

/* "expected WHAT, found …" at the current token. */
static bool expected(ErDiagram *self, const char *what)
{
    const MmdToken *token = &self->token;
    if (token->kind == ER_BROKEN)
        return false;
    bool is_keyword = token->kind >= ER_CARDINALITY && g_ascii_isalpha(*token->start);
    if (is_keyword)
        return mmd_expected_no_keyword(self->p, token->start, token->stop, what);
    mmd_expected(self->p, token->start, "%s", what);
    if (mmd_match(token->start, self->p->end, "%%") != NULL)
        return mmd_hint(self->p, "Comments must be on their own line");
    if (token->start < self->p->end && *token->start == ';')
        return mmd_hint(self->p, "Statements have nothing between them; remove the semicolon");
    return false;
}

static bool is_name(ErKind kind)
{
    return kind == ER_WORD || kind == ER_QUOTED || kind == ER_NUMBER;
}

static bool take_name(ErDiagram *self, const char *what)
{
    if (!is_name(self->token.kind))
        return expected(self, what);
    advance(self);
    return true;
}

/* `a,b`. */
static bool take_words(ErDiagram *self, const char *what)
{
    while (self->token.kind == ER_WORD) {
        advance(self);
        if (self->token.kind != ER_COMMA)
            return true;
        advance(self);
    }
    return expected(self, what);
}

/* `:::a,b`, when it stands there. */
static bool take_css(ErDiagram *self)
{
    if (self->token.kind != ER_CSS)
        return true;
    advance(self);
    return take_words(self, "the name of a class after ':::'");
}

/* `{ attributes }`, when it stands there. */
static bool take_block(ErDiagram *self)
{
    if (self->token.kind != ER_BRACE_OPEN)
        return true;
    if (!mmd_er_take_attributes(self->p, self->token.start))
        return false;
    advance(self);
    return true;
}

/* `||--o{ B : role`; the current token is the first cardinality. */
static bool parse_relation(ErDiagram *self)
{
    MmdToken left = self->token;
    g_autofree char *link = g_strdup_printf("a link, '--' or '..', after '%.*s'",
                                            (int)(left.stop - left.start), left.start);
    advance(self);
    if (self->token.kind != ER_LINK)
        return expected(self, link);
    advance(self);
    if (self->token.kind != ER_CARDINALITY)
        return expected(self, "a cardinality, such as '||', 'o|', 'o{' or '|{', after the link");
    advance(self);
    if (!take_name(self, "an entity at the other end of the relation") || !take_css(self))
        return false;
    if (self->token.kind != ER_COLON) {
        expected(self, "':' and a role after the relation");
        return mmd_hint(self->p, "Every relation needs a role: A ||--o{ B : has");
    }
    advance(self);
    ErKind kind = self->token.kind;
    self->role = self->token.start;
    if (kind != ER_WORD && kind != ER_QUOTED && kind != ER_STRING) {
        bool is_text = kind != ER_NEWLINE && kind != ER_EOF;
        expected(self, "a role after ':'");
        return is_text && mmd_hint(self->p, "Put the role in double quotes");
    }
    advance(self);
    return true;
}

/* `A`, `A { … }`, `A[alias] { … }`, `A ||--o{ B : role`. */
static bool parse_entity(ErDiagram *self)
{
    advance(self);
    bool has_alias = self->token.kind == ER_SQUARE_OPEN;
    if (has_alias) {
        advance(self);
        if (!take_name(self, "another name for the entity after '['"))
            return false;
        if (self->token.kind != ER_SQUARE_CLOSE) {
            expected(self, "']' after the other name");
            return mmd_hint(self->p, "Put several words in double quotes");
        }
        advance(self);
    }
    if (!take_css(self))
        return false;
    if (self->token.kind == ER_CARDINALITY && !has_alias)
        return parse_relation(self);
    return take_block(self);
}

static bool parse_style(ErDiagram *self)
{
    MmdToken keyword = self->token;
    g_autofree char *word = g_strndup(keyword.start, (size_t)(keyword.stop - keyword.start));
    if (!mmd_er_take_styles(self->p, word))
        return false;
    advance(self);
    return true;
}

static bool parse_class(ErDiagram *self)
{
    MmdToken keyword = self->token;
    advance(self);
    if (self->token.kind == ER_BRACE_OPEN || self->token.kind == ER_CARDINALITY) {
        mmd_fail(self->p, MMD_SYNTAX, keyword.start, "'%.*s' is a keyword, not an entity",
                 (int)(keyword.stop - keyword.start), keyword.start);
        return mmd_hint(self->p, "Put it in double quotes: \"%.*s\"",
                        (int)(keyword.stop - keyword.start), keyword.start);
    }
    return take_words(self, "an entity after 'class'") &&
           take_words(self, "the name of a class after the entity");
}

/* `subgraph name [title]`. */
static bool parse_subgraph(ErDiagram *self)
{
    const char *opened = self->token.start;
    advance(self);
    if (!take_name(self, "a name after 'subgraph'"))
        return false;
    if (self->token.kind == ER_SQUARE_OPEN) {
        advance(self);
        if (!take_name(self, "a title after '['"))
            return false;
        while (is_name(self->token.kind))
            advance(self);
        if (self->token.kind != ER_SQUARE_CLOSE)
            return expected(self, "']' after the title");
        advance(self);
    }
    if (self->token.kind != ER_NEWLINE)
        return expected(self, "the end of the line after 'subgraph'");
    advance(self);
    g_array_append_val(self->subgraphs, opened);
    return true;
}

static bool parse_end(ErDiagram *self)
{
    if (self->subgraphs->len == 0) {
        mmd_fail(self->p, MMD_SYNTAX, self->token.start, "'end' closes nothing");
        return mmd_hint(self->p, "no open block to close");
    }
    g_array_set_size(self->subgraphs, self->subgraphs->len - 1);
    advance(self);
    mmd_skip_white(self->p);
    return true;
}

/* A token that cannot begin a statement. */
static bool fail_statement(ErDiagram *self)
{
    const MmdToken *token = &self->token;
    if (self->role != NULL && token->kind == ER_CARDINALITY && g_ascii_isalpha(*token->start)) {
        expected(self, "the next statement after the role");
        return mmd_hint(self->p, "Put a role of several words in double quotes");
    }
    if (token->kind == ER_CARDINALITY && !g_ascii_isalpha(*token->start))
        return expected(self, "an entity before the cardinality");
    if (token->kind == ER_LINK)
        return expected(self, "a cardinality, such as '||' or '}o', before the link");
    if (token->kind == ER_OTHER && *token->start == '|')
        return expected(self, "a cardinality, such as '||', '|o', '}o' or '}|'");
    if (token->kind == ER_BRACE_OPEN) {
        mmd_expected(self->p, token->start, "an entity before '{', on the same line");
        return false;
    }
    if (token->kind == ER_OTHER && *token->start == '}') {
        mmd_fail(self->p, MMD_SYNTAX, token->start, "'}' closes nothing");
        return mmd_hint(self->p, "no open block to close");
    }
    return expected(self, "an entity, a relation or a keyword");
}

static bool parse_statement(ErDiagram *self)
{
    switch (self->token.kind) {
    case ER_NEWLINE:
        self->role = NULL;
        advance(self);
        return true;
    case ER_WHOLE:
        advance(self);
        return true;
    case ER_WORD:
    case ER_QUOTED:
    case ER_NUMBER:
        return parse_entity(self);
    case ER_STYLE:
        return parse_style(self);
    case ER_CLASS:
        return parse_class(self);
    case ER_SUBGRAPH:
        return parse_subgraph(self);
    case ER_END:
        return parse_end(self);
    default:
        return fail_statement(self);
    }
}

static bool parse_all(ErDiagram *self)
{
    MmdParser *p = self->p;
    bool has_word = !mmd_at_end(p) && mmd_is_word_char(*p->at);
    if (has_word || mmd_match_direction(p->at, p->end, true) != NULL)
        return mmd_expected(p, p->at, "a line end after 'erDiagram'");
    advance(self);
    while (self->token.kind != ER_EOF) {
        if (!parse_statement(self))
            return false;
    }
    if (self->subgraphs->len == 0)
        return true;
    return mmd_unclosed(p, g_array_index(self->subgraphs, const char *, self->subgraphs->len - 1),
                        "subgraph", "'end'");
}

bool mmd_parse_er(MmdParser *p)
{
    ErDiagram self = {
        .p = p,
        .lexer.p = p,
        .subgraphs = g_array_new(FALSE, FALSE, sizeof(const char *)),
    };
    bool is_right = parse_all(&self);
    g_array_unref(self.subgraphs);
    return is_right;
}
