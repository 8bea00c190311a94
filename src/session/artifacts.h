/*
 * Artifacts: full outputs beside a session, `<dir>/<id>.<tool>.log` (common §7, agent-tools
 * §2.8).
 *
 * Ids count from 0, continuing after the largest in the directory. Thread safe. The directory is
 * made when the first artifact is written; files are 0600.
 */
#pragma once

#include "base/error.h"

#include <stddef.h>

typedef struct Artifacts Artifacts;

/* `dir` is the session file's path without ".jsonl". */
Artifacts *artifacts_new(const char *dir);
void artifacts_free(Artifacts *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Artifacts, artifacts_free)

const char *artifacts_dir(const Artifacts *self); // need not exist

/* Takes the next id. Creates the directory, but no file. Strings belong to the caller. */
bool artifacts_allocate(Artifacts *self, const char *tool, char **ret_path, char **ret_id,
                        GError **error);

/* Allocates and writes in one go. */
bool artifacts_save(Artifacts *self, const char *tool, const char *data, size_t size, char **ret_id,
                    GError **error);

/* The file of `artifact://<id>`; error texts of agent-tools §4.2. `self` may be NULL (no session).
 */
bool artifacts_find(Artifacts *self, const char *id, char **ret_path, GError **error);
