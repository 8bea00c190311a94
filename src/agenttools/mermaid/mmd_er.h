/*
 * Tokens of entity relationship diagrams, shared by the mmd_er files.
 */
#pragma once

#include "agenttools/mermaid/mmd_lex.h"

typedef enum {
    ER_EOF,
    ER_NEWLINE,
    ER_WHOLE,  // a statement without more tokens: direction LR, accTitle: …
    ER_WORD,   // a name or a role
    ER_QUOTED, // "a name or a role"
    ER_STRING, // in double quotes what can only be a role: nothing, % or \ or line ends inside
    ER_NUMBER, // a name
    ER_CARDINALITY,
    ER_LINK,
    ER_COLON,
    ER_CSS, // :::
    ER_COMMA,
    ER_SQUARE_OPEN,
    ER_SQUARE_CLOSE,
    ER_BRACE_OPEN,
    ER_STYLE, // style, classDef: their text is scanned on its own
    ER_CLASS,
    ER_SUBGRAPH,
    ER_END,
    ER_HEADER, // the header word once more
    ER_OTHER,  // a character that begins nothing
    ER_BROKEN, // reported
} ErKind;

/* The token at p->at, outside the blocks of attributes and the styles. */
MmdToken mmd_er_next(MmdLexer *self);
/* `{ type name PK "comment" … }`, behind the brace at `opened`, with its closing brace. */
bool mmd_er_take_attributes(MmdParser *p, const char *opened);
/* `a,b fill:#f9f,…` behind `keyword`, with its line end. */
bool mmd_er_take_styles(MmdParser *p, const char *keyword);
