/*
 * A key that was taken out of our environment is still in that of whoever started us, if it was
 * given to them: a shell that a workflow's step runs in, a script. What runs as the same user can
 * read it there (/proc/PID/environ), a command that a model starts included.
 */
#pragma once

#include "base/secret_names.h"

#include <glib.h>

/* "bash (process 4711) has ANTHROPIC_API_KEY" of the nearest process above ours that is the same
   user's and has a key or token in the environment that it was started with; NULL: none. No value
   is kept. Caller frees. */
char *secret_ancestor_find(void);
