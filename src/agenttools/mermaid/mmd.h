/*
 * The native Mermaid validator (agent-tools-cli §8): one diagram's text in, a verdict out. Pure;
 * thread safe; linear in the text, and bounded in depth.
 *
 * mmd_check() takes front matter, directives and comment lines away (agent-tools-cli §8.6),
 * recognises the header and hands the text to one parser file per diagram type (mmd_parser.h).
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

typedef enum { // error class of agent-tools-cli §8.3
    MMD_UNKNOWN_TYPE,
    MMD_EMPTY,
    MMD_FRONTMATTER,
    MMD_SYNTAX,
    MMD_SEMANTIC,
    MMD_UNCLOSED_FENCE,
} MmdClass;

const char *mmd_class_name(MmdClass class); // "unknown_type" …

typedef struct MmdError {
    MmdClass class;
    char *message;       // lower case, no full stop: "expected a participant after '->>'"
    char *hint;          // NULL: none (agent-tools-cli §8.8)
    size_t line, column; // 1-based, in the text that was given; columns count characters
    size_t opened_line, opened_column; // what was left open; 0: nothing
} MmdError;

typedef struct MmdVerdict {
    const char *type;  // mermaid's id, constant; NULL: unknown
    bool is_full;      // false: only the header was recognised
    bool is_too_large; // over 50,000 characters: a warning
    GPtrArray *errors; // of MmdError *, at most 5; empty: valid
} MmdVerdict;

void mmd_verdict_clear(MmdVerdict *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(MmdVerdict, mmd_verdict_clear)

/* Does `line` begin with the header of a known diagram type, after white space? */
bool mmd_is_header(const char *line, size_t size);

/* `text` is valid UTF-8, less than 4 GiB. */
void mmd_check(const char *text, size_t size, MmdVerdict *ret_verdict);
