/*
 * A command that a person types to be run in the conversation's shell, or in that of `kedge shell`,
 * or code for its Python kernel: no model asked for it, and typing it is the consent. What runs it
 * comes from the table of contents (tables.h), since the shell belongs to a room that the
 * conversation does not know.
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

typedef struct UserShellWatch { // of who looks on while it runs
    /* The end of what it has printed so far, borrowed, a few times a second, on the thread that
       runs it. */
    void (*on_output)(const char *text, void *user_data);
    void *user_data;
} UserShellWatch;

/* `command` is code where that is what it runs. `watch` may be NULL. Blocks until it has ended, or
 * was stopped; false when none could be started. */
typedef bool (*UserShellFunc)(ToolContext *context, const char *command,
                              const UserShellWatch *watch, Cancel *cancel,
                              UserShellResult *ret_result, GError **error);

/* A command of `kedge shell`, where no one listens but the person. All borrowed. */
typedef struct ConsoleCommand {
    const char *text;
    const char *cwd; // absolute, exists: where a shell is started that does not run yet
    int last_status; // what $? is to it
    int64_t timeout_ms;
    bool has_no_snapshot; // nothing of ~/.bashrc, in the first shell
    /* What it prints, as it comes, on the calling thread. */
    void (*on_output)(const char *data, size_t size, void *user_data);
    void *user_data;
} ConsoleCommand;

typedef struct ConsoleOutcome {
    int status;
    bool is_cancelled, is_timed_out; // the shell is gone
    bool has_shell_ended;            // by itself: `exit`, or a crash
    char *cwd;                       // where the shell stands now; NULL: it is gone
} ConsoleOutcome;

void console_outcome_clear(ConsoleOutcome *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ConsoleOutcome, console_outcome_clear)

typedef struct UserConsole {
    /* Blocks until the command has ended, or was stopped; false when no shell can be started. */
    bool (*run)(ToolContext *context, const ConsoleCommand *command, Cancel *cancel,
                ConsoleOutcome *ret_outcome, GError **error);
    /* Whether the next line goes on with it: an open quote, a loop without its end. Only bash can
       say; with another shell never. False when it cannot be found out. */
    bool (*needs_more)(ToolContext *context, const char *text, Cancel *cancel, bool *ret_needs,
                       GError **error);
} UserConsole;
