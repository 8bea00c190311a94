/*
 * A file in the editor of the person at the terminal.
 */
#pragma once

#include "base/error.h"

/* $VISUAL, else $EDITOR, else vi, on our terminal, which is the editor's alone until it ends: its
   Ctrl+C and Ctrl+Z are not ours. Blocks; any thread, but one at a time. FAILED when there is no
   terminal, or the editor ends with another status than 0. */
bool edit_file(const char *path, GError **error);
/* The same; *running (atomic) is the editor's process group while it runs, else 0, so that another
   thread can end it. NULL: as above. */
bool edit_file_running(const char *path, int *running, GError **error);
