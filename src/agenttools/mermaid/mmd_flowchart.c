/*
 * Statements of flowcharts (agent-tools-cli §8.7); the parts of a statement are in mmd_flow_node.c.
 */
#include "agenttools/mermaid/mmd_flow.h"

static bool take_space(MmdParser *p, const char *after)
{
    return mmd_accept(p, FLOW_SPACE) || mmd_need_other(p, "a blank after '%s'", after);
}

/* A newline, `;` or the end; not taken. */
static bool expect_end(MmdParser *p, const char *what)
{
    return mmd_is(p, MMD_END) || mmd_is_any(p, MMD_ANY(MMD_NEWLINE, ';')) ||
           mmd_need_other(p, "%s", what);
}

/* `fill:#f9f,stroke-width:2px`, up to the end of the statement. */
static bool take_styles(MmdParser *p)
{
    do {
        const char *start = p->token.start;
        while (mmd_is_any(p, MMD_ANY(FLOW_NUMBER, FLOW_NAME, ':', FLOW_SPACE, '#', FLOW_STYLE)))
            mmd_advance(p);
        if (p->token.start == start)
            return mmd_need_other(p, "a style such as fill:#f9f");
    } while (mmd_accept(p, ','));
    return expect_end(p, "',' or the end of the styles");
}

/* `style ids styles`, `classDef names styles`. */
static bool take_style(MmdParser *p, const char *word, const char *what)
{
    return mmd_advance(p) && take_space(p, word) && flow_take_name(p, what) &&
           take_space(p, "the name") && take_styles(p);
}

/* A number of `linkStyle`. */
static bool take_link_number(MmdParser *p)
{
    const FlowDiagram *self = p->state;
    const char *start = p->token.start;
    if (!mmd_is(p, FLOW_NUMBER))
        return mmd_need_other(p, "the number of a link, or default");
    guint64 number = g_ascii_strtoull(start, NULL, 10);
    if (number < self->link_count)
        return mmd_advance(p);
    mmd_fail(p, MMD_SEMANTIC, start,
             "there is no link %" G_GUINT64_FORMAT " before this line, only %zu", number,
             self->link_count);
    return mmd_hint(p, "links are counted from 0, in the order in which they are written");
}

/* `linkStyle default|0,1 [interpolate basis] styles`. */
static bool take_link_style(MmdParser *p)
{
    mmd_advance(p);
    if (!take_space(p, "linkStyle"))
        return false;
    if (!mmd_accept(p, FLOW_DEFAULT)) {
        do {
            if (!take_link_number(p))
                return false;
        } while (mmd_accept(p, ','));
    }
    if (!take_space(p, "the links"))
        return false;
    if (!mmd_accept(p, FLOW_INTERPOLATE))
        return take_styles(p);
    if (!take_space(p, "interpolate") || !flow_take_name(p, "the name of a curve"))
        return false;
    return mmd_accept(p, FLOW_SPACE) ? take_styles(p) : expect_end(p, "the end of the line");
}

/* `["tip"] [_blank]` after the address. */
static bool take_tip_and_target(MmdParser *p)
{
    for (bool has_tip = false; mmd_accept(p, FLOW_SPACE); has_tip = true) {
        if (mmd_accept(p, FLOW_TARGET))
            break;
        if (has_tip)
            return mmd_need_other(p, "_self, _blank, _parent or _top");
        if (!mmd_need(p, FLOW_STRING, "a tooltip in double quotes, or _blank"))
            return false;
    }
    return expect_end(p, "the end of the line");
}

static bool take_tip(MmdParser *p)
{
    return (!mmd_accept(p, FLOW_SPACE) || mmd_need(p, FLOW_STRING, "a tooltip in double quotes")) &&
           expect_end(p, "the end of the line");
}

/* `click id …`, whose token holds both words. */
static bool take_click(MmdParser *p)
{
    mmd_advance(p);
    if (mmd_accept(p, FLOW_CALLBACK)) {
        mmd_accept(p, FLOW_CALLBACK_ARGS);
        return take_tip(p);
    }
    if (mmd_accept(p, FLOW_HREF))
        return mmd_need(p, FLOW_STRING, "an address in double quotes after href") &&
               take_tip_and_target(p);
    if (mmd_accept(p, FLOW_STRING))
        return take_tip_and_target(p);
    return flow_take_name(p, "an address in double quotes, href, call or a function") &&
           take_tip(p);
}

static bool is_title_part(const MmdParser *p)
{
    return mmd_is_any(p, MMD_ANY(FLOW_GRAPH, FLOW_SUBGRAPH, FLOW_END, FLOW_STYLE, FLOW_LINK_STYLE,
                                 FLOW_CLASS_DEF, FLOW_CLASS, FLOW_CLICK, FLOW_DOWN, FLOW_NUMBER,
                                 FLOW_NAME, FLOW_SPACE, '-', '&', FLOW_LETTER, ':', '*', '#',
                                 FLOW_LINK_START));
}

/* The line that opens a subgraph. */
static bool take_subgraph(MmdParser *p)
{
    FlowDiagram *self = p->state;
    const char *opened = p->token.start;
    mmd_advance(p);
    if (!take_space(p, "subgraph"))
        return mmd_hint(p, "a subgraph needs a name: subgraph one [Title]");
    self->name_start = p->token.start;
    if (!mmd_is(p, FLOW_STRING) && !is_title_part(p))
        return mmd_need_other(p, "the name of the subgraph");
    do {
        mmd_advance(p);
    } while (is_title_part(p));

    bool has_label =
        mmd_is(p, FLOW_OPEN) && p->token.stop == p->token.start + 1 && *p->token.start == '[';
    return (!has_label || flow_take_label(p)) &&
           expect_end(p, "the end of the line after the name of the subgraph") &&
           mmd_open_block(p, opened);
}

static bool take_end(MmdParser *p)
{
    if (mmd_block(p))
        return mmd_close_block(p, "'end'");
    mmd_fail(p, MMD_SYNTAX, p->token.start, "'end' without a subgraph before it");
    return mmd_hint(p, "no open block to close");
}

static bool take_statement(MmdParser *p)
{
    switch (p->token.kind) {
    case MMD_NEWLINE:
    case FLOW_SPACE:
    case ';':
    case MMD_WHOLE:
        return mmd_advance(p);
    case FLOW_SUBGRAPH:
        return take_subgraph(p);
    case FLOW_END:
        return take_end(p);
    case FLOW_STYLE:
        return take_style(p, "style", "a node");
    case FLOW_CLASS_DEF:
        return take_style(p, "classDef", "the name of a class");
    case FLOW_LINK_STYLE:
        return take_link_style(p);
    case FLOW_CLASS:
        return mmd_advance(p) && take_space(p, "class") && flow_take_name(p, "a node") &&
               take_space(p, "the nodes") && flow_take_name(p, "the name of a class") &&
               expect_end(p, "the end of the line");
    case FLOW_CLICK:
        return take_click(p);
    default:
        return flow_take_chain(p) && expect_end(p, "a link or the end of the line");
    }
}

/* The rest of the line of the header word. */
static bool take_header(MmdParser *p)
{
    mmd_advance(p);
    if (mmd_is(p, FLOW_NO_DIRECTION))
        return true;
    if (!mmd_need(p, FLOW_DIRECTION_NAME,
                  "a direction (TB, TD, BT, LR or RL) or the end of the line"))
        return mmd_hint(p, "write flowchart TD, or flowchart LR");
    if (mmd_is(p, ';'))
        return true;
    mmd_accept(p, FLOW_SPACE);
    if (mmd_is(p, MMD_NEWLINE))
        return true;
    mmd_need_other(p, "the end of the line after the direction");
    return mmd_hint(p, "begin the first statement on its own line, or after ';'");
}

bool mmd_parse_flowchart(MmdParser *p)
{
    FlowDiagram diagram = { .name_start = p->at };
    flow_begin(p, &diagram);
    if (mmd_scan(p, p->at, "\\w"))
        return mmd_need_other(p, "a blank or the end of the line after the diagram type");
    if (!take_header(p))
        return false;
    mmd_advance(p);
    while (!mmd_is(p, MMD_END)) {
        if (!take_statement(p))
            return false;
    }
    const char *opened = mmd_block(p);
    if (!opened)
        return true;
    g_autofree char *hint =
        g_strdup_printf("subgraph opened at line %zu is not closed", mmd_line_of(p, opened));
    return mmd_fail_open(p, p->end, opened, hint, "expected 'end' to close the subgraph");
}
