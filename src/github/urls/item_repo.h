/*
 * The repository of an address that names none: that of the working directory. Blocks.
 */
#pragma once

#include "session/github_mark.h"
#include "tool/internal_url.h"

/* `what` is the address, `instead` what to write when there is no repository. */
bool item_default_repo(ToolCall *call, const char *what, const char *instead, char **ret_repo,
                       GError **error);
/* Says in the resource which thing of `repo` it is. */
void item_set_github(ToolCall *call, const char *repo, GithubKind kind, int64_t number,
                     UrlResource *resource);
