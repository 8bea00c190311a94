/*
 * A file in the editor of the person at the terminal.
 */
#pragma once

#include "base/error.h"

/* $VISUAL, else $EDITOR, else vi, on our terminal; waits for its end. FAILED when there is no
   terminal, or the editor ends with another status than 0. */
bool cmd_edit_file(const char *path, GError **error);
