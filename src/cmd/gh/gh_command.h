/*
 * The subcommands of `kedge gh`, one file each, for the table in gh.c.
 */
#pragma once

#include "cmd/cli/commands.h"

extern const Command command_gh_exec;
extern const Command command_gh_call;
extern const Command command_gh_classify;
extern const Command command_gh_doctor;
extern const Command command_gh_last_error;
extern const Command command_gh_audit;
extern const Command command_gh_cache;
