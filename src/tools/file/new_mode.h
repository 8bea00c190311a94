/*
 * Modes of files and folders that tools make: what is kedge's own (a conversation's local:// files,
 * all below its own directories) is for its user alone, whatever their umask is; anything else is
 * as a shell would make it (common §3).
 */
#pragma once

#include "tool/context.h"

#include <sys/types.h>

mode_t new_file_mode(ToolContext *context, const char *path);
mode_t new_dir_mode(ToolContext *context, const char *path);
