/*
 * Links of flowcharts: `-->`, `-. text .->` and their kin (mmd_flow_lex.h).
 */
#include "agenttools/mermaid/mmd_flow_lex.h"

static size_t run_of(const char *at, char c)
{
    size_t size = 0;
    while (at[size] == c)
        size++;
    return size;
}

static bool is_link_end(char c)
{
    return c == 'x' || c == 'o' || c == '>';
}

/* `-->`, `---`, `==>` …: at least two of `c`, then an end or one more. Bytes, 0: none. */
static size_t solid_link(const char *at, char c)
{
    size_t run = run_of(at, c);
    if (run >= 2 && is_link_end(at[run]))
        return run + 1;
    return run >= 3 ? run : 0;
}

/* `-.->`, `-..-`, `.-`. */
static size_t dotted_link(const char *at)
{
    size_t size = at[0] == '-' ? 1 : 0;
    size_t dots = run_of(at + size, '.');
    if (dots == 0 || at[size + dots] != '-')
        return 0;
    size += dots + 1;
    return is_link_end(at[size]) ? size + 1 : size;
}

static size_t link_at(const char *at, FlowMode mode)
{
    switch (mode) {
    case FLOW_MODE_LINK:
        return solid_link(at, '-');
    case FLOW_MODE_THICK_LINK:
        return solid_link(at, '=');
    default:
        return dotted_link(at);
    }
}

bool flow_lex_link(FlowParser *f)
{
    static const struct {
        FlowMode mode;
        const char *half;
    } kinds[] = {
        { FLOW_MODE_LINK, "--" },
        { FLOW_MODE_THICK_LINK, "==" },
        { FLOW_MODE_DOTTED_LINK, "-." },
    };
    const char *ink = flow_white_end(f);
    size_t end_size = *ink == 'x' || *ink == 'o' || *ink == '<' ? 1 : 0;
    for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
        size_t size = link_at(ink + end_size, kinds[i].mode);
        if (size > 0) {
            flow_take_white_from(f, ink + end_size + size);
            flow_close_mode(f);
            f->token = FLOW_LINK;
            return true;
        }
        if (strncmp(ink + end_size, kinds[i].half, 2) == 0) {
            flow_take_white_from(f, ink + end_size + 2);
            f->token = flow_open_mode(f, kinds[i].mode) ? FLOW_LINK_START : FLOW_BAD;
            return true;
        }
    }
    return false;
}

bool flow_lex_invisible_link(FlowParser *f)
{
    const char *ink = flow_white_end(f);
    size_t size = run_of(ink, '~');
    if (size < 3)
        return false;
    flow_take_white_from(f, ink + size);
    f->token = FLOW_LINK;
    return true;
}

bool flow_lex_link_text(FlowParser *f, FlowMode mode)
{
    MmdParser *p = f->p;
    char line = mode == FLOW_MODE_THICK_LINK ? '=' : mode == FLOW_MODE_DOTTED_LINK ? '.' : '-';
    const char *start = p->at;
    while (p->at < p->end && *p->at != '"') {
        const char *ink = flow_white_end(f);
        size_t end_size = *ink == 'x' || *ink == 'o' || *ink == '<' ? 1 : 0;
        size_t size = link_at(ink + end_size, mode);
        if (size > 0 && p->at > start)
            break;
        if (size > 0) {
            flow_take_white_from(f, ink + end_size + size);
            flow_close_mode(f);
            f->token = FLOW_LINK;
            return true;
        }
        if (*ink == line && (line != '-' || ink[1] == '-')) { // a line that is none
            p->at = ink;
            if (ink > start)
                break;
            f->token = FLOW_BAD;
            return true;
        }
        p->at = ink > p->at ? ink : g_utf8_next_char(p->at);
    }
    f->token = FLOW_LINK_TEXT;
    return p->at > start;
}
