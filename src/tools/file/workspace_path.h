/*
 * How tools understand a path that a model or a person wrote (agent-tools §1.6), and how they show
 * it. Thread safe.
 */
#pragma once

#include "tool/tool.h"

/* The absolute path that `asked` means in `cwd`. What has exactly that name, or could have it in a
   folder that is there ("@types/x"), comes first; then ~, file://, quotes, a leading @, Unicode
   blanks. Whether it exists is not checked. Caller frees. */
char *workspace_path(const char *asked, const char *cwd);

/* May `path`, which is workspace_path() of `asked`, be replaced as a whole? USAGE: it exists under
   another name than the one that was asked for. */
bool workspace_may_replace(const char *asked, const char *path, const char *cwd, GError **error);

/* The length of `scheme` in `scheme://…`; 0 for a path. file:// is a path. */
size_t workspace_scheme_length(const char *text);

/* The path that a tool may write to when asked for `asked`, and how it is shown. A URL is
   none unless its scheme is_writable, nor is a FIFO, a socket or a device. Caller frees both. */
bool workspace_target(ToolContext *context, const char *asked, char **ret_path, char **ret_shown,
                      GError **error);

/* What is left of a path without surrounding blanks and quotes. Caller frees. */
char *workspace_clean(const char *asked);

/* The one file or directory below `cwd` whose path ends in `asked`, ignored files aside; NULL when
   there is none or more than one, or the search takes over 5 s. Caller frees. */
char *workspace_suffix_match(const char *asked, const char *cwd, Cancel *cancel);
