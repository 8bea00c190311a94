/*
 * The grammar of sequence diagrams (agent-tools-cli §8.7).
 */
#include "agenttools/mermaid/mmd_sequence.h"
#include "agenttools/mermaid/mmd_yaml.h"

typedef struct BlockType {
    const char *word;
    const char *separator; // NULL: none
} BlockType;

static const BlockType block_types[] = {
    { "alt", "else" },        { "par", "and" },  { "par_over", "and" },
    { "critical", "option" }, { "loop", NULL },  { "opt", NULL },
    { "rect", NULL },         { "break", NULL }, { "box", NULL },
};

typedef struct Block {
    const BlockType *type;
    const char *opened;
} Block;

typedef struct Sequence {
    MmdParser *p;
    MmdToken token; // the current one
    MmdToken last;  // the one before it
    GArray *blocks; // of Block: those that are open
    SeqActors actors;
} Sequence;

static void advance(Sequence *self)
{
    self->last = self->token;
    self->token = mmd_sequence_next(self->p);
}

static bool is_line_end(const Sequence *self)
{
    return self->token.kind == SEQ_NEWLINE || self->token.kind == SEQ_EOF;
}

/* "expected WHAT, found …" at the current token. */
static bool expected(Sequence *self, const char *what)
{
    const MmdToken *token = &self->token;
    return token->word != NULL ? mmd_expected_no_keyword(self->p, token->start, token->stop, what)
                               : mmd_expected(self->p, token->start, "%s", what);
}

/* A keyword stands where a participant was meant; false. */
static bool hint_other_name(Sequence *self, const MmdToken *keyword)
{
    return mmd_hint(self->p, "Name it otherwise, such as: participant P as %.*s",
                    (int)(keyword->stop - keyword->start), keyword->start);
}

/* The same, when an arrow follows the keyword that was taken last. */
static bool hint_when_named(Sequence *self)
{
    return self->token.kind == SEQ_ARROW && hint_other_name(self, &self->last);
}

/* The current token as the name of a participant; `after` says what stands before it. */
static bool take_name(Sequence *self, const char *after, MmdToken *ret_name)
{
    if (self->token.kind == SEQ_NAME) {
        *ret_name = self->token;
        advance(self);
        return true;
    }
    g_autofree char *what = g_strdup_printf("a participant after '%s'", after);
    expected(self, what);
    if (self->token.word != NULL)
        return hint_other_name(self, &self->token);
    if (self->token.kind == SEQ_NUMBER)
        return mmd_hint(self->p, "No blank may follow a name that is a number");
    return false;
}

static bool take_text(Sequence *self, const MmdToken *after)
{
    if (self->token.kind == SEQ_TEXT) {
        advance(self);
        return true;
    }
    g_autofree char *name = mmd_excerpt(after->start, after->stop);
    g_autofree char *what = g_strdup_printf("':' and a text after '%s'", name);
    return expected(self, what);
}

static bool take_line_end(Sequence *self, const char *after)
{
    if (is_line_end(self)) {
        advance(self);
        return true;
    }
    g_autofree char *what = g_strdup_printf("the end of the line after %s", after);
    return expected(self, what);
}

static void see_actor(Sequence *self, const MmdToken *name)
{
    mmd_sequence_see_actor(&self->actors, name->start, name->stop);
}

/* `->>+`, `()->>` and the like behind the participant `from`. *ret_by: what it activates. */
static bool take_arrow(Sequence *self, const MmdToken *from, MmdToken *ret_arrow, int *ret_by)
{
    bool has_circle = self->token.kind == SEQ_CIRCLE;
    if (has_circle)
        advance(self);
    if (self->token.kind != SEQ_ARROW) {
        g_autofree char *name = mmd_excerpt(from->start, from->stop);
        g_autofree char *what = g_strdup_printf("an arrow, such as '->>', after '%s'", name);
        const char *at = self->token.start;
        const char *before = mmd_trim_end(self->p->text, from->start);
        expected(self, what);
        if (before[-1] == ';' && before > mmd_line_start(self->p, from->start))
            return mmd_hint(self->p, "A semicolon ends a statement; write #59; for one in a text");
        return at < self->p->end && mmd_is_one_of(*at, "<>") &&
               mmd_hint(self->p, "Arrows are -> --> ->> -->> -x --x -) --) <<->> <<-->>");
    }

    *ret_arrow = self->token;
    *ret_by = 0;
    advance(self);
    if (self->token.kind == SEQ_CIRCLE) {
        advance(self);
    } else if (!has_circle && (self->token.kind == SEQ_PLUS || self->token.kind == SEQ_MINUS)) {
        *ret_by = self->token.kind == SEQ_PLUS ? 1 : -1;
        advance(self);
    }
    return true;
}

/* `A ->>+ B: text`; the current token is the first name. */
static bool parse_message(Sequence *self)
{
    MmdToken from = self->token, arrow = { 0 }, to;
    int by = 0;
    advance(self);
    if (!take_arrow(self, &from, &arrow, &by))
        return false;

    g_autofree char *sign = g_strndup(arrow.start, (size_t)(arrow.stop - arrow.start));
    bool has_no_name = self->token.kind == SEQ_TEXT || is_line_end(self);
    if (!take_name(self, sign, &to)) {
        g_autofree char *name = mmd_excerpt(from.start, from.stop);
        return has_no_name && mmd_hint(self->p, "write '%s%sC: text'", name, sign);
    }
    if (!take_text(self, &to))
        return false;
    see_actor(self, &from);
    see_actor(self, &to);
    mmd_sequence_see_message(&self->actors, &from, &to);
    const MmdToken *active = by > 0 ? &to : &from;
    if (by != 0)
        mmd_sequence_see_activation(&self->actors, active->start, active->stop, by);
    return take_line_end(self, "the message");
}

/* `Note left of A: text`, `Note over A,B: text`. */
static bool parse_note(Sequence *self)
{
    MmdToken name;
    advance(self);
    MmdToken place = self->token;
    if (place.kind != SEQ_SIDE && place.kind != SEQ_OVER)
        return expected(self, "'left of', 'right of' or 'over' after 'Note'") ||
               hint_when_named(self);
    advance(self);
    if (!take_name(self, place.word, &name))
        return false;
    see_actor(self, &name);
    if (self->token.kind == SEQ_COMMA && place.kind == SEQ_OVER) {
        advance(self);
        if (!take_name(self, ",", &name))
            return false;
        see_actor(self, &name);
    } else if (self->token.kind == SEQ_COMMA) {
        expected(self, "':' and a text");
        return mmd_hint(self->p, "Only 'Note over' takes two participants");
    }
    if (self->token.kind == SEQ_COMMA) {
        expected(self, "':' and a text");
        return mmd_hint(self->p, "'Note over' takes two participants at most");
    }
    return take_text(self, &name) && take_line_end(self, "the note");
}

/* `links A: {"label": "url"}` and the like. */
static bool parse_link(Sequence *self)
{
    const char *word = self->token.word;
    MmdToken name;
    advance(self);
    if (!take_name(self, word, &name) || !take_text(self, &name))
        return false;
    see_actor(self, &name);
    return take_line_end(self, "the text");
}

/* What stands in `@{ … }`: YAML, on one line without its braces. */
static bool check_settings(Sequence *self, const SeqDeclared *declared)
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
    mmd_fail(self->p, MMD_SYNTAX, declared->settings - 2, "the settings in '@{ }' are not YAML: %s",
             reason);
    return has_lines && mmd_hint(self->p, "Write them on one line: @{ \"type\": \"database\" }");
}

/* `participant X as text`, `destroy X`; the current token is the keyword. */
static bool parse_participant(Sequence *self, bool is_created)
{
    MmdToken keyword = self->token;
    SeqDeclared declared;
    if (!mmd_sequence_take_declared(self->p, keyword.word, &declared))
        return false;
    bool is_destroyed = keyword.kind == SEQ_DESTROY;
    if (is_destroyed && (declared.has_alias || declared.settings != NULL))
        return mmd_expected(self->p, declared.stop, "the end of the line after the name");
    if (declared.settings != NULL && !check_settings(self, &declared))
        return false;
    if (declared.has_alias)
        mmd_sequence_skip_label(self->p);
    advance(self);

    if (is_created)
        mmd_sequence_see_created(&self->actors, declared.start, declared.stop);
    else if (is_destroyed)
        mmd_sequence_see_destroyed(&self->actors, declared.start, declared.stop);
    else
        mmd_sequence_see_actor(&self->actors, declared.start, declared.stop);
    return take_line_end(self, "the participant");
}

static bool parse_create(Sequence *self)
{
    advance(self);
    if (self->token.kind != SEQ_PARTICIPANT && self->token.kind != SEQ_DESTROY)
        return expected(self, "'participant' or 'actor' after 'create'");
    return parse_participant(self, true);
}

static bool parse_activation(Sequence *self)
{
    MmdToken keyword = self->token;
    SeqDeclared declared;
    if (!mmd_sequence_take_declared(self->p, keyword.word, &declared))
        return false;
    if (declared.has_alias || declared.settings != NULL)
        return mmd_expected(self->p, declared.stop, "the end of the line after the name");
    mmd_sequence_see_activation(&self->actors, declared.start, declared.stop,
                                keyword.kind == SEQ_ACTIVATE ? 1 : -1);
    advance(self);
    return take_line_end(self, "the name");
}

/* `autonumber`, `autonumber 10`, `autonumber 10 5`, `autonumber off`. */
static bool parse_autonumber(Sequence *self)
{
    advance(self);
    if (self->token.kind == SEQ_OFF) {
        advance(self);
        return take_line_end(self, "'off'");
    }
    bool has_number = self->token.kind == SEQ_NUMBER;
    for (int i = 0; i < 2 && self->token.kind == SEQ_NUMBER; i++)
        advance(self);
    if (is_line_end(self)) {
        advance(self);
        return true;
    }
    return expected(self, has_number ? "at most a first number and a step after 'autonumber'"
                                     : "a number or 'off' after 'autonumber'");
}

static Block *open_block(Sequence *self)
{
    guint count = self->blocks->len;
    return count > 0 ? &g_array_index(self->blocks, Block, count - 1) : NULL;
}

static bool is_in_box(Sequence *self)
{
    const Block *block = open_block(self);
    return block != NULL && strcmp(block->type->word, "box") == 0;
}

static bool parse_block(Sequence *self)
{
    Block block = { NULL, self->token.start };
    for (size_t i = 0; i < G_N_ELEMENTS(block_types) && block.type == NULL; i++) {
        if (strcmp(block_types[i].word, self->token.word) == 0)
            block.type = &block_types[i];
    }
    g_assert(block.type != NULL);
    g_array_append_val(self->blocks, block);
    if (is_in_box(self))
        self->actors.box = ++self->actors.box_count;
    mmd_sequence_skip_label(self->p);
    advance(self);
    return true;
}

static bool parse_end(Sequence *self)
{
    if (open_block(self) == NULL) {
        mmd_fail(self->p, MMD_SYNTAX, self->token.start, "'end' closes nothing");
        mmd_hint(self->p, "no open block to close");
        advance(self);
        return hint_when_named(self);
    }
    if (is_in_box(self))
        self->actors.box = 0;
    g_array_set_size(self->blocks, self->blocks->len - 1);
    advance(self);
    return true;
}

/* `else`, `and`, `option`. */
static bool parse_separator(Sequence *self)
{
    const Block *block = open_block(self);
    const char *word = self->token.word;
    if (block != NULL && g_strcmp0(block->type->separator, word) == 0) {
        mmd_sequence_skip_label(self->p);
        advance(self);
        return true;
    }
    const char *owner = NULL;
    for (size_t i = 0; owner == NULL; i++)
        owner = g_strcmp0(block_types[i].separator, word) == 0 ? block_types[i].word : NULL;
    if (block == NULL)
        return mmd_fail(self->p, MMD_SYNTAX, self->token.start, "'%s' stands outside '%s'", word,
                        owner);
    return mmd_fail_open(self->p, self->token.start, block->opened, NULL,
                         "'%s' belongs to '%s', but the open block is '%s'", word, owner,
                         block->type->word);
}

static bool skip_token(Sequence *self)
{
    advance(self);
    return true;
}

static bool parse_statement(Sequence *self)
{
    static bool (*const parsers[])(Sequence *) = {
        [SEQ_NEWLINE] = skip_token,
        [SEQ_OTHER] = skip_token,
        [SEQ_WHOLE] = skip_token,
        [SEQ_NAME] = parse_message,
        [SEQ_CREATE] = parse_create,
        [SEQ_ACTIVATE] = parse_activation,
        [SEQ_DEACTIVATE] = parse_activation,
        [SEQ_AUTONUMBER] = parse_autonumber,
        [SEQ_NOTE] = parse_note,
        [SEQ_LINK] = parse_link,
        [SEQ_BLOCK] = parse_block,
        [SEQ_SEPARATOR] = parse_separator,
        [SEQ_END] = parse_end,
        [SEQ_HEADER] = NULL,
    };
    SeqKind kind = self->token.kind;
    if (kind == SEQ_PARTICIPANT || kind == SEQ_DESTROY)
        return parse_participant(self, false);
    if (is_in_box(self) && kind != SEQ_NEWLINE && kind != SEQ_END)
        return expected(self, "a participant or 'end' inside 'box'") ||
               mmd_hint(self->p, "A box holds only participants; write the rest behind its 'end'");
    if (parsers[kind] != NULL)
        return parsers[kind](self);
    expected(self, "a participant or a keyword at the start of a statement");
    if (kind == SEQ_NUMBER)
        return mmd_hint(self->p, "No blank may follow a name that is a number");
    return self->last.word != NULL && hint_when_named(self);
}

static bool parse_all(Sequence *self)
{
    if (!mmd_at_end(self->p) && mmd_is_word_char(*self->p->at))
        return mmd_expected(self->p, self->p->at, "a blank or a line end after 'sequenceDiagram'");
    advance(self);
    while (self->token.kind != SEQ_EOF) {
        if (!parse_statement(self))
            return false;
    }
    const Block *block = open_block(self);
    if (block != NULL)
        return mmd_unclosed(self->p, block->opened, block->type->word, "'end'");
    const SeqActors *actors = &self->actors;
    if (actors->problem == NULL)
        return true;
    mmd_fail(self->p, MMD_SEMANTIC, actors->problem_at, "%s", actors->problem);
    return actors->hint != NULL && mmd_hint(self->p, "%s", actors->hint);
}

bool mmd_parse_sequence(MmdParser *p)
{
    Sequence self = { .p = p, .blocks = g_array_new(FALSE, FALSE, sizeof(Block)) };
    mmd_sequence_actors_init(&self.actors);
    bool is_right = parse_all(&self);
    mmd_sequence_actors_clear(&self.actors);
    g_array_unref(self.blocks);
    return is_right;
}
