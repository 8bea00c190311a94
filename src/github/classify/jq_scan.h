/*
 * Does a jq expression read the environment? (gh-policy §3.3) gh's jq has that of the process,
 * tokens included. Pure; one pass over the text.
 */
#pragma once

#include <stdbool.h>

/* The function `env` or the variable `$ENV` occurs in code; when in doubt, yes. */
bool jq_reads_environment(const char *expression);
