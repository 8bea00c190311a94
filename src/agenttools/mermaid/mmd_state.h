/*
 * Tokens of state diagrams and the state of their parser, shared by the mmd_state files.
 */
#pragma once

#include "agenttools/mermaid/mmd_lex.h"

typedef enum {
    STATE_EOF,
    STATE_NEWLINE, // only outside composite states, where it ends a statement
    STATE_WHOLE,   // a statement without more tokens: direction LR, class A x, …
    STATE_NAME,
    STATE_EDGE, // [*]
    STATE_TEXT, // a colon and the text behind it
    STATE_ARROW,
    STATE_DIVIDER, // --
    STATE_CSS,     // :::
    STATE_STRING,
    STATE_CLICK,
    STATE_HREF,
    STATE_KEYWORD,  // `state` and the white space behind it
    STATE_NOTE,     // `note` and the white space behind it
    STATE_OPEN,     // {
    STATE_CLOSE,    // }
    STATE_RESERVED, // a word that cannot be a name: default
    STATE_OTHER,    // a character that begins nothing
    STATE_BROKEN,   // the rest of the statement is missing; reported
} StateKind;

/* The token at p->at. Inside composite states fewer words are keywords. */
MmdToken mmd_state_next(MmdLexer *self, bool is_nested);
/* Blanks and comments of the line. */
void mmd_state_skip_blanks(MmdParser *p);
/* What follows `note `, up to its end. */
bool mmd_state_take_note(MmdParser *p, const char *keyword);

/*
 * Descriptions of states: mermaid refuses a composite state with more than one. Looked at when the
 * whole text is read.
 */
typedef struct StateTexts {
    GHashTable *by_name; // char * → private
    const char *problem_at;
    char *problem_name; // NULL: none
} StateTexts;

void mmd_state_texts_init(StateTexts *self);
void mmd_state_texts_clear(StateTexts *self);
void mmd_state_see_text(StateTexts *self, const MmdToken *name, const char *at);
void mmd_state_see_composite(StateTexts *self, const MmdToken *name);

typedef enum { AFTER_OTHER, AFTER_TRANSITION, AFTER_NOTE } StateAfter;

typedef struct StateDiagram {
    MmdParser *p;
    MmdLexer lexer;
    MmdToken token;    // the current one
    MmdToken last;     // the one before it
    GArray *blocks;    // const char *: the braces that are open
    MmdToken may_open; // a `state` of the line before, whose brace may begin this one; or none
    StateAfter after;  // the last statement of the line
    StateTexts texts;
} StateDiagram;

void mmd_state_advance(StateDiagram *self);
bool mmd_state_is_nested(const StateDiagram *self);
/* The `{` at p->at, of the composite state `name`. */
bool mmd_state_open_block(StateDiagram *self, const MmdToken *name);
/* What follows `state `, up to the end of the line or behind a brace. A name of a line before
   (`earlier`) may get its brace here. */
bool mmd_state_parse_declaration(StateDiagram *self, const MmdToken *earlier);
