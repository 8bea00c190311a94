/*
 * What the conversation has last seen of each file (agent-tools §1.9), so that write and edit do
 * not undo what somebody else wrote meanwhile. Thread safe.
 */
#pragma once

#include "tool/tool.h"

/* `path` was shown, or written, as it is on disk now. */
void seen_files_note(ToolCall *call, const char *path);

/* Fails when `path` is not what was last seen of it: once, because the new state counts as seen
   from then on. A file that was never seen, or is gone, passes. */
bool seen_files_check(ToolCall *call, const char *path, const char *shown, GError **error);

/* Before all of `path` is replaced. Fails, once as well, for a file with something in it that a
   model asks for and was never shown. */
bool seen_files_check_replaced(ToolCall *call, const char *path, const char *shown, GError **error);
