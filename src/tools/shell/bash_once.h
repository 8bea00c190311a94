/*
 * A command of the bash tool in a shell of its own, for that command only: beside a busy session,
 * in the background, or on a terminal (agent-tools §9.1.4). It never touches the session.
 */
#pragma once

#include "tools/shell/bash_shell.h"

/* False only when no shell could be started. */
bool bash_run_once(const BashRun *run, Cancel *cancel, BashOutcome *outcome, GError **error);

/* What a command has printed goes to whom the run names. */
void bash_run_deliver(const BashRun *run, const char *data, size_t size);
