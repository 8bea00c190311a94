/*
 * Where a repository keeps its own files, without asking git. Thread safe.
 */
#pragma once

#include <stdbool.h>

/* The git directory that `.git` in `dir` is, or names; NULL: none. Caller frees. */
char *git_dir_at(const char *dir);
/* The nearest directory, `dir` (absolute) or one above it, that has a git directory; links are
   resolved. NULL: none. Caller frees. */
char *git_dir_work_tree(const char *dir);
/* The same without looking at what `.git` is, and without resolving links. Caller frees. */
char *git_dir_marked(const char *dir);
/* What the work trees of one repository share: that directory itself, or where its `commondir`
   leads. Caller frees. */
char *git_dir_common(const char *git_dir);
/* Is `path` (absolute, links resolved) in what looks like a git directory, whatever it is called?
 */
bool git_dir_is_inside(const char *path);
