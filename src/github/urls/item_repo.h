/*
 * The repository of an address that names none: that of the working directory. Blocks.
 */
#pragma once

#include "tool/tool.h"

/* `what` is the address, `instead` what to write when there is no repository. */
bool item_default_repo(ToolCall *call, const char *what, const char *instead, char **ret_repo,
                       GError **error);
