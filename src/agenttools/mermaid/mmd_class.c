/*
 * Checks class diagrams (agent-tools-cli §8.7).
 */
#include "agenttools/mermaid/mmd_parser.h"

enum { // signs are their own kinds: . : # % , [ ] { } and - as a part of a name
    CLASS_WORD = MMD_KINDS,
    CLASS_LETTER,  // outside ASCII
    CLASS_LITERAL, // `name in back-quotes`
    CLASS_GENERIC, // ~T~
    CLASS_STRING,
    CLASS_TIP,  // the end of a relation: <| * o < ()
    CLASS_LINE, // -- or ..
    CLASS_LABEL,
    CLASS_CSS, // :::
    CLASS_ANNOTATION_OPEN,
    CLASS_ANNOTATION_CLOSE,
    CLASS_HEADER, // the header word once more
    CLASS_CALL,   // `call f(args)` as a whole; from here on keywords
    CLASS_CLASS,
    CLASS_NAMESPACE,
    CLASS_STYLE,
    CLASS_CLASSDEF,
    CLASS_CSSCLASS,
    CLASS_CALLBACK,
    CLASS_LINK,
    CLASS_CLICK,
    CLASS_NOTE,
    CLASS_NOTE_FOR,
    CLASS_HREF,
    CLASS_TARGET
};

enum { // modes: some words are keywords only in some places
    IN_DIAGRAM = 1 << 0,
    IN_CLASS = 1 << 1,     // after `class`, up to the end of the line
    IN_NAMESPACE = 1 << 2, // after `namespace` or its body, up to the end of the line
    IN_BODY = 1 << 3,      // of a namespace
};

#define DEPTH_MAX 200 // of namespaces

typedef struct ClassDiagram {
    GHashTable *classes; // char *: names of the classes so far
    unsigned mode, depth;
    const char *comment; // after the code of this statement, whose line end it hides; or NULL
    bool is_in_line;     // the last token was no line end
} ClassDiagram;

static const MmdTokenRule rules[] = {
    { CLASS_CALL, "call\\s+[^(]+\\([^)]*\\)", IN_DIAGRAM },
    { MMD_BROKEN, "call\\s+", IN_DIAGRAM },
    { MMD_NOTHING, "\"\"|``|~~" },
    { CLASS_STRING, "\"[^\"]+\"" },
    { CLASS_LITERAL, "`[^`]+(`|$)" },
    { CLASS_GENERIC, "~[^~]+~" },
    { CLASS_HEADER, "classDiagram\\>", IN_DIAGRAM },
    { CLASS_STYLE, "style\\>", IN_DIAGRAM },
    { CLASS_CLASSDEF, "classDef\\>", IN_DIAGRAM },
    { CLASS_NAMESPACE, "namespace\\>", IN_DIAGRAM | IN_NAMESPACE | IN_BODY },
    { CLASS_CLASS, "class\\>", IN_DIAGRAM | IN_BODY },
    { CLASS_CSSCLASS, "cssClass\\>" },
    { CLASS_CALLBACK, "callback\\>" },
    { CLASS_LINK, "link\\>" },
    { CLASS_CLICK, "click\\>" },
    { CLASS_NOTE_FOR, "note for\\>" },
    { CLASS_NOTE, "note\\>" },
    { CLASS_HREF, "href\\>" },
    { CLASS_TARGET, "_(self|blank|parent|top)\\>" },
    { CLASS_LABEL, ":[^:\n;]+" },
    { CLASS_ANNOTATION_OPEN, "<<" },
    { CLASS_ANNOTATION_CLOSE, ">>" },
    { CLASS_TIP, "o\\>|<\\||\\|>|[<>*]|\\(\\)" },
    { CLASS_LINE, "--|\\.\\." },
    { CLASS_CSS, ":::" },
    { CLASS_WORD, "\\w+" },
    { CLASS_LETTER, "\\l" },
    { 0 },
};

// ---- tokens ----

/* White space, and comments, which hide their line end. Returns whether a line ended. */
static bool skip_blanks(MmdParser *p)
{
    ClassDiagram *self = p->state;
    for (;;) {
        const char *start = p->at;
        mmd_skip(p, "\\s*");
        if (memchr(start, '\n', (size_t)(p->at - start)))
            return true;
        if (self->mode != IN_DIAGRAM || !mmd_scan(p, p->at, "%%"))
            return false;
        if (self->is_in_line)
            self->comment = p->at;
        mmd_skip(p, ".*\n*");
    }
}

/* A statement that is one token; an empty block of accDescr is none. */
static bool read_whole(MmdParser *p)
{
    const char *start = p->at, *stop = mmd_direction(p, MMD_DIRECTION);
    if (stop)
        mmd_read_to(p, MMD_WHOLE, stop);
    else if (mmd_read_accessibility(p, false) && mmd_scan(p, start, "accDescr\\s*{\\s*}"))
        p->token.kind = MMD_NOTHING;
    return p->at > start;
}

/* Reports what is not closed, and what mermaid finds in back-quotes and ~ ~ before anything else.
 */
static bool check_enclosed(MmdParser *p)
{
    const char *start = p->token.start, *inner = start + 1;
    const char *what = *start == '"'   ? "the string"
                       : *start == '`' ? "the name in back-quotes"
                                       : "the type parameter";
    if (mmd_is(p, '"') || mmd_is(p, '~'))
        return mmd_fail_open(p, start, start, NULL, "%s is not closed: expected another '%c'", what,
                             *start);
    bool is_name = mmd_is(p, CLASS_LITERAL) || mmd_is(p, CLASS_GENERIC);
    static const char odd[] = "[\"~]|<<|>>|(cssClass|callback|link|click|note|href)\\>";
    return !is_name || !mmd_scan(p, inner, odd) ||
           mmd_fail(p, MMD_SYNTAX, inner, "%s begins with a keyword or a sign: %s", what,
                    mmd_found(p, inner));
}

static void read_token(MmdParser *p)
{
    ClassDiagram *self = p->state;
    do {
        const char *start = p->at;
        bool has_line_end = skip_blanks(p);
        self->is_in_line = !has_line_end;
        if (has_line_end) {
            self->comment = NULL;
            p->token = (MmdToken) { .kind = MMD_NEWLINE, .start = start, .stop = p->at };
            return;
        }
        if (mmd_at_end(p)) {
            mmd_read_to(p, MMD_END, p->at);
            return;
        }
        if (self->mode == IN_DIAGRAM && read_whole(p))
            continue;
        mmd_read_any(p, rules, self->mode);
        if (mmd_is(p, MMD_BROKEN)) // `call` without its parentheses
            mmd_expected(p, *p->at == '(' ? p->at : mmd_line_end(p->at, p->end),
                         "a function with parentheses after 'call', such as 'call show()'");
        else if (!check_enclosed(p))
            p->token.kind = MMD_BROKEN;
    } while (mmd_is(p, MMD_NOTHING));
}

static bool mmd_parser_expected(MmdParser *p, const char *what)
{
    const ClassDiagram *self = p->state;
    if (mmd_is(p, MMD_BROKEN))
        return false;
    if (!self->comment)
        return mmd_expected(p, p->token.start, "%s", what);
    mmd_expected(p, p->token.start, "%s behind the comment, which hides its line end", what);
    return mmd_hint(p, "Comments must be on their own line");
}

/* Adds a hint to an error of mmd_parser_expected(). False. */
static bool mmd_parser_hint(MmdParser *p, const char *text)
{
    const ClassDiagram *self = p->state;
    return !mmd_is(p, MMD_BROKEN) && !self->comment && mmd_hint(p, "%s", text);
}

static bool mmd_parser_enter(MmdParser *p, unsigned mode)
{
    ClassDiagram *self = p->state;
    self->mode = mode;
    return mmd_advance(p);
}

/* The statement is over, but its line is not; `first` is the kind of its first token. False. */
static bool fail_rest_of_line(MmdParser *p, int first)
{
    const char *at = p->token.start;
    bool is_class = first == CLASS_CLASS,
         is_style = first == CLASS_STYLE || first == CLASS_CLASSDEF;
    if (mmd_is(p, ':') && mmd_scan(p, at + 1, "\\h*(\n|$)"))
        return mmd_expected(p, at + 1, "a text after ':'");
    mmd_need_other(p, "the end of the line");
    if (*at == ';')
        return mmd_parser_hint(p, "A statement ends with its line; remove the semicolon");
    if (mmd_scan(p, at, "%%"))
        return mmd_parser_hint(p, "Comments must be on their own line");
    if (mmd_is(p, CLASS_CSS))
        return mmd_parser_hint(p, "Only class Name:::style gives a style class");
    if (*at == ':' && is_class)
        return mmd_parser_hint(p, "A member has a line of its own, without 'class'");
    if (*at == ':')
        return mmd_parser_hint(p, "A text may not hold a second colon; members inside { } may");
    if (*at == '<' && is_class && at[-1] != ' ')
        return mmd_parser_hint(p, "Write a type parameter with tildes: class A~T~");
    if (is_class && mmd_is_any(p, MMD_ANY(CLASS_TIP, CLASS_LINE)))
        return mmd_parser_hint(p, "A relation has a line of its own, without 'class'");
    if (first == CLASS_WORD && mmd_scan(p, at, "{|class\\>"))
        return mmd_parser_hint(p, "write class Name { … }, and inside, if need be, <<interface>>");
    if (is_style && mmd_is(p, '-'))
        return mmd_parser_hint(p, "Put a style without '-' first: fill:#fff,stroke-width:2px");
    if (first == CLASS_WORD && mmd_scan(p, at, "[<>=\\-.|']"))
        return mmd_parser_hint(
            p, "Relations are <|-- *-- o-- --> -- ..> ..|> .. with \"cardinalities\"");
    return false;
}

// ---- names ----

static bool is_name_part(const MmdParser *p)
{
    return mmd_is_any(p, MMD_ANY(CLASS_WORD, CLASS_LETTER, '-'));
}

static bool fail_name(MmdParser *p, const char *what)
{
    mmd_need_other(p, "%s", what);
    if (p->token.kind >= CLASS_CALL)
        return mmd_parser_hint(p, "This is a keyword; a name may begin with a capital letter");
    if (mmd_is(p, CLASS_STRING))
        return mmd_parser_hint(p, "A name is not quoted; for a label write class A[\"label\"]");
    return mmd_is(p, CLASS_TIP) && *p->token.start == '*' &&
           mmd_parser_hint(p, "Put cardinalities in double quotes");
}

/* `Name`, `some.Name` or one in back-quotes; parts may have blanks between them. */
static bool take_plain_name(MmdParser *p, const char *what, char **ret_name)
{
    g_autoptr(GString) name = g_string_new(NULL);
    for (bool has_more = true; has_more;) {
        bool is_literal = mmd_is(p, CLASS_LITERAL);
        if (!is_literal && !is_name_part(p))
            return fail_name(p, what);
        int mark = is_literal ? 1 : 0;
        g_string_append_len(name, p->token.start + mark, p->token.stop - p->token.start - 2 * mark);
        mmd_advance(p);
        bool has_dot = !is_literal && mmd_accept(p, '.');
        if (has_dot)
            g_string_append_c(name, '.');
        has_more = !is_literal && (has_dot || is_name_part(p) || mmd_is(p, CLASS_LITERAL));
    }
    *ret_name = g_string_free(g_steal_pointer(&name), FALSE);
    return true;
}

/* The same, with an optional type parameter, which is no part of *ret_name: `Name~T~`. */
static bool take_name(MmdParser *p, const char *what, char **ret_name)
{
    if (!take_plain_name(p, what, ret_name))
        return false;
    mmd_accept(p, CLASS_GENERIC);
    return true;
}

/* `["label"]`, when there is one. */
static bool take_label(MmdParser *p)
{
    return !mmd_accept(p, '[') ||
           (mmd_need(p, CLASS_STRING, "a label in double quotes after '['") &&
            mmd_need(p, ']', "']' after the label"));
}

/* Takes ownership of `name`. */
static void add_class(MmdParser *p, char *name)
{
    ClassDiagram *self = p->state;
    g_hash_table_add(self->classes, name);
}

// ---- classes ----

/*
 * Free text, but what has a `)` after its first character is taken for a method, which needs a
 * name and a `(` before it.
 */
static bool check_member(MmdParser *p, const char *start, const char *stop)
{
    start = mmd_skip_white(start, stop);
    stop = mmd_trim_end(start, stop);
    size_t size = (size_t)(stop - start);
    bool is_annotation = size >= 2 && memcmp(start, "<<", 2) == 0 && memcmp(stop - 2, ">>", 2) == 0;
    const char *close = memchr(start, ')', size);
    if (!close || close == start || is_annotation)
        return true;
    const char *open = memchr(start + 1, '(', size - 1);
    if (open && memchr(open, ')', (size_t)(stop - open)))
        return true;
    mmd_fail(p, MMD_SEMANTIC, close, "')' without a name and a '(' before it");
    return mmd_hint(p, "A method stands on one line: name(arguments) type");
}

/* The members after the `{` that is the current token, and the brace that closes them. */
static bool take_members(MmdParser *p, bool needs_member)
{
    const char *opened = p->token.start, *first = p->at;
    while (mmd_skip(p, "\n|(?!\"|\\[\\*\\])[^\n}{]+"))
        continue;
    if (mmd_at_end(p))
        return mmd_unclosed(p, opened, "the body of the class", "'}'");
    if (*p->at == '{') {
        mmd_fail_open(p, p->at, opened, NULL, "'{' may not stand among the members of a class");
        return mmd_hint(p, "Close the class before it, or leave braces out of members");
    }
    if (*p->at != '}')
        return mmd_expected(p, p->at, "a member of the class");
    if (needs_member && mmd_scan(p, first, "\n*}"))
        return mmd_expected(p, p->at, "a member of the class behind its ':::'");
    for (const char *member = first; member < p->at; member++) {
        const char *stop = mmd_line_end(member, p->at);
        if (!check_member(p, member, stop))
            return false;
        member = stop;
    }
    p->at++;
    return mmd_advance(p);
}

/* `<<annotation>>`, without the first sign. */
static bool take_annotation(MmdParser *p)
{
    if (!is_name_part(p))
        return mmd_need_other(p, "one word after '<<'");
    return mmd_advance(p) && mmd_need(p, CLASS_ANNOTATION_CLOSE, "'>>' after one word");
}

/* `class Name~T~ ["label"] :::css { members }`; the current token is `class`. */
static bool parse_class(MmdParser *p)
{
    char *name;
    mmd_parser_enter(p, IN_CLASS);
    if (!take_name(p, "the name of a class after 'class'", &name))
        return false;
    add_class(p, name);
    if (!take_label(p))
        return false;
    bool has_css = mmd_accept(p, CLASS_CSS);
    if (has_css && !is_name_part(p))
        return mmd_need_other(p, "the name of a style class after ':::'");
    if (has_css)
        mmd_advance(p);
    else if (mmd_accept(p, CLASS_ANNOTATION_OPEN) && !take_annotation(p))
        return false;
    return !mmd_is(p, '{') || take_members(p, has_css);
}

/* `note "text"`, `note for Name "text"`. */
static bool parse_note(MmdParser *p)
{
    g_autofree char *name = NULL;
    bool is_for = mmd_is(p, CLASS_NOTE_FOR);
    mmd_advance(p);
    return (!is_for || take_name(p, "the name of a class after 'note for'", &name)) &&
           mmd_need(p, CLASS_STRING, "the text of the note in double quotes");
}

static bool parse_namespace(MmdParser *p);

/* One statement of a namespace, up to its line end. */
static bool parse_namespace_item(MmdParser *p)
{
    if (mmd_is(p, CLASS_CLASS))
        return parse_class(p);
    if (mmd_is(p, CLASS_NOTE) || mmd_is(p, CLASS_NOTE_FOR))
        return parse_note(p);
    if (mmd_is(p, CLASS_NAMESPACE))
        return parse_namespace(p);
    mmd_need_other(p, "a class or a note inside 'namespace'");
    return !mmd_is(p, '}') && mmd_parser_hint(p, "Write it behind the namespace's '}'");
}

/* `namespace Name { … }`; the current token is `namespace`. */
static bool parse_namespace(MmdParser *p)
{
    g_autofree char *name = NULL;
    ClassDiagram *self = p->state;
    if (self->depth == DEPTH_MAX)
        return mmd_fail(p, MMD_SYNTAX, p->token.start, "blocks are nested more than %d deep",
                        DEPTH_MAX);
    self->depth++;
    mmd_parser_enter(p, IN_NAMESPACE);
    if (!take_plain_name(p, "a name after 'namespace'", &name) || !take_label(p))
        return false;
    const char *opened = p->token.start;
    if (!mmd_is(p, '{'))
        return mmd_need_other(p, "'{' after the name of the namespace, on the same line");
    mmd_parser_enter(p, IN_BODY);
    mmd_accept(p, MMD_NEWLINE);
    do {
        if (mmd_is(p, MMD_END))
            return mmd_unclosed(p, opened, "the namespace", "'}'");
        if (!parse_namespace_item(p))
            return false;
        if (mmd_is(p, MMD_NEWLINE))
            mmd_parser_enter(p, IN_BODY);
        else if (!mmd_is(p, '}') && !mmd_is(p, MMD_END))
            return fail_rest_of_line(p, CLASS_CLASS);
    } while (!mmd_is(p, '}'));
    self->depth--;
    return mmd_parser_enter(p, IN_NAMESPACE);
}

// ---- statements ----

/* `<<annotation>> Name`. */
static bool parse_annotation(MmdParser *p)
{
    const ClassDiagram *self = p->state;
    g_autofree char *name = NULL;
    mmd_advance(p);
    if (!take_annotation(p))
        return false;
    const char *place = p->token.start;
    if (!take_name(p, "the name of a class after '>>'", &name))
        return false;
    if (g_hash_table_contains(self->classes, name))
        return true;
    g_autofree char *excerpt = mmd_excerpt(name, name + strlen(name));
    mmd_fail(p, MMD_SEMANTIC, place, "there is no class '%s' before its annotation", excerpt);
    return mmd_hint(p, "Add before it: class %s", excerpt);
}

/* The current token is neither the tip of a relation's line nor a line. */
static bool fail_line(MmdParser *p, const MmdToken *tip)
{
    if (!tip)
        return mmd_need_other(p, "a relation, such as '-->'");
    if (*tip->start == '>' && tip->start > p->text && tip->start[-1] == '-') {
        mmd_fail(p, MMD_SYNTAX, tip->start - 1, "'->' is no relation");
        return mmd_hint(p, "use -->");
    }
    mmd_need_other(p, "a line, '--' or '..', after '%.*s'", (int)(tip->stop - tip->start),
                   tip->start);
    return mmd_is(p, '-') && mmd_parser_hint(p, "Write two dashes");
}

/* `"1" <|--* "many" Name`, after the name `from`, which it takes over. */
static bool take_relation(MmdParser *p, char *from_)
{
    g_autofree char *from = from_, *to = NULL;
    mmd_accept(p, CLASS_STRING);
    MmdToken from_tip = p->token;
    bool has_from_tip = mmd_accept(p, CLASS_TIP);
    if (!mmd_accept(p, CLASS_LINE))
        return fail_line(p, has_from_tip ? &from_tip : NULL);
    MmdToken to_tip = p->token;
    bool has_to_tip = mmd_accept(p, CLASS_TIP);
    bool has_string = mmd_accept(p, CLASS_STRING);
    if (!take_name(p, "a class at the other end of the relation", &to))
        return has_string && mmd_is_line_end(p) &&
               mmd_parser_hint(p, "A name is not quoted; what is quoted is a cardinality");
    bool from_is_interface = has_from_tip && *from_tip.start == '(' && !has_to_tip; // bar ()-- foo
    bool to_is_interface = has_to_tip && *to_tip.start == '(' && !has_from_tip;
    if (!from_is_interface)
        add_class(p, g_steal_pointer(&from));
    if (!to_is_interface)
        add_class(p, g_steal_pointer(&to));
    mmd_accept(p, CLASS_LABEL);
    return true;
}

/* `Name`, `Name : member`, `A --> B : label`. */
static bool parse_named(MmdParser *p)
{
    g_autofree char *name = NULL;
    if (!take_name(p, "the name of a class", &name))
        return false;
    if (mmd_is(p, CLASS_LABEL)) {
        add_class(p, g_steal_pointer(&name));
        return check_member(p, p->token.start + 1, p->token.stop) && mmd_advance(p);
    }
    return !mmd_is_any(p, MMD_ANY(CLASS_STRING, CLASS_TIP, CLASS_LINE)) ||
           take_relation(p, g_steal_pointer(&name));
}

/* `classDef a,b styles`, `style Name styles`. */
static bool parse_styles(MmdParser *p)
{
    bool is_classdef = mmd_is(p, CLASS_CLASSDEF);
    mmd_advance(p);
    if (!mmd_need(p, CLASS_WORD,
                  is_classdef ? "a name after 'classDef'" : "the name of a class after 'style'"))
        return false;
    while (is_classdef && mmd_accept(p, ',')) {
        if (!mmd_need(p, CLASS_WORD, "a name after ','"))
            return false;
    }
    do {
        const char *start = p->token.start;
        while (mmd_is_any(p, MMD_ANY(CLASS_WORD, CLASS_LABEL, ':', '#', '%', CLASS_STYLE)))
            mmd_advance(p);
        if (p->token.start == start)
            return mmd_need_other(p, "a style, such as 'fill:#f9f'");
    } while (mmd_accept(p, ','));
    return true;
}

/* `link X "url" ["tip"] [_blank]`, `callback X "f" ["tip"]`, `click X href "url" …|call f() …`. */
static bool parse_click(MmdParser *p)
{
    int kind = p->token.kind;
    g_autofree char *name = NULL;
    mmd_advance(p);
    if (!take_name(p, "the name of a class", &name))
        return false;
    bool has_call = kind == CLASS_CLICK && mmd_accept(p, CLASS_CALL);
    if (kind == CLASS_CLICK && !has_call &&
        !mmd_need(p, CLASS_HREF, "'href \"url\"' or 'call f()' after the class"))
        return false;
    if (!has_call && !mmd_need(p, CLASS_STRING,
                               kind == CLASS_CALLBACK ? "a function in double quotes"
                                                      : "a URL in double quotes"))
        return false;
    mmd_accept(p, CLASS_STRING);
    if (!has_call && kind != CLASS_CALLBACK)
        mmd_accept(p, CLASS_TARGET);
    return true;
}

static bool parse_statement(MmdParser *p)
{
    switch (p->token.kind) {
    case MMD_WHOLE:
        return mmd_advance(p);
    case CLASS_CLASS:
        return parse_class(p);
    case CLASS_NAMESPACE:
        return parse_namespace(p);
    case CLASS_ANNOTATION_OPEN:
        return parse_annotation(p);
    case CLASS_NOTE:
    case CLASS_NOTE_FOR:
        return parse_note(p);
    case CLASS_STYLE:
    case CLASS_CLASSDEF:
        return parse_styles(p);
    case CLASS_CSSCLASS: // cssClass "a,b" name
        return mmd_advance(p) &&
               mmd_need(p, CLASS_STRING,
                        "the names of classes in double quotes after 'cssClass'") &&
               mmd_need(p, CLASS_WORD, "the name of a style class");
    case CLASS_CALLBACK:
    case CLASS_LINK:
    case CLASS_CLICK:
        return parse_click(p);
    case CLASS_WORD:
    case CLASS_LETTER:
    case '-':
    case CLASS_LITERAL:
        return parse_named(p);
    case '}':
        return mmd_fail_close(p, "'}'");
    default:
        mmd_need_other(p, "a class, a relation or a keyword");
        return mmd_is(p, CLASS_STRING) &&
               mmd_parser_hint(p, "A name is not quoted; put one with blanks in back-quotes");
    }
}

bool mmd_parse_class(MmdParser *p)
{
    static const MmdGrammar grammar = { read_token, mmd_parser_expected };
    g_autoptr(GHashTable) classes = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    ClassDiagram self = { .classes = classes, .mode = IN_DIAGRAM };
    p->state = &self;
    p->grammar = &grammar;
    if (!mmd_scan(p, p->at, "\\h*(\n|$)"))
        return mmd_expected(p, p->at, "a line end after 'classDiagram'");
    mmd_advance(p); // the line end
    mmd_advance(p);
    if (mmd_is(p, MMD_END))
        return mmd_expected(p, p->at, "a class or a relation");
    while (!mmd_is(p, MMD_END)) {
        int first = p->token.kind;
        if (!parse_statement(p))
            return false;
        if (!mmd_is_line_end(p))
            return fail_rest_of_line(p, first);
        if (mmd_is(p, MMD_NEWLINE))
            mmd_parser_enter(p, IN_DIAGRAM);
    }
    return true;
}
