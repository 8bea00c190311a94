/*
 * Tokens and participants of sequence diagrams, shared by the mmd_sequence files.
 */
#pragma once

#include "agenttools/mermaid/mmd_lex.h"

typedef enum {
    SEQ_EOF,
    SEQ_NEWLINE, // line ends, or a semicolon
    SEQ_NUMBER,
    SEQ_NAME, // of a participant, may have blanks
    SEQ_ARROW,
    SEQ_TEXT, // a colon and the message behind it
    SEQ_PLUS,
    SEQ_MINUS,
    SEQ_CIRCLE, // ()
    SEQ_COMMA,
    SEQ_OTHER,       // a character that begins nothing else
    SEQ_WHOLE,       // a statement without more tokens: title …, accTitle: …
    SEQ_PARTICIPANT, // participant, actor
    SEQ_CREATE,
    SEQ_DESTROY,
    SEQ_ACTIVATE,
    SEQ_DEACTIVATE,
    SEQ_AUTONUMBER,
    SEQ_OFF,
    SEQ_NOTE,
    SEQ_SIDE, // left of, right of
    SEQ_OVER,
    SEQ_LINK,      // link, links, properties, details
    SEQ_BLOCK,     // loop, alt, …
    SEQ_SEPARATOR, // else, and, option
    SEQ_END,
    SEQ_HEADER, // the header word once more
} SeqKind;

/* Reads the token at p->at; it has no white space at its ends. */
MmdToken mmd_sequence_next(MmdParser *p);

typedef struct SeqDeclared {
    const char *start, *stop; // of the name
    const char *settings;     // of @{ … }; NULL: none
    const char *settings_end;
    bool has_alias; // `as` was taken; its text follows
} SeqDeclared;

/* What follows `participant` and the like: reads to the end of the name or behind `as`. */
bool mmd_sequence_take_declared(MmdParser *p, const char *keyword, SeqDeclared *ret_declared);
/* The label of a block or an alias: up to the end of the line, a semicolon or a comment. */
void mmd_sequence_skip_label(MmdParser *p);

/*
 * What mermaid refuses though the grammar allows it. It looks for that when the whole text is
 * read, so only the first problem is kept, and reported when there is no error of syntax.
 */
typedef struct SeqActors {
    GHashTable *by_name; // char * → Actor *
    unsigned box;        // that is open, counted from 1; 0: none
    unsigned box_count;
    char *created, *destroyed; // waits for its message; NULL: none
    const char *problem_at;    // NULL: none
    char *problem, *hint;
} SeqActors;

void mmd_sequence_actors_init(SeqActors *self);
void mmd_sequence_actors_clear(SeqActors *self);
void mmd_sequence_see_actor(SeqActors *self, const char *start, const char *stop);
void mmd_sequence_see_created(SeqActors *self, const char *start, const char *stop);
void mmd_sequence_see_destroyed(SeqActors *self, const char *start, const char *stop);
/* `by`: +1 or -1. */
void mmd_sequence_see_activation(SeqActors *self, const char *start, const char *stop, int by);
void mmd_sequence_see_message(SeqActors *self, const MmdToken *from, const MmdToken *to);
