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

enum { // of `exec` and `call` besides gh's own (gh-policy §0)
    EXIT_GH_ARGUMENTS = 64,
    EXIT_GH_TIMEOUT = 124,
    EXIT_GH_MISSING = 127,
};
