/*
 * What the lexers of the types are made of: tables of rules, tokens, statements that all types
 * know, and the form of messages. Private to this folder; pure; thread safe.
 */
#pragma once

#include "agenttools/mermaid/mmd_parser.h"

/* A line of a lexer's table; one that begins another comes after it. */
typedef struct MmdRule {
    const char *literal; // NULL: the table's end
    unsigned kind;       // of the type's own
    unsigned modes;      // bits of the type's modes in which it counts; 0: in all
} MmdRule;

typedef struct MmdLexer {
    MmdParser *p;
} MmdLexer;

/* The first rule that fits at `at`; `how` of MmdHow. NULL: none. */
const MmdRule *mmd_match_rule(const MmdRule *rules, unsigned how, unsigned mode, const char *at,
                              const char *end);
/* The place behind its literal. */
const char *mmd_match_any(const MmdRule *rules, unsigned how, const char *at, const char *end);
/* Its token. */
bool mmd_match_token(const MmdRule *rules, unsigned how, unsigned mode, const char *at,
                     const char *end, MmdToken *ret_token);

/* A line with `direction TB` (BT, RL, LR) anywhere behind `at` is a direction as a whole: its end.
 */
const char *mmd_match_direction(const char *at, const char *end, bool ignores_case);

/* The same at the scanner; each line is looked at once. */
const char *mmd_direction_here(MmdParser *p, bool ignores_case);

typedef struct MmdAccessibility {
    const char *stop;
    const char *brace; // of `accDescr {`; NULL: the other forms
    bool is_open;      // without its closing brace it hides the rest, which most types allow
} MmdAccessibility;

/* Does `accTitle: …`, `accDescr: …` or `accDescr { … }` stand at `at`? */
bool mmd_match_accessibility(const char *at, const char *end, bool ignores_case,
                             MmdAccessibility *ret_found);

/* Takes it when it stands at the scanner, in any case; false when its brace is not closed. */
bool mmd_take_accessibility(MmdParser *p, bool *ret_taken);
/* Takes one that was found, where the type wants a text and the brace closed; false: there is none.
 */
bool mmd_take_strict_accessibility(MmdParser *p, const MmdAccessibility *found);

/* A text as messages quote it: on one line, and not longer than MMD_FOUND_CHARS. Caller frees. */
char *mmd_excerpt(const char *start, const char *stop);
/* Where something has to be changed: what stands at `at`, or the last character of its line when
   that ends there. */
const char *mmd_blame(const MmdParser *p, const char *at);
/* "expected WHAT, found …" at mmd_blame(). False. */
bool mmd_expected(MmdParser *p, const char *at, const char *format, ...) G_GNUC_PRINTF(3, 4);
/* The same, where the keyword from `at` to `stop` was found. */
bool mmd_expected_no_keyword(MmdParser *p, const char *at, const char *stop, const char *what);
/* The text ended inside `what` ("loop", "the class"); `close` is what it needs. False. */
bool mmd_unclosed(MmdParser *p, const char *opened, const char *what, const char *close);

bool mmd_enter(MmdParser *p, const char *where); // a nested block; at most MMD_DEPTH_MAX
void mmd_leave(MmdParser *p);
/* Behind the header word: it must end there. */
bool mmd_begin(MmdParser *p, const char *header);
