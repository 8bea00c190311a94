/*
 * The flags, values and positionals of an argument vector: gh's second phase, with the flags of the
 * command that was found (gh-policy §2.4). Nothing is left out: every element that is no command
 * word is in the list of items.
 *
 * A CommandArgs holds its own copy of the vector; all indexes count its elements as the caller gave
 * them. Immutable, so thread safe.
 */
#pragma once

#include "github/classify/command_find.h"

typedef enum {
    ARG_POSITIONAL,
    ARG_FLAG,         // known to the command
    ARG_UNKNOWN_FLAG, // read as a boolean
    ARG_SEPARATOR,    // "--"
    ARG_UNPARSED,     // behind -h, or of a command that reads its flags itself
} ArgKind;

typedef struct CommandArg {
    ArgKind kind;
    size_t index;            // of the element; several flags of one cluster share it
    const CommandFlag *flag; // of ARG_FLAG
    const char *name; // of flags: the long name, of an unknown one what was written; otherwise NULL
    const char *value;   // points into the vector; NULL: a flag without one
    size_t value_index;  // the element that the value is in,
    size_t value_offset; // and where it begins there
    bool is_true;        // of boolean flags
    bool is_text;        // free text of the caller (gh-policy §3.1, step 7)
    bool is_secret; // by its flag, or behind a flag named like one (gh-policy §8.2, rows 1 and 2)
} CommandArg;

typedef struct CommandArgs {
    char **argv;
    const CommandNode *node;
    CommandArg *items;
    size_t count;
    char *error;  // the first thing that gh would refuse; NULL: nothing
    bool is_help; // gh prints help and runs nothing
    GStringChunk *names;
} CommandArgs;

/* `found` is command_find()'s answer for this vector. */
CommandArgs *command_args_new(const char *const *argv, const CommandFound *found);
void command_args_free(CommandArgs *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CommandArgs, command_args_free)

/* `flag` is a name in any form: "jq", "--jq", "-q". NULL: the flag was not given, or without a
 * value. */
const char *command_args_last(const CommandArgs *self, const char *flag);
bool command_args_has(const CommandArgs *self, const char *flag);
bool command_args_is_true(const CommandArgs *self, const char *flag); // a boolean's final value
/* Every value in order, NULL-terminated. The array belongs to the caller, the strings do not. */
const char **command_args_values(const CommandArgs *self, const char *flag);

size_t command_args_positional_count(const CommandArgs *self);
/* NULL behind the last one. */
const char *command_args_positional(const CommandArgs *self, size_t position);
