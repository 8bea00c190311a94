/*
 * What the statements of class diagrams are made of: names, labels, and the errors.
 */
#include "agenttools/mermaid/mmd_class.h"

void mmd_class_advance(ClassDiagram *self, ClsMode mode)
{
    self->token = mmd_class_next(&self->lexer, mode);
}

bool mmd_class_is_line_end(const ClassDiagram *self)
{
    return self->token.kind == CLS_NEWLINE || self->token.kind == CLS_EOF;
}

bool mmd_class_hint(ClassDiagram *self, const char *text)
{
    bool has_other = self->token.kind == CLS_BROKEN || self->lexer.comment != NULL;
    return !has_other && mmd_hint(self->p, "%s", text);
}

bool mmd_class_expected(ClassDiagram *self, const char *what)
{
    if (self->token.kind == CLS_BROKEN)
        return false;
    if (self->lexer.comment == NULL)
        return mmd_expected(self->p, self->token.start, "%s", what);
    mmd_expected(self->p, self->token.start, "%s behind the comment, which hides its line end",
                 what);
    return mmd_hint(self->p, "Comments must be on their own line");
}

bool mmd_class_fail_rest_of_line(ClassDiagram *self, ClsKind first)
{
    const MmdToken *token = &self->token;
    const char *at = token->start, *end = self->p->end;
    bool is_class = first == CLS_CLASS, is_style = first == CLS_STYLE || first == CLS_CLASSDEF;
    if (token->kind == CLS_STYLE_SIGN && *at == ':' && mmd_is_blank_to(at + 1, end))
        return mmd_expected(self->p, at + 1, "a text after ':'");
    mmd_class_expected(self, "the end of the line");
    if (*at == ';')
        return mmd_class_hint(self, "A statement ends with its line; remove the semicolon");
    if (mmd_match(at, end, "%%") != NULL)
        return mmd_class_hint(self, "Comments must be on their own line");
    if (token->kind == CLS_CSS)
        return mmd_class_hint(self, "Only class Name:::style gives a style class");
    if (*at == ':' && is_class)
        return mmd_class_hint(self, "A member has a line of its own, without 'class'");
    if (*at == ':')
        return mmd_class_hint(self, "A text may not hold a second colon; members inside { } may");
    if (*at == '<' && is_class && at[-1] != ' ')
        return mmd_class_hint(self, "Write a type parameter with tildes: class A~T~");
    if (is_class && (token->kind == CLS_TIP || token->kind == CLS_LINE))
        return mmd_class_hint(self, "A relation has a line of its own, without 'class'");
    if (first == CLS_WORD && (token->kind == CLS_BRACE_OPEN || token->kind == CLS_CLASS ||
                              mmd_match_word(at, end, "class") != NULL))
        return mmd_class_hint(self,
                              "write class Name { … }, and inside, if need be, <<interface>>");
    if (is_style && token->kind == CLS_MINUS)
        return mmd_class_hint(self, "Put a style without '-' first: fill:#fff,stroke-width:2px");
    if (first == CLS_WORD && mmd_is_one_of(*at, "<>=-.|'"))
        return mmd_class_hint(
            self, "Relations are <|-- *-- o-- --> -- ..> ..|> .. with \"cardinalities\"");
    return false;
}

bool mmd_class_take(ClassDiagram *self, ClsKind kind, ClsMode mode, const char *what)
{
    if (self->token.kind != kind)
        return mmd_class_expected(self, what);
    mmd_class_advance(self, mode);
    return true;
}

bool mmd_class_is_name_part(const ClassDiagram *self)
{
    ClsKind kind = self->token.kind;
    return kind == CLS_WORD || kind == CLS_LETTER || kind == CLS_MINUS;
}

static void append_token(GString *name, const MmdToken *token)
{
    const char *start, *stop;
    mmd_class_token_text(token, &start, &stop);
    g_string_append_len(name, start, stop - start);
}

static bool fail_name(ClassDiagram *self, const char *what)
{
    const MmdToken *token = &self->token;
    bool is_keyword = token->kind >= CLS_CALL && token->kind <= CLS_TARGET;
    mmd_class_expected(self, what);
    if (is_keyword)
        return mmd_class_hint(self, "This is a keyword; a name may begin with a capital letter");
    if (token->kind == CLS_STRING)
        return mmd_class_hint(self, "A name is not quoted; for a label write class A[\"label\"]");
    if (token->kind == CLS_TIP && *token->start == '*')
        return mmd_class_hint(self, "Put cardinalities in double quotes");
    return false;
}

bool mmd_class_take_plain_name(ClassDiagram *self, ClsMode mode, const char *what, char **ret_name)
{
    g_autoptr(GString) name = g_string_new(NULL);
    while (true) {
        bool is_literal = self->token.kind == CLS_LITERAL;
        if (!is_literal && !mmd_class_is_name_part(self))
            return fail_name(self, what);
        append_token(name, &self->token);
        mmd_class_advance(self, mode);
        bool has_dot = self->token.kind == CLS_DOT && !is_literal;
        if (has_dot) {
            g_string_append_c(name, '.');
            mmd_class_advance(self, mode);
        }
        bool has_more = mmd_class_is_name_part(self) || self->token.kind == CLS_LITERAL;
        if (is_literal || (!has_dot && !has_more))
            break;
    }
    *ret_name = g_string_free(g_steal_pointer(&name), FALSE);
    return true;
}

bool mmd_class_take_name(ClassDiagram *self, ClsMode mode, const char *what, char **ret_name)
{
    if (!mmd_class_take_plain_name(self, mode, what, ret_name))
        return false;
    if (self->token.kind == CLS_GENERIC)
        mmd_class_advance(self, mode);
    return true;
}

bool mmd_class_take_label(ClassDiagram *self, ClsMode mode)
{
    if (self->token.kind != CLS_SQUARE_OPEN)
        return true;
    mmd_class_advance(self, mode);
    return mmd_class_take(self, CLS_STRING, mode, "a label in double quotes after '['") &&
           mmd_class_take(self, CLS_SQUARE_CLOSE, mode, "']' after the label");
}
