/*
 * The system prompt (agent-core §8): base text, tools, project facts and context files, in stable
 * order.
 */
#pragma once

#include "tool/tool_set.h"

typedef struct PromptOptions { // all borrowed
    const char *cwd;
    const char *agent_dir;
    const ToolSet *tools;      // active ones
    const char *system_prompt; // --system-prompt: text or file; NULL: SYSTEM.md or built in
    const char *append_prompt; // --append-system-prompt; NULL: APPEND_SYSTEM.md or none
    int64_t now_ms;
    GString *context_note; // gets a line: which context files were taken, which not; may be NULL
} PromptOptions;

/* NULL-terminated blocks; caller frees with g_strfreev(). `warnings` may be NULL. */
char **prompt_build(const PromptOptions *options, GPtrArray *warnings);
