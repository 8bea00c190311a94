/*
 * Direct tool calls: one ToolDef run from the command line, outside any session (common §1, §4).
 */
#pragma once

#include "cmd/cmd.h"

typedef struct DirectCall {
    const ToolDef *tool;
    const json_t *arguments;
    bool is_yes;     // --yes
    bool is_json;    // print the whole result as JSON
    const char *cwd; // NULL: the process's
} DirectCall;

/* Runs it with progress on a terminal and Ctrl-C, prints the result (an error on standard error), and returns
   the exit code: 0, 1, 2 (arguments), 77 (refused), 130, 143. */
int direct_run(const DirectCall *call);

/* Asks on the terminal device; NULL-able ToolDoor.ask. */
bool ask_on_terminal(const ToolQuestion *question, Cancel *cancel, bool *ret_approved, void *user_data,
                     GError **error);
bool ask_has_terminal(void);

/* Warnings of a settings load on standard error. */
Settings *cmd_load_settings(const char *cwd);
