/*
 * Checks entity relationship diagrams (agent-tools-cli §8.7). Statements need nothing between them,
 * and keywords count wherever a token may begin: an entity cannot be called `one-way` or `Class`.
 */
#include "agenttools/mermaid/mmd_parser.h"

enum {
    ER_WORD = MMD_KINDS, // a name or a role
    ER_QUOTED,           // "a name or a role"
    ER_STRING,      // in double quotes what can only be a role: nothing, % or \ or line ends inside
    ER_NUMBER,      // a name
    ER_CSS,         // :::
    ER_KEY,         // of an attribute
    ER_CARDINALITY, // from here on keywords, when they begin with a letter
    ER_LINK,
    ER_STYLE,
    ER_CLASS,
    ER_SUBGRAPH,
    ER_END,
    ER_HEADER
};

typedef struct ErDiagram {
    bool has_role;          // on this line
    MmdToken lone_type;     // of the first attribute whose name is on a later line
    const char *no_generic; // up to here no word has a type parameter
} ErDiagram;

static const MmdTokenRule rules[] = {
    { MMD_NEWLINE, "\n+" },
    { ER_QUOTED, "\"[^\"%\n\r\v\b\\\\]+\"" },
    { ER_STRING, "\"[^\"]*\"" },
    { ER_CSS, ":::" },
    { ER_CARDINALITY, "(?i)1\\+|0\\+|many\\([01]\\)|}\\||\\|\\||o\\||o{|\\|{" },
    { ER_LINK, "\\.\\.|--|\\.-|-\\." },
    { ER_HEADER, "(?i)erDiagram\\>" },
    { ER_STYLE, "(?i)(style|classDef)\\>" },
    { ER_CLASS, "(?i)class\\>" },
    { ER_SUBGRAPH, "(?i)subgraph\\>" },
    { ER_END, "(?i)end\\>" },
    { ER_CARDINALITY, "(?i)(one or (zero|more|many)|zero or (one|more|many)|only one)\\>" },
    { ER_CARDINALITY, "(?i)(many|one|}o|\\|o)\\>" },
    { ER_LINK, "(?i)(optionally )?to\\>" },
    { ER_CARDINALITY, "(?i)u(?=[.\\-|])" },
    { ER_NUMBER, "\\d+\\.\\d+" },
    { ER_CARDINALITY, "1(?=\\s+[\\w\"']|--|\\.\\.|\\.-|-\\.)" },
    { ER_NUMBER, "\\d+" },
    { ER_WORD, "[\\w\\-*.\\e\\u]+" },
    { 0 },
};

static void read_token(MmdParser *p)
{
    mmd_skip(p, "[ \t]*");
    const char *start = p->at, *direction;
    if (mmd_at_end(p)) {
        mmd_read_to(p, MMD_END, start);
    } else if (mmd_read_accessibility(p, true)) {
        return;
    } else if (*start != '\n' && (direction = mmd_direction(p, "(?i)" MMD_DIRECTION))) {
        mmd_read_to(p, MMD_WHOLE, direction);
    } else {
        mmd_read_any(p, rules, 0);
    }
}

static bool mmd_er_expected(MmdParser *p, const char *what)
{
    const MmdToken *token = &p->token;
    if (token->kind == MMD_BROKEN)
        return false;
    if (token->kind >= ER_CARDINALITY && g_ascii_isalpha(*token->start))
        return mmd_expected_no_keyword(p, what);
    mmd_expected(p, token->start, "%s", what);
    if (mmd_scan(p, token->start, "%%"))
        return mmd_hint(p, "Comments must be on their own line");
    if (token->kind == ';')
        return mmd_hint(p, "Statements have nothing between them; remove the semicolon");
    return false;
}

static const MmdGrammar grammar = { read_token, mmd_er_expected };

// ---- attributes: `{ type name PK, FK "comment" … }`, where line ends mean nothing ----

static const MmdTokenRule attribute_rules[] = {
    { ER_KEY, "(?i)(PK|FK|UK)\\>" },
    { ER_WORD, "[A-Za-z_*\\x][\\w*\\x\\-[\\]().,]*" }, // `string[]`, `decimal(10,2)`, `*id`
    { MMD_NOTHING, "``" },
    { ER_WORD, "`[^`]*(`|$)" },
    { ER_STRING, "\"[^\"]*\"" },
    { 0 },
};

static void read_attribute_token(MmdParser *p)
{
    ErDiagram *self = p->state;
    do {
        mmd_skip(p, "\\s*");
        const char *generic = NULL; // from a word with `~` in it to the last one: `Map~K, V~`
        if (p->at >= self->no_generic && !mmd_scan(p, p->at, attribute_rules[0].pattern)) {
            generic = mmd_scan(p, p->at, "[^\\s~]*~([^~\n]*~)+[^\\s]*");
            self->no_generic = mmd_scan(p, p->at, "[^\\s]*");
        }
        if (mmd_at_end(p))
            mmd_read_to(p, MMD_END, p->at);
        else if (generic)
            mmd_read_to(p, ER_WORD, generic);
        else
            mmd_read_any(p, attribute_rules, 0);
    } while (mmd_is(p, MMD_NOTHING));
}

static bool has_line_end(const char *start, const char *stop)
{
    return memchr(start, '\n', (size_t)(stop - start)) != NULL;
}

/* At the end of its line when the next token is on a later one. */
static bool expected_in_attribute(MmdParser *p, const char *what)
{
    bool is_later = has_line_end(p->last.stop, p->token.start);
    return mmd_expected(p, is_later ? p->last.stop : p->token.start, "%s", what);
}

/* `is_extra`: what was taken for a type is after another attribute, on its line. */
static bool fail_attribute_name(MmdParser *p, const MmdToken *type, bool is_extra)
{
    const ErDiagram *self = p->state;
    const MmdToken *lone = self->lone_type.start ? &self->lone_type : type;
    const char *found = p->token.start;
    g_autofree char *name = mmd_excerpt(lone->start, lone->stop);
    g_autofree char *what = g_strdup_printf("the name of an attribute after its type '%s'", name);
    if (lone == &self->lone_type)
        return mmd_expected(p, lone->stop, "%s", what);
    expected_in_attribute(p, what);
    if (*type->start == '"')
        return mmd_hint(p, "A comment may not hold two '~'");
    if (is_extra)
        return mmd_hint(p, "Only PK, FK, UK and a \"comment\" may follow a name");
    if (*found == ':')
        return mmd_hint(p, "An attribute is a type and a name: string email");
    if (*found == '<')
        return mmd_hint(p, "Write a type parameter with tildes: List~string~");
    if (mmd_scan(p, found, "[|}{](?!\n|$)") && !has_line_end(type->stop, found))
        return mmd_hint(p, "Close the entity with '}' before a relation");
    if (g_ascii_isdigit(*found) && type->stop[-1] == ',')
        return mmd_hint(p, "No blank may stand inside a type: decimal(10,2)");
    if (g_ascii_isdigit(*found))
        return mmd_hint(p, "A name begins with a letter or _");
    return mmd_is(p, ER_KEY) && mmd_hint(p, "PK, FK and UK are keys; they follow the name");
}

/* `PK, FK`, then `"comment"`. */
static bool take_keys_and_comment(MmdParser *p)
{
    if (mmd_accept(p, ER_KEY)) {
        while (mmd_accept(p, ',')) {
            if (!mmd_need(p, ER_KEY, "PK, FK or UK after ','"))
                return false;
        }
    }
    if (!mmd_accept(p, ER_STRING) || !mmd_is(p, ER_KEY))
        return true;
    mmd_need_other(p, "the next attribute after a comment");
    return mmd_hint(p, "Keys stand before the comment: type name PK \"comment\"");
}

/* The current token is no type. */
static bool fail_attribute_type(MmdParser *p, const char *opened)
{
    const char *at = p->token.start;
    if (mmd_is(p, MMD_END))
        return mmd_unclosed(p, opened, "the entity", "'}'");
    if (mmd_is(p, '"'))
        return mmd_fail_open(p, at, at, NULL, "the comment is not closed: expected another '\"'");
    mmd_expected(p, at, "an attribute or '}'");
    if (mmd_scan(p, at, "%%"))
        return mmd_hint(p, "Comments must be on their own line");
    if (*at == ';' || *at == ',')
        return mmd_hint(p, "Attributes have nothing between them; remove '%c'", *at);
    return *at == ':' && mmd_hint(p, "An attribute is a type and a name: string email");
}

/* What is in the brace that is the current token, up to the closing one. */
static bool take_attributes(MmdParser *p)
{
    static const MmdGrammar attribute_grammar = { read_attribute_token, expected_in_attribute };
    ErDiagram *self = p->state;
    const char *opened = p->token.start;
    *self = (ErDiagram) { .has_role = self->has_role, .no_generic = opened };
    p->grammar = &attribute_grammar;
    p->token.start = NULL;
    mmd_advance(p);
    while (!mmd_is(p, '}')) {
        MmdToken type = p->token;
        bool is_extra = p->last.start && !has_line_end(p->last.stop, type.start);
        if (!mmd_accept(p, ER_WORD))
            return fail_attribute_type(p, opened);
        mmd_accept(p, '?');
        if (mmd_is(p, MMD_END) && !self->lone_type.start)
            return mmd_unclosed(p, opened, "the entity", "'}'");
        if (!mmd_is(p, ER_WORD))
            return fail_attribute_name(p, &type, is_extra);
        if (!self->lone_type.start && has_line_end(type.stop, p->token.start))
            self->lone_type = type;
        mmd_advance(p);
        if (!take_keys_and_comment(p))
            return false;
    }
    p->grammar = &grammar;
    return mmd_advance(p);
}

// ---- styles: `a,b fill:#f9f,…`, up to a line end; blanks before that hide it ----

static void read_style_token(MmdParser *p)
{
    static const MmdTokenRule style_rules[] = { { MMD_NEWLINE, "\n" },
                                                { ER_WORD, "[\\w\\-*\\e\\u]+" },
                                                { 0 } };
    mmd_skip(p, "(?!\n)\\s*");
    if (mmd_at_end(p))
        mmd_read_to(p, MMD_END, p->at);
    else
        mmd_read_any(p, style_rules, 0);
}

static bool expected_in_style(MmdParser *p, const char *what)
{
    const char *expected_here = mmd_is(p, MMD_END) // it is hidden by blanks
                                    ? "the end of the line without blanks before it"
                                    : mmd_is(p, MMD_NEWLINE) ? what : "a name or a style";
    return mmd_expected(p, p->token.start, "%s", expected_here);
}

/* The current token is `style` or `classDef`. */
static bool take_styles(MmdParser *p)
{
    static const MmdGrammar style_grammar = { read_style_token, expected_in_style };
    g_autofree char *word = mmd_token_text(&p->token);
    g_autofree char *name = g_strdup_printf("a name after '%s'", word);
    static const char style[] = "a style, such as 'fill:#f9f'";
    p->grammar = &style_grammar;
    mmd_advance(p);
    do {
        if (!mmd_need(p, ER_WORD, name))
            return false;
    } while (mmd_accept(p, ','));
    do {
        if (!mmd_is_any(p, MMD_ANY(ER_WORD, ':', '#')))
            return mmd_need_other(p, style);
        while (mmd_is_any(p, MMD_ANY(ER_WORD, ':', '#')))
            mmd_advance(p);
    } while (mmd_accept(p, ','));
    mmd_accept(p, ';');
    if (!mmd_is(p, MMD_NEWLINE))
        return mmd_need_other(p, style);
    p->at = p->token.start;
    p->grammar = &grammar;
    return mmd_advance(p);
}

// ---- statements ----

static bool is_name(const MmdParser *p)
{
    return mmd_is_any(p, MMD_ANY(ER_WORD, ER_QUOTED, ER_NUMBER));
}

static bool take_name(MmdParser *p, const char *what)
{
    return is_name(p) ? mmd_advance(p) : mmd_need_other(p, "%s", what);
}

/* `a,b`. */
static bool take_words(MmdParser *p, const char *what)
{
    do {
        if (!mmd_need(p, ER_WORD, what))
            return false;
    } while (mmd_accept(p, ','));
    return true;
}

static bool take_css(MmdParser *p)
{
    return !mmd_accept(p, ER_CSS) || take_words(p, "the name of a class after ':::'");
}

/* `||--o{ B : role`; the current token is the first cardinality. */
static bool take_relation(MmdParser *p)
{
    ErDiagram *self = p->state;
    MmdToken left = p->token;
    mmd_advance(p);
    if (!mmd_accept(p, ER_LINK))
        return mmd_need_other(p, "a link, '--' or '..', after '%.*s'",
                              (int)(left.stop - left.start), left.start);
    if (!mmd_need(p, ER_CARDINALITY,
                  "a cardinality, such as '||', 'o|', 'o{' or '|{', after the link") ||
        !take_name(p, "an entity at the other end of the relation") || !take_css(p))
        return false;
    if (!mmd_need(p, ':', "':' and a role after the relation"))
        return mmd_hint(p, "Every relation needs a role: A ||--o{ B : has");
    self->has_role = true;
    if (mmd_is_any(p, MMD_ANY(ER_WORD, ER_QUOTED, ER_STRING)))
        return mmd_advance(p);
    mmd_need_other(p, "a role after ':'");
    return !mmd_is(p, MMD_NEWLINE) && !mmd_is(p, MMD_END) &&
           mmd_hint(p, "Put the role in double quotes");
}

/* `A`, `A { … }`, `A[alias] { … }`, `A ||--o{ B : role`. */
static bool take_entity(MmdParser *p)
{
    mmd_advance(p);
    bool has_alias = mmd_accept(p, '[');
    if (has_alias && !take_name(p, "another name for the entity after '['"))
        return false;
    if (has_alias && !mmd_need(p, ']', "']' after the other name"))
        return mmd_hint(p, "Put several words in double quotes");
    if (!take_css(p))
        return false;
    if (mmd_is(p, ER_CARDINALITY) && !has_alias)
        return take_relation(p);
    return !mmd_is(p, '{') || take_attributes(p);
}

static bool take_class(MmdParser *p)
{
    MmdToken keyword = p->token;
    mmd_advance(p);
    if (!mmd_is(p, '{') && !mmd_is(p, ER_CARDINALITY))
        return take_words(p, "an entity after 'class'") &&
               take_words(p, "the name of a class after the entity");
    g_autofree char *word = mmd_token_text(&keyword);
    mmd_fail(p, MMD_SYNTAX, keyword.start, "'%s' is a keyword, not an entity", word);
    return mmd_hint(p, "Put it in double quotes: \"%s\"", word);
}

/* `subgraph name [title]`. */
static bool take_subgraph(MmdParser *p)
{
    const char *opened = p->token.start;
    mmd_advance(p);
    if (!take_name(p, "a name after 'subgraph'"))
        return false;
    if (mmd_accept(p, '[')) {
        if (!take_name(p, "a title after '['"))
            return false;
        while (is_name(p))
            mmd_advance(p);
        if (!mmd_need(p, ']', "']' after the title"))
            return false;
    }
    return mmd_need(p, MMD_NEWLINE, "the end of the line after 'subgraph'") &&
           mmd_open_block(p, opened);
}

static bool fail_statement(MmdParser *p)
{
    const ErDiagram *self = p->state;
    bool is_word = g_ascii_isalpha(*p->token.start);
    if (mmd_is(p, ER_CARDINALITY) && is_word && self->has_role) {
        mmd_need_other(p, "the next statement after the role");
        return mmd_hint(p, "Put a role of several words in double quotes");
    }
    if (mmd_is(p, '}'))
        return mmd_fail_close(p, "'}'");
    return mmd_need_other(p, "%s",
                          mmd_is(p, ER_CARDINALITY) && !is_word ? "an entity before the cardinality"
                          : mmd_is(p, ER_LINK)
                              ? "a cardinality, such as '||' or '}o', before the link"
                          : mmd_is(p, '|') ? "a cardinality, such as '||', '|o', '}o' or '}|'"
                          : mmd_is(p, '{') ? "an entity before '{', on the same line"
                                           : "an entity, a relation or a keyword");
}

static bool take_statement(MmdParser *p)
{
    ErDiagram *self = p->state;
    switch (p->token.kind) {
    case MMD_NEWLINE:
        self->has_role = false;
        return mmd_advance(p);
    case MMD_WHOLE:
        return mmd_advance(p);
    case ER_WORD:
    case ER_QUOTED:
    case ER_NUMBER:
        return take_entity(p);
    case ER_STYLE:
        return take_styles(p);
    case ER_CLASS:
        return take_class(p);
    case ER_SUBGRAPH:
        return take_subgraph(p);
    case ER_END: // with the line ends after it
        return mmd_close_block(p, "'end'") && mmd_skip(p, "\\s*");
    default:
        return fail_statement(p);
    }
}

bool mmd_parse_er(MmdParser *p)
{
    ErDiagram self = { 0 };
    p->state = &self;
    p->grammar = &grammar;
    if (mmd_scan(p, p->at, "\\w") || mmd_direction(p, "(?i)" MMD_DIRECTION))
        return mmd_expected(p, p->at, "a line end after 'erDiagram'");
    mmd_advance(p);
    while (!mmd_is(p, MMD_END)) {
        if (!take_statement(p))
            return false;
    }
    return !mmd_block(p) || mmd_unclosed(p, mmd_block(p), "subgraph", "'end'");
}
