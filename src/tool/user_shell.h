/*
 * A command that a person types to be run in the conversation's shell: no model asked for it, and
 * typing it is the consent. What runs it comes from the table of contents (tables.h), since the
 * shell belongs to a room that the conversation does not know.
 */
#pragma once

#include "tool/context.h"

typedef struct UserShellResult {
    char *output; // the end of it, when it is long
    int exit_code;
    bool is_cancelled, is_truncated;
    size_t total_lines, total_bytes, output_lines, output_bytes;
    char *artifact_id; // of the whole output; NULL: none was needed
} UserShellResult;

void user_shell_result_clear(UserShellResult *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(UserShellResult, user_shell_result_clear)

/* Blocks until the command has ended, or was stopped; false when none could be started. */
typedef bool (*UserShellFunc)(ToolContext *context, const char *command, Cancel *cancel,
                              UserShellResult *ret_result, GError **error);
