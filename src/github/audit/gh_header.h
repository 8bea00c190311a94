/*
 * The text of a result of the gh tools: its first line (gh-policy §11.1) and its body (gh-policy
 * §6.6). Pure.
 */
#pragma once

#include "github/classify/gh_kind.h"

typedef struct GhHeader {   // borrowed
    const char *host;       // NULL: the arguments never reached classification
    const char *repo;       // OWNER/REPO; NULL: none
    const char *command;    // the command's words, when it did not run; NULL: none
    const char *class_name; // "read"
    GhKind kind;
    bool has_run;
    bool is_confirmed;
    size_t captured_bytes;
} GhHeader;

/* "[gh github.com/o/r read ok 4.2KB]". Caller frees. */
char *gh_header_line(const GhHeader *header);

typedef struct GhBody { // borrowed
    GhKind kind;
    const char *message;      // of the kind; NULL when it is no error
    const char *output;       // for the model, with the marker when cut; NULL: did not run
    const char *error_output; // the same
    const char *reproduce;    // the line; left out where it helps no one
} GhBody;

/* What follows the header. Caller frees. */
char *gh_body_text(const GhBody *body);

/* `text` with every byte outside of [A-Za-z0-9._:/@+-] replaced, cut after `max_bytes`; "-" for
   nothing. What comes from arguments can then neither end a line nor begin a new field. */
char *gh_plain_word(const char *text, size_t max_bytes);
