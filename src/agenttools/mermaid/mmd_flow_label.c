/*
 * Strings, brackets and the text in them (mmd_flow_lex.h).
 */
#include "agenttools/mermaid/mmd_flow_lex.h"

bool flow_lex_string(FlowParser *f)
{
    MmdParser *p = f->p;
    bool is_markdown = p->at[1] == '`';
    const char *text = p->at + (is_markdown ? 2 : 1);
    size_t size = strcspn(text, is_markdown ? "`\"" : "\"");
    const char *end = MIN(text + size, p->end);
    size_t closer = is_markdown ? 2 : 1;
    if (end < p->end && is_markdown && strncmp(end, "`\"", 2) != 0) {
        f->token = FLOW_BAD;
        return true;
    }

    p->at = MIN(end + closer, p->end);
    f->token = end >= p->end ? FLOW_BROKEN_OFF : FLOW_STRING;
    return end >= p->end || size > 0;
}

/* Those that open text; in the order in which they are tried, as the other tables. */
static const MmdRule open_brackets[] = {
    { "([", FLOW_OPEN_STADIUM },
    { "[[", FLOW_OPEN_SUBROUTINE },
    { "[(", FLOW_OPEN_CYLINDER },
    { "(((", FLOW_OPEN_DOUBLE_CIRCLE },
    { "|", FLOW_PIPE },
    { "(", FLOW_OPEN_ROUND },
    { "[", FLOW_OPEN_SQUARE },
    { "{", FLOW_OPEN_BRACE },
    { NULL },
};

static const MmdRule odd_brackets[] = {
    { "(-", FLOW_OPEN_ELLIPSE }, { "[|", FLOW_OPEN_PROPERTIES }, // opens no text
    { "[/", FLOW_OPEN_SLASH },   { "[\\", FLOW_OPEN_BACKSLASH }, { NULL },
};

static const MmdRule close_brackets[] = {
    { "])", FLOW_CLOSE_STADIUM },
    { "]]", FLOW_CLOSE_SUBROUTINE },
    { ")]", FLOW_CLOSE_CYLINDER },
    { ")))", FLOW_CLOSE_DOUBLE_CIRCLE },
    { "|", FLOW_PIPE },
    { ")", FLOW_CLOSE_ROUND },
    { "]", FLOW_CLOSE_SQUARE },
    { "}", FLOW_CLOSE_BRACE },
    { NULL },
};

bool flow_lex_open_bracket(FlowParser *f)
{
    FlowMode mode = FLOW_MODE_LABEL;
    if (flow_take_rule(f, odd_brackets, 0))
        mode = f->token == FLOW_OPEN_ELLIPSE ? FLOW_MODE_ELLIPSE : FLOW_MODE_TRAPEZOID;
    else if (!flow_take_rule(f, open_brackets, 0))
        return false;
    if (f->token != FLOW_OPEN_PROPERTIES && !flow_open_mode(f, mode))
        f->token = FLOW_BAD;
    return true;
}

bool flow_lex_label(FlowParser *f)
{
    if (flow_take_rule(f, close_brackets, 0)) {
        flow_close_mode(f);
        if (f->token == FLOW_CLOSE_BRACE)
            flow_drop_blank_lines(f->p);
        return true;
    }
    if (flow_lex_open_bracket(f))
        return true;
    f->p->at += strcspn(f->p->at, "[](){}|\"");
    f->token = FLOW_TEXT;
    return true;
}

static bool closes_ellipse(const char *at)
{
    return (*at == '-' || *at == '/' || *at == ')') && at[1] == ')';
}

bool flow_lex_ellipse(FlowParser *f)
{
    MmdParser *p = f->p;
    if (closes_ellipse(p->at)) {
        p->at += 2;
        flow_close_mode(f);
        f->token = FLOW_CLOSE_ELLIPSE;
        return true;
    }
    const char *start = p->at; // a NUL is among the characters that strchr() finds
    while (strchr("()[]{}\"", *p->at) == NULL && !closes_ellipse(p->at) &&
           strncmp(p->at, "~~~", 3) != 0)
        p->at++;
    if (p->at == start)
        return flow_lex_open_bracket(f);
    f->token = FLOW_TEXT;
    return true;
}

bool flow_lex_trapezoid(FlowParser *f)
{
    MmdParser *p = f->p;
    if (strchr("\\(?=])/", *p->at) != NULL && p->at[1] == ']') {
        f->token = *p->at == '/' ? FLOW_CLOSE_SLASH : FLOW_CLOSE_BACKSLASH;
        p->at += 2;
        flow_close_mode(f);
        return true;
    }
    size_t size = strcspn(p->at, "\\[](){}/");
    if (size == 0 && *p->at != '/' && *p->at != '\\')
        return flow_lex_open_bracket(f);
    p->at += MAX(size, 1);
    f->token = FLOW_TEXT;
    return true;
}
