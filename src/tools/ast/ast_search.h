/*
 * ast-grep, behind ast_grep and ast_edit: the one place that runs it (agent-tools §3.9). It gets
 * the names of files and says where a pattern matches; it changes nothing. Blocks; thread safe.
 *
 * It runs in the root directory, so that no configuration of a repository (sgconfig.yml, which can
 * name libraries to load) is found, and the program itself is never a repository's.
 */
#pragma once

#include "base/cancel.h"
#include "tool/settings.h"

#define AST_MAX_FILES       20000              // that one call looks at
#define AST_MAX_PATTERN     16384              // bytes of a pattern or a replacement
#define AST_MAX_MATCH_BYTES (64 * 1024 * 1024) // of all matches that are kept at once

/* Of the person's installation: on PATH, or where npm and cargo put it in the home directory; not
   below the repository around `cwd` (NULL: that of the process). NULL: there is none. Caller
   frees. */
char *ast_program(const char *cwd);
bool ast_is_available(const Settings *settings); // ToolDef.is_available: is there a program?

/* The language that a file is taken to be written in, by its name; NULL: none that is known.
   Constant. */
const char *ast_language(const char *path);

typedef struct AstMatch {
    char *file;        // absolute
    size_t start, end; // in bytes of the file
    int64_t line;      // of its first line, from 1
    char *text;
    char *captures;    // "A=1, B=[x, ,, y]"; NULL: none
    char *replacement; // NULL without a rewrite
} AstMatch;

void ast_match_free(AstMatch *self);

typedef struct AstSearch { // all borrowed
    const char *program;
    const char *pattern;
    const char *rewrite;      // NULL: none
    const char *const *files; // absolute, NULL-terminated
} AstSearch;

/* All matches in the files, by file in the order given and by place. `broken` gets the files that
   have syntax errors (owned by it); NULL: no one asks. Errors: NOT_FOUND, FAILED, LIMIT, TIMEOUT,
   CANCELLED. */
bool ast_search(const AstSearch *search, Cancel *cancel, GPtrArray *broken, GPtrArray **ret_matches,
                GError **error);
