/*
 * The languages that have colours (highlight.h): their key words, and what a line is read by beside
 * the comments and strings of their rows (lang/language_row.h). Constant tables.
 */
#pragma once

#include "tui/text/highlight.h"

enum { // of a form
    FORM_COMMENT = 1,
    FORM_ESCAPES = 2, // a backslash takes the next character with it
    FORM_LINES = 4,   // goes on in the next line
    FORM_NESTS = 8,   // a comment in a comment
    FORM_START = 16,  // only where a line begins
    FORM_WORD = 32,   // only after a blank, or where a line begins
    FORM_CHAR = 64,   // one character: else a lone mark, as of a lifetime
    FORM_FIRST = 128, // only first on its line, blanks aside
};

typedef struct HighlightForm {
    const char *open, *close; // `close` NULL: the end of the line
    uint8_t flags;
    const char *prefix; // only after one of these letters; "*": after any; NULL: no matter
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
    LANGUAGE_TYPES = 512,      // a word that begins with a capital is a type
    LANGUAGE_SET = 1024,       // "name =" alone is a key
    LANGUAGE_OWN_FORMS = 2048, // those of the row are not for single lines
};

typedef struct HighlightWords {
    const char *const *words; // sorted
    size_t count;
} HighlightWords;

struct HighlightLanguage {
    const char *languages; // of lang/languages.h, blanks between; the first has the row. Or NULL
    const char *tags;      // other names; NULL: none
    const HighlightForm *forms; // before those of the row; the last one without `open`
    HighlightWords words, types;
    unsigned flags;
};

extern const HighlightLanguage highlight_languages[]; // the last one without languages and tags
