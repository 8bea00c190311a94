/*
 * What the row of a language says (agent-tools-cli §7.4): its files, and the marks of its comments
 * and strings. The lexer of comments (lexer.h) reads by it, and the colours of code take their
 * comments and strings from it (tui/text/highlight.h). Constant data.
 */
#pragma once

#include "lang/languages.h"

#define LANGUAGE_BLOCKS 3
#define LANGUAGE_LINES  5

typedef struct Lexer Lexer; // of comments; the machines of a row are its own

typedef enum {        // where a line mark counts; 0: anywhere
    AT_LINE = 1 << 0, // first on its line
    AT_COLUMN_1 = 1 << 1,
    AT_WORD = 1 << 2,        // at the start of a word
    AFTER_BLANK = 1 << 3,    // or at the line's start
    BEFORE_BLANK = 1 << 4,   // or at the line's end
    NOT_AFTER_WORD = 1 << 5, // not behind a letter, digit, _ or `
    NOT_ESCAPED = 1 << 6,    // not behind a backslash
    NOT_OPERATOR = 1 << 7,   // no part of a longer operator (Haskell)
    NOT_CONTINUED = 1 << 8,  // the line before does not end with a backslash
    NO_CASE = 1 << 9,
    RUNS_ON = 1 << 10,     // a backslash at the end continues the comment
    ENDS_AT_TAG = 1 << 11, // ends before ?> (PHP)
} LineMarkFlags;

typedef struct LineMark {
    const char *text;
    unsigned flags;    // LineMarkFlags
    const char *after; // first on its line or, blanks aside, behind one of these; NULL: no matter
} LineMark;

typedef enum {
    BLOCK_NESTED = 1 << 0,
    BLOCK_STRINGS = 1 << 1, // string literals inside hide the marks (OCaml)
    BLOCK_ALONE = 1 << 2,   // both marks stand alone on their lines (MATLAB)
    BLOCK_NOT_TAG = 1 << 3, // `(*)` opens none
} BlockMarkFlags;

typedef struct BlockMark {
    const char *open, *close;
    unsigned flags; // BlockMarkFlags
} BlockMark;

typedef enum {
    STRING_LINES = 1 << 0,   // goes over line ends
    STRING_DOUBLED = 1 << 1, // a doubled closer is a character
    STRING_GREEDY = 1 << 2,  // of a longer run of closers the last ones close
    STRING_RUN = 1 << 3,     // the closer is a whole run of quotes; shorter runs are text
    STRING_NIX = 1 << 4,     // '' with ' $ or \ behind it is an escape
    STRING_SWIFT = 1 << 5,   // \##( opens code, with as many # as the delimiters have
    STRING_HEADER = 1 << 6,  // nothing but blanks may follow the opener on its line
    STRING_FORMAT = 1 << 7,  // a doubled { is a character
} StringFlags;

/* A kind of string literal. It ends with the first `close` after `open`. */
typedef struct StringMark {
    const char *open, *close;
    char escape; // takes the next character with it; 0: none
    unsigned flags;
    const char *interpolation[2]; // what opens code inside: "${"; its last byte is the bracket
    const char *prefix; // only behind one of these letters; "*": behind any; NULL: no matter
} StringMark;

typedef enum {
    LANGUAGE_REGEX = 1 << 0,         // X: / where an operand is expected opens a regex
    LANGUAGE_CLASSES = 1 << 1,       // [ ] hide / in a regex
    LANGUAGE_BRACE_OPERAND = 1 << 2, // } stands before an operand
    LANGUAGE_LOOSE_REGEX = 1 << 3,   // `word /x` is a regex too (Ruby, Perl)
    LANGUAGE_JSX = 1 << 4,
    LANGUAGE_NO_SHEBANG = 1 << 5,
    LANGUAGE_TICK_AFTER_WORD = 1 << 6,  // ' behind a word or digit is part of it
    LANGUAGE_TICK_AFTER_CLOSE = 1 << 7, // ' behind ) ] } . or ' is an operator
    LANGUAGE_TICK_LINE = 1 << 8,        // 'many' where it closes on the line, else '
    LANGUAGE_ROXYGEN = 1 << 9,          // #' is a doc comment
    LANGUAGE_TICK_PLAIN = 1 << 10,      // a backslash is a character like others
    LANGUAGE_TICK_STRING = 1 << 11,     // what is left is a string of the table
} LanguageFlags;

struct Language {
    const char *name;
    const char *files;        // blank-separated: ".c", "Makefile", "Dockerfile*"
    const char *interpreters; // of a first line #!; NULL: none
    LineMark lines[LANGUAGE_LINES];
    BlockMark blocks[LANGUAGE_BLOCKS];
    const StringMark *strings; // the longest opener first; ends with one without; NULL: none
    unsigned flags;
    const char *words;      // X: words that stand before an operand
    const char *hook_bytes; // where the hook is asked
    bool (*hook)(Lexer *self);
    void (*machine)(Lexer *self); // in place of all the above
};

extern const Language language_rows[]; // the last one has no name

/* SQL as MySQL has it, and MATLAB in .m files: told by the text. */
extern const Language language_row_mysql;
extern const Language language_row_matlab;
