/*
 * JSX: elements in JavaScript, whose text is text. `{…}` in them is code again, in frames.
 *
 * `<T>` may also be a type parameter of TSX. It is taken for an element only when nothing in it
 * contradicts, and when its closing tag comes later.
 */
#include "lang/lexer_state.h"

static bool is_name_byte(char c)
{
    return lexer_is_word(c) || c == '-' || c == '.' || c == ':' || c == '$';
}

static size_t name_end(const Lexer *self, size_t place)
{
    while (place < self->end && is_name_byte(self->text[place]))
        place++;
    return place;
}

/* One pass over the whole text, once: where each name's last closing tag is. */
static void collect_closers(Lexer *self)
{
    self->jsx_closers = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (size_t place = lexer_find(self, self->start, "</"); place < self->end;
         place = lexer_find(self, place, "</")) {
        size_t start = place + 2, end = name_end(self, start);
        g_hash_table_replace(self->jsx_closers, g_strndup(self->text + start, end - start),
                             GSIZE_TO_POINTER(place));
        place = end;
    }
}

static bool is_closed_later(Lexer *self, size_t name, size_t end)
{
    if (!self->jsx_closers)
        collect_closers(self);
    g_autofree char *key = g_strndup(self->text + name, end - name);
    return GPOINTER_TO_SIZE(g_hash_table_lookup(self->jsx_closers, key)) > name;
}

/* At `{`: goes into the code. */
static bool enter_code(Lexer *self, FrameKind kind, unsigned elements)
{
    const Frame frame = { .kind = kind, .open = '{', .close = '}', .elements = elements };
    self->at++;
    return frame_push(self, &frame);
}

/* `<T<K>…`: type arguments behind a tag's name. False when they are none. */
static bool skip_type_arguments(Lexer *self)
{
    size_t depth = 0;
    while (self->at < self->end) {
        char c = self->text[self->at];
        if (c == ';' || (c == '>' && depth == 0))
            return false;
        depth += c == '<';
        depth -= c == '>';
        self->at++;
        if (depth == 0)
            return true;
    }
    return false;
}

typedef enum { TAG_OPENED, TAG_CLOSED_ITSELF, TAG_HAS_CODE, TAG_IS_NONE } TagEnd;

static void skip_tag_string(Lexer *self)
{
    const Literal literal = { .tag = self->text + self->at, .tag_size = 1, .flags = STRING_LINES };
    literal_open(self, 1, &literal);
}

/* `a={…}`, `{...rest}`, and a brace that holds a comment; `<T extends {…}>` is something else. */
static bool opens_code(const Lexer *self)
{
    size_t before = lexer_code_before(self, self->at);
    size_t inside = self->at + 1;
    while (inside < self->end && g_ascii_isspace(self->text[inside]))
        inside++;
    return lexer_before(self, before) == '=' || lexer_has(self, inside, "...") ||
           lexer_has(self, inside, "/*") || lexer_has(self, inside, "//");
}

/* From inside of a tag, behind its name or a piece of code: to behind it. */
static TagEnd read_tag(Lexer *self, unsigned elements)
{
    static const BlockMark block = { "/*", "*/", 0 };
    while (self->at < self->end) {
        char c = self->text[self->at];
        if (c == '>') {
            self->at++;
            return TAG_OPENED;
        }
        if (c == '{') {
            bool is_code = opens_code(self) && enter_code(self, FRAME_JSX_TAG, elements);
            return is_code ? TAG_HAS_CODE : TAG_IS_NONE;
        }
        if (lexer_has(self, self->at, "/>")) {
            self->at += 2;
            return TAG_CLOSED_ITSELF;
        }
        if (c == '"' || c == '\'')
            skip_tag_string(self);
        else if (lexer_has(self, self->at, "/*"))
            lexer_add_block(self, &block);
        else if (lexer_has(self, self->at, "//"))
            lexer_add_line(self, 0);
        else if (is_name_byte(c) || c == '=' || g_ascii_isspace(c))
            self->at++;
        else
            return TAG_IS_NONE;
    }
    return TAG_IS_NONE;
}

/* At the name of an opening tag. */
static TagEnd read_opening_tag(Lexer *self, unsigned elements)
{
    size_t name = self->at;
    self->at = name_end(self, name);
    size_t end = self->at;
    if (lexer_peek(self, 0) == '<' && !skip_type_arguments(self))
        return TAG_IS_NONE;
    TagEnd how = read_tag(self, elements);
    // the outermost element must be closed somewhere, else it was a type parameter
    if (how == TAG_OPENED && elements == 0 && !is_closed_later(self, name, end))
        return TAG_IS_NONE;
    return how;
}

static void read_text(Lexer *self, unsigned elements);

/* What comes after a tag: text, or the code around the element. */
static void read_on(Lexer *self, TagEnd how, unsigned elements)
{
    if (how == TAG_OPENED)
        elements++;
    if ((how == TAG_OPENED || how == TAG_CLOSED_ITSELF) && elements > 0)
        read_text(self, elements);
}

/* Text between tags, `elements` deep, to the end of the outermost or to code. */
static void read_text(Lexer *self, unsigned elements)
{
    while (self->at < self->end && elements > 0) {
        char c = self->text[self->at];
        if (c == '{') {
            if (enter_code(self, FRAME_JSX_TEXT, elements))
                return;
        } else if (lexer_has(self, self->at, "</")) {
            size_t close = lexer_find(self, self->at, ">");
            self->at = MIN(close + 1, self->end);
            elements--;
        } else if (c == '<' && (is_name_byte(lexer_peek(self, 1)) || lexer_peek(self, 1) == '>')) {
            self->at++;
            TagEnd how = read_opening_tag(self, elements);
            if (how == TAG_HAS_CODE || how == TAG_IS_NONE)
                return;
            elements += how == TAG_OPENED;
        } else {
            self->at++;
        }
    }
}

bool jsx_open(Lexer *self)
{
    char first = lexer_peek(self, 1);
    bool is_tag = g_ascii_isalpha(first) || first == '_' || first == '$' || first == '>';
    if (!is_tag || !regex_is_operand_next(self))
        return false;
    self->at++;
    read_on(self, read_opening_tag(self, 0), 0);
    return true;
}

void jsx_resume(Lexer *self, const Frame *frame)
{
    if (frame->kind == FRAME_JSX_TEXT)
        read_text(self, frame->elements);
    else
        read_on(self, read_tag(self, frame->elements), frame->elements);
}
