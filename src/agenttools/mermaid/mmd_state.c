/*
 * Checks state diagrams (agent-tools-cli §8.7). Nearly everything is a name here; keywords count in
 * any case where a token may begin.
 */
#include "agenttools/mermaid/mmd_parser.h"

enum { // signs are their own kinds: { } : -
    STATE_NAME = MMD_KINDS,
    STATE_EDGE, // [*]
    STATE_TEXT, // a colon and the text after it
    STATE_ARROW,
    STATE_DIVIDER, // --
    STATE_CSS,     // :::
    STATE_STRING,
    STATE_CLICK, // from here on keywords
    STATE_HREF,
    STATE_KEYWORD, // `state` and the white space after it
    STATE_NOTE,    // `note` and the white space after it
    STATE_RESERVED // a word that cannot be a name: default
};

enum { OUTER = 1 << 0, NESTED = 1 << 1 }; // modes: outside and inside composite states

/* What is known of a state: mermaid refuses a composite one with more than one description. */
typedef struct Texts {
    unsigned count;
    bool is_composite;
    const char *second; // place of the second description; NULL: none yet
} Texts;

typedef struct StateDiagram {
    MmdToken may_open; // a `state` of the line before, whose brace may begin this one; or none
    enum { AFTER_OTHER, AFTER_TRANSITION, AFTER_NOTE } after; // the last statement of the line
    GHashTable *texts;                                        // name → Texts
    const char *problem_at;                                   // of a description too many
    char *problem_name;                                       // NULL: none
} StateDiagram;

#define COMMENT "#.*|%%(?!{).*"

static const MmdTokenRule outer_words[] = {
    { STATE_CLICK, "(?i)click\\>" },      { STATE_HREF, "(?i)href\\>" },
    { STATE_RESERVED, "(?i)default\\>" }, { MMD_WHOLE, "(?i)hide empty description\\>" },
    { STATE_STRING, "\"[^\"]*\"" },       { 0 },
};

/* A broken one ends where a part is missing. */
static const MmdTokenRule words[] = {
    { MMD_WHOLE, "(?i)acc(Title|Descr)\\s*:\\s*.*", OUTER },
    { MMD_WHOLE, "(?i)accDescr\\s*{[^}]*}?", OUTER },
    { MMD_WHOLE, "(?i)scale\\s+\\d+\\s+width\\>", OUTER },
    { MMD_BROKEN, "(?i)scale\\s+\\d*", OUTER },
    { MMD_WHOLE, "(?i)classDef\\s+(?!default\\s)\\w+\\s+.*" },
    { MMD_BROKEN, "(?i)classDef\\s+\\w*" },
    { MMD_WHOLE, "(?i)class\\s+\\w+(,\\s*\\w+)*.*" },
    { MMD_BROKEN, "(?i)class\\s+" },
    { MMD_WHOLE, "(?i)style\\s+[\\w,]+\\s+.*" },
    { MMD_BROKEN, "(?i)style\\s+[\\w,]*" },
    { STATE_KEYWORD, "(?i)state\\s+" },
    { STATE_RESERVED, "(?i)stateDiagram(-v2)?\\s+", OUTER },
    { 0 },
};

static const MmdTokenRule rules[] = {
    { '}', "}", NESTED },
    { STATE_NOTE, "(?i)note\\s+" },
    { STATE_EDGE, "\\[\\*\\]" },
    { STATE_NAME, "[^:\\-{\\s]((?!%%)[^:\\-{\\s])*" },
    { STATE_TEXT, ":([^:\n;]|:(?![:\n;]|$))+" }, // a single colon may be inside
    { STATE_ARROW, "-->" },
    { STATE_DIVIDER, "--", NESTED },
    { STATE_CSS, ":::" },
    { 0 },
};

// ---- tokens ----

static void fail_word(MmdParser *p)
{
    const char *keyword = p->token.start, *place = p->token.stop;
    const char *name = mmd_scan(p, keyword, "\\w+\\s+");
    if (mmd_scan(p, keyword, "(?i)scale")) {
        mmd_expected(p, place, "'scale' with a number and 'width'");
    } else if (mmd_scan(p, keyword, "(?i)style")) {
        mmd_expected(p, place, "the name of a state and its styles after 'style'");
    } else if (mmd_scan(p, keyword, "(?i)class\\>")) {
        mmd_expected(p, place, "the name of a state after 'class'");
    } else if (mmd_scan(p, name, "(?i)default\\s")) {
        mmd_fail(p, MMD_SYNTAX, name, "'default' cannot be styled in a state diagram");
        mmd_hint(p, "Define a class of another name, and give it to the states");
    } else {
        mmd_expected(p, place, "a name of letters, digits and _ after 'classDef'");
    }
    p->token.stop = p->token.start;
}

static bool read_direction(MmdParser *p)
{
    const char *stop = mmd_direction(p, "(?i)" MMD_DIRECTION);
    if (stop)
        mmd_read_to(p, MMD_WHOLE, stop);
    return stop != NULL;
}

/* What counts only outside composite states, before anything else. */
static bool read_outer(MmdParser *p)
{
    bool is_indented = p->at > p->text && mmd_scan(p, p->at - 1, "[ \t\v\f\r]");
    return (is_indented && read_direction(p)) || mmd_read_rule(p, outer_words, OUTER) ||
           read_direction(p);
}

/* Inside composite states line ends are no tokens; outside, blanks before a line end hide it. */
static void read_token(MmdParser *p)
{
    unsigned mode = mmd_block(p) ? NESTED : OUTER;
    mmd_skip(p, mode == OUTER ? "((?!\n)\\s+|" COMMENT ")*" : "(\\s+|" COMMENT ")*");
    if (mmd_at_end(p)) {
        mmd_read_to(p, MMD_END, p->at);
    } else if (*p->at == '\n') {
        mmd_read_to(p, MMD_NEWLINE, mmd_scan(p, p->at, "\n+"));
    } else if (mode == OUTER && read_outer(p)) {
        return;
    } else if (!mmd_read_rule(p, words, mode)) {
        if (mode == OUTER || !read_direction(p))
            mmd_read_any(p, rules, mode);
    } else if (mmd_is(p, MMD_BROKEN)) {
        fail_word(p);
    } else if (!mmd_is(p, MMD_WHOLE)) {
        p->token.stop = mmd_trim_end(p->token.start, p->token.stop);
    }
}

static bool expected_here(MmdParser *p, const char *what)
{
    const MmdToken *token = &p->token;
    if (token->kind == MMD_BROKEN)
        return false;
    return token->kind >= STATE_CLICK ? mmd_expected_no_keyword(p, what)
                                      : mmd_expected(p, token->start, "%s", what);
}

/* The same within a statement, which has to be changed on the line where it broke off. */
static bool mmd_state_expected(MmdParser *p, const char *what)
{
    const char *last_stop = p->last.stop;
    bool is_later = memchr(last_stop, '\n', (size_t)(p->token.start - last_stop)) != NULL;
    return is_later ? mmd_expected(p, last_stop, "%s", what) : expected_here(p, what);
}

// ---- descriptions ----

static Texts *find_texts(StateDiagram *self, const char *name)
{
    Texts *texts = g_hash_table_lookup(self->texts, name);
    if (!texts) {
        texts = g_new0(Texts, 1);
        g_hash_table_insert(self->texts, g_strdup(name), texts);
    }
    return texts;
}

/* A description of the state at `at`; NULL: the state is a composite one. */
static void see_text(MmdParser *p, const MmdToken *token, const char *at)
{
    StateDiagram *self = p->state;
    g_autofree char *name = mmd_token_text(token);
    Texts *texts = find_texts(self, name);
    if (!at)
        texts->is_composite = true;
    else if (++texts->count == 2)
        texts->second = at;
    if (texts->is_composite && texts->second && !self->problem_name) {
        self->problem_at = texts->second;
        self->problem_name = g_steal_pointer(&name);
    }
}

/* The `{` at p->at, of the composite state `name`. */
static bool open_block(MmdParser *p, const MmdToken *name)
{
    see_text(p, name, NULL);
    return mmd_open_block(p, p->at++) && mmd_advance(p);
}

// ---- declarations: `state A`, `state "text" as A { … }`, `state A <<choice>>` ----

/* What the words after `state` are so far; nearly every word is a name there. */
typedef struct Declared {
    enum { DECLARED_NOTHING, DECLARED_NAME, DECLARED_TEXT, DECLARED_ALIAS } stage;
    MmdToken name;          // the last one
    MmdToken text;          // of "text" as name
    const char *line_end;   // of the line for which the next two were looked up
    const char *mark_stop;  // after its <<fork>> or the like; NULL: none
    const char *last_brace; // NULL: none
} Declared;

/* The end of the last one of the first kind of mark in the line. */
static const char *find_mark(const MmdParser *p, const char *line_end)
{
    static const char *const marks[] = { "(?i)<<fork>>",         "(?i)<<join>>",
                                         "(?i)<<choice>>",       "(?i)\\[\\[fork\\]\\]",
                                         "(?i)\\[\\[join\\]\\]", "(?i)\\[\\[choice\\]\\]" };
    const char *found = NULL;
    for (size_t i = 0; i < G_N_ELEMENTS(marks) && !found; i++) {
        for (const char *at = p->at; at < line_end; at++) {
            const char *stop = mmd_scan(p, at, marks[i]);
            found = stop ? stop : found;
        }
    }
    return found;
}

static void look_at_line(const MmdParser *p, Declared *declared)
{
    if (declared->line_end && p->at < declared->line_end)
        return;
    declared->line_end = mmd_line_end(p->at, p->end);
    declared->mark_stop = find_mark(p, declared->line_end);
    declared->last_brace = g_strrstr_len(p->at, declared->line_end - p->at, "{");
}

/* The second of two words with a brace after them; NULL: nothing of the kind is at p->at. */
static const char *find_second_word(const MmdParser *p, const Declared *declared)
{
    const char *second = mmd_scan(p, p->at, "\\w+\\s+(?=\\w)");
    if (second && second < declared->line_end)
        return declared->last_brace && declared->last_brace > second ? second : NULL;
    return second && mmd_scan(p, second, "[^\n{]*{") ? second : NULL;
}

static bool expected_alias(MmdParser *p)
{
    mmd_expected(p, p->at, "'as' and a name after the text");
    return mmd_hint(p, "write: state \"long text\" as name");
}

/* `"text"`; an empty one counts for nothing. */
static bool take_declared_text(MmdParser *p, Declared *declared)
{
    const char *start = p->at;
    if (mmd_skip(p, "\"\""))
        return true;
    const char *stop = mmd_scan(p, start, "\"[^\"]*\"");
    if (!stop)
        return mmd_fail_open(p, start, start, NULL,
                             "the state's text is not closed: expected another '\"'");
    if (declared->stage == DECLARED_TEXT)
        return expected_alias(p);
    declared->stage = DECLARED_TEXT;
    declared->text = (MmdToken) { .start = start + 1, .stop = stop - 1 };
    p->at = stop;
    return true;
}

/* The name after `as `, up to a brace or the end of the line. */
static bool take_declared_alias(MmdParser *p, const char *name, Declared *declared)
{
    if (declared->stage != DECLARED_TEXT) {
        mmd_expected(p, p->at, "a text in double quotes before 'as'");
        return mmd_hint(p, "write: state \"long text\" as name");
    }
    p->at = mmd_scan(p, name, "((?!%%)[^\n{])*");
    declared->stage = DECLARED_ALIAS;
    declared->name = (MmdToken) { .start = name, .stop = mmd_trim_end(name, p->at) };
    return true;
}

/* A description may have a second one after a colon of the name: state "a" as X : b. */
static void see_declared_text(MmdParser *p, const Declared *declared, bool has_block)
{
    if (declared->stage != DECLARED_ALIAS)
        return;
    MmdToken name = declared->name, text = declared->text;
    const char *colon = memchr(name.start, ':', (size_t)(name.stop - name.start));
    bool has_colon = colon && !has_block;
    if (has_colon)
        name.stop = mmd_trim_end(name.start, colon);
    if (has_colon || mmd_skip_white(text.start, text.stop) < text.stop)
        see_text(p, &name, text.start);
    if (has_colon)
        see_text(p, &name, colon);
}

/* mermaid takes two words before a brace for one name, even when a line ends between them. */
static bool fail_second_word(MmdParser *p, const char *second)
{
    const char *line_end = mmd_line_end(p->at, p->end);
    if (second < line_end) {
        mmd_fail(p, MMD_SYNTAX, second, "the name of a state must be a single word");
        return mmd_hint(p, "write: state \"two words\" as name {");
    }
    g_autofree char *name = mmd_excerpt(p->at, mmd_trim_end(p->at, line_end));
    mmd_fail(p, MMD_SYNTAX, p->at, "'%s' and the next line, which has a '{', become one name",
             name);
    return mmd_hint(p, "Leave out the word 'state' before '%s'", name);
}

/* A name, a mark or a brace at p->at; *ret_is_done when the declaration ends with it. */
static bool take_declared_word(MmdParser *p, Declared *declared, bool *ret_is_done)
{
    const char *start = p->at, *second = find_second_word(p, declared);
    *ret_is_done = true;
    if (declared->stage == DECLARED_TEXT)
        return expected_alias(p);
    see_declared_text(p, declared, *start == '{');
    if (declared->mark_stop) {
        p->at = declared->mark_stop;
        return mmd_advance(p);
    }
    if (second)
        return fail_second_word(p, second);
    if (*start == '{')
        return declared->name.start ? open_block(p, &declared->name)
                                    : mmd_expected(p, start, "the name of a state after 'state'");
    *ret_is_done = false;
    mmd_skip(p, "[^{\\s]*");
    declared->stage = DECLARED_NAME;
    declared->name = (MmdToken) { .start = start, .stop = p->at };
    return true;
}

/* What follows `state `, up to the end of the line or after a brace. A name of a line before
   (`earlier`) may get its brace here. */
static bool take_declaration(MmdParser *p, const MmdToken *earlier)
{
    StateDiagram *self = p->state;
    Declared declared = { .name = *earlier };
    for (bool is_done = false, is_right; !is_done;) {
        mmd_skip(p, "(\\h+|" COMMENT ")*");
        const char *alias = mmd_scan(p, p->at, "(?i)\\s*as\\s+");
        bool is_at_end = mmd_at_end(p) || *p->at == '\n';
        if (is_at_end && !alias)
            break;
        if (!is_at_end)
            look_at_line(p, &declared);
        bool is_plain = is_at_end || !declared.mark_stop;
        if (is_plain && alias)
            is_right = take_declared_alias(p, alias, &declared);
        else if (is_plain && *p->at == '"')
            is_right = take_declared_text(p, &declared);
        else
            is_right = take_declared_word(p, &declared, &is_done);
        if (!is_right || is_done)
            return is_right;
    }
    if (declared.stage == DECLARED_TEXT)
        return expected_alias(p);
    see_declared_text(p, &declared, false);
    mmd_skip(p, "\n");
    mmd_advance(p);
    self->may_open = mmd_block(p) ? (MmdToken) { 0 } : declared.name;
    return true;
}

// ---- statements ----

/* A string was found where a state was meant; false. */
static bool hint_declaration(MmdParser *p, const MmdToken *string)
{
    g_autofree char *text = mmd_excerpt(string->start + 1, string->stop - 1);
    return mmd_hint(p, "Declare it: state \"%s\" as s1", text);
}

/* `A`, `[*]`, `A:::css`. */
static bool take_state(MmdParser *p, const char *what)
{
    if (!mmd_accept(p, STATE_NAME) && !mmd_accept(p, STATE_EDGE)) {
        mmd_state_expected(p, what);
        return mmd_is(p, STATE_STRING) && hint_declaration(p, &p->token);
    }
    return !mmd_accept(p, STATE_CSS) || mmd_need(p, STATE_NAME, "the name of a class after ':::'");
}

/* `A`, `A : text`, `A --> B`, `A --> B : text`. */
static bool take_transition(MmdParser *p)
{
    StateDiagram *self = p->state;
    MmdToken name = p->token;
    if (!take_state(p, "a state"))
        return false;
    bool is_transition = mmd_accept(p, STATE_ARROW);
    self->after = is_transition ? AFTER_TRANSITION : AFTER_OTHER;
    if (is_transition && !take_state(p, "a state after '-->'"))
        return false;
    const char *text = p->token.start;
    if (!is_transition && mmd_is(p, STATE_TEXT) &&
        mmd_skip_white(text + 1, p->token.stop) < p->token.stop)
        see_text(p, &name, text);
    mmd_accept(p, STATE_TEXT);
    return true;
}

/* `click A "url" "tip"`, `click A href "url"`. */
static bool take_click(MmdParser *p)
{
    mmd_advance(p);
    if (!take_state(p, "a state after 'click'"))
        return false;
    bool has_href = mmd_accept(p, STATE_HREF);
    if (!mmd_need(p, STATE_STRING, "a URL in double quotes"))
        return false;
    if (!has_href && !mmd_need(p, STATE_STRING, "a tooltip in double quotes after the URL"))
        return mmd_hint(p, "Without a tooltip write: click A href \"url\"");
    return mmd_is(p, MMD_END) ? mmd_advance(p) : mmd_need(p, MMD_NEWLINE, "the end of the line");
}

/* `note "text" as N`, after the first quote. */
static bool take_floating_note(MmdParser *p, const char *opened)
{
    const char *close = memchr(p->at, '"', (size_t)(p->end - p->at));
    const char *text = mmd_skip_white(p->at, p->end);
    if (!close)
        return mmd_fail_open(p, opened, opened, NULL,
                             "the note's text is not closed: expected '\"'");
    if (close == p->at)
        return mmd_expected(p, close, "a text between the double quotes");
    if (mmd_scan(p, text, "(?i)as"))
        return mmd_fail(p, MMD_SYNTAX, text, "the text of a note may not begin with 'as'");
    p->at = close + 1;
    return mmd_skip(p, "(?i)\\s*as\\s*.*") ||
           mmd_expected(p, p->at, "'as' and a name after the note's text");
}

/* `note left of A : text`, or lines up to `end note`; the current token is `note`. */
static bool take_note(MmdParser *p)
{
    StateDiagram *self = p->state;
    const char *start = p->at, *side = mmd_scan(p, start, "(?i)(left|right) of\\>");
    self->after = AFTER_NOTE;
    if (!side && mmd_skip(p, "\""))
        return take_floating_note(p, start) && mmd_advance(p);
    if (!side)
        return mmd_expected(p, start, "'left of' or 'right of' after 'note'");
    const char *name = mmd_skip_white(side, p->end), *stop;
    p->at = mmd_scan(p, name, "[^:\\-\\s]*");
    if (p->at == name)
        return mmd_expected(p, side, "the name of a state after 'note %.*s'", (int)(side - start),
                            start);
    if (!(stop = mmd_scan(p, p->at, "\\s*:[^:\n;]+")) &&
        !(stop = mmd_scan(p, p->at, "(?i).*(\n\\s*(?!end note\\>).*)*\n\\s*end note\\>")))
        return mmd_fail_open(
            p, mmd_blame(p, p->at), p->token.start,
            "Write ': text' behind the state, or lines of text and then 'end note'",
            "the note has no text, or no 'end note' after it");
    p->at = stop;
    return mmd_advance(p);
}

/* The brace on the line after `state A`, or one too many. */
static bool take_brace(MmdParser *p, const MmdToken *name)
{
    if (!name->start) {
        mmd_fail(p, MMD_SYNTAX, p->token.start, "'{' opens nothing");
        return mmd_hint(p, "A composite state begins with 'state': state Name {");
    }
    p->at = p->token.start;
    return open_block(p, name);
}

/* A dash that begins nothing. */
static bool fail_dash(MmdParser *p)
{
    const char *at = p->token.start;
    if (p->last.kind == STATE_NAME && p->last.stop == at && mmd_scan(p, at, "-[^\\->\\s]")) {
        mmd_fail(p, MMD_SYNTAX, at, "the name of a state may not hold '-'");
        return mmd_hint(p, "Use '_', or declare it: state \"a-b\" as a_b");
    }
    if (mmd_scan(p, at, "->"))
        mmd_fail(p, MMD_SYNTAX, at, "'->' is no transition");
    else if (mmd_scan(p, at, "--\\h*(\n|$)"))
        return mmd_fail(p, MMD_SYNTAX, at, "'--' divides only composite states");
    else
        mmd_expected(p, at, "a transition or the end of the line");
    return mmd_hint(p, "use -->");
}

/* A token that cannot begin a statement. */
static bool fail_statement(MmdParser *p)
{
    const StateDiagram *self = p->state;
    const char *at = p->token.start;
    if (mmd_is(p, STATE_ARROW) && self->after == AFTER_TRANSITION) {
        mmd_expected(p, at, "the end of the line after a transition");
        return mmd_hint(p, "Each transition has a line of its own");
    }
    if (mmd_is(p, STATE_ARROW))
        return mmd_expected(p, at, "a state before '-->'");
    if (mmd_is(p, STATE_STRING)) {
        mmd_expected(p, at, "a state");
        return hint_declaration(p, &p->token);
    }
    if (*at == ':' && self->after == AFTER_NOTE) {
        mmd_expected(p, at, "the end of the note");
        return mmd_hint(p, "A text with colons needs lines of its own, up to 'end note'");
    }
    if (mmd_is(p, ':'))
        return mmd_expected(p, at + 1, "a text after ':'");
    if (*at == ':')
        return mmd_expected(p, at, "a state before ':'");
    return *at == '-' ? fail_dash(p) : expected_here(p, "a state, a transition or a keyword");
}

static bool take_statement(MmdParser *p)
{
    StateDiagram *self = p->state;
    MmdToken may_open = self->may_open;
    self->may_open = (MmdToken) { 0 };
    switch (p->token.kind) {
    case STATE_NAME:
    case STATE_EDGE:
        return take_transition(p);
    case STATE_KEYWORD:
        return take_declaration(p, &may_open);
    case STATE_NOTE:
        return take_note(p);
    case STATE_CLICK:
        return take_click(p);
    case '{':
        return take_brace(p, &may_open);
    case '}':
        return mmd_close_block(p, "'}'");
    case MMD_NEWLINE:
        self->after = AFTER_OTHER;
        return mmd_advance(p);
    case MMD_WHOLE:
    case STATE_DIVIDER:
        return mmd_advance(p);
    default:
        return fail_statement(p);
    }
}

static bool take_all(MmdParser *p)
{
    if (!mmd_at_end(p) && !mmd_scan(p, p->at, "\\s"))
        return mmd_expected(p, p->at, "a blank or a line end after 'stateDiagram'");
    if (mmd_direction(p, "(?i)" MMD_DIRECTION))
        return mmd_expected(p, p->at, "a line end after the header");
    mmd_skip(p, "\\s*");
    mmd_advance(p);
    while (!mmd_is(p, MMD_END)) {
        if (!take_statement(p))
            return false;
    }
    if (mmd_block(p))
        return mmd_unclosed(p, mmd_block(p), "the state", "'}'");
    const StateDiagram *self = p->state;
    if (!self->problem_name)
        return true;
    g_autofree char *name =
        mmd_excerpt(self->problem_name, self->problem_name + strlen(self->problem_name));
    mmd_fail(p, MMD_SEMANTIC, self->problem_at,
             "the composite state '%s' has more than one description", name);
    return mmd_hint(p, "Keep only one");
}

bool mmd_parse_state(MmdParser *p)
{
    static const MmdGrammar grammar = { read_token, mmd_state_expected };
    g_autoptr(GHashTable) texts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    StateDiagram self = { .texts = texts };
    p->state = &self;
    p->grammar = &grammar;
    bool is_right = take_all(p);
    g_free(self.problem_name);
    return is_right;
}
