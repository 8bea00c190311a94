/*
 * `${{ }}` in a task's texts (task-engine §5.4): checked at compile time, expanded once at run
 * time; what is inserted is never looked at again. Pure but for GITHUB_* variables.
 */
#pragma once

#include "wm/task/event.h"
#include "wm/task/notes.h"

typedef struct WmNames { // what an expression may name beside what all may
    const json_t *front; // of the task: its `env`, and the inputs of its dispatch; NULL: neither
    bool is_env;         // the expression is in a value of `env`
} WmNames;

typedef struct WmScope { // all borrowed
    const char *task_name;
    const WmEvent *event;
    const WmSanitized *sanitized;
    WmNames names;
} WmScope;

/* All that is not supported (notes.h), in the words of task-engine §5.4 (`expression "x": …`).
   `hints` gets advice that is no problem. */
void wm_expressions_check(const char *text, const WmNames *names, GPtrArray *problems,
                          GPtrArray *hints);
/* Outside of fences. With `is_lenient` a bad expression stays as it is; else it is an error
   `expand "<expr>": <reason>`. Caller frees. */
bool wm_expressions_expand(const char *text, const WmScope *scope, bool is_lenient, char **ret_text,
                           GError **error);

/* One expression, trimmed, without its braces. */
bool wm_expression_is_known(const char *expression, const WmNames *names);
bool wm_expression_evaluate(const char *expression, const WmScope *scope, char **ret_value,
                            GError **error);
/* Not blank, `false` or `0`. */
bool wm_value_holds(const char *value);
