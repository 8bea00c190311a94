/*
 * The gh that the gh tools run: where it is and which version (gh-policy §6.5, §13). Thread safe;
 * blocks.
 */
#pragma once

#include "github/gh_version.h"
#include "tool/settings.h"

typedef struct GhProgram {
    char *path;
    char *version_text; // "2.92.0"; "DEV" when gh says no number
    GhVersion version;  // of a gh without number: newer than all
} GhProgram;

void gh_program_clear(GhProgram *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(GhProgram, gh_program_clear)

/* The oldest version that is accepted, as text: a project's setting only raises it. Caller frees.
 */
char *gh_program_minimum(const Settings *settings);

/* Starts nothing but `gh --version`, so it needs no permit. `cwd` and `workspace` as in
   gh_env_find_executable(). Errors of GH_KIND_ERROR: no-executable, version (also for a gh that is
   older than gh.minVersion); CANCELLED. */
bool gh_program_find(const Settings *settings, const char *cwd, const char *workspace,
                     Cancel *cancel, GhProgram *ret_program, GError **error);
