/*
 * What file.c, file_write.c and file_draft.c share. Internal to base; everybody else uses file.h.
 */
#pragma once

#include "base/file.h"

/* "cannot <verb> <path>: …"; NOT_FOUND when something on the way is absent. Returns false. */
bool file_fail(GError **error, int saved_errno, const char *verb, const char *path);

/* A directory on the file system of `target` where a temporary name may stand for a moment: inside
   the git directory of its work tree, so that no listing ever shows it, else the directory of the
   target. What dead processes left there is removed. *ret_prefix begins the name. */
int file_open_staging(const char *target, const char **ret_prefix);
