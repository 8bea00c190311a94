/*
 * What the status line says of git: branch and counts, found on a worker, again when HEAD changes
 * (inotify) and when asked. Nothing polls. One thread, that of the loop.
 */
#pragma once

#include "base/loop.h"

typedef struct GitFacts {
    char *branch;                    // clean; "(a1b2c3d)" when detached; NULL: not a repository
    char *head;                      // the commit; NULL: none
    int staged, unstaged, untracked; // paths; -1: not known, git took too long to count them
} GitFacts;

void git_facts_clear(GitFacts *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(GitFacts, git_facts_clear)

/* What `git status --porcelain=v2 -z --branch` has said; never fails. Pure. */
void git_facts_parse(const char *output, size_t size, GitFacts *ret_facts);

typedef struct GitState GitState;

GitState *git_state_new(Loop *loop, const char *cwd, LoopFunc on_change, void *user_data);
void git_state_free(GitState *self); // waits for its worker
G_DEFINE_AUTOPTR_CLEANUP_FUNC(GitState, git_state_free)

void git_state_refresh(GitState *self); // merged with one that is on
const GitFacts *git_state_facts(const GitState *self);
