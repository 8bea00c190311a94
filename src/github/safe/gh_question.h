/*
 * What a person is asked before a call of gh (gh-policy §5.4). Pure, but for the home directory.
 */
#pragma once

#include "github/safe/gh_context.h"
#include "tool/tool.h"

typedef struct GhQuestion { // borrowed
    Effect effect;
    const char *reason;
    const GhContext *target;
    const char *const *argv; // redacted for display, without "gh"
    const char *cwd;
} GhQuestion;

/* Several lines, no markup. Caller frees. */
char *gh_question_text(const GhQuestion *question);
