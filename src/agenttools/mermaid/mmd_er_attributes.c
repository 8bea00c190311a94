/*
 * The attributes of an entity: `{ type name PK, FK "comment" … }`. Line ends mean nothing here.
 */
#include "agenttools/mermaid/mmd_er.h"

typedef enum {
    ATTRIBUTE_EOF,
    ATTRIBUTE_WORD,
    ATTRIBUTE_KEY,
    ATTRIBUTE_COMMENT,
    ATTRIBUTE_SIGN
} Kind;

typedef struct Block {
    MmdParser *p;
    const char *opened;
    MmdToken token;         // the current one
    MmdToken last;          // the one before it
    MmdToken lone_type;     // of the first attribute whose name stands on a later line
    const char *no_generic; // up to here no word has a type parameter
} Block;

static const MmdRule keys[] = { { "PK" }, { "FK" }, { "UK" }, { NULL } };

/* From a word with a `~` in it to the last one of the line: `Map~K, V~`. */
static const char *match_generic(Block *self, const char *at)
{
    const char *end = self->p->end;
    if (self->no_generic != NULL && at < self->no_generic)
        return NULL;
    const char *word_end = mmd_find_end_of_word(at, end, "");
    self->no_generic = word_end;
    const char *first = memchr(at, '~', (size_t)(word_end - at));
    const char *line_end = mmd_line_end(at, end);
    const char *last = first != NULL ? g_strrstr_len(first, line_end - first, "~") : NULL;
    return last != NULL && last > first ? mmd_find_end_of_word(last, end, "") : NULL;
}

/* `name`, `string[]`, `decimal(10,2)`, `*id`. */
static const char *match_word(const char *at, const char *end)
{
    const char *stop = at;
    while (stop < end) {
        gunichar c = g_utf8_get_char(stop);
        bool is_first = stop == at;
        bool is_part = g_ascii_isalpha(*stop) || c == '_' || c == '*' || c >= 0xc0 ||
                       (!is_first && (g_ascii_isdigit(*stop) || mmd_is_one_of(*stop, "-[]().,")));
        if (!is_part)
            break;
        stop = g_utf8_next_char(stop);
    }
    return stop > at ? stop : NULL;
}

/* False behind back-quotes that enclose nothing. */
static bool read_token(Block *self, MmdToken *ret_token)
{
    const char *end = self->p->end, *start = self->p->at, *stop;
    if ((stop = mmd_match_any(keys, MMD_WORDS | MMD_NOCASE, start, end)) != NULL) {
        *ret_token = (MmdToken) { ATTRIBUTE_KEY, start, stop };
    } else if ((stop = match_generic(self, start)) != NULL ||
               (stop = match_word(start, end)) != NULL) {
        *ret_token = (MmdToken) { ATTRIBUTE_WORD, start, stop };
    } else if (*start == '`') {
        stop = memchr(start + 1, '`', (size_t)(end - start - 1));
        if (stop == start + 1) {
            self->p->at = stop + 1;
            return false;
        }
        *ret_token = (MmdToken) { ATTRIBUTE_WORD, start, stop != NULL ? stop + 1 : end };
    } else if (*start == '"' &&
               (stop = memchr(start + 1, '"', (size_t)(end - start - 1))) != NULL) {
        *ret_token = (MmdToken) { ATTRIBUTE_COMMENT, start, stop + 1 };
    } else {
        *ret_token = (MmdToken) { ATTRIBUTE_SIGN, start, g_utf8_next_char(start) };
    }
    return true;
}

static void advance(Block *self)
{
    MmdParser *p = self->p;
    self->last = self->token;
    do {
        mmd_skip_white(p);
        self->token = (MmdToken) { ATTRIBUTE_EOF, p->at, p->at };
    } while (!mmd_at_end(p) && !read_token(self, &self->token));
    if (self->token.kind != ATTRIBUTE_EOF)
        p->at = self->token.stop;
}

static bool is_sign(const Block *self, char sign)
{
    return self->token.kind == ATTRIBUTE_SIGN && *self->token.start == sign;
}

static bool has_line_end(const char *start, const char *stop)
{
    return memchr(start, '\n', (size_t)(stop - start)) != NULL;
}

/* "expected WHAT", at the end of its line when the next token stands on a later one. */
static bool expected(Block *self, const char *what)
{
    bool is_later = has_line_end(self->last.stop, self->token.start);
    return mmd_expected(self->p, is_later ? self->last.stop : self->token.start, "%s", what);
}

/* `is_extra`: what was taken for a type stands behind another attribute, on its line. */
static bool fail_name(Block *self, const MmdToken *type, bool is_extra)
{
    const MmdToken *lone = self->lone_type.start != NULL ? &self->lone_type : type;
    const MmdToken *found = &self->token;
    g_autofree char *name = mmd_excerpt(lone->start, lone->stop);
    g_autofree char *what = g_strdup_printf("the name of an attribute after its type '%s'", name);
    if (lone == &self->lone_type)
        return mmd_expected(self->p, lone->stop, "%s", what);
    expected(self, what);
    if (*type->start == '"')
        return mmd_hint(self->p, "A comment may not hold two '~'");
    if (is_extra)
        return mmd_hint(self->p, "Only PK, FK, UK and a \"comment\" may follow a name");
    if (*found->start == ':')
        return mmd_hint(self->p, "An attribute is a type and a name: string email");
    if (*found->start == '<')
        return mmd_hint(self->p, "Write a type parameter with tildes: List~string~");
    if (mmd_is_one_of(*found->start, "|}{") && !has_line_end(type->stop, found->start) &&
        found->start + 1 < self->p->end && found->start[1] != '\n')
        return mmd_hint(self->p, "Close the entity with '}' before a relation");
    if (g_ascii_isdigit(*found->start) && type->stop[-1] == ',')
        return mmd_hint(self->p, "No blank may stand inside a type: decimal(10,2)");
    if (g_ascii_isdigit(*found->start))
        return mmd_hint(self->p, "A name begins with a letter or _");
    if (found->kind == ATTRIBUTE_KEY)
        return mmd_hint(self->p, "PK, FK and UK are keys; they follow the name");
    return false;
}

/* `PK, FK`, then `"comment"`. */
static bool take_keys_and_comment(Block *self)
{
    bool has_more = self->token.kind == ATTRIBUTE_KEY;
    while (has_more) {
        advance(self);
        has_more = is_sign(self, ',');
        if (!has_more)
            break;
        advance(self);
        if (self->token.kind != ATTRIBUTE_KEY)
            return expected(self, "PK, FK or UK after ','");
    }
    if (self->token.kind != ATTRIBUTE_COMMENT)
        return true;
    advance(self);
    if (self->token.kind != ATTRIBUTE_KEY)
        return true;
    expected(self, "the next attribute after a comment");
    return mmd_hint(self->p, "Keys stand before the comment: type name PK \"comment\"");
}

/* The current token is no type. */
static bool fail_type(Block *self)
{
    const char *at = self->token.start;
    if (self->token.kind == ATTRIBUTE_EOF)
        return mmd_unclosed(self->p, self->opened, "the entity", "'}'");
    if (*at == '"' && self->token.kind == ATTRIBUTE_SIGN)
        return mmd_fail_open(self->p, at, at, NULL,
                             "the comment is not closed: expected another '\"'");
    mmd_expected(self->p, at, "an attribute or '}'");
    if (mmd_match(at, self->p->end, "%%") != NULL)
        return mmd_hint(self->p, "Comments must be on their own line");
    if (*at == ';' || *at == ',')
        return mmd_hint(self->p, "Attributes have nothing between them; remove '%c'", *at);
    if (*at == ':')
        return mmd_hint(self->p, "An attribute is a type and a name: string email");
    return false;
}

bool mmd_er_take_attributes(MmdParser *p, const char *opened)
{
    Block self = { .p = p, .opened = opened, .token.stop = opened + 1 };
    advance(&self);
    while (!is_sign(&self, '}')) {
        MmdToken type = self.token;
        bool is_first = self.last.start == NULL;
        bool is_extra = !is_first && !has_line_end(self.last.stop, type.start);
        if (type.kind != ATTRIBUTE_WORD)
            return fail_type(&self);
        advance(&self);
        if (is_sign(&self, '?'))
            advance(&self);
        if (self.token.kind != ATTRIBUTE_WORD)
            return self.token.kind == ATTRIBUTE_EOF && self.lone_type.start == NULL
                       ? mmd_unclosed(p, opened, "the entity", "'}'")
                       : fail_name(&self, &type, is_extra);
        if (self.lone_type.start == NULL && has_line_end(type.stop, self.token.start))
            self.lone_type = type;
        advance(&self);
        if (!take_keys_and_comment(&self))
            return false;
    }
    return true;
}
