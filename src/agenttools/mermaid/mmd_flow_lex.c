/*
 * Tokens of flowchart statements (mmd_flow.h). Links and labels have files of their own.
 */
#include "agenttools/mermaid/mmd_flow_lex.h"

static FlowMode mode_of(const FlowParser *f)
{
    return f->mode_count > 0 ? f->modes[f->mode_count - 1] : FLOW_MODE_STATEMENT;
}

static char peek(const FlowParser *f)
{
    return *f->p->at; // a NUL stands at the end
}

// ---- words ----

/* The place behind a direction; NULL: none. */
static const char *match_direction(const char *at, const char *end)
{
    static const MmdRule names[] = {
        { "LR" }, { "RL" }, { "TB" }, { "BT" }, { "TD" }, { "BR" }, { "v" }, { NULL },
    };
    return mmd_is_one_of(*at, "<>^") ? at + 1 : mmd_match_any(names, MMD_WORDS, at, end);
}

/* A line end, or a direction. */
static bool lex_header(FlowParser *f)
{
    MmdParser *p = f->p;
    const char *ink = flow_white_end(f);
    const char *last = ink, *stop = match_direction(ink, p->end);
    while (last > p->at && last[-1] != '\n')
        last--;
    if (last > p->at) {
        p->at = last;
        f->token = FLOW_NO_DIRECTION;
    } else if (stop != NULL) {
        p->at = stop;
        f->token = FLOW_DIRECTION_NAME;
    } else {
        f->start = ink;
        f->token = FLOW_BAD;
        return true;
    }
    flow_close_mode(f);
    return true;
}

/* The end of a `direction XX` at `at`; NULL: none. */
static const char *direction_end(const FlowParser *f, const char *at)
{
    static const MmdRule names[] = { { "TB" }, { "BT" }, { "RL" }, { "LR" }, { "TD" }, { NULL } };
    const char *white = at + strlen("direction"), *end = f->p->end;
    const char *name = mmd_skip_white_from(white, end);
    return name > white ? mmd_match_any(names, 0, name, end) : NULL;
}

/* A line with `direction TB` in it, whatever stands before. */
static bool lex_direction(FlowParser *f)
{
    MmdParser *p = f->p;
    if (f->line_end == NULL || p->at > f->line_end) {
        f->line_end = mmd_line_end(p->at, p->end);
        f->last_direction = NULL;
        const char *at = p->at;
        while ((at = g_strstr_len(at, f->line_end - at, "direction")) != NULL) {
            if (direction_end(f, at) != NULL)
                f->last_direction = at;
            at += strlen("direction");
        }
    }
    if (f->last_direction == NULL || p->at > f->last_direction)
        return false;
    p->at = mmd_line_end(direction_end(f, f->last_direction), p->end);
    f->token = FLOW_DIRECTION;
    return true;
}

/* `id@` before a link. */
static bool lex_link_id(FlowParser *f)
{
    MmdParser *p = f->p;
    if (f->run_end == NULL || p->at >= f->run_end) {
        f->last_at = NULL;
        const char *at = p->at;
        for (; at < p->end && strchr("\"[](){}|", *at) == NULL; at = g_utf8_next_char(at)) {
            if (mmd_white_size(at, p->end) > 0)
                break;
            if (*at == '@' && at[1] != '{' && at[1] != '"')
                f->last_at = at;
        }
        f->run_end = at;
    }
    if (f->last_at == NULL || p->at >= f->last_at)
        return false;
    p->at = f->last_at + 1;
    f->token = FLOW_LINK_ID;
    return true;
}

/* Words that end where a word ends. */
static bool lex_keyword(FlowParser *f)
{
    static const MmdRule keywords[] = {
        { "style", FLOW_STYLE },
        { "default", FLOW_DEFAULT },
        { "linkStyle", FLOW_LINK_STYLE },
        { "interpolate", FLOW_INTERPOLATE },
        { "classDef", FLOW_CLASS_DEF },
        { "class", FLOW_CLASS },
        { "graph", FLOW_GRAPH },
        { "flowchart", FLOW_GRAPH },
        { "subgraph", FLOW_SUBGRAPH },
        { "end", FLOW_END },
        { "_self", FLOW_TARGET },
        { "_blank", FLOW_TARGET },
        { "_parent", FLOW_TARGET },
        { "_top", FLOW_TARGET },
        { NULL },
    };
    if (!flow_take_rule(f, keywords, MMD_WORDS))
        return false;
    if (f->token == FLOW_END)
        mmd_skip_white(f->p);
    return true;
}

/* Words that white space must follow. *ret_is_token: false when they only change the mode. */
static bool lex_spaced_keyword(FlowParser *f, bool *ret_is_token)
{
    static const struct {
        const char *word;
        FlowMode mode;
    } keywords[] = {
        { "call", FLOW_MODE_CALLBACK },
        { "click", FLOW_MODE_CLICK },
        { "href", FLOW_MODE_STATEMENT },
    };
    MmdParser *p = f->p;
    for (size_t i = 0; i < G_N_ELEMENTS(keywords); i++) {
        const char *end = mmd_match_word(p->at, p->end, keywords[i].word);
        if (end == NULL || mmd_white_size(end, p->end) == 0)
            continue;
        *ret_is_token = keywords[i].mode == FLOW_MODE_STATEMENT;
        if (*ret_is_token) {
            p->at = end + mmd_white_size(end, p->end);
            f->token = FLOW_HREF;
        } else {
            f->keyword_start = p->at;
            flow_take_white_from(f, end);
            flow_open_mode(f, keywords[i].mode);
        }
        return true;
    }
    return false;
}

/* An `accDescr {` that is not closed takes the rest, and is no error. */
static bool lex_accessibility(FlowParser *f)
{
    MmdParser *p = f->p;
    MmdAccessibility found;
    if (!mmd_match_accessibility(p->at, p->end, false, &found))
        return false;
    p->at = found.stop;
    if (p->at[-1] == '}')
        flow_drop_blank_lines(p);
    f->token = FLOW_ACCESSIBILITY;
    return true;
}

static bool lex_shape_data(FlowParser *f)
{
    MmdParser *p = f->p;
    if (!mmd_take(p, "@{"))
        return false;
    p->at += strcspn(p->at, "}^\"");
    while (*p->at == '"') {
        const char *quote = strchr(p->at + 1, '"');
        p->at = quote != NULL ? quote + 1 : p->end;
        p->at += strcspn(p->at, "}^\"");
    }
    f->inner_end = p->at;
    f->token = FLOW_BROKEN_OFF;
    if (*p->at == '^') {
        f->start = p->at;
        f->token = FLOW_BAD;
    } else if (mmd_take(p, "}")) {
        f->token = FLOW_SHAPE_DATA;
        flow_drop_blank_lines(p);
    }
    return true;
}

// ---- statements ----

static const MmdRule marks[] = {
    { "#", FLOW_HASH },      { ":::", FLOW_CLASS_MARK },
    { ":", FLOW_COLON },     { "&", FLOW_AMPERSAND },
    { ";", FLOW_SEMICOLON }, { ",", FLOW_COMMA },
    { "*", FLOW_STAR },      { NULL },
};

static size_t name_size(const char *at)
{
    size_t size = 0;
    for (;; size++) {
        char c = at[size], next = c != '\0' ? at[size + 1] : '\0';
        bool is_inner_dash = c == '-' && next != '\0' && strchr(">-.", next) == NULL;
        bool is_plain = c != '\0' && strchr("!\"#$%&'*+.`?\\_/", c) != NULL;
        if (!g_ascii_isalnum(c) && !is_plain && !is_inner_dash)
            return size;
    }
}

static bool lex_name(FlowParser *f)
{
    MmdParser *p = f->p;
    size_t size = name_size(p->at);
    if (mmd_match_word(p->at, p->end, "v") != NULL) {
        f->token = FLOW_DOWN;
        p->at++;
    } else if (size > 0) {
        f->token = FLOW_NAME;
        p->at += size;
    } else if (*p->at == '-') {
        f->token = FLOW_DASH;
        p->at++;
    } else {
        gunichar c = g_utf8_get_char(p->at);
        if (c < 0x80 || c > 0xffff || !g_unichar_isalpha(c))
            return false;
        f->token = FLOW_LETTER;
        p->at = g_utf8_next_char(p->at);
    }
    return true;
}

static bool lex_other(FlowParser *f)
{
    MmdParser *p = f->p;
    f->token = FLOW_OTHER;
    if (mmd_take(p, ">")) {
        f->token = flow_open_mode(f, FLOW_MODE_LABEL) ? FLOW_OPEN_ANGLE : FLOW_BAD;
        return true;
    }
    return mmd_take(p, "<") || mmd_take(p, "^") || mmd_take(p, "\\|");
}

static void lex_blank(FlowParser *f)
{
    MmdParser *p = f->p;
    const char *start = p->at;
    while (*p->at == '\n')
        p->at++;
    f->token = FLOW_NEWLINE;
    if (p->at == start) {
        mmd_skip_blanks(p);
        f->token = p->at > start ? FLOW_SPACE : FLOW_BAD;
    }
}

/* False: something was taken that is no token. */
static bool lex_statement(FlowParser *f)
{
    MmdParser *p = f->p;
    bool is_token = true;
    if (lex_accessibility(f) || lex_shape_data(f))
        return true;
    if (*p->at == '"')
        return flow_lex_string(f);
    if (lex_keyword(f))
        return true;
    if (lex_spaced_keyword(f, &is_token))
        return is_token;
    if (lex_direction(f) || lex_link_id(f))
        return true;
    size_t digits = strspn(p->at, "0123456789");
    if (digits > 0) {
        p->at += digits;
        f->token = FLOW_NUMBER;
        return true;
    }
    if (flow_take_rule(f, marks, 0) || flow_lex_link(f) || flow_lex_invisible_link(f) ||
        lex_other(f) || flow_lex_open_bracket(f) || lex_name(f))
        return true;
    lex_blank(f);
    return true;
}

static bool lex_click(FlowParser *f)
{
    MmdParser *p = f->p;
    size_t white = mmd_white_size(p->at, p->end);
    if (white > 0) {
        p->at += white;
        flow_close_mode(f);
        return false;
    }
    while (p->at < p->end && mmd_white_size(p->at, p->end) == 0)
        p->at = g_utf8_next_char(p->at);
    f->start = f->keyword_start;
    f->token = FLOW_CLICK;
    return true;
}

static bool lex_callback(FlowParser *f)
{
    MmdParser *p = f->p;
    if (!mmd_take(p, "(")) {
        p->at += strcspn(p->at, "(");
        f->start = f->keyword_start;
        f->token = FLOW_CALLBACK;
        return true;
    }
    const char *args = p->at;
    flow_close_mode(f);
    mmd_skip_white(p);
    if (!mmd_take(p, ")")) {
        p->at = args;
        flow_open_mode(f, FLOW_MODE_CALLBACK_ARGS);
    }
    return false;
}

static bool lex_callback_args(FlowParser *f)
{
    MmdParser *p = f->p;
    if (mmd_take(p, ")")) {
        flow_close_mode(f);
        return false;
    }
    p->at += strcspn(p->at, ")");
    f->token = FLOW_CALLBACK_ARGS;
    return true;
}

/* One step of the lexer; false: no token yet. */
static bool lex(FlowParser *f)
{
    FlowMode mode = mode_of(f);
    bool has_strings = mode != FLOW_MODE_CALLBACK && mode != FLOW_MODE_CALLBACK_ARGS;
    bool is_link_text =
        mode == FLOW_MODE_LINK || mode == FLOW_MODE_THICK_LINK || mode == FLOW_MODE_DOTTED_LINK;
    if (mode == FLOW_MODE_STATEMENT)
        return lex_statement(f);
    if (has_strings && peek(f) == '"')
        return flow_lex_string(f);
    if (is_link_text)
        return flow_lex_link_text(f, mode);

    switch (mode) {
    case FLOW_MODE_HEADER:
        return lex_header(f);
    case FLOW_MODE_CLICK:
        return lex_click(f);
    case FLOW_MODE_CALLBACK:
        return lex_callback(f);
    case FLOW_MODE_CALLBACK_ARGS:
        return lex_callback_args(f);
    case FLOW_MODE_ELLIPSE:
        return flow_lex_invisible_link(f) || flow_lex_ellipse(f);
    case FLOW_MODE_TRAPEZOID:
        return flow_lex_invisible_link(f) || flow_lex_trapezoid(f);
    default:
        return flow_lex_invisible_link(f) || flow_lex_label(f);
    }
}

void flow_next(FlowParser *f)
{
    MmdParser *p = f->p;
    while (p->at < p->end) {
        f->start = p->at;
        f->token = FLOW_BAD;
        if (lex(f))
            return;
        if (p->at == f->start)
            return; // FLOW_BAD
    }
    f->start = p->at;
    f->token = mode_of(f) == FLOW_MODE_STATEMENT ? FLOW_END_OF_TEXT : FLOW_BROKEN_OFF;
}
