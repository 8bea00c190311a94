/*
 * Tokens of class diagrams and the state of their parser, shared by the mmd_class files.
 */
#pragma once

#include "agenttools/mermaid/mmd_lex.h"

typedef enum {
    CLS_EOF,
    CLS_NEWLINE,
    CLS_WHOLE,   // a statement without more tokens: direction LR, accTitle: …
    CLS_WORD,    // ASCII letters, digits, _
    CLS_LETTER,  // another letter
    CLS_MINUS,   // part of a name
    CLS_DOT,     // between parts of a name
    CLS_LITERAL, // `name in back-quotes`
    CLS_GENERIC, // ~T~
    CLS_STRING,
    CLS_TIP,  // the end of a relation: <| * o < ()
    CLS_LINE, // -- or ..
    CLS_LABEL,
    CLS_CSS, // :::
    CLS_ANNOTATION_OPEN,
    CLS_ANNOTATION_CLOSE,
    CLS_STYLE_SIGN, // : # %
    CLS_COMMA,
    CLS_SQUARE_OPEN,
    CLS_SQUARE_CLOSE,
    CLS_BRACE_OPEN,
    CLS_BRACE_CLOSE,
    CLS_CALL, // `call f(args)` as a whole
    CLS_CLASS,
    CLS_NAMESPACE,
    CLS_STYLE,
    CLS_CLASSDEF,
    CLS_CSSCLASS,
    CLS_CALLBACK,
    CLS_LINK,
    CLS_CLICK,
    CLS_NOTE,
    CLS_NOTE_FOR,
    CLS_HREF,
    CLS_TARGET,
    CLS_HEADER, // the header word once more
    CLS_OTHER,  // a character that begins nothing
    CLS_BROKEN, // something was not closed; reported
} ClsKind;

/* Some words are keywords only in some places. */
typedef enum {
    CLS_IN_DIAGRAM = 1,
    CLS_IN_CLASS = 2,     // after `class`, up to the end of the line
    CLS_IN_NAMESPACE = 4, // after `namespace` or behind its body, up to the end of the line
    CLS_IN_NAMESPACE_BODY = 8,
} ClsMode;

typedef struct ClsLexer {
    MmdLexer base;
    const char *comment; // behind the code of this statement, whose line end it hides; or NULL
    bool is_in_line;     // the last token was no line end
} ClsLexer;

/* The token at p->at. A broken string, generic or name in back-quotes records an error. */
MmdToken mmd_class_next(ClsLexer *self, ClsMode mode);
/* The text of a token without its marks. */
void mmd_class_token_text(const MmdToken *token, const char **ret_start, const char **ret_stop);

typedef struct ClassDiagram {
    MmdParser *p;
    ClsLexer lexer;
    MmdToken token;      // the current one
    GHashTable *classes; // char *: names of the classes so far
} ClassDiagram;

/* Reads the next token. */
void mmd_class_advance(ClassDiagram *self, ClsMode mode);
bool mmd_class_is_line_end(const ClassDiagram *self);
/* Is the current token a part of a name, other than one in back-quotes? */
bool mmd_class_is_name_part(const ClassDiagram *self);

/* "expected WHAT, found …" at the current token, unless that is broken and reported. False. */
bool mmd_class_expected(ClassDiagram *self, const char *what);
/* Adds a hint to an error of mmd_class_expected(). False. */
bool mmd_class_hint(ClassDiagram *self, const char *text);
/* The statement is over, but its line is not; `first` is the kind of its first token. False. */
bool mmd_class_fail_rest_of_line(ClassDiagram *self, ClsKind first);

/* The current token must be of that kind; `what` says so in the error. */
bool mmd_class_take(ClassDiagram *self, ClsKind kind, ClsMode mode, const char *what);
/* `Name`, `some.Name` or one in back-quotes; parts may have blanks between them. */
bool mmd_class_take_plain_name(ClassDiagram *self, ClsMode mode, const char *what, char **ret_name);
/* The same, with an optional type parameter, which is no part of *ret_name: `Name~T~`. */
bool mmd_class_take_name(ClassDiagram *self, ClsMode mode, const char *what, char **ret_name);
/* `["label"]`, when one stands there. */
bool mmd_class_take_label(ClassDiagram *self, ClsMode mode);
