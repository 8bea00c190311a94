/*
 * Commands of the bash tool as background jobs (agent-tools §3.4, step 8).
 */
#pragma once

#include "tools/shell/bash_work.h"

/* Each takes the work over. `label` is the command as it was given. */

/* Answers at once: the result comes later. */
bool bash_job_start(ToolCall *call, BashWork *work, const BashTimeout *timeout, const char *label,
                    ToolResult *result, GError **error);
/* Answers when the command has ended, or that it goes on in the background once the settings'
   threshold is over. */
bool bash_job_run(ToolCall *call, BashWork *work, const BashTimeout *timeout, const char *label,
                  ToolResult *result, GError **error);
