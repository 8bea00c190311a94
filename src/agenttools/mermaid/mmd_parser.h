/*
 * What the parsers of the diagram types share: the cleaned text with its map to the places of the
 * document, patterns, tokens, open blocks and errors. Private to this folder.
 *
 * A parser is `bool mmd_parse_X(MmdParser *p)`: reads from p->at (just after the header word) to
 * p->end and returns false with one error recorded, at the place where it is. The first error ends
 * a parser, unless it can go on without reporting what only follows from it.
 */
#pragma once

#include "agenttools/mermaid/mmd.h"
#include "base/json.h"

#include <stdint.h>

/* In place of the marks of an entity (`#quot;`, `#35;`), which are no separators or comments; both
   count as plain characters. Messages show the marks again. */
#define MMD_ENTITY_OPEN  '\x01'
#define MMD_ENTITY_CLOSE '\x02'

#define MMD_MODES_MAX   8  // nested modes of a lexer; a token that opens more is never right
#define MMD_ERRORS_MAX  5  // of one diagram
#define MMD_FOUND_CHARS 30 // of the text that a message quotes

typedef struct MmdToken {
    int kind;
    const char *start, *stop;
} MmdToken;

typedef struct MmdGrammar MmdGrammar;

typedef struct MmdParser {
    const char *text, *end; // cleaned: LF only, no front matter, directives or comment lines; a NUL
                            // is at `end`, after a last LF
    const char *at;         // up to where it is read
    const char *document;   // as it was given
    size_t document_size;
    const uint32_t *origin;  // offset in the document of each byte of `text`
    const char *main_branch; // gitGraph.mainBranchName of front matter or directive; NULL
    MmdVerdict *verdict;
    const MmdGrammar *grammar;     // of the type, when it has tokens
    void *state;                   // the type's own
    MmdToken token, last;          // the current one, and the one before it
    GArray *blocks;                // const char *: where those that are open began
    unsigned modes[MMD_MODES_MAX]; // of the lexer, a stack
    unsigned mode_count;
    const char *no_direction;             // up to here no line is a direction
    const char *white_start, *white_end;  // white space looked at last
    char found[MMD_FOUND_CHARS * 6 + 16]; // of mmd_found()
} MmdParser;

// ---- characters and patterns ----

/* Bytes of the white space character at `at`, LF included, as the real parser's `\s`; 0: none. */
size_t mmd_white_size(const char *at, const char *end);
const char *mmd_skip_white(const char *at, const char *end);
const char *mmd_line_end(const char *at, const char *end); // the LF, or `end`
/* Back from `stop` over white space, not before `start`. */
const char *mmd_trim_end(const char *start, const char *stop);

/*
 * The place after what `pattern` describes at `at`; NULL: something else is there. Patterns are
 * regular expressions in which a repetition and the first choice that fits are never taken back:
 *   . [a-z] [^a-z] (a|b) * + ? $ (?=ahead) (?!ahead)    as usual; . is no line end, $ the text's
 * end \s white space  \h the same within a line  \d \w digit, word character  \> the end of a word
 *   \e an entity's mark  \u \x \b a character from U+0080, from U+00C0, up to U+FFFF
 *   \l a letter outside ASCII
 *   (?i) at the start: in any case
 */
const char *mmd_match(const char *at, const char *end, const char *pattern);
const char *mmd_scan(const MmdParser *p, const char *at, const char *pattern); // up to p->end
/* Takes it at p->at; false: something else is there. */
bool mmd_skip(MmdParser *p, const char *pattern);
bool mmd_at_end(const MmdParser *p);
/* Is `word` at `at`, whole, in any case? */
bool mmd_has_word(const MmdParser *p, const char *at, const char *word);

// ---- tokens ----

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
    int kind; // 0: the table's end
    const char *pattern;
    unsigned modes; // bits of the type's modes in which it counts; 0: in all
    unsigned then;  // the mode that it opens, and MMD_CLOSE, which ends the current one before
} MmdTokenRule;

#define MMD_CLOSE (1U << 31)

struct MmdGrammar {
    /* Reads the token at p->at into p->token. */
    void (*read)(MmdParser *p);
    /* "expected WHAT, found …" at the current token. False. */
    bool (*expected)(MmdParser *p, const char *what);
};

/* The current token becomes the text from p->at to `stop`. */
void mmd_read_to(MmdParser *p, int kind, const char *stop);
/* It becomes that of the first rule that fits at p->at; false: none does. */
bool mmd_read_rule(MmdParser *p, const MmdTokenRule *rules, unsigned mode);
/* The same, or the character there. */
void mmd_read_any(MmdParser *p, const MmdTokenRule *rules, unsigned mode);
/* Reads accTitle and accDescr: MMD_WHOLE, or MMD_BROKEN without its text or its brace. False: none
   is here. */
bool mmd_read_accessibility(MmdParser *p, bool ignores_case);
/* A line with `pattern`, a direction, anywhere from p->at on is a direction as a whole: its end.
   NULL: none; each line is looked at once. */
const char *mmd_direction(MmdParser *p, const char *pattern);
#define MMD_DIRECTION "direction\\s+(TB|BT|RL|LR)"

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

// ---- errors: all of these return false, so that parsers can `return mmd_fail(…)` ----

/* Records an error at `where` (in the text). A place past the end becomes the last line that is not
   blank. */
bool mmd_fail(MmdParser *p, MmdClass class, const char *where, const char *format, ...)
    G_GNUC_PRINTF(4, 5);
/* The same, at an offset of the document. */
bool mmd_fail_offset(MmdParser *p, MmdClass class, size_t offset, const char *format, ...)
    G_GNUC_PRINTF(4, 5);
/* The same, naming where the open thing was opened, with a hint (may be NULL). */
bool mmd_fail_open(MmdParser *p, const char *where, const char *opened, const char *hint,
                   const char *format, ...) G_GNUC_PRINTF(5, 6);
/* Adds a hint to the error recorded last. */
bool mmd_hint(MmdParser *p, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* "expected WHAT, found …" at p->at. */
bool mmd_unexpected(MmdParser *p, const char *expected);
/* The same at mmd_blame() of `at`. */
bool mmd_expected(MmdParser *p, const char *at, const char *format, ...) G_GNUC_PRINTF(3, 4);
/* The same, where the current token, a keyword, was found. */
bool mmd_expected_no_keyword(MmdParser *p, const char *what);
/* The text ended inside `what` ("loop", "the class"); `close` is what it needs. */
bool mmd_unclosed(MmdParser *p, const char *opened, const char *what, const char *close);
/* After the header word: it must end there. True: it does. */
bool mmd_begin(MmdParser *p, const char *header);

/* The line of the document in which `where` lies. */
size_t mmd_line_of(const MmdParser *p, const char *where);
/* What is at `where`, for a message: "'-> B'", "the end of the line", "the end of the diagram".
   Good until the next call. */
const char *mmd_found(MmdParser *p, const char *where);
/* A text as messages quote it: on one line, and not longer than MMD_FOUND_CHARS. Caller frees. */
char *mmd_excerpt(const char *start, const char *stop);
/* Where something has to be changed: what is at `at`, or the last character of its line when that
   ends there. */
const char *mmd_blame(const MmdParser *p, const char *at);

/* YAML of front matter, or of the attributes of a node. On failure *ret_reason says why, and
 *ret_line in which line of `text`; *ret_value is untouched. (mmd_clean.c) */
bool mmd_yaml_parse(const char *text, json_t **ret_value, char **ret_reason, size_t *ret_line);

/* The types, one file each, but for the small ones of mmd_lines.c. */
bool mmd_parse_flowchart(MmdParser *p);
bool mmd_parse_sequence(MmdParser *p);
bool mmd_parse_class(MmdParser *p);
bool mmd_parse_state(MmdParser *p);
bool mmd_parse_er(MmdParser *p);
bool mmd_parse_gantt(MmdParser *p);
bool mmd_parse_pie(MmdParser *p);
bool mmd_parse_git(MmdParser *p);
bool mmd_parse_mindmap(MmdParser *p);
bool mmd_parse_journey(MmdParser *p);
bool mmd_parse_timeline(MmdParser *p);
bool mmd_parse_quadrant(MmdParser *p);
