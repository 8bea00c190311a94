/*
 * `${{ }}` in a task's body (task-engine §5.4): checked at compile time, expanded once at run time;
 * what is inserted is never looked at again. Pure but for GITHUB_* variables.
 */
#pragma once

#include "wm/task/event.h"
#include "wm/task/notes.h"

typedef struct WmScope { // all borrowed
    const char *task_name;
    const WmEvent *event;
    const WmSanitized *sanitized;
} WmScope;

/* All that is not supported (notes.h), in the words of task-engine §5.4 (`expression "x": …`).
   `hints` gets advice that is no problem. */
void wm_expressions_check(const char *body, GPtrArray *problems, GPtrArray *hints);
/* Outside of fences. With `is_lenient` a bad expression stays as it is; else it is an error
   `expand "<expr>": <reason>`. Caller frees. */
bool wm_expressions_expand(const char *text, const WmScope *scope, bool is_lenient, char **ret_text,
                           GError **error);
