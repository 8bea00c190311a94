/*
 * The grammar of class diagrams (agent-tools-cli §8.7).
 */
#include "agenttools/mermaid/mmd_class.h"

/* Takes ownership of `name`. */
static void add_class(ClassDiagram *self, char *name)
{
    g_hash_table_add(self->classes, name);
}

/*
 * Free text, but what has a `)` behind its first character is taken for a method, which needs a
 * name and a `(` before it.
 */
static bool check_member(ClassDiagram *self, const char *start, const char *stop)
{
    start = mmd_skip_white_from(start, stop);
    stop = mmd_trim_end(start, stop);
    size_t size = (size_t)(stop - start);
    bool is_annotation =
        size >= 2 && mmd_match(start, stop, "<<") != NULL && memcmp(stop - 2, ">>", 2) == 0;
    const char *close = memchr(start, ')', size);
    if (close == NULL || close == start || is_annotation)
        return true;
    const char *open = memchr(start + 1, '(', size - 1);
    if (open != NULL && memchr(open, ')', (size_t)(stop - open)) != NULL)
        return true;
    mmd_fail(self->p, MMD_SEMANTIC, close, "')' without a name and a '(' before it");
    return mmd_hint(self->p, "A method stands on one line: name(arguments) type");
}

/* The members behind the `{` that is the current token, and the brace that closes them. */
static bool take_body(ClassDiagram *self, bool needs_member)
{
    MmdParser *p = self->p;
    const char *opened = self->token.start, *first = p->at;
    bool has_member = false;
    while (!mmd_at_end(p) && *p->at != '}') {
        if (*p->at == '{') {
            mmd_fail_open(p, p->at, opened, NULL, "'{' may not stand among the members of a class");
            return mmd_hint(p, "Close the class before it, or leave braces out of members");
        }
        if (*p->at == '"' || mmd_match(p->at, p->end, "[*]") != NULL)
            return mmd_expected(p, p->at, "a member of the class");
        has_member = has_member || *p->at != '\n';
        p->at = *p->at == '\n' ? p->at + 1 : mmd_find_one_of(p->at, p->end, "{}\n");
    }
    if (mmd_at_end(p))
        return mmd_unclosed(p, opened, "the body of the class", "'}'");
    if (needs_member && !has_member)
        return mmd_expected(p, p->at, "a member of the class behind its ':::'");
    for (const char *member = first; member < p->at; member++) {
        const char *stop = mmd_line_end(member, p->at);
        if (!check_member(self, member, stop))
            return false;
        member = stop;
    }
    p->at++;
    mmd_class_advance(self, CLS_IN_CLASS);
    return true;
}

/* `class Name~T~ ["label"] :::css { members }`; the current token is `class`. */
static bool parse_class(ClassDiagram *self)
{
    char *name;
    mmd_class_advance(self, CLS_IN_CLASS);
    if (!mmd_class_take_name(self, CLS_IN_CLASS, "the name of a class after 'class'", &name))
        return false;
    add_class(self, name);
    if (!mmd_class_take_label(self, CLS_IN_CLASS))
        return false;

    bool has_css = self->token.kind == CLS_CSS;
    if (has_css) {
        mmd_class_advance(self, CLS_IN_CLASS);
        if (!mmd_class_is_name_part(self))
            return mmd_class_expected(self, "the name of a style class after ':::'");
        mmd_class_advance(self, CLS_IN_CLASS);
    } else if (self->token.kind == CLS_ANNOTATION_OPEN) {
        mmd_class_advance(self, CLS_IN_CLASS);
        if (!mmd_class_is_name_part(self))
            return mmd_class_expected(self, "one word after '<<'");
        mmd_class_advance(self, CLS_IN_CLASS);
        if (!mmd_class_take(self, CLS_ANNOTATION_CLOSE, CLS_IN_CLASS, "'>>' after one word"))
            return false;
    }
    return self->token.kind != CLS_BRACE_OPEN || take_body(self, has_css);
}

/* `note "text"`, `note for Name "text"`. */
static bool parse_note(ClassDiagram *self, ClsMode mode)
{
    bool is_for = self->token.kind == CLS_NOTE_FOR;
    mmd_class_advance(self, mode);
    if (is_for) {
        g_autofree char *name = NULL;
        if (!mmd_class_take_name(self, mode, "the name of a class after 'note for'", &name))
            return false;
    }
    return mmd_class_take(self, CLS_STRING, mode, "the text of the note in double quotes");
}

static bool parse_namespace(ClassDiagram *self);

/* One statement of a namespace, up to its line end. */
static bool parse_namespace_item(ClassDiagram *self)
{
    switch (self->token.kind) {
    case CLS_CLASS:
        return parse_class(self);
    case CLS_NOTE:
    case CLS_NOTE_FOR:
        return parse_note(self, CLS_IN_NAMESPACE_BODY);
    case CLS_NAMESPACE:
        return parse_namespace(self);
    default:
        mmd_class_expected(self, "a class or a note inside 'namespace'");
        return self->token.kind != CLS_BRACE_CLOSE &&
               mmd_class_hint(self, "Write it behind the namespace's '}'");
    }
}

/* Behind the `{`, up to the closing brace. */
static bool parse_namespace_body(ClassDiagram *self, const char *opened)
{
    mmd_class_advance(self, CLS_IN_NAMESPACE_BODY);
    if (self->token.kind == CLS_NEWLINE)
        mmd_class_advance(self, CLS_IN_NAMESPACE_BODY);
    do {
        if (self->token.kind == CLS_EOF)
            return mmd_unclosed(self->p, opened, "the namespace", "'}'");
        if (!parse_namespace_item(self))
            return false;
        bool has_line_end = self->token.kind == CLS_NEWLINE;
        if (has_line_end)
            mmd_class_advance(self, CLS_IN_NAMESPACE_BODY);
        else if (self->token.kind != CLS_BRACE_CLOSE && self->token.kind != CLS_EOF)
            return mmd_class_fail_rest_of_line(self, CLS_CLASS);
    } while (self->token.kind != CLS_BRACE_CLOSE);
    mmd_class_advance(self, CLS_IN_NAMESPACE);
    return true;
}

/* `namespace Name { … }`; the current token is `namespace`. */
static bool parse_namespace(ClassDiagram *self)
{
    g_autofree char *name = NULL;
    if (!mmd_enter(self->p, self->token.start))
        return false;
    mmd_class_advance(self, CLS_IN_NAMESPACE);
    if (!mmd_class_take_plain_name(self, CLS_IN_NAMESPACE, "a name after 'namespace'", &name) ||
        !mmd_class_take_label(self, CLS_IN_NAMESPACE))
        return false;
    if (self->token.kind != CLS_BRACE_OPEN)
        return mmd_class_expected(self, "'{' after the name of the namespace, on the same line");
    const char *opened = self->token.start;
    if (!parse_namespace_body(self, opened))
        return false;
    mmd_leave(self->p);
    return true;
}

/* `<<annotation>> Name`. */
static bool parse_annotation(ClassDiagram *self)
{
    g_autofree char *name = NULL;
    mmd_class_advance(self, CLS_IN_DIAGRAM);
    if (!mmd_class_is_name_part(self))
        return mmd_class_expected(self, "one word after '<<'");
    mmd_class_advance(self, CLS_IN_DIAGRAM);
    if (!mmd_class_take(self, CLS_ANNOTATION_CLOSE, CLS_IN_DIAGRAM, "'>>' after one word"))
        return false;
    const char *place = self->token.start;
    if (!mmd_class_take_name(self, CLS_IN_DIAGRAM, "the name of a class after '>>'", &name))
        return false;
    if (g_hash_table_contains(self->classes, name))
        return true;
    g_autofree char *excerpt = mmd_excerpt(name, name + strlen(name));
    mmd_fail(self->p, MMD_SEMANTIC, place, "there is no class '%s' before its annotation", excerpt);
    return mmd_hint(self->p, "Add before it: class %s", excerpt);
}

typedef struct Relation {
    char from, to;   // first character of each end, such as '<'; '\0': none
    bool has_string; // behind the line
} Relation;

/* What stands between two classes: `"1" <|--* "many"`. */
static bool take_relation(ClassDiagram *self, Relation *ret_relation)
{
    *ret_relation = (Relation) { 0 };
    if (self->token.kind == CLS_STRING)
        mmd_class_advance(self, CLS_IN_DIAGRAM);
    MmdToken tip = self->token;
    bool has_tip = tip.kind == CLS_TIP;
    if (has_tip) {
        ret_relation->from = *tip.start;
        mmd_class_advance(self, CLS_IN_DIAGRAM);
    }
    if (self->token.kind != CLS_LINE) {
        bool is_short_arrow =
            has_tip && *tip.start == '>' && tip.start > self->p->text && tip.start[-1] == '-';
        if (is_short_arrow) {
            mmd_fail(self->p, MMD_SYNTAX, tip.start - 1, "'->' is no relation");
            return mmd_hint(self->p, "use -->");
        }
        g_autofree char *what = g_strdup_printf("a line, '--' or '..', after '%.*s'",
                                                (int)(tip.stop - tip.start), tip.start);
        mmd_class_expected(self, has_tip ? what : "a relation, such as '-->'");
        return has_tip && self->token.kind == CLS_MINUS && mmd_class_hint(self, "Write two dashes");
    }
    mmd_class_advance(self, CLS_IN_DIAGRAM);
    if (self->token.kind == CLS_TIP) {
        ret_relation->to = *self->token.start;
        mmd_class_advance(self, CLS_IN_DIAGRAM);
    }
    ret_relation->has_string = self->token.kind == CLS_STRING;
    if (ret_relation->has_string)
        mmd_class_advance(self, CLS_IN_DIAGRAM);
    return true;
}

/* `Name`, `Name : member`, `A --> B : label`. */
static bool parse_named(ClassDiagram *self)
{
    g_autofree char *from = NULL, *to = NULL;
    if (!mmd_class_take_name(self, CLS_IN_DIAGRAM, "the name of a class", &from))
        return false;
    if (self->token.kind == CLS_LABEL) {
        add_class(self, g_steal_pointer(&from));
        if (!check_member(self, self->token.start + 1, self->token.stop))
            return false;
        mmd_class_advance(self, CLS_IN_DIAGRAM);
        return true;
    }
    ClsKind kind = self->token.kind;
    if (kind != CLS_STRING && kind != CLS_TIP && kind != CLS_LINE)
        return true; // only the name, or the caller says what is wrong

    Relation relation;
    if (!take_relation(self, &relation))
        return false;
    if (!mmd_class_take_name(self, CLS_IN_DIAGRAM, "a class at the other end of the relation", &to))
        return relation.has_string && mmd_class_is_line_end(self) &&
               mmd_class_hint(self, "A name is not quoted; what is quoted is a cardinality");
    bool from_is_interface = relation.from == '(' && relation.to == '\0'; // bar ()-- foo
    bool to_is_interface = relation.to == '(' && relation.from == '\0';
    if (!from_is_interface)
        add_class(self, g_steal_pointer(&from));
    if (!to_is_interface)
        add_class(self, g_steal_pointer(&to));
    if (self->token.kind == CLS_LABEL)
        mmd_class_advance(self, CLS_IN_DIAGRAM);
    return true;
}

/* `classDef a,b styles`, `style Name styles`. */
static bool parse_styles(ClassDiagram *self)
{
    bool is_classdef = self->token.kind == CLS_CLASSDEF;
    mmd_class_advance(self, CLS_IN_DIAGRAM);
    if (!mmd_class_take(self, CLS_WORD, CLS_IN_DIAGRAM,
                        is_classdef ? "a name after 'classDef'"
                                    : "the name of a class after 'style'"))
        return false;
    while (is_classdef && self->token.kind == CLS_COMMA) {
        mmd_class_advance(self, CLS_IN_DIAGRAM);
        if (!mmd_class_take(self, CLS_WORD, CLS_IN_DIAGRAM, "a name after ','"))
            return false;
    }
    while (true) {
        bool has_part = false;
        while (self->token.kind == CLS_WORD || self->token.kind == CLS_LABEL ||
               self->token.kind == CLS_STYLE_SIGN || self->token.kind == CLS_STYLE) {
            has_part = true;
            mmd_class_advance(self, CLS_IN_DIAGRAM);
        }
        if (!has_part)
            return mmd_class_expected(self, "a style, such as 'fill:#f9f'");
        if (self->token.kind != CLS_COMMA)
            return true;
        mmd_class_advance(self, CLS_IN_DIAGRAM);
    }
}

/* `cssClass "a,b" name`. */
static bool parse_css_class(ClassDiagram *self)
{
    mmd_class_advance(self, CLS_IN_DIAGRAM);
    return mmd_class_take(self, CLS_STRING, CLS_IN_DIAGRAM,
                          "the names of classes in double quotes after 'cssClass'") &&
           mmd_class_take(self, CLS_WORD, CLS_IN_DIAGRAM, "the name of a style class");
}

static void take_tip_and_target(ClassDiagram *self, bool has_target)
{
    if (self->token.kind == CLS_STRING)
        mmd_class_advance(self, CLS_IN_DIAGRAM);
    if (has_target && self->token.kind == CLS_TARGET)
        mmd_class_advance(self, CLS_IN_DIAGRAM);
}

/* `link X "url" ["tip"] [_blank]`, `callback X "f" ["tip"]`, `click X href "url" …|call f() …`. */
static bool parse_click(ClassDiagram *self)
{
    ClsKind kind = self->token.kind;
    g_autofree char *name = NULL;
    mmd_class_advance(self, CLS_IN_DIAGRAM);
    if (!mmd_class_take_name(self, CLS_IN_DIAGRAM, "the name of a class", &name))
        return false;
    if (kind == CLS_CLICK && self->token.kind == CLS_CALL) {
        mmd_class_advance(self, CLS_IN_DIAGRAM);
        take_tip_and_target(self, false);
        return true;
    }
    if (kind == CLS_CLICK && !mmd_class_take(self, CLS_HREF, CLS_IN_DIAGRAM,
                                             "'href \"url\"' or 'call f()' after the class"))
        return false;
    if (!mmd_class_take(self, CLS_STRING, CLS_IN_DIAGRAM,
                        kind == CLS_CALLBACK ? "a function in double quotes"
                                             : "a URL in double quotes"))
        return false;
    take_tip_and_target(self, kind != CLS_CALLBACK);
    return true;
}

static bool parse_statement(ClassDiagram *self)
{
    switch (self->token.kind) {
    case CLS_WHOLE:
        mmd_class_advance(self, CLS_IN_DIAGRAM);
        return true;
    case CLS_CLASS:
        return parse_class(self);
    case CLS_NAMESPACE:
        return parse_namespace(self);
    case CLS_ANNOTATION_OPEN:
        return parse_annotation(self);
    case CLS_NOTE:
    case CLS_NOTE_FOR:
        return parse_note(self, CLS_IN_DIAGRAM);
    case CLS_STYLE:
    case CLS_CLASSDEF:
        return parse_styles(self);
    case CLS_CSSCLASS:
        return parse_css_class(self);
    case CLS_CALLBACK:
    case CLS_LINK:
    case CLS_CLICK:
        return parse_click(self);
    case CLS_WORD:
    case CLS_LETTER:
    case CLS_MINUS:
    case CLS_LITERAL:
        return parse_named(self);
    case CLS_BRACE_CLOSE:
        mmd_fail(self->p, MMD_SYNTAX, self->token.start, "'}' closes nothing");
        return mmd_hint(self->p, "no open block to close");
    case CLS_STRING:
        mmd_class_expected(self, "a class, a relation or a keyword");
        return mmd_class_hint(self, "A name is not quoted; put one with blanks in back-quotes");
    default:
        return mmd_class_expected(self, "a class, a relation or a keyword");
    }
}

static bool parse_all(ClassDiagram *self)
{
    MmdParser *p = self->p;
    const char *header_end = p->at;
    if (!mmd_is_blank_to(header_end, p->end))
        return mmd_expected(p, header_end, "a line end after 'classDiagram'");
    mmd_class_advance(self, CLS_IN_DIAGRAM); // the line end
    mmd_class_advance(self, CLS_IN_DIAGRAM);
    if (self->token.kind == CLS_EOF)
        return mmd_expected(p, p->at, "a class or a relation");

    while (self->token.kind != CLS_EOF) {
        ClsKind first = self->token.kind;
        if (!parse_statement(self))
            return false;
        if (!mmd_class_is_line_end(self))
            return mmd_class_fail_rest_of_line(self, first);
        if (self->token.kind == CLS_NEWLINE)
            mmd_class_advance(self, CLS_IN_DIAGRAM);
    }
    return true;
}

bool mmd_parse_class(MmdParser *p)
{
    ClassDiagram self = {
        .p = p,
        .lexer.base.p = p,
        .classes = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
    };
    bool is_right = parse_all(&self);
    g_hash_table_unref(self.classes);
    return is_right;
}
