/*
 * Every Command, for src/tables.c, and the option decoding that they share.
 */
#pragma once

#include "cmd/cli/cmd.h"

extern const Command command_launch;
extern const Command command_acp;
extern const Command command_agent_tools;
extern const Command command_arcade;
extern const Command command_config;
extern const Command command_commit;
extern const Command command_completion;
extern const Command command_doctor;
extern const Command command_man;
extern const Command command_sessions;
extern const Command command_stats;
extern const Command command_tool;
extern const Command command_update;
extern const Command command_grep;
extern const Command command_read;
extern const Command command_rpc;
extern const Command command_review;
extern const Command command_shell;
extern const Command command_ssh;
extern const Command command_github;
extern const Command command_gh;
extern const Command command_login;
extern const Command command_logout;
extern const Command command_mcp;
extern const Command command_wm;

/* Flags into the struct at `options` (zeroed by the caller), words into `words` (NULL: none are
   taken). `ret_kept` holds what the struct borrows from. USAGE errors name the flag. */
bool cmd_decode_options(const FieldDef *fields, int argc, char *const *argv, void *options,
                        json_t **ret_kept, GPtrArray *words, GError **error);
