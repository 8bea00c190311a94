/*
 * Parsers that read tokens: the rules of a type's lexer, the current token, and what is said when
 * another one was expected. Private to this folder.
 */
#pragma once

#include "agenttools/mermaid/mmd_lex.h"

/* Kinds of tokens: a sign is its own kind, as ',' is; those of a type begin at MMD_KINDS. */
enum {
    MMD_END = 0, // of the text
    MMD_NEWLINE = 256,
    MMD_WHOLE,   // a statement without more tokens: direction LR, accTitle: …
    MMD_BROKEN,  // something is not closed; reported
    MMD_BAD,     // no token begins like this, or it opens too much
    MMD_NOTHING, // what mermaid takes and forgets
    MMD_KINDS
};

typedef struct MmdTokenRule {
    int kind;            // 0: the table's end
    const char *pattern; // mmd_scan()
    unsigned modes;      // bits of the type's modes in which it counts; 0: in all
    unsigned then;       // the mode that it opens, and MMD_CLOSE, which ends the current one before
} MmdTokenRule;

#define MMD_CLOSE (1U << 31)

struct MmdGrammar {
    /* Reads the token at p->at into p->token. */
    void (*read)(MmdParser *p);
    /* "expected WHAT, found …" at the current token. False. */
    bool (*expected)(MmdParser *p, const char *what);
};

/* The current token becomes that of the first rule that fits at p->at; false: none does. */
bool mmd_read_rule(MmdParser *p, const MmdTokenRule *rules, unsigned mode);
/* The same, or the character there. */
void mmd_read_any(MmdParser *p, const MmdTokenRule *rules, unsigned mode);
/* The current token becomes the text from p->at to `stop`. */
void mmd_read_to(MmdParser *p, int kind, const char *stop);

bool mmd_advance(MmdParser *p); // to the next token; true
bool mmd_is(const MmdParser *p, int kind);
/* Is the current token of one of the kinds, of which 0 is the last? */
bool mmd_is_any(const MmdParser *p, const int *kinds);
#define MMD_ANY(...) ((const int[]) { __VA_ARGS__, 0 })
bool mmd_is_line_end(const MmdParser *p);    // or the end of the text
char *mmd_token_text(const MmdToken *token); // the caller frees
bool mmd_accept(MmdParser *p, int kind);     // takes the current token when it is of that kind
/* Takes it, or says that `what` was expected. */
bool mmd_need(MmdParser *p, int kind, const char *what);
/* "expected WHAT, found …" at the current token. False. */
bool mmd_need_other(MmdParser *p, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* A block that began at `opened`; true. */
bool mmd_open_block(MmdParser *p, const char *opened);
/* The last one ends at the current token, which is `close`; false: none is open. */
bool mmd_close_block(MmdParser *p, const char *close);
bool mmd_fail_close(MmdParser *p, const char *close); // none is open; false
/* Where the last one began; NULL: none is open. */
const char *mmd_block(const MmdParser *p);
