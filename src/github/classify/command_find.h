/*
 * Which command an argument vector runs: gh's first phase, reproduced word for word (gh-policy
 * §2.3). A flag that a group does not know swallows the element behind it, so `gh pr --squash view
 * merge` is `pr merge`. Pure.
 */
#pragma once

#include "github/classify/command_table.h"

#define COMMAND_MAX_ARGS 200

typedef struct CommandFound {
    const CommandNode *node;
    size_t rest[COMMAND_MAX_ARGS]; // indexes of the elements that are no command words, in order
    size_t rest_count;
    size_t words_end;      // index behind the last command word; the start when there is none
    bool has_unknown_word; // the next word names no command below `node`, which has some
    size_t unknown_word;   // its index
} CommandFound;

/* Looks at argv[start … count - 1]; count is at most COMMAND_MAX_ARGS. */
void command_find(const char *const *argv, size_t start, size_t count, CommandFound *ret_found);
