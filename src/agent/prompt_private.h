/*
 * The parts of which prompt.c puts the system prompt together. Internal to agent.
 */
#pragma once

#include "tool/tool_set.h"

// ---- system_prompt.c ----

/* The built-in base text. */
const char *system_prompt_base(void);
/* Names of the tools, and guidance for those that are active; "" without tools. Caller frees. */
char *system_prompt_tools(const ToolSet *tools);

// ---- prompt_files.c ----

/* The context files of `cwd`, each as <file path="P">…</file>, farthest first. `note` (may be NULL)
   gets what was taken and left out. Caller frees. */
char *prompt_context_files(const char *agent_dir, const char *cwd, GPtrArray *warnings,
                           GString *note);
/* The nearest directory upwards that holds .git; NULL outside a repository. Caller frees. */
char *prompt_repo_root(const char *cwd);
/* The start of a regular file, valid UTF-8, with a notice when it was cut. NULL: no such file.
 * Caller frees. */
char *prompt_read_file(const char *path);

// ---- prompt_facts.c ----

/* Machine, repository, directory tree, date. Caller frees. */
char *prompt_facts(const char *cwd, int64_t now_ms);
