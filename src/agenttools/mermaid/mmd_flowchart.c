/*
 * Statements of flowcharts (agent-tools-cli §8.7); the parts of a statement are in mmd_flow_node.c.
 */
#include "agenttools/mermaid/mmd_flow.h"

static bool take_space(FlowParser *f, const char *after)
{
    if (f->token != FLOW_SPACE) {
        g_autofree char *expected = g_strdup_printf("a blank after '%s'", after);
        return flow_unexpected(f, expected);
    }
    flow_next(f);
    return true;
}

/* A newline, `;` or the end; not taken. */
static bool expect_end(FlowParser *f, const char *expected)
{
    if (f->token == FLOW_NEWLINE || f->token == FLOW_SEMICOLON || f->token == FLOW_END_OF_TEXT)
        return true;
    return flow_unexpected(f, expected);
}

/* `fill:#f9f,stroke-width:2px`, up to the end of the statement. */
static bool take_styles(FlowParser *f)
{
    static const char expected[] = "a style such as fill:#f9f";
    for (;;) {
        const char *start = f->start;
        while (f->token == FLOW_NUMBER || f->token == FLOW_NAME || f->token == FLOW_COLON ||
               f->token == FLOW_SPACE || f->token == FLOW_HASH || f->token == FLOW_STYLE)
            flow_next(f);
        if (f->start == start)
            return flow_unexpected(f, expected);
        if (f->token != FLOW_COMMA)
            return expect_end(f, "',' or the end of the styles");
        flow_next(f);
    }
}

/* `style ids styles`, `classDef names styles`. */
static bool take_style(FlowParser *f, const char *word, const char *expected)
{
    flow_next(f);
    return take_space(f, word) && flow_take_name(f, expected) && take_space(f, "the name") &&
           take_styles(f);
}

static bool take_class(FlowParser *f)
{
    flow_next(f);
    return take_space(f, "class") && flow_take_name(f, "a node") && take_space(f, "the nodes") &&
           flow_take_name(f, "the name of a class") && expect_end(f, "the end of the line");
}

/* A number of `linkStyle`. */
static bool take_link_number(FlowParser *f)
{
    if (f->token != FLOW_NUMBER)
        return flow_unexpected(f, "the number of a link, or default");
    guint64 number = g_ascii_strtoull(f->start, NULL, 10);
    if (number >= f->link_count) {
        mmd_fail(f->p, MMD_SEMANTIC, f->start,
                 "there is no link %" G_GUINT64_FORMAT " before this line, only %zu", number,
                 f->link_count);
        return mmd_hint(f->p, "links are counted from 0, in the order in which they are written");
    }
    flow_next(f);
    return true;
}

static bool take_link_numbers(FlowParser *f)
{
    if (!take_link_number(f))
        return false;
    while (f->token == FLOW_COMMA) {
        flow_next(f);
        if (!take_link_number(f))
            return false;
    }
    return true;
}

/* `interpolate basis [styles]`. */
static bool take_interpolate(FlowParser *f)
{
    flow_next(f);
    if (!take_space(f, "interpolate") || !flow_take_name(f, "the name of a curve"))
        return false;
    if (f->token != FLOW_SPACE)
        return expect_end(f, "the end of the line");
    flow_next(f);
    return take_styles(f);
}

static bool take_link_style(FlowParser *f)
{
    flow_next(f);
    if (!take_space(f, "linkStyle"))
        return false;
    if (f->token == FLOW_DEFAULT)
        flow_next(f);
    else if (!take_link_numbers(f))
        return false;
    if (!take_space(f, "the links"))
        return false;
    return f->token == FLOW_INTERPOLATE ? take_interpolate(f) : take_styles(f);
}

/* `["tip"] [_blank]` after the address. */
static bool take_tip_and_target(FlowParser *f)
{
    bool has_tip = false;
    while (f->token == FLOW_SPACE) {
        flow_next(f);
        if (f->token == FLOW_TARGET) {
            flow_next(f);
            return expect_end(f, "the end of the line");
        }
        if (f->token != FLOW_STRING || has_tip)
            return flow_unexpected(f, has_tip ? "_self, _blank, _parent or _top"
                                              : "a tooltip in double quotes, or _blank");
        has_tip = true;
        flow_next(f);
    }
    return expect_end(f, "the end of the line");
}

static bool take_tip(FlowParser *f)
{
    if (f->token == FLOW_SPACE) {
        flow_next(f);
        if (f->token != FLOW_STRING)
            return flow_unexpected(f, "a tooltip in double quotes");
        flow_next(f);
    }
    return expect_end(f, "the end of the line");
}

/* `click id …`, whose token holds both words. */
static bool take_click(FlowParser *f)
{
    static const char expected[] = "an address in double quotes, href, call or a function";
    flow_next(f);
    switch (f->token) {
    case FLOW_CALLBACK:
        flow_next(f);
        if (f->token == FLOW_CALLBACK_ARGS)
            flow_next(f);
        return take_tip(f);
    case FLOW_HREF:
        flow_next(f);
        if (f->token != FLOW_STRING)
            return flow_unexpected(f, "an address in double quotes after href");
        flow_next(f);
        return take_tip_and_target(f);
    case FLOW_STRING:
        flow_next(f);
        return take_tip_and_target(f);
    default:
        return flow_take_name(f, expected) && take_tip(f);
    }
}

static bool is_title_part(FlowToken token)
{
    return token == FLOW_GRAPH || token == FLOW_SUBGRAPH || token == FLOW_END ||
           token == FLOW_STYLE || token == FLOW_LINK_STYLE || token == FLOW_CLASS_DEF ||
           token == FLOW_CLASS || token == FLOW_CLICK || token == FLOW_DOWN ||
           token == FLOW_NUMBER || token == FLOW_NAME || token == FLOW_SPACE ||
           token == FLOW_DASH || token == FLOW_AMPERSAND || token == FLOW_LETTER ||
           token == FLOW_COLON || token == FLOW_STAR || token == FLOW_HASH ||
           token == FLOW_LINK_START;
}

/* The line that opens a subgraph. */
static bool take_subgraph(FlowParser *f)
{
    const char *opened = f->start;
    flow_next(f);
    if (!take_space(f, "subgraph"))
        return mmd_hint(f->p, "a subgraph needs a name: subgraph one [Title]");
    f->name_start = f->start;
    if (f->token != FLOW_STRING && !is_title_part(f->token))
        return flow_unexpected(f, "the name of the subgraph");
    do {
        flow_next(f);
    } while (is_title_part(f->token));

    if (f->token == FLOW_OPEN_SQUARE) {
        const char *bracket = f->start;
        flow_next(f);
        if (!flow_take_label(f, FLOW_OPEN_SQUARE, bracket))
            return false;
    }
    if (!expect_end(f, "the end of the line after the name of the subgraph"))
        return false;
    g_array_append_val(f->subgraphs, opened);
    return true;
}

static bool take_end(FlowParser *f)
{
    if (f->subgraphs->len == 0) {
        mmd_fail(f->p, MMD_SYNTAX, f->start, "'end' without a subgraph before it");
        return mmd_hint(f->p, "no open block to close");
    }
    g_array_set_size(f->subgraphs, f->subgraphs->len - 1);
    flow_next(f);
    return true;
}

static bool take_statement(FlowParser *f)
{
    switch (f->token) {
    case FLOW_NEWLINE:
    case FLOW_SPACE:
    case FLOW_SEMICOLON:
    case FLOW_DIRECTION:
    case FLOW_ACCESSIBILITY:
        flow_next(f);
        return true;
    case FLOW_SUBGRAPH:
        return take_subgraph(f);
    case FLOW_END:
        return take_end(f);
    case FLOW_STYLE:
        return take_style(f, "style", "a node");
    case FLOW_CLASS_DEF:
        return take_style(f, "classDef", "the name of a class");
    case FLOW_LINK_STYLE:
        return take_link_style(f);
    case FLOW_CLASS:
        return take_class(f);
    case FLOW_CLICK:
        return take_click(f);
    default:
        return flow_take_chain(f) && expect_end(f, "a link or the end of the line");
    }
}

/* What stands on the line of the header word. */
static bool take_header(FlowParser *f)
{
    flow_next(f);
    if (f->token == FLOW_NO_DIRECTION)
        return true;
    if (f->token != FLOW_DIRECTION_NAME) {
        flow_unexpected(f, "a direction (TB, TD, BT, LR or RL) or the end of the line");
        return mmd_hint(f->p, "write flowchart TD, or flowchart LR");
    }
    flow_next(f);
    if (f->token == FLOW_SPACE)
        flow_next(f);
    else if (f->token == FLOW_SEMICOLON)
        return true;
    if (f->token == FLOW_NEWLINE)
        return true;
    flow_unexpected(f, "the end of the line after the direction");
    return mmd_hint(f->p, "begin the first statement on its own line, or after ';'");
}

bool mmd_parse_flowchart(MmdParser *p)
{
    g_autoptr(GArray) subgraphs = g_array_new(FALSE, FALSE, sizeof(const char *));
    FlowParser f = {
        .p = p,
        .start = p->at,
        .name_start = p->at,
        .subgraphs = subgraphs,
        .modes = { FLOW_MODE_HEADER },
        .mode_count = 1,
    };
    if (mmd_is_word_char(*p->at))
        return flow_unexpected(&f, "a blank or the end of the line after the diagram type");
    if (!take_header(&f))
        return false;
    flow_next(&f);
    while (f.token != FLOW_END_OF_TEXT) {
        if (!take_statement(&f))
            return false;
    }
    if (subgraphs->len == 0)
        return true;

    const char *opened = g_array_index(subgraphs, const char *, subgraphs->len - 1);
    g_autofree char *hint =
        g_strdup_printf("subgraph opened at line %zu is not closed", mmd_line_of(p, opened));
    return mmd_fail_open(p, p->end, opened, hint, "expected 'end' to close the subgraph");
}
