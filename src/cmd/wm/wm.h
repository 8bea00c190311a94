/*
 * What the files of `kedge wm` share (task-engine §3.1): one file per command, whose last item is
 * its Command; the table is in wm.c.
 */
#pragma once

#include "cmd/cli/commands.h"

// one a line, so that two new ones do not meet
extern const Command command_wm_init;
extern const Command command_wm_compile;
extern const Command command_wm_validate;
extern const Command command_wm_list;
extern const Command command_wm_upgrade;
extern const Command command_wm_add;
extern const Command command_wm_update;
extern const Command command_wm_assign;
extern const Command command_wm_resolve;
extern const Command command_wm_run;
extern const Command command_wm_process_outputs;
extern const Command command_wm_emit;
extern const Command command_wm_rehearse;
extern const Command command_wm_enqueue;
extern const Command command_wm_worker;
extern const Command command_wm_status;
extern const Command command_wm_logs;

/* `error: <message>`, with `Run 'kedge wm <cmd> --help' for usage.` after a wrong usage; the exit
   code that fits. `command` is its whole name, "wm run". */
int wm_fail(const char *command, const GError *error);

/* Flags and words of a command of `wm`: as cmd_decode_options(), and besides `--flag=true` for
   booleans, lists with commas and quotes, and the wording of task-engine §3.1. Between `min_words`
   and `max_words` words are taken; `words` may be NULL when there are none. */
bool wm_decode(const Command *command, int argc, char *const *argv, void *options,
               json_t **ret_kept, GPtrArray *words, size_t min_words, size_t max_words,
               GError **error);
