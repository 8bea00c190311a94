/*
 * Host and repository that a call is about, from its arguments, the environment and git in its
 * working directory (gh-policy §1.2). Blocks: git is asked, gh is not.
 */
#pragma once

#include "github/safe/gh_context.h"
#include "tool/tool.h"

/* gh.defaultHost in its normal form, else github.com. Caller frees. */
char *gh_call_default_host(const Settings *settings);

/* What git says about `dir`, remembered for the conversation. */
bool gh_call_clone(ToolCall *call, const char *dir, GhClone **ret_clone, GError **error);

/* The repository named by `repo` (NULL: none), else that of the working directory. Its host and
   repository are set. Errors of GH_KIND_ERROR: invalid-args, policy-blocked, no-repo. */
bool gh_call_repo(ToolCall *call, const char *repo, GhContext *ret_context, GError **error);

/* The same for a call of the `github` tool or an address, which names none: the host of GH_HOST is
   known to these, too. */
bool gh_call_here(ToolCall *call, GhContext *ret_context, GError **error);
/* The same of another directory than the call's. */
bool gh_call_at(ToolCall *call, const char *dir, GhContext *ret_context, GError **error);
/* As [HOST/]OWNER/REPO, without the default host. Caller frees. */
bool gh_call_here_name(ToolCall *call, char **ret_repo, GError **error);
