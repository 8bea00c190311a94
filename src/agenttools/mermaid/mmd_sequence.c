/*
 * Checks sequence diagrams (agent-tools-cli §8.7). A keyword counts wherever a token may begin, in
 * any case, and a participant's name runs up to an arrow or a separator; so `end` cannot name a
 * participant, but `Endpoint` and `back end` can.
 */
#include "agenttools/mermaid/mmd_parser.h"

enum { // signs are their own kinds: , + -
    SEQ_NUMBER = MMD_KINDS,
    SEQ_NAME, // of a participant, may have blanks
    SEQ_ARROW,
    SEQ_TEXT,        // a colon and the message after it
    SEQ_CIRCLE,      // ()
    SEQ_PARTICIPANT, // participant, actor; from here on keywords
    SEQ_CREATE,
    SEQ_DESTROY,
    SEQ_ACTIVATE,
    SEQ_DEACTIVATE,
    SEQ_AUTONUMBER,
    SEQ_OFF,
    SEQ_NOTE,
    SEQ_SIDE, // left of, right of
    SEQ_OVER,
    SEQ_LINK,      // link, links, properties, details
    SEQ_BLOCK,     // loop, alt, …
    SEQ_SEPARATOR, // else, and, option
    SEQ_END,
    SEQ_HEADER // the header word once more
};

typedef struct Actor {
    int active;
    bool takes_part; // false: only (de)activated so far
    unsigned box;    // 0: none
} Actor;

/*
 * Who takes part. What mermaid refuses though the grammar allows it, it looks for when the whole
 * text is read, so only the first problem is kept, and reported when there is no error of syntax.
 */
typedef struct Sequence {
    GHashTable *actors; // name → Actor
    unsigned box;       // that is open, counted from 1; 0: none
    unsigned box_count;
    char *created, *destroyed; // waits for its message; NULL: none
    const char *problem_at;
    char *problem, *hint; // NULL: none
} Sequence;

#define NAME_ENDS "-[xX\\-)\\\\/]|-\\|[\\\\/]|[/\\\\]\\|-|//-|\\\\\\\\-|\\(\\)" // where a name ends

static const MmdTokenRule rules[] = {
    { SEQ_NUMBER, "(\\d+(\\.\\d\\d?(?!\\d))?|\\.\\d\\d?(?!\\d))(?=[ \n])" }, // `1->>2: x` has names
    { SEQ_PARTICIPANT, "(?i)(participant|actor)\\>" },
    { SEQ_CREATE, "(?i)create\\>" },
    { SEQ_DESTROY, "(?i)destroy\\>" },
    { SEQ_BLOCK, "(?i)(box|loop|rect|opt|alt|par_over|par|critical|break)\\>" },
    { SEQ_SEPARATOR, "(?i)(else|and|option)\\>" },
    { SEQ_END, "(?i)end\\>" },
    { SEQ_SIDE, "(?i)(left|right) of\\>" },
    // keywords only before a name (not so in mermaid 11, where nothing else may be called like
    // this)
    { SEQ_LINK, "(?i)(links?|properties|details)\\>(?=\\h+[^/\\\\+()<>:\n,;\\-])" },
    { SEQ_OVER, "(?i)over\\>" },
    { SEQ_NOTE, "(?i)note\\>" },
    { SEQ_ACTIVATE, "(?i)activate\\>" },
    { SEQ_DEACTIVATE, "(?i)deactivate\\>" },
    { SEQ_HEADER, "(?i)sequenceDiagram\\>" },
    { SEQ_AUTONUMBER, "(?i)autonumber\\>" },
    { SEQ_OFF, "(?i)off\\>" },
    { MMD_WHOLE, "(?i)title:?\\s[^#\n;]+" },
    { MMD_WHOLE, "(?i)acc(Title|Descr)\\s*:\\s*.*" },
    { MMD_WHOLE, "(?i)accDescr\\s*{[^}]*}?" },
    { SEQ_NAME, "[^/\\\\+()<\\->:\n,;]+((?!" NAME_ENDS ")-?[^+<\\->:\n,;]+)*" },
    { SEQ_ARROW, "<<--?>>|--?>>?|--?[xX)]|--?(\\|[\\\\/]|\\\\\\\\|//)" },
    { SEQ_ARROW, "([/\\\\]\\||//|\\\\\\\\)--?" },
    { SEQ_TEXT, ":[^#\n;]*" },
    { SEQ_CIRCLE, "\\(\\)" },
    { 0 },
};

// ---- tokens ----

/* White space and comments are skipped, up to a line end; but blanks before one hide it. */
static void read_token(MmdParser *p)
{
    mmd_skip(p, "((?!\n)\\s+|#.*|%(?!{).*|[^}\n](?=%%).*)*");
    if (mmd_at_end(p)) {
        mmd_read_to(p, MMD_END, p->at);
    } else if (*p->at == '\n' || *p->at == ';') {
        mmd_read_to(p, MMD_NEWLINE, p->at + 1);
    } else {
        mmd_read_any(p, rules, 0);
        p->token.stop = mmd_trim_end(p->token.start, p->token.stop);
    }
}

static bool is_keyword(const MmdToken *token)
{
    return token->kind >= SEQ_PARTICIPANT;
}

static bool mmd_sequence_expected(MmdParser *p, const char *what)
{
    const MmdToken *token = &p->token;
    return is_keyword(token) ? mmd_expected_no_keyword(p, what)
                             : mmd_expected(p, token->start, "%s", what);
}

/* The current token, a keyword, in lower case. Caller frees. */
static char *mmd_parser_keyword(const MmdParser *p)
{
    return g_ascii_strdown(p->token.start, p->token.stop - p->token.start);
}

/* A keyword was found where a participant was meant; false. */
static bool hint_other_name(MmdParser *p, const MmdToken *word)
{
    return mmd_hint(p, "Name it otherwise, such as: participant P as %.*s",
                    (int)(word->stop - word->start), word->start);
}

/* The same, when an arrow follows the keyword that was taken last. */
static bool hint_when_named(MmdParser *p)
{
    return mmd_is(p, SEQ_ARROW) && hint_other_name(p, &p->last);
}

// ---- participants ----

/* Keeps the first problem. Takes ownership of both texts; `hint` may be NULL. */
static void set_problem(Sequence *self, const MmdToken *at, char *problem, char *hint)
{
    if (self->problem) {
        g_free(problem);
        g_free(hint);
        return;
    }
    self->problem_at = at->start;
    self->problem = problem;
    self->hint = hint;
}

static Actor *find_or_add_actor(Sequence *self, const MmdToken *token)
{
    g_autofree char *name = mmd_token_text(token);
    Actor *actor = g_hash_table_lookup(self->actors, name);
    if (!actor) {
        actor = g_new0(Actor, 1);
        g_hash_table_insert(self->actors, g_steal_pointer(&name), actor);
    }
    return actor;
}

static void see_actor(Sequence *self, const MmdToken *token)
{
    Actor *actor = find_or_add_actor(self, token);
    g_autofree char *name = mmd_excerpt(token->start, token->stop);
    actor->takes_part = true;
    if (self->box != 0 && actor->box != 0 && actor->box != self->box)
        set_problem(self, token, g_strdup_printf("'%s' stands in another box already", name), NULL);
    if (actor->box == 0)
        actor->box = self->box;
}

static void see_created(Sequence *self, const MmdToken *token)
{
    g_autofree char *name = mmd_excerpt(token->start, token->stop);
    if (find_or_add_actor(self, token)->takes_part)
        set_problem(
            self, token, g_strdup_printf("'%s' cannot be created: it takes part already", name),
            g_strdup_printf("Give it another name: create participant %s2 as %s", name, name));
    see_actor(self, token);
    g_free(self->created);
    self->created = mmd_token_text(token);
}

/* `by`: +1 or -1. */
static void see_activation(Sequence *self, const MmdToken *token, int by)
{
    Actor *actor = find_or_add_actor(self, token);
    g_autofree char *name = mmd_excerpt(token->start, token->stop);
    if (by < 0 && actor->active < 1)
        set_problem(self, token,
                    g_strdup_printf("'%s' is not active, so it cannot be deactivated", name),
                    g_strdup_printf("Add before it: activate %s", name));
    actor->active += by;
}

static void see_message(Sequence *self, const MmdToken *from, const MmdToken *to)
{
    bool is_create = self->created != NULL;
    char **awaits = is_create ? &self->created : &self->destroyed;
    g_autofree char *awaited = g_steal_pointer(awaits);
    if (!awaited)
        return;
    g_autofree char *name = mmd_excerpt(awaited, awaited + strlen(awaited));
    g_autofree char *from_name = mmd_token_text(from), *to_name = mmd_token_text(to);
    bool is_from = !is_create && strcmp(from_name, awaited) == 0;
    if (is_from || strcmp(to_name, awaited) == 0)
        return;
    set_problem(self, is_create ? to : from,
                g_strdup_printf(is_create ? "the first message after 'create' must go to '%s'"
                                          : "the first message after 'destroy' must come from or "
                                            "go to '%s'",
                                name),
                NULL);
}

/* The current token as the name of a participant; `after` says what is before it. */
static bool take_name(MmdParser *p, const char *after, MmdToken *ret_name)
{
    MmdToken found = p->token;
    if (mmd_accept(p, SEQ_NAME)) {
        *ret_name = found;
        return true;
    }
    mmd_need_other(p, "a participant after '%s'", after);
    if (is_keyword(&found))
        return hint_other_name(p, &found);
    return mmd_is(p, SEQ_NUMBER) && mmd_hint(p, "No blank may follow a name that is a number");
}

static bool take_text(MmdParser *p, const MmdToken *after)
{
    g_autofree char *name = mmd_excerpt(after->start, after->stop);
    return mmd_accept(p, SEQ_TEXT) || mmd_need_other(p, "':' and a text after '%s'", name);
}

static bool take_line_end(MmdParser *p, const char *after)
{
    return mmd_is_line_end(p) ? mmd_advance(p)
                              : mmd_need_other(p, "the end of the line after %s", after);
}

/* The label of a block or an alias: up to the end of the line, a semicolon or a comment. */
static bool skip_label(MmdParser *p)
{
    return mmd_skip(p, "\\h*[^#\n;]*") && mmd_advance(p);
}

// ---- declarations ----

typedef struct Declared {
    MmdToken name;
    const char *settings, *settings_end; // in @{ … }; NULL: none
    bool has_alias;                      // `as` was taken; its text follows
} Declared;

static bool take_settings(MmdParser *p, Declared *declared)
{
    const char *opened = p->at, *close = mmd_scan(p, opened, "@{[^}]*}");
    if (!close)
        return mmd_unclosed(p, opened, "@{", "'}'");
    declared->settings = opened + 2;
    declared->settings_end = close - 1;
    if (declared->settings == declared->settings_end)
        return mmd_expected(p, declared->settings,
                            "settings, such as \"type\": \"database\", inside '@{'");
    p->at = close;
    return true;
}

/* The name up to the end of the line, a semicolon or a comment. */
static bool take_declared_line(MmdParser *p, const char *word, Declared *declared)
{
    const char *start = p->at, *sign = mmd_scan(p, start, "[^<>:\n,;@]*");
    const char *stop =
        *sign == '\n' || *sign == ';' ? sign : g_strrstr_len(start, sign - start, "#");
    if (!stop) {
        g_autofree char *name = mmd_excerpt(start, sign);
        mmd_expected(p, sign, "the end of the line after the participant's name");
        return *sign == ':' && mmd_hint(p, "write: %s %s as …", word, name);
    }
    p->at = stop;
    declared->name.stop = mmd_trim_end(start, stop);
    return true;
}

/* What follows `participant` and the like, the current token: to the end of the name or after `as`.
 */
static bool take_declared(MmdParser *p, Declared *ret_declared)
{
    static const char alias[] = "(?i)\\h+as(?=\\s)";
    g_autofree char *word = mmd_parser_keyword(p);
    mmd_skip(p, "\\h*(#.*)?");
    const char *start = p->at, *stop = mmd_scan(p, start, "[^<>:,;@\\s]*");
    if (stop == start)
        return mmd_expected(p, start, "a participant's name after '%s'", word);
    *ret_declared = (Declared) { .name = { .start = start, .stop = stop } };
    const char *settings = mmd_scan(p, stop, "\\h*(?=@{)");
    if (!settings && !mmd_scan(p, stop, alias))
        return take_declared_line(p, word, ret_declared);
    p->at = settings ? settings : stop;
    if (settings && !take_settings(p, ret_declared))
        return false;
    ret_declared->has_alias = mmd_skip(p, alias);
    return true;
}

/* What is in `@{ … }`: YAML, on one line without its braces. */
static bool check_settings(MmdParser *p, const Declared *declared)
{
    size_t size = (size_t)(declared->settings_end - declared->settings);
    g_autofree char *text = g_strstrip(g_strndup(declared->settings, size));
    g_strdelimit(text, (char[]) { MMD_ENTITY_OPEN, MMD_ENTITY_CLOSE, '\0' }, '_');
    bool has_lines = strchr(text, '\n') != NULL;
    g_autofree char *yaml = g_strdup_printf(has_lines ? "%s\n" : "{\n%s\n}", text);
    g_autoptr(json_t) value = NULL;
    g_autofree char *reason = NULL;
    size_t line;
    if (mmd_yaml_parse(yaml, &value, &reason, &line))
        return true;
    mmd_fail(p, MMD_SYNTAX, declared->settings - 2, "the settings in '@{ }' are not YAML: %s",
             reason);
    return has_lines && mmd_hint(p, "Write them on one line: @{ \"type\": \"database\" }");
}

/* `participant X as text`, `destroy X`; the current token is the keyword. */
static bool parse_participant(MmdParser *p, bool is_created)
{
    Sequence *self = p->state;
    bool is_destroyed = mmd_is(p, SEQ_DESTROY);
    Declared declared;
    if (!take_declared(p, &declared))
        return false;
    if (is_destroyed && (declared.has_alias || declared.settings))
        return mmd_expected(p, declared.name.stop, "the end of the line after the name");
    if (declared.settings && !check_settings(p, &declared))
        return false;
    if (declared.has_alias)
        skip_label(p);
    else
        mmd_advance(p);
    if (is_created) {
        see_created(self, &declared.name);
    } else if (is_destroyed) {
        g_free(self->destroyed);
        self->destroyed = mmd_token_text(&declared.name);
    } else {
        see_actor(self, &declared.name);
    }
    return take_line_end(p, "the participant");
}

static bool parse_activation(MmdParser *p)
{
    int by = mmd_is(p, SEQ_ACTIVATE) ? 1 : -1;
    Declared declared;
    if (!take_declared(p, &declared))
        return false;
    if (declared.has_alias || declared.settings)
        return mmd_expected(p, declared.name.stop, "the end of the line after the name");
    see_activation(p->state, &declared.name, by);
    return mmd_advance(p) && take_line_end(p, "the name");
}

// ---- messages and notes ----

static bool fail_arrow(MmdParser *p, const MmdToken *from)
{
    g_autofree char *name = mmd_excerpt(from->start, from->stop);
    const char *before = mmd_trim_end(p->text, from->start);
    mmd_need_other(p, "an arrow, such as '->>', after '%s'", name);
    if (before[-1] == ';' && !memchr(before, '\n', (size_t)(from->start - before)))
        return mmd_hint(p, "A semicolon ends a statement; write #59; for one in a text");
    return mmd_scan(p, p->token.start, "[<>]") &&
           mmd_hint(p, "Arrows are -> --> ->> -->> -x --x -) --) <<->> <<-->>");
}

/* `A ->>+ B: text`, `A ()->> B: text`; the current token is the first name. */
static bool parse_message(MmdParser *p)
{
    MmdToken from = p->token, to;
    mmd_advance(p);
    bool has_circle = mmd_accept(p, SEQ_CIRCLE);
    g_autofree char *arrow = mmd_token_text(&p->token);
    if (!mmd_accept(p, SEQ_ARROW))
        return fail_arrow(p, &from);
    int by = 0;
    if (!mmd_accept(p, SEQ_CIRCLE) && !has_circle)
        by = mmd_accept(p, '+') ? 1 : mmd_accept(p, '-') ? -1 : 0;

    bool has_no_name = mmd_is(p, SEQ_TEXT) || mmd_is_line_end(p);
    if (!take_name(p, arrow, &to)) {
        g_autofree char *name = mmd_excerpt(from.start, from.stop);
        return has_no_name && mmd_hint(p, "write '%s%sC: text'", name, arrow);
    }
    if (!take_text(p, &to))
        return false;
    see_actor(p->state, &from);
    see_actor(p->state, &to);
    see_message(p->state, &from, &to);
    if (by != 0)
        see_activation(p->state, by > 0 ? &to : &from, by);
    return take_line_end(p, "the message");
}

/* `Note left of A: text`, `Note over A,B: text`. */
static bool parse_note(MmdParser *p)
{
    MmdToken name;
    mmd_advance(p);
    bool is_over = mmd_is(p, SEQ_OVER);
    g_autofree char *place = mmd_parser_keyword(p);
    if (!is_over && !mmd_is(p, SEQ_SIDE))
        return mmd_need_other(p, "'left of', 'right of' or 'over' after 'Note'") ||
               hint_when_named(p);
    mmd_advance(p);
    if (!take_name(p, place, &name))
        return false;
    see_actor(p->state, &name);
    if (is_over && mmd_accept(p, ',')) {
        if (!take_name(p, ",", &name))
            return false;
        see_actor(p->state, &name);
    }
    if (mmd_is(p, ',')) {
        mmd_need_other(p, "':' and a text");
        return mmd_hint(p, is_over ? "'Note over' takes two participants at most"
                                   : "Only 'Note over' takes two participants");
    }
    return take_text(p, &name) && take_line_end(p, "the note");
}

/* `links A: {"label": "url"}` and the like. */
static bool parse_link(MmdParser *p)
{
    g_autofree char *word = mmd_parser_keyword(p);
    MmdToken name;
    mmd_advance(p);
    if (!take_name(p, word, &name) || !take_text(p, &name))
        return false;
    see_actor(p->state, &name);
    return take_line_end(p, "the text");
}

/* `autonumber`, `autonumber 10`, `autonumber 10 5`, `autonumber off`. */
static bool parse_autonumber(MmdParser *p)
{
    mmd_advance(p);
    if (mmd_accept(p, SEQ_OFF))
        return take_line_end(p, "'off'");
    bool has_number = mmd_accept(p, SEQ_NUMBER);
    mmd_accept(p, SEQ_NUMBER);
    return mmd_is_line_end(p) ? mmd_advance(p)
                              : mmd_need_other(p, "%s after 'autonumber'",
                                               has_number ? "at most a first number and a step"
                                                          : "a number or 'off'");
}

// ---- blocks ----

typedef struct BlockType {
    const char *word;
    const char *separator; // NULL: none
} BlockType;

static const BlockType block_types[] = {
    { "alt", "else" },        { "par", "and" },  { "par_over", "and" },
    { "critical", "option" }, { "loop", NULL },  { "opt", NULL },
    { "rect", NULL },         { "break", NULL }, { "box", NULL },
};

/* The type of the innermost block; NULL: none is open. */
static const BlockType *open_type(const MmdParser *p)
{
    const char *opened = mmd_block(p);
    if (!opened)
        return NULL;
    const BlockType *type = block_types;
    while (!mmd_has_word(p, opened, type->word))
        type++;
    return type;
}

static bool is_in_box(const MmdParser *p)
{
    const BlockType *type = open_type(p);
    return type && strcmp(type->word, "box") == 0;
}

static bool parse_block(MmdParser *p)
{
    Sequence *self = p->state;
    mmd_open_block(p, p->token.start);
    if (is_in_box(p))
        self->box = ++self->box_count;
    return skip_label(p);
}

static bool parse_end(MmdParser *p)
{
    Sequence *self = p->state;
    if (is_in_box(p))
        self->box = 0;
    if (mmd_close_block(p, "'end'"))
        return true;
    return mmd_advance(p) && hint_when_named(p);
}

/* `else`, `and`, `option`. */
static bool parse_separator(MmdParser *p)
{
    const BlockType *open = open_type(p), *owner = block_types;
    g_autofree char *word = mmd_parser_keyword(p);
    if (open && g_strcmp0(open->separator, word) == 0)
        return skip_label(p);
    while (strcmp(owner->separator, word) != 0)
        owner++;
    if (!open)
        return mmd_fail(p, MMD_SYNTAX, p->token.start, "'%s' stands outside '%s'", word,
                        owner->word);
    return mmd_fail_open(p, p->token.start, mmd_block(p), NULL,
                         "'%s' belongs to '%s', but the open block is '%s'", word, owner->word,
                         open->word);
}

static bool parse_statement(MmdParser *p)
{
    int kind = p->token.kind;
    if (kind == SEQ_PARTICIPANT || kind == SEQ_DESTROY)
        return parse_participant(p, false);
    if (is_in_box(p) && kind != MMD_NEWLINE && kind != SEQ_END)
        return mmd_need_other(p, "a participant or 'end' inside 'box'") ||
               mmd_hint(p, "A box holds only participants; write the rest behind its 'end'");
    switch (kind) {
    case MMD_NEWLINE:
    case MMD_WHOLE:
        return mmd_advance(p);
    case SEQ_NAME:
        return parse_message(p);
    case SEQ_CREATE:
        mmd_advance(p);
        return mmd_is_any(p, MMD_ANY(SEQ_PARTICIPANT, SEQ_DESTROY))
                   ? parse_participant(p, true)
                   : mmd_need_other(p, "'participant' or 'actor' after 'create'");
    case SEQ_ACTIVATE:
    case SEQ_DEACTIVATE:
        return parse_activation(p);
    case SEQ_AUTONUMBER:
        return parse_autonumber(p);
    case SEQ_NOTE:
        return parse_note(p);
    case SEQ_LINK:
        return parse_link(p);
    case SEQ_BLOCK:
        return parse_block(p);
    case SEQ_SEPARATOR:
        return parse_separator(p);
    case SEQ_END:
        return parse_end(p);
    default:
        break;
    }
    bool is_odd_sign = kind < MMD_NEWLINE && !mmd_is_any(p, MMD_ANY(',', '+', '-'));
    if (is_odd_sign) // mermaid skips it
        return mmd_advance(p);
    mmd_need_other(p, "a participant or a keyword at the start of a statement");
    if (kind == SEQ_NUMBER)
        return mmd_hint(p, "No blank may follow a name that is a number");
    return is_keyword(&p->last) && hint_when_named(p);
}

static bool parse_all(MmdParser *p)
{
    const Sequence *self = p->state;
    if (mmd_scan(p, p->at, "\\w"))
        return mmd_expected(p, p->at, "a blank or a line end after 'sequenceDiagram'");
    mmd_advance(p);
    while (!mmd_is(p, MMD_END)) {
        if (!parse_statement(p))
            return false;
    }
    if (mmd_block(p))
        return mmd_unclosed(p, mmd_block(p), open_type(p)->word, "'end'");
    if (!self->problem)
        return true;
    mmd_fail(p, MMD_SEMANTIC, self->problem_at, "%s", self->problem);
    return self->hint && mmd_hint(p, "%s", self->hint);
}

bool mmd_parse_sequence(MmdParser *p)
{
    static const MmdGrammar grammar = { read_token, mmd_sequence_expected };
    g_autoptr(GHashTable) actors = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    Sequence self = { .actors = actors };
    p->state = &self;
    p->grammar = &grammar;
    bool is_right = parse_all(p);
    g_free(self.created);
    g_free(self.destroyed);
    g_free(self.problem);
    g_free(self.hint);
    return is_right;
}
