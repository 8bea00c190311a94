/*
 * What is written to the shell of bash_shell.c: its program, and the messages that run a command
 * and make it report. Pure but for looking up the real path of a directory; callers free.
 */
#pragma once

#include "tools/shell/bash_shell.h"

/* The program that a bash is started with. `nonce` begins its reports; `snapshot_path` is sourced
 * first, and may be NULL. */
char *bash_message_program(const char *nonce, const char *snapshot_path);

/* The first message; bash needs none, since its program begins with a report. */
GString *bash_message_start(const char *shell, const char *nonce);
GString *bash_message_call(const char *shell, const char *nonce, const BashRun *run);

/* What comes before a command, on its line, so that it asks before gh runs: "" or "…; ". Caller
   frees. */
char *bash_message_door(const BashRun *run);

/* `command` after the prefix that every command gets (bash_command_prefix()). Caller frees. */
char *bash_message_prefixed(const char *command);
