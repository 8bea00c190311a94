/*
 * Small pieces of the token scanners of the sequence, class, state and ER parsers, and the form of
 * their messages. Private to this folder; pure; thread safe.
 */
#pragma once

#include "agenttools/mermaid/mmd_parser.h"

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
const char *mmd_match_digits(const char *at, const char *end);

const char *mmd_skip_white_from(const char *at, const char *end); // line ends too
const char *mmd_skip_blanks_from(const char *at, const char *end);
const char *mmd_line_start(const MmdParser *p, const char *at);
/* Back from `stop` over white space, not before `start`. */
const char *mmd_trim_end(const char *start, const char *stop);

/* A line with `direction TB` (BT, RL, LR) anywhere behind `at` is a direction as a whole: its end.
 */
const char *mmd_match_direction(const char *at, const char *end, bool ignores_case);

typedef struct MmdAccessibility {
    const char *stop;
    const char *brace; // of `accDescr {`; NULL: the other forms
    bool is_open;      // without its closing brace it hides the rest, which most types allow
} MmdAccessibility;

/* Does `accTitle: …`, `accDescr: …` or `accDescr { … }` stand at `at`? */
bool mmd_match_accessibility(const char *at, const char *end, bool ignores_case,
                             MmdAccessibility *ret_found);

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
