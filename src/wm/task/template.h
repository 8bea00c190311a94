/*
 * What gh-aw writes into a task's body beside expressions, outside of fences (task-engine §5.4):
 * `{{#if EXPRESSION}} … {{else}} … {{/if}}`, `{{#import FILE}}` and `{{#runtime-import FILE}}`,
 * each with `?` after its name where the file may be missing. Pure but for GITHUB_* variables.
 */
#pragma once

#include "wm/task/expression.h"
#include "wm/task/task.h"

/* Problems and hints of a body, of both blocks and expressions (notes.h). */
void wm_template_check(const WmTask *task, GPtrArray *problems, GPtrArray *hints);
/* Blocks first, then expressions: what an expression inserts is not looked at again. With
   `is_lenient` what cannot be expanded stays as it is. Caller frees. */
bool wm_template_expand(const WmTask *task, const WmScope *scope, bool is_lenient, char **ret_text,
                        GError **error);

typedef struct WmTemplateImport { // borrowed, for the time of the call
    const char *file;
    bool is_optional, is_runtime;
    const char *start, *end; // of the directive
} WmTemplateImport;
/* Each file that `body` names, in order, until `take` fails. */
bool wm_template_imports(const char *body,
                         bool (*take)(const WmTemplateImport *import, void *user_data,
                                      GError **error),
                         void *user_data, GError **error);
