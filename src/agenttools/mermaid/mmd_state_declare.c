/*
 * Declarations of states: `state A`, `state "text" as A { … }`, `state A <<choice>>`. mermaid scans
 * what follows `state` with rules of its own, in which nearly every word is a name.
 */
#include "agenttools/mermaid/mmd_state.h"

/* What the words behind `state` are so far. */
typedef struct Declared {
    enum { DECLARED_NOTHING, DECLARED_NAME, DECLARED_TEXT, DECLARED_ALIAS } stage;
    MmdToken name;          // the last one
    MmdToken text;          // of "text" as name
    const char *line_end;   // of the line for which the next two were looked up
    const char *mark_stop;  // behind its <<fork>> or the like; NULL: none
    const char *last_brace; // NULL: none
} Declared;

/* The end of the last one of the first kind of mark that stands in the line. */
static const char *find_mark(const char *at, const char *line_end)
{
    static const char *const marks[] = { "<<fork>>", "<<join>>", "<<choice>>",
                                         "[[fork]]", "[[join]]", "[[choice]]" };
    for (size_t i = 0; i < G_N_ELEMENTS(marks); i++) {
        for (const char *c = line_end; c-- > at;) {
            const char *stop = mmd_match_nocase(c, line_end, marks[i]);
            if (stop != NULL)
                return stop;
        }
    }
    return NULL;
}

static void look_at_line(const MmdParser *p, Declared *declared)
{
    if (declared->line_end != NULL && p->at < declared->line_end)
        return;
    declared->line_end = mmd_line_end(p->at, p->end);
    declared->mark_stop = find_mark(p->at, declared->line_end);
    declared->last_brace = g_strrstr_len(p->at, declared->line_end - p->at, "{");
}

/* The second of two words with a brace behind them; NULL: nothing of the kind stands at p->at. */
static const char *find_second_word(const MmdParser *p, const Declared *declared)
{
    const char *at = p->at;
    while (at < p->end && mmd_is_word_char(*at))
        at++;
    const char *second = mmd_skip_white_from(at, p->end);
    if (at == p->at || second == at || second == p->end || !mmd_is_word_char(*second))
        return NULL;
    if (second < declared->line_end)
        return declared->last_brace != NULL && declared->last_brace > second ? second : NULL;
    const char *line_end = mmd_line_end(second, p->end);
    return memchr(second, '{', (size_t)(line_end - second)) != NULL ? second : NULL;
}

static bool expected_alias(StateDiagram *self)
{
    mmd_expected(self->p, self->p->at, "'as' and a name after the text");
    return mmd_hint(self->p, "write: state \"long text\" as name");
}

/* `"text"`; an empty one counts for nothing. */
static bool take_declared_text(StateDiagram *self, Declared *declared)
{
    MmdParser *p = self->p;
    const char *start = p->at;
    const char *close = memchr(start + 1, '"', (size_t)(p->end - start - 1));
    if (close == NULL)
        return mmd_fail_open(p, start, start, NULL,
                             "the state's text is not closed: expected another '\"'");
    if (declared->stage == DECLARED_TEXT && close > start + 1)
        return expected_alias(self);
    p->at = close + 1;
    if (close == start + 1)
        return true;
    declared->stage = DECLARED_TEXT;
    declared->text = (MmdToken) { STATE_STRING, start + 1, close };
    return true;
}

/* `as ` at p->at or on a later line: the place behind it; NULL. */
static const char *match_alias(const MmdParser *p)
{
    const char *word = mmd_skip_white_from(p->at, p->end);
    const char *stop = mmd_match_nocase(word, p->end, "as");
    const char *name = stop != NULL ? mmd_skip_white_from(stop, p->end) : NULL;
    return name != NULL && name > stop ? name : NULL;
}

/* The name behind `as `, up to a brace or the end of the line. */
static bool take_declared_alias(StateDiagram *self, const char *name, Declared *declared)
{
    MmdParser *p = self->p;
    if (declared->stage != DECLARED_TEXT) {
        mmd_expected(p, p->at, "a text in double quotes before 'as'");
        return mmd_hint(p, "write: state \"long text\" as name");
    }
    const char *stop = mmd_find_one_of(name, p->end, "\n{");
    const char *comment = g_strstr_len(name, stop - name, "%%");
    p->at = comment != NULL ? comment : stop;
    declared->stage = DECLARED_ALIAS;
    declared->name = (MmdToken) { STATE_NAME, name, mmd_trim_end(name, p->at) };
    return true;
}

/* A description may have a second one behind a colon of the name: state "a" as X : b. */
static void see_declared_text(StateDiagram *self, const Declared *declared, bool has_block)
{
    if (declared->stage != DECLARED_ALIAS)
        return;
    MmdToken name = declared->name, text = declared->text;
    const char *colon = memchr(name.start, ':', (size_t)(name.stop - name.start));
    bool has_colon = colon != NULL && !has_block;
    if (has_colon)
        name.stop = mmd_trim_end(name.start, colon);
    if (has_colon || mmd_skip_white_from(text.start, text.stop) < text.stop)
        mmd_state_see_text(&self->texts, &name, text.start);
    if (has_colon)
        mmd_state_see_text(&self->texts, &name, colon);
}

/* mermaid takes two words before a brace for one name, even when a line ends between them. */
static bool fail_second_word(StateDiagram *self, const char *second)
{
    MmdParser *p = self->p;
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
static bool take_declared_word(StateDiagram *self, Declared *declared, bool *ret_is_done)
{
    MmdParser *p = self->p;
    const char *second = find_second_word(p, declared);
    *ret_is_done = declared->mark_stop != NULL;
    if (declared->stage == DECLARED_TEXT)
        return expected_alias(self);
    see_declared_text(self, declared, *p->at == '{');
    if (*ret_is_done) {
        p->at = declared->mark_stop;
        mmd_state_advance(self);
        return true;
    }
    if (second != NULL)
        return fail_second_word(self, second);
    if (*p->at == '{') {
        *ret_is_done = true;
        if (declared->name.start == NULL)
            return mmd_expected(p, p->at, "the name of a state after 'state'");
        return mmd_state_open_block(self, &declared->name);
    }
    const char *start = p->at;
    p->at = mmd_find_end_of_word(start, p->end, "{");
    declared->stage = DECLARED_NAME;
    declared->name = (MmdToken) { STATE_NAME, start, p->at };
    return true;
}

bool mmd_state_parse_declaration(StateDiagram *self, const MmdToken *earlier)
{
    MmdParser *p = self->p;
    Declared declared = { .name = *earlier };
    bool is_done = false;
    while (!is_done) {
        mmd_state_skip_blanks(p);
        const char *alias = match_alias(p);
        bool is_at_end = mmd_at_end(p) || *p->at == '\n';
        if (is_at_end && alias == NULL)
            break;
        if (!is_at_end)
            look_at_line(p, &declared);
        bool is_plain = is_at_end || declared.mark_stop == NULL;
        bool is_right;
        if (is_plain && alias != NULL)
            is_right = take_declared_alias(self, alias, &declared);
        else if (is_plain && *p->at == '"')
            is_right = take_declared_text(self, &declared);
        else
            is_right = take_declared_word(self, &declared, &is_done);
        if (!is_right)
            return false;
    }
    if (is_done)
        return true;
    if (declared.stage == DECLARED_TEXT)
        return expected_alias(self);
    see_declared_text(self, &declared, false);
    p->at += mmd_at_end(p) ? 0 : 1;
    mmd_state_advance(self);
    self->may_open = mmd_state_is_nested(self) ? (MmdToken) { 0 } : declared.name;
    return true;
}
