/*
 * ripgrep, behind grep: the one place that runs it. Blocks; thread safe.
 */
#pragma once

#include "tools/file/line_program.h"

/* rg with these arguments (NULL-terminated, without "rg"), each line of its output given to `func`
   without the newline. LIMIT for a line over 64 MiB. `ret_error_text` is its standard error. Exit
   status 1 means nothing was found; a run that `func` stopped counts as 0. */
typedef LineProgramFunc RgLineFunc;
bool rg_run(const char *const *args, const char *cwd, const char *const *trees, int64_t timeout_ms,
            Cancel *cancel, RgLineFunc func, void *user_data, int *ret_exit_status,
            char **ret_error_text, GError **error);
