/*
 * The languages that have colours: their names, what comments and strings look like, their key
 * words (highlight.h). Constant tables.
 */
#pragma once

#include "tui/text/highlight.h"

enum { // of a form
    FORM_COMMENT = 1,
    FORM_ESCAPES = 2, // a backslash takes the next character with it
    FORM_LINES = 4,   // goes on in the next line
    FORM_NESTS = 8,   // a comment in a comment
    FORM_START = 16,  // only where a line begins
    FORM_WORD = 32,   // only behind a blank, or where a line begins
    FORM_CHAR = 64,   // one character: else a lone mark, as of a lifetime
};

typedef struct HighlightForm {
    const char *open, *close; // `close` NULL: the end of the line
    uint8_t flags;
} HighlightForm;

enum {                     // of a language
    LANGUAGE_CASELESS = 1, // key words are in lower case in the table
    LANGUAGE_DOLLAR = 2,   // $name is a variable
    LANGUAGE_AT = 4,       // @name is a decorator
    LANGUAGE_HASH = 8,     // #name is a directive
    LANGUAGE_KEYS = 16,    // "name:" and "name =" are keys
    LANGUAGE_DASHES = 32,  // in words
    LANGUAGE_TAGS = 64,    // <name attribute="…">
    LANGUAGE_DIFF = 128,
    LANGUAGE_MARKDOWN = 256,
    LANGUAGE_TYPES = 512, // a word that begins with a capital is a type
    LANGUAGE_SET = 1024,  // "name =" alone is a key
};

typedef struct HighlightWords {
    const char *const *words; // sorted
    size_t count;
} HighlightWords;

struct HighlightLanguage {
    const char *names;          // tags and file name extensions, blanks between
    const HighlightForm *forms; // the last one without `open`
    HighlightWords words, types;
    unsigned flags;
};

extern const HighlightLanguage highlight_languages[]; // the last one without names
