/*
 * The children of this process, all at once: for an end that waits for no one.
 */
#pragma once

#include <stdint.h>

/* The parent of a process, whose number is given as text. 0: not known. */
int64_t children_parent_of(const char *pid_text);

/* Kills the group of every child; each child leads a group of its own (common §6). */
void children_kill_all(void);
