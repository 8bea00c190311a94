/*
 * The grammar of state diagrams (agent-tools-cli §8.7).
 */
#include "agenttools/mermaid/mmd_state.h"

static bool is_keyword(StateKind kind)
{
    return kind == STATE_CLICK || kind == STATE_HREF || kind == STATE_KEYWORD ||
           kind == STATE_NOTE || kind == STATE_RESERVED;
}

/* "expected WHAT, found …" at the current token, unless that is broken and reported. */
static bool expected_here(StateDiagram *self, const char *what)
{
    const MmdToken *token = &self->token;
    if (token->kind == STATE_BROKEN)
        return false;
    return is_keyword(token->kind)
               ? mmd_expected_no_keyword(self->p, token->start, token->stop, what)
               : mmd_expected(self->p, token->start, "%s", what);
}

/* The same within a statement, which has to be changed on the line where it broke off. */
static bool expected(StateDiagram *self, const char *what)
{
    const char *last_stop = self->last.stop;
    size_t gap = (size_t)(self->token.start - last_stop);
    bool is_later = memchr(last_stop, '\n', gap) != NULL;
    return is_later ? mmd_expected(self->p, last_stop, "%s", what) : expected_here(self, what);
}

/* A string stands where a state was meant; false. */
static bool hint_declaration(StateDiagram *self, const MmdToken *string)
{
    g_autofree char *text = mmd_excerpt(string->start + 1, string->stop - 1);
    return mmd_hint(self->p, "Declare it: state \"%s\" as s1", text);
}

/* `A`, `[*]`, `A:::css`. */
static bool take_state(StateDiagram *self, const char *what, MmdToken *ret_name)
{
    if (self->token.kind != STATE_NAME && self->token.kind != STATE_EDGE) {
        MmdToken found = self->token;
        expected(self, what);
        return found.kind == STATE_STRING && hint_declaration(self, &found);
    }
    *ret_name = self->token;
    mmd_state_advance(self);
    if (self->token.kind != STATE_CSS)
        return true;
    mmd_state_advance(self);
    if (self->token.kind != STATE_NAME)
        return expected(self, "the name of a class after ':::'");
    mmd_state_advance(self);
    return true;
}

/* `A`, `A : text`, `A --> B`, `A --> B : text`. */
static bool parse_transition(StateDiagram *self)
{
    MmdToken name, target;
    if (!take_state(self, "a state", &name))
        return false;
    bool is_transition = self->token.kind == STATE_ARROW;
    self->after = is_transition ? AFTER_TRANSITION : AFTER_OTHER;
    if (is_transition) {
        mmd_state_advance(self);
        if (!take_state(self, "a state after '-->'", &target))
            return false;
    }
    if (self->token.kind != STATE_TEXT)
        return true;
    const MmdToken *text = &self->token;
    bool has_ink = mmd_skip_white_from(text->start + 1, text->stop) < text->stop;
    if (!is_transition && has_ink)
        mmd_state_see_text(&self->texts, &name, text->start);
    mmd_state_advance(self);
    return true;
}

/* `click A "url" "tip"`, `click A href "url"`. */
static bool parse_click(StateDiagram *self)
{
    MmdToken name;
    mmd_state_advance(self);
    if (!take_state(self, "a state after 'click'", &name))
        return false;
    bool has_href = self->token.kind == STATE_HREF;
    if (has_href)
        mmd_state_advance(self);
    if (self->token.kind != STATE_STRING)
        return expected(self, "a URL in double quotes");
    mmd_state_advance(self);
    if (!has_href) {
        if (self->token.kind != STATE_STRING) {
            expected(self, "a tooltip in double quotes after the URL");
            return mmd_hint(self->p, "Without a tooltip write: click A href \"url\"");
        }
        mmd_state_advance(self);
    }
    if (self->token.kind != STATE_NEWLINE && self->token.kind != STATE_EOF)
        return expected(self, "the end of the line");
    mmd_state_advance(self);
    return true;
}

static bool parse_note(StateDiagram *self)
{
    if (!mmd_state_take_note(self->p, self->token.start))
        return false;
    mmd_state_advance(self);
    self->after = AFTER_NOTE;
    return true;
}

/* The brace that stands on the line after `state A`, or one too many. */
static bool parse_open(StateDiagram *self, const MmdToken *name)
{
    if (name->start == NULL) {
        mmd_fail(self->p, MMD_SYNTAX, self->token.start, "'{' opens nothing");
        return mmd_hint(self->p, "A composite state begins with 'state': state Name {");
    }
    self->p->at = self->token.start;
    return mmd_state_open_block(self, name);
}

static bool parse_close(StateDiagram *self)
{
    g_array_set_size(self->blocks, self->blocks->len - 1);
    mmd_state_advance(self);
    return true;
}

/* The same for one with a dash. */
static bool fail_dash(StateDiagram *self)
{
    MmdParser *p = self->p;
    const char *at = self->token.start, *after = at + strspn(at, "-");
    bool is_in_name = self->last.kind == STATE_NAME && self->last.stop == at && after == at + 1 &&
                      after < p->end && *after != '>' && mmd_white_size(after, p->end) == 0;
    if (is_in_name) {
        mmd_fail(p, MMD_SYNTAX, at, "the name of a state may not hold '-'");
        return mmd_hint(p, "Use '_', or declare it: state \"a-b\" as a_b");
    }
    if (mmd_match(at, p->end, "->") != NULL)
        mmd_fail(p, MMD_SYNTAX, at, "'->' is no transition");
    else if (after == at + 2 && mmd_is_blank_to(after, p->end))
        return mmd_fail(p, MMD_SYNTAX, at, "'--' divides only composite states");
    else
        mmd_expected(p, at, "a transition or the end of the line");
    return mmd_hint(p, "use -->");
}

/* The same for one with a colon. */
static bool fail_colon(StateDiagram *self)
{
    MmdParser *p = self->p;
    const char *at = self->token.start;
    if (self->after == AFTER_NOTE) {
        mmd_expected(p, at, "the end of the note");
        return mmd_hint(p, "A text with colons needs lines of its own, up to 'end note'");
    }
    if (self->token.kind == STATE_OTHER)
        return mmd_expected(p, at + 1, "a text after ':'");
    return mmd_expected(p, at, "a state before ':'");
}

/* A token that cannot begin a statement. */
static bool fail_statement(StateDiagram *self)
{
    MmdParser *p = self->p;
    const char *at = self->token.start;
    if (self->token.kind == STATE_ARROW && self->after == AFTER_TRANSITION) {
        mmd_expected(p, at, "the end of the line after a transition");
        return mmd_hint(p, "Each transition has a line of its own");
    }
    if (self->token.kind == STATE_ARROW)
        return mmd_expected(p, at, "a state before '-->'");
    if (self->token.kind == STATE_STRING) {
        mmd_expected(p, at, "a state");
        return hint_declaration(self, &self->token);
    }
    if (*at == ':')
        return fail_colon(self);
    if (*at == '-')
        return fail_dash(self);
    return expected_here(self, "a state, a transition or a keyword");
}

static bool parse_statement(StateDiagram *self)
{
    MmdToken may_open = self->may_open;
    self->may_open = (MmdToken) { 0 };
    switch (self->token.kind) {
    case STATE_NAME:
    case STATE_EDGE:
        return parse_transition(self);
    case STATE_KEYWORD:
        return mmd_state_parse_declaration(self, &may_open);
    case STATE_NOTE:
        return parse_note(self);
    case STATE_CLICK:
        return parse_click(self);
    case STATE_OPEN:
        return parse_open(self, &may_open);
    case STATE_CLOSE:
        return parse_close(self);
    case STATE_NEWLINE:
        self->after = AFTER_OTHER;
        mmd_state_advance(self);
        return true;
    case STATE_WHOLE:
    case STATE_DIVIDER:
        mmd_state_advance(self);
        return true;
    default:
        return fail_statement(self);
    }
}

static bool parse_all(StateDiagram *self)
{
    MmdParser *p = self->p;
    bool is_alone = mmd_at_end(p) || mmd_white_size(p->at, p->end) > 0;
    if (!is_alone || mmd_match_direction(p->at, p->end, true) != NULL)
        return mmd_expected(p, p->at,
                            is_alone ? "a line end after the header"
                                     : "a blank or a line end after 'stateDiagram'");
    mmd_skip_white(p);
    mmd_state_advance(self);
    while (self->token.kind != STATE_EOF) {
        if (!parse_statement(self))
            return false;
    }
    if (mmd_state_is_nested(self))
        return mmd_unclosed(p, g_array_index(self->blocks, const char *, self->blocks->len - 1),
                            "the state", "'}'");
    if (self->texts.problem_name == NULL)
        return true;
    const char *name = self->texts.problem_name;
    g_autofree char *excerpt = mmd_excerpt(name, name + strlen(name));
    mmd_fail(p, MMD_SEMANTIC, self->texts.problem_at,
             "the composite state '%s' has more than one description", excerpt);
    return mmd_hint(p, "Keep only one");
}

bool mmd_parse_state(MmdParser *p)
{
    StateDiagram self = {
        .p = p,
        .lexer.p = p,
        .blocks = g_array_new(FALSE, FALSE, sizeof(const char *)),
    };
    mmd_state_texts_init(&self.texts);
    bool is_right = parse_all(&self);
    mmd_state_texts_clear(&self.texts);
    g_array_unref(self.blocks);
    return is_right;
}
