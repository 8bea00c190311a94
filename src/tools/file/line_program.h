/*
 * A program whose output is lines, each handed on as it comes: ripgrep, ast-grep. Blocks; thread
 * safe.
 */
#pragma once

#include "base/cancel.h"

/* Without its newline. False: that was enough, and the program is stopped. */
typedef bool (*LineProgramFunc)(const char *line, size_t size, void *user_data);

typedef struct LineProgram { // all borrowed
    const char *name;        // in messages
    const char *const *argv;
    const char *cwd;
    const char *const *trees; // as in ProcSpec
    int64_t timeout_ms;
    LineProgramFunc func;
    void *user_data;
} LineProgram;

/* `*ret_error_text` is its standard error, its beginning; a program that `func` stopped counts as
   exit status 0. LIMIT for a line over LIMIT_JSON_BYTES; otherwise as proc_run(). */
bool line_program_run(const LineProgram *program, Cancel *cancel, int *ret_exit_status,
                      char **ret_error_text, GError **error);
