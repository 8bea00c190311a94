/*
 * Several pull requests in one call (github-tool §3.5).
 */
#pragma once

#include "tool/tool.h"

/* `entries` has at least two; `repo` may be NULL. Waits for every member. When only some failed,
   the result is an error whose text lists what was created. */
bool checkout_batch(ToolCall *call, const char *const *entries, const char *repo, bool force,
                    ToolResult *result, GError **error);
