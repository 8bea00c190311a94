/*
 * Opening files for the tools (agent-tools §1.6): regular files only, at once, and none of those
 * that hold what other programs were given in confidence. Thread safe.
 */
#pragma once

#include "base/error.h"
#include "base/fd.h"

#include <sys/stat.h>

/* Opens for reading. `shown` names the file in messages. A FIFO, a socket or a device is refused
   without being opened: USAGE "Not a regular file: <shown> (fifo)". A directory is one too. */
bool tool_file_open(const char *path, const char *shown, Fd *ret_fd, struct stat *ret_info,
                    GError **error);

/* The same judgement of a path that is to be written; one that does not exist is fine. */
bool tool_file_check_target(const char *path, const char *shown, GError **error);

/* On a file system of processes, wherever it is mounted. */
bool tool_file_is_on_proc(const char *path);
/* Below /proc and /dev, after links: environments, memory, command lines of processes. */
bool tool_file_is_secret(const char *path);
