/*
 * What all tokens of flowcharts stand on: the stack of modes, and white space (mmd_flow_lex.h).
 */
#include "agenttools/mermaid/mmd_flow_lex.h"

bool flow_open_mode(FlowParser *f, FlowMode mode)
{
    if (f->mode_count >= FLOW_MODES_MAX)
        return false;
    f->modes[f->mode_count++] = mode;
    return true;
}

void flow_close_mode(FlowParser *f)
{
    if (f->mode_count > 0)
        f->mode_count--;
}

void flow_drop_blank_lines(MmdParser *p)
{
    const char *brace_end = p->at;
    mmd_skip_white(p);
    while (p->at > brace_end && *p->at != '\n')
        p->at--;
}

const char *flow_white_end(FlowParser *f)
{
    const char *at = f->p->at;
    if (f->white_end == NULL || at < f->white_start || at > f->white_end) {
        f->white_start = at;
        mmd_skip_white(f->p);
        f->white_end = f->p->at;
        f->p->at = at;
    }
    return f->white_end;
}

void flow_take_white_from(FlowParser *f, const char *end)
{
    f->p->at = end;
    mmd_skip_white(f->p);
}

bool flow_take_rule(FlowParser *f, const MmdRule *rules, unsigned how)
{
    MmdToken token;
    if (!mmd_match_token(rules, how, 0, f->p->at, f->p->end, &token))
        return false;
    f->p->at = token.stop;
    f->token = token.kind;
    return true;
}
