/*
 * Commands that git's configuration and environment name, and where they would be found: for
 * whoever starts git in a tree that a stranger wrote (git_programs.h). Thread safe; only links are
 * followed.
 */
#pragma once

#include <stdbool.h>

/* Is every program and file that the command names found at one place, wherever git stands: by an
   absolute path outside of `tree` (NULL: anywhere), below the home directory, or on PATH? False in
   doubt, and for a program that runs what it finds where it is started (a shell with a script's
   name, make, npx). */
bool git_command_is_anchored(const char *command, const char *tree);

/* The same for a value of credential.helper: `!command`, a path, or what stands for
   git-credential-NAME. */
bool git_helper_is_anchored(const char *value, const char *tree);
