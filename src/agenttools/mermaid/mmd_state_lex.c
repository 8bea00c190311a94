/*
 * Tokens of state diagrams, and the statements that are scanned as a whole. Nearly everything is a
 * name here; keywords count in any case where a token may begin.
 */
#include "agenttools/mermaid/mmd_state.h"

/* `word` and white space behind it: the place behind; NULL. */
static const char *match_word_and_white(const char *at, const char *end, const char *word)
{
    const char *stop = mmd_match_nocase(at, end, word);
    if (stop == NULL || mmd_white_size(stop, end) == 0)
        return NULL;
    return mmd_skip_white_from(stop, end);
}

static const char *skip_word(const char *at, const char *end, bool with_commas)
{
    while (at < end && (mmd_is_word_char(*at) || (with_commas && *at == ',')))
        at++;
    return at;
}

static bool is_comment(const char *at, const char *end)
{
    return *at == '#' || (mmd_match(at, end, "%%") != NULL && (at + 2 == end || at[2] != '{'));
}

void mmd_state_skip_blanks(MmdParser *p)
{
    while (true) {
        mmd_skip_blanks(p);
        if (mmd_at_end(p) || !is_comment(p->at, p->end))
            return;
        p->at = mmd_line_end(p->at, p->end);
    }
}

static MmdToken broken(const char *at)
{
    return (MmdToken) { STATE_BROKEN, at, at };
}

/* `classDef name styles`. */
static MmdToken read_classdef(MmdParser *p, const char *start, const char *name)
{
    const char *stop = skip_word(name, p->end, false);
    bool has_name = stop > name && mmd_white_size(stop, p->end) > 0;
    if (has_name && match_word_and_white(name, p->end, "default") != NULL) {
        mmd_fail(p, MMD_SYNTAX, name, "'default' cannot be styled in a state diagram");
        mmd_hint(p, "Define a class of another name, and give it to the states");
        return broken(start);
    }
    if (!has_name) {
        mmd_expected(p, stop, "a name of letters, digits and _ after 'classDef'");
        return broken(start);
    }
    p->at = mmd_line_end(mmd_skip_white_from(stop, p->end), p->end);
    return (MmdToken) { STATE_WHOLE, start, p->at };
}

/* `class A,B name`. */
static MmdToken read_class(MmdParser *p, const char *start, const char *name)
{
    const char *stop = skip_word(name, p->end, false);
    if (stop == name) {
        mmd_expected(p, name, "the name of a state after 'class'");
        return broken(start);
    }
    while (stop < p->end && *stop == ',') {
        const char *next = mmd_skip_white_from(stop + 1, p->end);
        const char *next_end = skip_word(next, p->end, false);
        if (next_end == next)
            break;
        stop = next_end;
    }
    p->at = mmd_line_end(stop, p->end);
    return (MmdToken) { STATE_WHOLE, start, p->at };
}

/* `style A,B styles`. */
static MmdToken read_style(MmdParser *p, const char *start, const char *names)
{
    const char *stop = skip_word(names, p->end, true);
    if (stop == names || mmd_white_size(stop, p->end) == 0) {
        mmd_expected(p, stop, "the name of a state and its styles after 'style'");
        return broken(start);
    }
    p->at = mmd_line_end(mmd_skip_white_from(stop, p->end), p->end);
    return (MmdToken) { STATE_WHOLE, start, p->at };
}

/* `scale 350 width`. */
static MmdToken read_scale(MmdParser *p, const char *start, const char *number)
{
    const char *stop = mmd_match_digits(number, p->end);
    const char *word = stop != NULL ? mmd_skip_white_from(stop, p->end) : number;
    const char *word_end =
        stop != NULL && word > stop ? mmd_match_word_nocase(word, p->end, "width") : NULL;
    if (word_end == NULL) {
        mmd_expected(p, stop != NULL ? stop : number, "'scale' with a number and 'width'");
        return broken(start);
    }
    p->at = word_end;
    return (MmdToken) { STATE_WHOLE, start, word_end };
}

static const struct {
    const char *word;
    MmdToken (*read)(MmdParser *p, const char *start, const char *after); // NULL: a token
    StateKind kind;
    bool is_in_nested; // a keyword in composite states too
} worded[] = {
    { "scale", read_scale, STATE_WHOLE, false },
    { "classDef", read_classdef, STATE_WHOLE, true },
    { "class", read_class, STATE_WHOLE, true },
    { "style", read_style, STATE_WHOLE, true },
    { "state", NULL, STATE_KEYWORD, true },
    { "stateDiagram", NULL, STATE_RESERVED, false },
    { "stateDiagram-v2", NULL, STATE_RESERVED, false },
};

/* A keyword with white space behind it. */
static bool read_worded(MmdParser *p, bool is_nested, MmdToken *ret_token)
{
    for (size_t i = 0; i < G_N_ELEMENTS(worded); i++) {
        const char *after = match_word_and_white(p->at, p->end, worded[i].word);
        if (after == NULL || (is_nested && !worded[i].is_in_nested))
            continue;
        const char *start = p->at;
        p->at = after;
        *ret_token = worded[i].read != NULL
                         ? worded[i].read(p, start, after)
                         : (MmdToken) { worded[i].kind, start, mmd_trim_end(start, after) };
        return true;
    }
    return false;
}

static const char *match_string(const char *at, const char *end)
{
    const char *close = *at == '"' ? memchr(at + 1, '"', (size_t)(end - at - 1)) : NULL;
    return close != NULL ? close + 1 : NULL;
}

/* What counts only outside composite states, before anything else. */
static bool read_outer(MmdLexer *self, MmdToken *ret_token)
{
    static const MmdRule words[] = {
        { "click", STATE_CLICK },
        { "href", STATE_HREF },
        { "default", STATE_RESERVED },
        { "hide empty description", STATE_WHOLE },
        { NULL },
    };
    MmdParser *p = self->p;
    const char *start = p->at, *stop = NULL;
    bool is_indented = start > p->text && start[-1] != '\n' && g_ascii_isspace(start[-1]);
    if (is_indented) // then a direction is looked for first
        stop = mmd_direction_here(self, true);
    if (stop != NULL) {
        *ret_token = (MmdToken) { STATE_WHOLE, start, stop };
        return true;
    }
    if (mmd_match_token(words, MMD_WORDS | MMD_NOCASE, 0, start, p->end, ret_token))
        return true;
    MmdAccessibility found;
    if ((stop = match_string(start, p->end)) != NULL)
        *ret_token = (MmdToken) { STATE_STRING, start, stop };
    else if ((stop = mmd_direction_here(self, true)) != NULL)
        *ret_token = (MmdToken) { STATE_WHOLE, start, stop };
    else if (mmd_match_accessibility(start, p->end, true, &found))
        *ret_token = (MmdToken) { STATE_WHOLE, start, found.stop };
    else
        return false;
    return true;
}

static const char *match_name(const char *at, const char *end)
{
    const char *start = at;
    while (at < end && *at != ':' && *at != '-' && *at != '{' && mmd_white_size(at, end) == 0 &&
           (at == start || mmd_match(at, end, "%%") == NULL))
        at = g_utf8_next_char(at);
    return at > start ? at : NULL;
}

/* A colon and text, in which single colons may stand, but not at its end. */
static const char *match_text(const char *at, const char *end)
{
    if (*at != ':')
        return NULL;
    const char *stop = at + 1;
    while (stop < end && *stop != '\n' && *stop != ';') {
        if (*stop == ':' && (stop + 1 == end || mmd_is_one_of(stop[1], ":\n;")))
            break;
        stop++;
    }
    return stop > at + 1 ? stop : NULL;
}

static MmdToken match_plain(const char *at, const char *end, bool is_nested)
{
    const char *stop;
    if ((stop = mmd_match(at, end, "[*]")) != NULL)
        return (MmdToken) { STATE_EDGE, at, stop };
    if ((stop = match_name(at, end)) != NULL)
        return (MmdToken) { STATE_NAME, at, stop };
    if ((stop = match_text(at, end)) != NULL)
        return (MmdToken) { STATE_TEXT, at, stop };
    if ((stop = mmd_match(at, end, "-->")) != NULL)
        return (MmdToken) { STATE_ARROW, at, stop };
    if (is_nested && (stop = mmd_match(at, end, "--")) != NULL)
        return (MmdToken) { STATE_DIVIDER, at, stop };
    if ((stop = mmd_match(at, end, ":::")) != NULL)
        return (MmdToken) { STATE_CSS, at, stop };
    return (MmdToken) { *at == '{' ? STATE_OPEN : STATE_OTHER, at, at + 1 };
}

static MmdToken read_token(MmdLexer *self, bool is_nested)
{
    MmdParser *p = self->p;
    MmdToken token;
    const char *start = p->at, *stop;
    if (!is_nested && read_outer(self, &token)) {
        p->at = token.stop;
        return token;
    }
    if (read_worded(p, is_nested, &token))
        return token;
    if (is_nested && (stop = mmd_direction_here(self, true)) != NULL)
        token = (MmdToken) { STATE_WHOLE, start, stop };
    else if (is_nested && *start == '}')
        token = (MmdToken) { STATE_CLOSE, start, start + 1 };
    else if ((stop = match_word_and_white(start, p->end, "note")) != NULL)
        token = (MmdToken) { STATE_NOTE, start, stop };
    else
        token = match_plain(start, p->end, is_nested);
    p->at = token.stop;
    return token;
}

/* White space and comments. Inside composite states line ends are no tokens; outside, blanks before
   a line end hide it. */
static void skip_to_token(MmdParser *p, bool is_nested)
{
    while (!mmd_at_end(p) && (is_nested || *p->at != '\n')) {
        if (mmd_white_size(p->at, p->end) > 0)
            mmd_skip_white(p);
        else if (is_comment(p->at, p->end))
            p->at = mmd_line_end(p->at, p->end);
        else
            return;
    }
}

MmdToken mmd_state_next(MmdLexer *self, bool is_nested)
{
    MmdParser *p = self->p;
    skip_to_token(p, is_nested);
    const char *start = p->at;
    if (mmd_at_end(p))
        return (MmdToken) { STATE_EOF, start, start };
    if (*start != '\n')
        return read_token(self, is_nested);
    while (!mmd_at_end(p) && *p->at == '\n')
        p->at++;
    return (MmdToken) { STATE_NEWLINE, start, p->at };
}

/* `note "text" as N`, behind the first quote. */
static bool take_floating_note(MmdParser *p, const char *opened)
{
    const char *close = memchr(p->at, '"', (size_t)(p->end - p->at));
    if (close == NULL)
        return mmd_fail_open(p, opened, opened, NULL,
                             "the note's text is not closed: expected '\"'");
    if (close == p->at)
        return mmd_expected(p, close, "a text between the double quotes");
    const char *text = mmd_skip_white_from(p->at, p->end);
    if (mmd_match_nocase(text, p->end, "as") != NULL)
        return mmd_fail(p, MMD_SYNTAX, text, "the text of a note may not begin with 'as'");

    const char *word = mmd_skip_white_from(close + 1, p->end);
    const char *stop = mmd_match_nocase(word, p->end, "as");
    if (stop == NULL)
        return mmd_expected(p, close + 1, "'as' and a name after the note's text");
    p->at = mmd_line_end(mmd_skip_white_from(stop, p->end), p->end);
    return true;
}

/* Behind a note's state: lines up to `end note`; the place behind; NULL: there is none. */
static const char *match_note_lines(const char *at, const char *end)
{
    while ((at = memchr(at, '\n', (size_t)(end - at))) != NULL) {
        at = mmd_skip_white_from(at, end);
        const char *stop = mmd_match_word_nocase(at, end, "end note");
        if (stop != NULL)
            return stop;
    }
    return NULL;
}

bool mmd_state_take_note(MmdParser *p, const char *keyword)
{
    const char *side = mmd_match_word_nocase(p->at, p->end, "left of");
    if (side == NULL)
        side = mmd_match_word_nocase(p->at, p->end, "right of");
    if (side == NULL && mmd_take(p, "\""))
        return take_floating_note(p, p->at - 1);
    if (side == NULL)
        return mmd_expected(p, p->at, "'left of' or 'right of' after 'note'");

    const char *name = mmd_skip_white_from(side, p->end);
    const char *name_end = mmd_find_end_of_word(name, p->end, ":-");
    if (name_end == name)
        return mmd_expected(p, side, "the name of a state after 'note %.*s'", (int)(side - p->at),
                            p->at);

    const char *colon = mmd_skip_white_from(name_end, p->end);
    const char *stop = mmd_find_one_of(colon + 1, p->end, ":\n;");
    if (*colon != ':' || stop == colon + 1)
        stop = match_note_lines(name_end, p->end);
    if (stop == NULL)
        return mmd_fail_open(
            p, mmd_blame(p, name_end), keyword,
            "Write ': text' behind the state, or lines of text and then 'end note'",
            "the note has no text, or no 'end note' after it");
    p->at = stop;
    return true;
}

bool mmd_state_is_nested(const StateDiagram *self)
{
    return self->blocks->len > 0;
}

void mmd_state_advance(StateDiagram *self)
{
    self->last = self->token;
    self->token = mmd_state_next(&self->lexer, mmd_state_is_nested(self));
}

bool mmd_state_open_block(StateDiagram *self, const MmdToken *name)
{
    const char *opened = self->p->at++;
    mmd_state_see_composite(&self->texts, name);
    g_array_append_val(self->blocks, opened);
    mmd_state_advance(self);
    return true;
}
