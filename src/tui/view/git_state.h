/*
 * What the status line says of git: branch and counts, found on a worker, again when HEAD changes
 * (inotify) and when asked. Nothing polls. One thread, that of the loop.
 */
#pragma once

#include "base/loop.h"

typedef struct GitFacts {
    char *branch; // clean; "(a1b2c3d)" when detached; NULL: not a repository
    char *head;   // the commit; NULL: none
    int staged, unstaged, untracked;
} GitFacts;

typedef struct GitState GitState;

GitState *git_state_new(Loop *loop, const char *cwd, LoopFunc on_change, void *user_data);
void git_state_free(GitState *self); // waits for its worker
G_DEFINE_AUTOPTR_CLEANUP_FUNC(GitState, git_state_free)

void git_state_refresh(GitState *self); // merged with one that is on
const GitFacts *git_state_facts(const GitState *self);
