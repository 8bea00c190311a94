/*
 * What the parsers of the diagram types share: the cleaned text with its map to the places of the
 * document, a scanner over it, and errors. Private to this folder.
 *
 * A parser is `bool mmd_parse_X(MmdParser *p)`: reads from p->at (just after the header word) to
 * p->end and returns false with one error recorded by mmd_fail(), at the place where it stood. The
 * first error ends a parser, unless it can go on without reporting what only follows from it.
 */
#pragma once

#include "agenttools/mermaid/mmd.h"

#include <stdint.h>

/* In place of the marks of an entity (`#quot;`, `#35;`), which are no separators or comments; both
   count as plain characters. Messages show the marks again. */
#define MMD_ENTITY_OPEN  '\x01'
#define MMD_ENTITY_CLOSE '\x02'

#define MMD_DEPTH_MAX   200 // nested blocks
#define MMD_MODES_MAX   8   // nested modes of a lexer; a token that opens more is never right
#define MMD_ERRORS_MAX  5   // of one diagram
#define MMD_FOUND_CHARS 30  // of the text that a message quotes

typedef struct MmdToken {
    int kind;
    const char *start, *stop;
    const char *word; // of a rule for whole words; else NULL
} MmdToken;

typedef struct MmdGrammar MmdGrammar;

typedef struct MmdParser {
    const char *text, *end; // cleaned: LF only, no front matter, directives or comment lines; a NUL
                            // stands at `end`, behind a last LF
    const char *at;         // the scanner
    const char *document;   // as it was given
    size_t document_size;
    const uint32_t *origin;  // offset in the document of each byte of `text`
    const char *main_branch; // gitGraph.mainBranchName of front matter or directive; NULL
    MmdVerdict *verdict;
    unsigned depth;                // of nested blocks; mmd_enter() bounds it
    const MmdGrammar *grammar;     // of the type, when it has tokens (mmd_token.h)
    MmdToken token, last;          // the current one, and the one before it
    GArray *blocks;                // const char *: where those that are open began
    const char *no_direction;      // up to here no line is a direction
    unsigned modes[MMD_MODES_MAX]; // of the lexer, a stack
    unsigned mode_count;
    const char *white_start, *white_end;  // white space looked at last
    void *state;                          // the type's own
    char found[MMD_FOUND_CHARS * 6 + 16]; // of mmd_found()
} MmdParser;

/* Records an error at `where` (in the text); false, so that parsers can `return mmd_fail(…)`. A
   place past the end becomes the last line that is not blank. */
bool mmd_fail(MmdParser *p, MmdClass class, const char *where, const char *format, ...)
    G_GNUC_PRINTF(4, 5); // false
/* The same, at an offset of the document. */
bool mmd_fail_offset(MmdParser *p, MmdClass class, size_t offset, const char *format, ...)
    G_GNUC_PRINTF(4, 5);
/* The same, naming where the open thing was opened, with a hint (may be NULL). */
bool mmd_fail_open(MmdParser *p, const char *where, const char *opened, const char *hint,
                   const char *format, ...) G_GNUC_PRINTF(5, 6);
/* Adds a hint to the error recorded last; false. */
bool mmd_hint(MmdParser *p, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* The line of the document in which `where` lies. */
size_t mmd_line_of(const MmdParser *p, const char *where);
/* "expected WHAT, found …" at the scanner. False. */
bool mmd_unexpected(MmdParser *p, const char *expected);
/* What stands at `where`, for a message: "'-> B'", "the end of the line", "the end of the diagram".
   Good until the next call. */
const char *mmd_found(MmdParser *p, const char *where);

// ---- looking: `at` to `end`, which is behind it; nothing is taken ----

bool mmd_is_word_char(char c); // ASCII letter, digit or _
bool mmd_is_one_of(char c, const char *set);
/* The next character of `set`, or `end`. */
const char *mmd_find_one_of(const char *at, const char *end, const char *set);
/* The next of them or white space. */
const char *mmd_find_end_of_word(const char *at, const char *end, const char *set);

/* The place behind `literal` when it stands at `at`; NULL: it does not. */
const char *mmd_match(const char *at, const char *end, const char *literal);
/* The same in any (ASCII) case. */
const char *mmd_match_nocase(const char *at, const char *end, const char *literal);
/* The same for a whole word: no ASCII letter, digit or _ follows. */
const char *mmd_match_word(const char *at, const char *end, const char *word);
const char *mmd_match_word_nocase(const char *at, const char *end, const char *word);
typedef enum { MMD_WORDS = 1 << 0, MMD_NOCASE = 1 << 1 } MmdHow; // one of the four
const char *mmd_match_as(unsigned how, const char *at, const char *end, const char *literal);
const char *mmd_match_digits(const char *at, const char *end);

const char *mmd_skip_white_from(const char *at, const char *end); // line ends too
const char *mmd_skip_blanks_from(const char *at, const char *end);
const char *mmd_line_start(const MmdParser *p, const char *at);
/* Back from `stop` over white space, not before `start`. */
const char *mmd_trim_end(const char *start, const char *stop);

/*
 * The place after what `pattern` describes at `at`; NULL: something else stands there. Patterns are
 * regular expressions in which a repetition and the first choice that fits are never taken back:
 *   . [a-z] [^a-z] (a|b) * + ? $ (?=ahead) (?!ahead)    as usual; . is no line end, $ the text's
 * end \s white space  \h the same within a line  \d \w digit, word character  \> the end of a word
 *   \e an entity's mark  \u \x a character from U+0080, U+00C0  \l a letter outside ASCII
 *   (?i) at the start: in any case
 */
const char *mmd_scan(const MmdParser *p, const char *at, const char *pattern);
/* Takes it at the scanner; false: something else stands there. */
bool mmd_skip(MmdParser *p, const char *pattern);

// ---- the scanner ----

bool mmd_at_end(const MmdParser *p);
/* Bytes of the white space character at `at`, LF included, as the real parser's `\s`; 0: none. */
size_t mmd_white_size(const char *at, const char *end);
void mmd_skip_blanks(MmdParser *p);                        // white space within the line
void mmd_skip_white(MmdParser *p);                         // line ends too
bool mmd_take(MmdParser *p, const char *literal);          // exact
bool mmd_take_nocase(MmdParser *p, const char *literal);   // ASCII
const char *mmd_line_end(const char *at, const char *end); // the LF, or `end`
/* Only white space from `at` to the end of its line? */
bool mmd_is_blank_to(const char *at, const char *end);

/* The types, one file each. */
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
