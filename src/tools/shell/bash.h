/*
 * Running a command as the bash tool does, for a tool that is bash with another face (recipe): the
 * same shell, limits, URLs, jobs and results, and the same judgement.
 */
#pragma once

#include "tool/tool.h"

typedef struct BashCommand { // all borrowed
    const char *command;
    double timeout;    // seconds; 0: the default
    const char *cwd;   // relative to the call's directory; NULL: that, or what `cd X && …` says
    const json_t *env; // may be NULL
    bool is_async;     // in the background, where somebody hears of its end
    bool has_terminal; // on one of its own, where the settings allow it
} BashCommand;

/* `dir` is where it runs, as a person is shown it; NULL: in the call's directory. */
void bash_judge_command(const char *command, const char *dir, Judgement *ret_judgement);

/* On the thread of the call, which is judged and allowed. */
bool bash_run_command(ToolCall *call, const BashCommand *args, ToolResult *result, GError **error);
