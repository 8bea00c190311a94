/*
 * What ast_edit would change: the replacements, file by file, from the files as they are now; and
 * writing them (agent-tools §3.10). Private to ast_edit.
 */
#pragma once

#include "tools/ast/ast_files.h"

typedef struct AstFilePlan {
    char *path, *shown;
    char *before, *after; // the whole file; bytes
    size_t before_size, after_size;
    GPtrArray *changes; // of AstMatch, by place; borrowed from the plan
    GArray *places;     // of size_t, for each of them: where its replacement begins in `after`
} AstFilePlan;

typedef struct AstPlan {
    AstFiles files;
    GPtrArray *matches;   // of AstMatch
    GPtrArray *changed;   // of AstFilePlan, by path
    GPtrArray *generated; // paths as shown, of files that are left out: a program has written them
    unsigned total;       // replacements
    size_t bytes;         // of the changed files
} AstPlan;

AstPlan *ast_plan_new(void);
void ast_plan_free(AstPlan *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(AstPlan, ast_plan_free)

/* `ops` are {"pat","out"} objects. Files that cannot be parsed are left out. Errors: USAGE
   (patterns, several languages, replacements that overlap), LIMIT, and those of the search. */
bool ast_plan_make(ToolCall *call, const json_t *ops, const json_t *paths, AstPlan *self,
                   GError **error);

/* The same replacements in the same files, whose bytes are the same. */
bool ast_plan_is_like(const AstPlan *self, const AstPlan *other);

/* Checks every file before the first is written. An error in between says what is written. */
bool ast_plan_write(ToolCall *call, const AstPlan *self, GError **error);
