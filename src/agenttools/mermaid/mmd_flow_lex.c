/*
 * Cuts the text of a flowchart into tokens (mmd_flow.h).
 */
#include "agenttools/mermaid/mmd_flow.h"

enum { // modes
    STATEMENT = 1 << 0,
    HEADER = 1 << 1, // after the header word
    LABEL = 1 << 2,
    ELLIPSE = 1 << 3,
    TRAPEZOID = 1 << 4,
    SOLID = 1 << 5, // text of a link; the next ones with their line
    THICK = 1 << 6,
    DOTTED = 1 << 7,
    CLICK = 1 << 8,
    CALLBACK = 1 << 9,
    CALLBACK_ARGS = 1 << 10,
    ANY_LABEL = LABEL | ELLIPSE | TRAPEZOID,
    WITH_STRINGS = STATEMENT | HEADER | ANY_LABEL | SOLID | THICK | DOTTED | CLICK,
};

/* After a `}` the real parser drops white space up to the last line end. */
#define DROP        "(\\h*\n(?=\\h*\n))*(\\h*(?=\n))?"
#define SHAPE_DATA  "@{([^}^\"]|\"[^\"]*(\"|$))*"
#define TIP         "[xo<]?"
#define SOLID_LINK  TIP "(--+[xo>]|---+)"
#define THICK_LINK  TIP "(==+[xo>]|===+)"
#define DOTTED_LINK TIP "-?\\.+-[xo>]?"

/* What comes before names and links. An `accDescr {` that is not closed takes the rest. */
static const MmdTokenRule words[] = {
    { MMD_WHOLE, "acc(Title|Descr)\\s*:\\s*([^\n}]|}(?!\n))*(}" DROP ")?", STATEMENT },
    { MMD_WHOLE, "accDescr\\s*{[^}]*(}" DROP "|$)", STATEMENT },
    { FLOW_SHAPE_DATA, SHAPE_DATA "}" DROP, STATEMENT },
    { MMD_BROKEN, SHAPE_DATA "$", STATEMENT },
    { MMD_BAD, SHAPE_DATA, STATEMENT }, // its ^
    { FLOW_STRING, "\"`[^`\"]+`\"", WITH_STRINGS },
    { MMD_NOTHING, "\"``\"", WITH_STRINGS },
    { MMD_BROKEN, "\"`[^`\"]*$", WITH_STRINGS },
    { MMD_BAD, "(?=\"`)", WITH_STRINGS },
    { FLOW_STRING, "\"[^\"]+\"", WITH_STRINGS },
    { MMD_NOTHING, "\"\"", WITH_STRINGS },
    { MMD_BROKEN, "\"[^\"]*$", WITH_STRINGS },
    { FLOW_STYLE, "style\\>", STATEMENT },
    { FLOW_DEFAULT, "default\\>", STATEMENT },
    { FLOW_LINK_STYLE, "linkStyle\\>", STATEMENT },
    { FLOW_INTERPOLATE, "interpolate\\>", STATEMENT },
    { FLOW_CLASS_DEF, "classDef\\>", STATEMENT },
    { FLOW_CLASS, "class\\>", STATEMENT },
    { FLOW_GRAPH, "(graph|flowchart)\\>", STATEMENT },
    { FLOW_SUBGRAPH, "subgraph\\>", STATEMENT },
    { FLOW_END, "end\\>\\s*", STATEMENT },
    { FLOW_TARGET, "_(self|blank|parent|top)\\>", STATEMENT },
    { MMD_NOTHING, "call\\>\\s+", STATEMENT, CALLBACK },
    { MMD_NOTHING, "click\\>\\s+", STATEMENT, CLICK },
    { FLOW_HREF, "href\\>\\s", STATEMENT },
    { 0 },
};

/* White space before and after a link is part of it. */
static const MmdTokenRule rules[] = {
    { FLOW_NUMBER, "\\d+", STATEMENT },
    { FLOW_CLASS_MARK, ":::", STATEMENT },
    { '#', "#", STATEMENT },
    { ':', ":", STATEMENT },
    { '&', "&", STATEMENT },
    { ';', ";", STATEMENT },
    { ',', ",", STATEMENT },
    { '*', "\\*", STATEMENT },
    { FLOW_LINK, "\\s*" SOLID_LINK "\\s*", STATEMENT | SOLID, MMD_CLOSE },
    { FLOW_LINK_START, "\\s*" TIP "--\\s*", STATEMENT, SOLID },
    { FLOW_LINK, "\\s*" THICK_LINK "\\s*", STATEMENT | THICK, MMD_CLOSE },
    { FLOW_LINK_START, "\\s*" TIP "==\\s*", STATEMENT, THICK },
    { FLOW_LINK, "\\s*" DOTTED_LINK "\\s*", STATEMENT | DOTTED, MMD_CLOSE },
    { FLOW_LINK_START, "\\s*" TIP "-\\.\\s*", STATEMENT, DOTTED },
    { FLOW_LINK, "\\s*~~~+\\s*", STATEMENT | ANY_LABEL },
    { FLOW_LINK_TEXT, "((?!\\s*" SOLID_LINK ")(\\s+|(?!--)[^\"\\s]))+", SOLID },
    { FLOW_LINK_TEXT, "((?!\\s*" THICK_LINK ")(\\s+|[^\"=\\s]))+", THICK },
    { FLOW_LINK_TEXT, "((?!\\s*" DOTTED_LINK ")(\\s+|[^\".\\s]))+", DOTTED },
    { FLOW_OPEN, ">", STATEMENT, LABEL }, // of `id>text]`
    { FLOW_OTHER, "<|^|\\\\\\|", STATEMENT },
    { FLOW_CLOSE, "[\\-/)]\\)", ELLIPSE, MMD_CLOSE },
    { FLOW_CLOSE, "[/\\\\(?=)\\]]\\]", TRAPEZOID, MMD_CLOSE },
    { FLOW_CLOSE, "\\]\\)|\\]\\]|\\)\\]|\\)\\)\\)|\\)|\\]", LABEL, MMD_CLOSE },
    { FLOW_CLOSE, "}" DROP, LABEL, MMD_CLOSE },
    { '|', "\\|", LABEL, MMD_CLOSE },
    { FLOW_TEXT, "[^[\\](){}|\"]+", LABEL },
    { FLOW_TEXT, "((?!~~~|[\\-/)]\\))[^()[\\]{}\"])+", ELLIPSE },
    { FLOW_TEXT, "[^\\\\[\\](){}/]+|[/\\\\]", TRAPEZOID },
    { FLOW_OPEN, "\\(-", STATEMENT | ANY_LABEL, ELLIPSE },
    { FLOW_OPEN_PROPERTIES, "\\[\\|", STATEMENT | ANY_LABEL },
    { FLOW_OPEN, "\\[[/\\\\]", STATEMENT | ANY_LABEL, TRAPEZOID },
    { FLOW_OPEN, "\\(\\[|\\[\\[|\\[\\(|\\(\\(\\(|\\(|\\[|{", STATEMENT | ANY_LABEL, LABEL },
    { '|', "\\|", STATEMENT | ANY_LABEL, LABEL },
    { FLOW_DOWN, "v\\>", STATEMENT },
    { FLOW_NAME, "([\\w!\"#$%&'*+.`?\\\\/]|-(?![>\\-.]|$))+", STATEMENT },
    { '-', "-", STATEMENT },
    { FLOW_LETTER, "\\l", STATEMENT },
    { MMD_NEWLINE, "\n+", STATEMENT },
    { FLOW_SPACE, "\\h+", STATEMENT },
    { FLOW_NO_DIRECTION, "(\\h*\n)+", HEADER, MMD_CLOSE },
    { FLOW_DIRECTION_NAME, "\\s*([<>^]|(LR|RL|TB|BT|TD|BR|v)\\>)", HEADER, MMD_CLOSE },
    { MMD_BAD, "\\s*", HEADER },
    { MMD_NOTHING, "\\s", CLICK, MMD_CLOSE },
    { FLOW_CLICK, "[^\\s]+", CLICK },
    { FLOW_CALLBACK, "[^(]+", CALLBACK },
    { MMD_NOTHING, "\\(\\s*\\)", CALLBACK, MMD_CLOSE },
    { MMD_NOTHING, "\\(", CALLBACK, MMD_CLOSE | CALLBACK_ARGS },
    { MMD_NOTHING, "\\)", CALLBACK_ARGS, MMD_CLOSE },
    { FLOW_CALLBACK_ARGS, "[^)]+", CALLBACK_ARGS },
    { MMD_BAD, "(?=.|\n)" },
    { 0 },
};

/* A line with `direction TB` in it, whatever is before it. */
static bool read_direction(MmdParser *p)
{
    static const char pattern[] = "direction\\s+(TB|BT|RL|LR|TD)";
    FlowDiagram *self = p->state;
    if (!self->line_end || p->at > self->line_end) {
        self->line_end = mmd_line_end(p->at, p->end);
        self->last_direction = NULL;
        for (const char *at = p->at; at < self->line_end; at++) {
            if (mmd_scan(p, at, pattern))
                self->last_direction = at;
        }
    }
    if (!self->last_direction || p->at > self->last_direction)
        return false;
    mmd_read_to(p, MMD_WHOLE, mmd_line_end(mmd_scan(p, self->last_direction, pattern), p->end));
    return true;
}

/* `id@` before a link. */
static bool read_link_id(MmdParser *p)
{
    FlowDiagram *self = p->state;
    if (!self->run_end || p->at >= self->run_end) {
        const char *at = p->at, *next;
        for (self->last_at = NULL; (next = mmd_scan(p, at, "[^\"[\\](){}|\\s]")); at = next) {
            if (mmd_scan(p, at, "@(?![{\"])"))
                self->last_at = at;
        }
        self->run_end = at;
    }
    if (!self->last_at || p->at >= self->last_at)
        return false;
    mmd_read_to(p, FLOW_LINK_ID, self->last_at + 1);
    return true;
}

static void read_token(MmdParser *p)
{
    FlowDiagram *self = p->state;
    do {
        unsigned mode = p->mode_count > 0 ? p->modes[p->mode_count - 1] : STATEMENT;
        bool is_statement = mode == STATEMENT;
        if (mmd_at_end(p)) {
            mmd_read_to(p, is_statement ? MMD_END : MMD_BROKEN, p->at);
            return;
        }
        if (!mmd_read_rule(p, words, mode) &&
            !(is_statement && (read_direction(p) || read_link_id(p))))
            mmd_read_rule(p, rules, mode);
        if (is_statement)
            self->keyword_start = p->token.start;
    } while (mmd_is(p, MMD_NOTHING));
    if (mmd_is(p, MMD_BAD))
        p->token.start = p->at;
    if (mmd_is(p, FLOW_CLICK) || mmd_is(p, FLOW_CALLBACK))
        p->token.start = self->keyword_start;
}

static void add_hint(MmdParser *p)
{
    const char *at = p->token.start, *word_end = mmd_scan(p, at, "[A-Za-z_]*");
    g_autofree char *word = g_strndup(at, (size_t)(word_end - at));
    if (mmd_scan(p, at, "%%"))
        mmd_hint(p, "Comments must be on their own line");
    else if (mmd_scan(p, at, "->"))
        mmd_hint(p, "use -->");
    else if (mmd_scan(p, at, "=>"))
        mmd_hint(p, "use ==>");
    else if (mmd_scan(p, at, "<-"))
        mmd_hint(p, "use <-->, or --> from the other node");
    else if (mmd_is(p, FLOW_TARGET))
        mmd_hint(p, "\"%s\" is a keyword in flowcharts; choose another name", word);
    else if (p->token.kind >= FLOW_GRAPH)
        mmd_hint(p, "\"%s\" is a keyword in flowcharts; write %c%s or [\"%s\"]", word,
                 g_ascii_toupper(*word), word + 1, word);
}

static bool mmd_flow_lex_expected(MmdParser *p, const char *what)
{
    const char *at = p->token.start;
    if (mmd_is(p, MMD_BROKEN) && at < p->end)
        return mmd_fail_open(p, p->end, at, NULL,
                             "expected a closing quote or bracket before the end of the diagram");
    mmd_fail(p, MMD_SYNTAX, at, "expected %s, found %s", what, mmd_found(p, at));
    add_hint(p);
    return false;
}

void flow_begin(MmdParser *p, FlowDiagram *diagram)
{
    static const MmdGrammar grammar = { read_token, mmd_flow_lex_expected };
    p->grammar = &grammar;
    p->state = diagram;
    p->token.start = p->at;
    p->modes[p->mode_count++] = HEADER;
}
