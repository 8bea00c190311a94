/*
 * The exit status of a call of a gh tool for who called it as a command (gh-policy §0): gh's own,
 * or one of these.
 */
#pragma once

#include "tool/result.h"

enum {
    GH_EXIT_ARGUMENTS = 64,
    GH_EXIT_REFUSED = 77,
    GH_EXIT_TIMEOUT = 124,
    GH_EXIT_MISSING = 127,
};

int gh_exit_of(const ToolResult *result);
