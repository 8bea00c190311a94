/*
 * Direct tool calls: one ToolDef run from the command line, outside any session (common §1, §4).
 */
#pragma once

#include "cmd/cli/cmd.h"

typedef struct DirectCall {
    const CommandEnv *env;
    const ToolDef *tool;
    const json_t *arguments;
    const ToolSet *tools; // that there are beside `tool`, which is one of them; all in the form for
                          // the settings, and for code that the call runs. NULL: `tool` as it is
    bool is_yes;          // --yes
    bool is_unknown_allowed;      // --yes-unknown of `kedge gh exec`
    bool is_json;                 // print the whole result as JSON
    const char *cwd;              // NULL: the process's
    int64_t timeout_ms;           // of the call; 0: none
    GPtrArray *settings_warnings; // gets what loading the settings warns of; NULL: that is said
    /* Before the call; may be NULL. False: refused, and that was said. */
    bool (*prepare)(ToolContext *context, void *user_data);
    /* Prints the result and gives the exit code, both otherwise than below; may be NULL. */
    int (*show)(ToolContext *context, const ToolResult *result, void *user_data);
    /* The exit code of a result that is no error; NULL: 0. */
    int (*judge)(const ToolResult *result);
    void *user_data;
} DirectCall;

/* Runs it with progress on a terminal and Ctrl-C, prints the result (an error on standard error),
   and returns the exit code: 0, 1, 2 (arguments), 77 (refused), 130, 143. */
int direct_run(const DirectCall *call);

/* The result's text, an error's on standard error; or as JSON. False: cmd_print()'s. */
bool direct_print(const ToolResult *result, bool is_json);

/*
 * A command that is one tool: reads its flags, which are the tool's fields but those in `words_for`
 * (NULL-terminated), and --yes, --json, --cwd; what is no flag goes to `words`. Then, with the
 * words put into the arguments, direct_run_flags() runs it; it consumes our own flags from
 * `arguments`.
 */
bool direct_read_flags(const ToolDef *tool, const char *const *words_for, int argc,
                       char *const *argv, GPtrArray *words, json_t **ret_arguments, GError **error);
int direct_run_flags(const CommandEnv *env, const ToolDef *tool, json_t *arguments,
                     int (*judge)(const ToolResult *result)); // as in DirectCall

extern const FieldDef direct_options[]; // --yes, --json, --cwd, for the help

/* Asks on the terminal device; NULL-able ToolDoor.ask. */
bool ask_on_terminal(const ToolQuestion *question, Cancel *cancel, bool *ret_approved,
                     void *user_data, GError **error);
bool ask_has_terminal(void);
/* ToolDoor.choose there; `user_data` is not used. */
bool choose_on_terminal(const ToolChoice *choice, Cancel *cancel, ChoiceEnd *ret_end,
                        char **ret_text, void *user_data, GError **error);
/* Somebody sits at it and sees what is asked: input and errors are there, too.
 */
bool ask_has_person(void);

/* Warnings of a settings load on standard error. */
Settings *cmd_load_settings(const char *cwd);
