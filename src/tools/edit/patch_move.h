/*
 * Files that an edit takes away or gives another name. Nothing is ever overwritten. Thread safe.
 */
#pragma once

#include "base/error.h"

/* The file or link itself; one that is gone already is deleted. `shown`: for messages. */
bool patch_delete(const char *path, const char *shown, GError **error);

/* Parent directories of `to` are made. FAILED when something has come to be there. */
bool patch_move(const char *from, const char *to, const char *from_shown, const char *to_shown,
                GError **error);
