/*
 * The children of this process, all at once: for an end that waits for no one.
 */
#pragma once

/* Kills the group of every child; each child leads a group of its own (common §6). */
void children_kill_all(void);
