/*
 * Reading an issue, a pull request or a diff from GitHub, by the calls of github-tool §7.5 and
 * §7.6. Blocks.
 */
#pragma once

#include "github/urls/view_lookup.h"

/* Fills all but `fetched_at`. Errors are gh's own. */
bool view_fetch(ToolCall *call, const ViewAddress *address, ViewRow *ret_row, GError **error);
