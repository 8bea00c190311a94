/*
 * The programs that a repository's configuration names, closed for one command of git: each by an
 * entry of its environment, which git reads after every file. Used by git.c alone.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

/* Adds KEY=VALUE to GIT_CONFIG_COUNT's entries. Takes over `env`. */
char **git_env_add(char **env, const char *key, const char *value);

/* What `git config --get-regexp` is asked for: what names a program for a command that writes a
   tree, for one that connects; filters alone. */
#define GIT_PROGRAM_KEYS                                                                           \
    "^(filter|merge|lfs|remote|credential|core|gpg)\\.(.*\\.)?(clean|smudge|process|driver|path|"  \
    "helper|uploadpack|receivepack|sshcommand|gitproxy|askpass|alternaterefscommand|program)$"
#define GIT_HELPER_KEYS                                                                            \
    "^(remote|credential|core|gpg)\\.(.*\\.)?(helper|uploadpack|receivepack|sshcommand|gitproxy|"  \
    "askpass|alternaterefscommand|program)$"
#define GIT_FILTER_KEYS "^filter\\."

/* Both read what git answered with -z, "KEY\nVALUE\0…" (no \n where there is no value). LIMIT: it
   has too many keys. */

/* Empties every filter, whatever it is. */
bool git_programs_close_filters(const char *answer, size_t size, char ***env, GError **error);
/* Closes what is not anchored (git_command.h) outside of `tree` (may be NULL). Adds to `left_off`
   (may be NULL) what that was: "filter.strip.smudge (./strip.sh)". DENIED: with `connects`, what
   cannot be closed. */
bool git_programs_close_foreign(const char *answer, size_t size, const char *tree, bool connects,
                                char ***env, GPtrArray *left_off, GError **error);

/* Variables that name such programs or files by a relative name, and such entries of PATH. Takes
   over `env`. */
char **git_programs_close_variables(char **env, const char *tree);
