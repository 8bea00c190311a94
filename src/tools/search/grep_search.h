/*
 * The search behind grep: ripgrep's JSON into lines by file. Private to the grep tool.
 */
#pragma once

#include "base/cancel.h"
#include "base/json.h"
#include "tools/file/hashline.h"
#include "tools/file/search_notes.h"

typedef struct GrepLine {
    int64_t number;                     // 1-based
    unsigned match;                     // which match of the file it belongs to, from 1; 0: context
    bool is_cut;                        // at TRUNCATE_MAX_COLUMN characters
    char letters[HASHLINE_LETTERS + 1]; // of its anchor (hashline.h), when they were asked for
    char *text;                         // without its newline
} GrepLine;

typedef struct GrepFile {
    char *path;       // as ripgrep gave it
    GPtrArray *lines; // of GrepLine, in order
    unsigned matches; // a match over several lines is one
} GrepFile;

typedef struct GrepSearch {
    const char *pattern; // trimmed
    const char *cwd;
    const char *const *paths; // to search, relative to cwd or absolute; NULL-terminated
    GRegex *glob; // NULL, or what a file's path below cwd or below one of `paths` (or its name)
                  // must match
    bool glob_is_for_name;
    const char *type_globs; // comma-separated "*.c,*.h"; NULL: every file
    bool ignores_case, is_multiline, no_ignore, is_directory_scope;
    bool has_anchors; // lines get their letters
    unsigned before, after;
    unsigned skip, max_matches; // matches to leave out first; matches to collect then
    int64_t timeout_ms;
    SearchNotes *notes; // gets what cannot be read, and is asked of files that `glob` leaves out
} GrepSearch;

typedef struct GrepFound {
    GPtrArray *files; // of GrepFile, by path
    unsigned matches;
    bool has_more; // there were matches beyond max_matches
} GrepFound;

#define GREP_TIMEOUT_MS (30 * 1000)

void grep_found_clear(GrepFound *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(GrepFound, grep_found_clear)

/* USAGE `regex parse error: …`. */
bool grep_search(const GrepSearch *search, Cancel *cancel, GrepFound *ret_found, GError **error);

/* Braces that can be no quantifier are escaped, and a `$` in front of one (grep_pattern.c). Caller
   frees. */
char *grep_pattern_fix_braces(const char *pattern);
/* Every unescaped parenthesis outside a class is escaped. Caller frees. */
char *grep_pattern_escape_parentheses(const char *pattern);
/* How else a pattern that found nothing could be meant: 0: as grep reads it, with `\|` for "or"; 1:
   as plain text. NULL: no other way. Caller frees. */
char *grep_pattern_other(const char *pattern, unsigned way);
/* "*.c,*.h" for `c`; NULL for an unknown type. */
const char *grep_type_globs(const char *type);
