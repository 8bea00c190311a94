/*
 * Where a search looks: the files and directories that `path` and `paths` of a call name, by path,
 * glob or internal URL (agent-tools §3.8). Private to the tools that search.
 */
#pragma once

#include "tool/tool.h"
#include "tools/file/search_notes.h"

typedef struct SearchScope {
    GPtrArray *paths;   // absolute, then NULL
    GPtrArray *missing; // as asked
    char *shown;        // for details
    bool is_one_file;
    SearchNotes notes; // what could not be read, what else would have matched
    bool has_globs;    // paths came from globs: files, but named by no one
} SearchScope;

void search_scope_clear(SearchScope *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(SearchScope, search_scope_clear)

/* `path` (one, or several with commas) and `paths` may be NULL: without both it is the working
   directory. Errors: NOT_FOUND when nothing of it is there, USAGE, DENIED, LIMIT. `scope` is
   cleared by the caller in any case. */
bool search_scope_build(ToolCall *call, const char *path, const json_t *paths, SearchScope *scope,
                        GError **error);
