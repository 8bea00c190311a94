/*
 * Subcommands: one file each, whose last item is its Command; the table is src/tables.c. This room
 * prints.
 *
 * Standard output is data only; messages go to standard error. Exit codes: common §2.
 */
#pragma once

#include "tool/call.h"
#include "tool/hook.h"
#include "tool/tool_set.h"
#include "tool/user_shell.h"

enum {
    EXIT_OK = 0,
    EXIT_FAILED = 1,
    EXIT_USAGE = 2,
    EXIT_BUDGET = 5,
    EXIT_LOOP = 6,
    EXIT_REFUSED = 77,
    EXIT_INTERRUPTED = 130,
};

typedef struct Command Command;
typedef struct Outline Outline; // outline.h

/* What every command gets from main(): the tables, so that this room need not know them. */
typedef struct CommandEnv {
    const Command *const *commands; // NULL-terminated
    const ToolSet *tools;           // all there are
    const ContextTables *tables;    // for a model's calls
    const char *program;            // the name it was started by, without a path; of cmd_main()
    const char *releases;       // [HOST/]OWNER/REPO that publishes them; "": the build names none
    UserShellFunc run_shell;    // of a person's commands in a conversation
    UserShellFunc run_python;   // of a person's code there
    const UserConsole *console; // of `kedge shell`
} CommandEnv;

struct Command {
    const char *name;        // "github"; of a subcommand with its parent's: "gh exec"
    const char *summary;     // one line, for the root help
    const char *usage;       // "[options] NAME", after "kedge <name> "
    const FieldDef *options; // NULL: none beyond --help
    const char *help;        // paragraphs after the options; may be NULL
    /* In place of all these, by the words given; NULL: none. Caller frees. */
    char *(*make_help)(const CommandEnv *env, int argc, char *const *argv);
    /* Adds to its part of the tree what these tables do not say; NULL: nothing. */
    void (*outline)(const CommandEnv *env, Outline *self);
    bool is_hidden;
    const Command *const *subcommands; // NULL-terminated, each with a help of its own; NULL: none
    /* `argv` without program and command name, which begins with no subcommand. Returns the exit
     * code. */
    int (*run)(const CommandEnv *env, int argc, char *const *argv);
};

/* argv of the program → exit code (agent-core §1.2). */
int cmd_main(const CommandEnv *env, int argc, char *const *argv);

const Command *cmd_find(const CommandEnv *env, const char *name);
/* The command that a first word of the command line was probably meant to be; NULL: none. */
const Command *cmd_find_meant(const CommandEnv *env, const char *word);

/* Prints `kedge: <message>` on standard error; the exit code that fits the error. */
int cmd_fail(const GError *error);
int cmd_exit_code(KedgeError code);

/* Says that the command `name` has no such subcommand, and which of `names` (NULL-terminated) is
 * near; the exit code of wrong usage. */
int cmd_unknown_subcommand(const char *name, const char *word, const char *const *names);

/* Each text as `Warning: <text>` on standard error. */
void cmd_print_warnings(const GPtrArray *warnings);

/* Standard output is a pipe that no one reads any more. */
bool cmd_is_reader_gone(void);

/* Standard output, whole: on a terminal nothing in it commands the terminal or disguises itself
   (base/visible.h), else the text is as it is. False after a write error, which is said unless the
   reader is gone. All that commands print passes here. */
bool cmd_print(const char *text);
bool cmd_print_bytes(const char *data, size_t size);
bool cmd_print_line(const char *text); // with a newline

/* --help of one command, and of the program. Caller frees. */
char *cmd_help_text(const Command *command);
char *cmd_root_help_text(const CommandEnv *env);
extern const char cmd_environment_text[]; // lines of names and meanings, two spaces in
extern const char cmd_exit_codes_text[];

/* Reads `.env` files into the environment (agent-core §0, common §3). Before any thread starts. */
void cmd_load_dotenv(void);
