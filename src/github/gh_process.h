/*
 * Starting gh: nothing else does (common §6).
 *
 * gh_process_run() begins with the permit of the running call, so that gh is reached only behind
 * tool_call()'s decision. What kedge asks gh for itself, without a call, is fixed here: its version
 * and its token for a host, and the newer version of itself where it is an extension. Each start
 * waits for one of the places of gh_place.h and gets the environment of gh_env.h. Thread safe;
 * blocks.
 */
#pragma once

#include "base/proc.h"
#include "tool/tool.h"

typedef struct GhProcess {   // borrowed
    const char *path;        // gh_env_find_executable()
    const char *const *argv; // without "gh"
    bool inherits_target;    // GH_HOST and GH_REPO as the user has them (gh_env_new()); else:
    const char *set_host;    // GH_HOST; NULL: not set
    const char *set_repo;    // GH_REPO; NULL: not set
    /* Directory, limits, and how output is kept; argv and env are set here, and stderr is apart. */
    ProcSpec proc;
} GhProcess;

/* Errors: those of proc_run(); TIMEOUT also when no place becomes free. The time that a place was
   waited for does not count as the run's. */
bool gh_process_run(ToolCall *call, const GhProcess *process, ProcResult *ret_result,
                    GError **error);

/* `gh --version`, which needs neither network nor login. */
bool gh_process_ask_version(const char *path, Cancel *cancel, ProcResult *ret_result,
                            GError **error);

/* `gh auth token --hostname HOST`. */
bool gh_process_ask_token(const char *path, const char *host, Cancel *cancel,
                          ProcResult *ret_result, GError **error);

/* `gh extension upgrade NAME`, which a person asked for. */
bool gh_process_upgrade_extension(const char *path, const char *name, Cancel *cancel,
                                  ProcResult *ret_result, GError **error);
