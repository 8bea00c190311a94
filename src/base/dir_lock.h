/*
 * A lock that other programs can see and that survives no one: the directory `<file>.lock`, which
 * one process makes at a time, with `info` in it: {"pid":N,"timestamp":ms,"host":"…"} (agent-core
 * §5.2). For short work: who holds it longer than 10 s loses it. Thread safe; blocks the calling
 * thread.
 */
#pragma once

#include "base/cancel.h"

typedef struct DirLock DirLock;

/* Waits at most 5 s (50 attempts), then TIMEOUT: "Failed to acquire lock for F after 50 attempts".
   A lock whose process is gone, that is older than 10 s, or that has said nothing for 2 s is taken
   over. The directory of `path` must exist. */
bool dir_lock_acquire(const char *path, Cancel *cancel, DirLock **ret_lock, GError **error);

/* The directory `lock` ("<file>.lock") is one that the next who wants it would take over. */
bool dir_lock_is_left(const char *lock);

/* Removes it, unless another took it over meanwhile. NULL is allowed. */
void dir_lock_release(DirLock *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DirLock, dir_lock_release)
