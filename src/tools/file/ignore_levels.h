/*
 * The ignore files of a directory and of those above it, and what they say together: .rgignore
 * before .ignore before .gitignore, of one kind the nearest first. A repository's root ends the
 * reach of .gitignore files above it; its .git/info/exclude and the user's own excludes come last.
 * Reference-counted; immutable; thread safe.
 */
#pragma once

#include "tools/file/ignore.h"

typedef struct IgnoreLevel IgnoreLevel;

/* Of `dir` and those above that count: up to the repository's root, or up to `cwd` where that is
   farther above. Both absolute. */
IgnoreLevel *ignore_level_new(const char *dir, const char *cwd);
/* Of a directory inside `above`. */
IgnoreLevel *ignore_level_enter(IgnoreLevel *above, const char *dir);
IgnoreLevel *ignore_level_ref(IgnoreLevel *self);
void ignore_level_unref(IgnoreLevel *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(IgnoreLevel, ignore_level_unref)

/* Is the entry `path` (absolute) of the level's directory left out? What it says when the watch has
   stopped means nothing. */
bool ignore_level_leaves_out(const IgnoreLevel *self, const char *path, bool is_directory,
                             bool excludes_hidden, IgnoreWatch *watch);
