/*
 * Where the commands of a shell's text run, as far as its `cd` say so, and which repository that is
 * (gh_shell.h). A folder that is in a variable is not known. Private to gh_shell.c.
 */
#pragma once

#include "tool/tool.h"

typedef struct ShellPlace {
    ToolCall *call; // NULL: no directory is known
    char *dir;      // absolute; NULL: not known
    bool has_moved; // by a `cd`
} ShellPlace;

/* `cwd`: as the call gives it, or NULL. */
void shell_place_init(ShellPlace *self, ToolCall *call, const char *cwd);
void shell_place_clear(ShellPlace *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ShellPlace, shell_place_clear)

/* After `cd`, whose words follow in `words`. */
void shell_place_move(ShellPlace *self, char *const *words);

/* The repository there, or below `folder` (of `git -C`; NULL: there itself). False: not known.
   Asks git. */
bool shell_place_repo(const ShellPlace *self, const char *folder, char **ret_host, char **ret_repo);
