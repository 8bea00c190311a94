/*
 * The source files that a call of ast_grep or ast_edit is about, and what is said of those that
 * cannot be parsed (agent-tools §3.9). Private to these two.
 */
#pragma once

#include "tools/ast/ast_search.h"
#include "tools/search/search_scope.h"

#define AST_MAX_FILE_BYTES (4 * 1024 * 1024)

typedef struct AstFiles {
    char *program; // ast-grep
    SearchScope scope;
    GPtrArray *paths;  // absolute, of a known language, sorted; then NULL
    GPtrArray *broken; // of them, with syntax errors
} AstFiles;

void ast_files_clear(AstFiles *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(AstFiles, ast_files_clear)

/* Ignored files, links, secrets of processes and files over 4 MiB are left out. NOT_FOUND also when
   there is no ast-grep. `self` is cleared by the caller in any case. */
bool ast_files_collect(ToolCall *call, const json_t *paths, AstFiles *self, GError **error);

/* ": parse error" lines, 20 at most. Nothing when all could be parsed. */
void ast_files_append_issues(const AstFiles *self, const char *cwd, GString *text);
/* `filesSearched`, `scopePath`, `parseErrors`. */
void ast_files_set_details(const AstFiles *self, const char *cwd, json_t *details);

/* The first line of a text, at most `max_chars` characters. Caller frees. */
char *ast_first_line(const char *text, size_t max_chars);
