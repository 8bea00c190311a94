/*
 * The working directory of a gh call (gh-policy §1.5): opened once, checked on what was opened, and
 * used through its descriptor, so that nothing can be put in its place in between. Thread safe.
 */
#pragma once

#include "base/fd.h"
#include "tool/settings.h"

typedef struct GhCwd {
    char *path; // real, absolute
    Fd fd;      // -1: not open
} GhCwd;

void gh_cwd_clear(GhCwd *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(GhCwd, gh_cwd_clear)

typedef struct GhCwdSpec {
    const Settings *settings;
    const char *text;      // as the caller gave it; NULL: the workspace
    const char *workspace; // absolute; a relative text is below it
    const char *mounts;    // NULL: /proc/self/mountinfo
    bool is_anywhere;      // of a command, which is where it is: any local directory
} GhCwdSpec;

/* Errors of GH_KIND_ERROR: remote-cwd, invalid-cwd. *ret_cwd must be `{ .fd = -1 }` or zeroed. */
bool gh_cwd_open(const GhCwdSpec *spec, GhCwd *ret_cwd, GError **error);

/* A name for chdir() in a child that inherits the descriptor up to its exec. Caller frees. */
char *gh_cwd_spawn_path(const GhCwd *self);
